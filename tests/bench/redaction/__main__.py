"""How well secrets are recognised, and innocent texts left alone: ``python -m tests.bench.redaction``."""

import argparse
from collections.abc import Sequence

from .labelled import PARTS, Labelled, Part, innocent, secrets
from .scored import Score, judged, scored


def line(name: str, score: Score) -> str:
    """Return one score as a line: precision and recall of secrets, and how many innocent texts were changed."""
    kinds = f"{score.caught}/{score.secrets} secrets" if score.secrets else ""
    harmed = f"{score.damaged}/{score.innocent} innocent texts changed" if score.innocent else ""
    return f"{name:28} precision {score.precision:.3f}  recall {score.recall:.3f}  {kinds:18} {harmed}"


def families(texts: Sequence[Labelled]) -> list[str]:
    """Return the families of texts, by their names."""
    return sorted({text.family for text in texts})


def report(part: Part, *, mistakes: bool) -> None:
    """Print the scores of one part, all in all, by family and by language, and what was wrong if asked for."""
    texts = [*secrets()[part], *innocent()[part]]
    print(line(part, scored(texts)))
    for family in families(texts):
        print(line(f"  {family}", scored([text for text in texts if text.family == family])))
    for language in sorted({text.language for text in texts}):
        print(line(f"  in {language}", scored([text for text in texts if text.language == language])))
    if mistakes:
        for text in texts:
            judgement = judged(text)
            if judgement.wrong or judgement.missed:
                print(f"    {text.kind or text.text!r}: missed {judgement.missed}, wrong {judgement.wrong}")


def main() -> None:
    """Print a block for each part: `labelled` says which are which."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS, help="one part only")
    parser.add_argument("-v", "--mistakes", action="store_true", help="list what was missed and what was wrong")
    options = parser.parse_args()
    for part in PARTS if options.part is None else (options.part,):
        report(part, mistakes=options.mistakes)


if __name__ == "__main__":
    main()
