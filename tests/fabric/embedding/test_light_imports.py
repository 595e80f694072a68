"""Embedders are light until they are used."""

import subprocess
import sys

import pytest

HEAVY = {"numpy", "wordllama", "tokenizers", "safetensors", "onnxruntime", "litellm"}


@pytest.mark.parametrize(
    "statement",
    [
        "import fabric",
        "import fabric.embedding",
        "from fabric.embedding import embedder_of; embedder_of('default'); embedder_of('openai/any')",
        "from fabric.embedding import embedder_of; embedder_of('text-embedding-3-small')",
    ],
)
def test_nothing_heavy_is_loaded_before_the_first_text(statement: str):
    code = f"{statement}\nimport sys\nprint(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HEAVY.isdisjoint(done.stdout.split())
