"""Text of any language: words, stems, terms, passages, JSON and prompts. Nothing here is stored, or asks a model."""
