"""The file beside the model: each check, how often it was made, and where it did not hold."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .looking import Found
from .model import Model, Said, places, said_by
from .operations import USERS

KEPT = "what was acknowledged is there"
WHOLE = "what was only begun is there whole or not at all"
GONE = "nothing that was forgotten is back, in any table"
ONCE = "nothing is there twice"
OWN = "nobody has what is another's"
FINISHED = "what was left is finished after opening"
DOCTOR = "doctor finds nothing"
CHECKS = (KEPT, WHOLE, GONE, ONCE, OWN, FINISHED, DOCTOR)


@dataclass(frozen=True, slots=True)
class Violation:
    """One check that did not hold, and where."""

    check: str
    told: str


class _Comparing:
    def __init__(self, model: Model, found: Found, checked: Counter[str]) -> None:
        self.model, self.found, self.checked = model, found, checked

    def kept(self) -> Iterator[Violation]:
        """What was acknowledged is there, but for what an act of forgetting that was begun may have taken."""
        taken = {word for must, beside in self.model.forgetting() for word in must | beside}
        for message in self.model.kept.values():
            if message.word not in self.model.unsure | taken:
                self.checked[KEPT] += 1
                yield from self._in_place(message, KEPT)

    def unsure(self) -> Iterator[Violation]:
        """What forgetting may have taken along is there whole, or nowhere."""
        for word in sorted(self.model.unsure):
            self.checked[WHOLE] += 1
            if word in self.found.everywhere:
                yield from self._in_place(self.model.kept[word], WHOLE)
            self.model.settle([word], are_kept=word in self.found.everywhere)

    def begun(self) -> Iterator[Violation]:
        for operation in list(self.model.begun.values()):
            if operation.kind.startswith("forget"):
                continue
            self.checked[WHOLE] += 1
            said = said_by(operation)
            there = [message for message in said if message.word in self.found.everywhere]
            missing = [message.word for message in said if message not in there]
            for message in there:
                yield from self._in_place(message, WHOLE)
            told = [one for one in missing if one in self.model.told]
            if told:
                yield Violation(KEPT, f"{told} of {operation}")
            if there and missing and operation.kind.startswith("import"):
                yield Violation(WHOLE, f"{len(there)} of {len(said)} words of {operation}")

    def forgetting(self) -> Iterator[Violation]:
        """What was begun to be forgotten is gone altogether, or there with all that would have gone along."""
        for must, beside in self.model.forgetting():
            self.checked[WHOLE] += 1
            sure = must - self.model.unsure
            there = sure & self.found.everywhere
            for word in sorted(there | (beside - self.model.unsure) if there else there):
                yield from self._in_place(self.model.kept[word], WHOLE)
            if there and len(there) < len(sure):
                yield Violation(WHOLE, f"of {sorted(sure)}, begun to be forgotten, {sorted(there)} are there")
            if sure and not there:
                self.model.settle(must, are_kept=False)
                self.model.unsure |= beside

    def gone(self) -> Iterator[Violation]:
        self.checked[GONE] += len(self.model.gone)
        for word in sorted(self.model.gone & self.found.everywhere):
            where = {user: dict(held[word]) for user, held in self.found.words.items() if word in held}
            yield Violation(GONE, f"{word} {where}")

    def own(self) -> Iterator[Violation]:
        owners = {message.word: message.user for message in self.model.kept.values()}
        owners |= {
            message.word: message.user for operation in self.model.begun.values() for message in said_by(operation)
        }
        for user in USERS:
            held = self.found.words.get(user, {})
            self.checked[OWN] += len(held)
            for word in held:
                if owners.get(word, user) != user:
                    yield Violation(OWN, f"{user} has {word} of {owners[word]}")

    def told(self) -> Iterator[Violation]:
        for check, wrong in ((ONCE, self.found.twice), (FINISHED, self.found.unfinished), (DOCTOR, self.found.doctor)):
            self.checked[check] += check != DOCTOR or self.found.is_checked_up
            yield from (Violation(check, one) for one in wrong)
        read = {message.word for message in self.model.kept.values() if message.verb in ("capture", "run")}
        yield from (Violation(FINISHED, f"not read: {word}") for word in sorted(self.found.uncaptured & read))

    def _in_place(self, message: Said, check: str) -> Iterator[Violation]:
        held = self.found.words.get(message.user, {}).get(message.word, Counter())
        for place, times in places(message).items():
            if held[place] != times:
                fault = ONCE if held[place] > times else check
                yield Violation(fault, f"{message}: {held[place]} times among the {place}, expected {times}")
        if held["episodes"] > places(message).get("facts", 0):
            yield Violation(ONCE, f"{message}: {held['episodes']} episodes")


def compare(model: Model, found: Found, checked: Counter[str]) -> list[Violation]:
    """Return every violation, count what was checked, and note in the model what became of what was only begun."""
    comparing = _Comparing(model, found, checked)
    checks: Iterable[Iterable[Violation]] = (
        comparing.kept(),
        comparing.begun(),
        comparing.forgetting(),
        comparing.unsure(),
        comparing.gone(),
        comparing.own(),
        comparing.told(),
    )
    violations = [one for check in checks for one in check]
    model.look_again(found.everywhere)
    return violations
