"""The campaign of kills beside files that are right and wrong: an act of forgetting that was begun is done or not."""

from collections import Counter

from tests.bench.kills.compared import GONE, KEPT, WHOLE, compare
from tests.bench.kills.looking import Found
from tests.bench.kills.model import Model, places, said_by
from tests.bench.kills.operations import Operation

SAID = (
    Operation("ann", "mind", "p", words=("zqbbbbbb", "zqcccccc")),
    Operation("ann", "capture like", "p", words=("zqdddddd",)),
    Operation("ann", "update", ids=("1",), words=("zqffffff", "zqdddddd")),
    Operation("bob", "trace", words=("zqgggggg",)),
)
ANN, BOB = {"zqbbbbbb", "zqcccccc", "zqdddddd", "zqffffff"}, {"zqgggggg"}


def _checks(held: set[str], *begun: Operation) -> list[str]:
    """Return which checks fail where a file holds these words after all was acknowledged but the last."""
    model = Model()
    for operation in SAID:
        model.hear("begun", operation)
        model.hear("done", operation)
    for operation in begun:
        model.hear("begun", operation)
    found = Found(everywhere=held)
    for said in model.kept.values():
        if said.word in held:
            found.words.setdefault(said.user, {})[said.word] = Counter(places(said))
    checks = [one.check for one in compare(model, found, Counter())]
    # a second look, at what the first one left of the file, finds no more: the model has taken in what it saw
    assert checks or not compare(model, found, Counter())
    return checks


def test_forgetting_that_nobody_was_told_of_may_be_done_whole_or_not_at_all() -> None:
    forget_all = Operation("ann", "forget all")
    assert [len(said_by(one)) for one in SAID] == [2, 1, 1, 1]
    assert _checks(ANN | BOB) == []
    assert KEPT in _checks(BOB)  # nobody asked for anything to be forgotten
    assert _checks(BOB, forget_all) == []
    assert _checks(ANN | BOB, forget_all) == []
    assert WHOLE in _checks(BOB | {"zqbbbbbb"}, forget_all)
    assert KEPT in _checks(set(), forget_all)  # another's was taken along


def test_versions_go_along_only_with_what_is_forgotten() -> None:
    forget_id = Operation("ann", "forget id", ids=("2",), words=("zqffffff",))
    rest = ANN | BOB
    assert _checks(rest, forget_id) == []
    assert _checks(rest - {"zqffffff"}, forget_id) == []
    assert _checks(rest - {"zqffffff", "zqdddddd"}, forget_id) == []
    assert WHOLE in _checks(rest - {"zqdddddd"}, forget_id)
    assert KEPT in _checks(rest - {"zqffffff", "zqbbbbbb"}, forget_id)
    forgotten = Operation("ann", "forget subject", words=("zqcccccc",))
    model = Model()
    for operation in (*SAID, forgotten):
        model.hear("begun", operation)
        model.hear("done", operation)
    checks = [one.check for one in compare(model, Found(everywhere={"zqcccccc"}), Counter())]
    assert GONE in checks
