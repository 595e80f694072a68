"""The series of requests that both servers are asked, chapter by chapter, and what of their answers is compared."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen
from uuid import uuid4

from .environment import MINUTES

LOOSE = frozenset(
    {
        "scores",
        "retain_params",
        "consolidated_at",
        "total_tokens",
        "last_memory_seen_at",
        "last_full_refreshed_at",
        "reflect_response",
        "previous_reflect_response",
        "is_stale",
        "usage",
    }
)
"""What the double need not work out as the server does: these are there, whatever their value."""
_ID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?")

Chapter = Callable[["Teller"], None]
CHAPTERS: dict[str, Chapter] = {}


def chapter(function: Chapter) -> Chapter:
    """Add a chapter to the series."""
    CHAPTERS[function.__name__] = function
    return function


def plain(value: Any) -> Any:
    """Return an answer without what differs from run to run: ids, times, and what is loose."""
    if isinstance(value, dict):
        return {name: _plain(name, value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, str):
        return _TIME.sub("<time>", _ID.sub("<id>", value))
    return value


def _plain(name: str, value: Any) -> Any:
    if name == "tags" and value is not None:
        return sorted(value)  # the server keeps them as a set
    return "..." if name in LOOSE else plain(value)


@dataclass
class Teller:
    """Asks one server, in a bank of its own name, and writes down what it answered."""

    url: str
    token: str
    bank: str
    told: list[tuple[str, int, Any]] = field(default_factory=list)
    seconds: list[tuple[str, float]] = field(default_factory=list)

    def ask(
        self,
        method: str,
        path: str = "",
        body: Any = None,
        *,
        of: str | None = None,
        token: str | None = None,
        unordered: bool = False,
        loosely: bool = False,
    ) -> Any:
        """Send a request about the bank and return the answer; ``loosely`` compares its status alone."""
        address = f"/v1/default/banks/{quote(of or self.bank, safe='')}{path}"
        status, answer = self.send(method, address, body, token)
        shown = plain(answer)
        if unordered and status == 200:
            rows = next(value for value in shown.values() if isinstance(value, list))
            rows.sort(key=lambda row: json.dumps(row, sort_keys=True))
        self.told.append((plain(f"{method} {path} {json.dumps(body)}"), status, "..." if loosely else shown))
        return answer

    def send(self, method: str, address: str, body: Any = None, token: str | None = None) -> tuple[int, Any]:
        """Send one request and return status and body."""
        headers = {"content-type": "application/json", "authorization": f"Bearer {token or self.token}"}
        sent = None if body is None else json.dumps(body).encode()
        began = time.monotonic()
        try:
            with urlopen(Request(self.url + address, sent, headers, method=method), timeout=5 * MINUTES) as given:
                status, answer = given.status, json.load(given)
        except HTTPError as refused:
            with refused:
                status, answer = refused.code, json.load(refused)
        self.seconds.append((f"{method} {address.rpartition('/')[2]}", time.monotonic() - began))
        return status, answer

    def retain(self, *contents: str, **more: Any) -> None:
        """Store contents at once, without writing down the answer."""
        items = [{"content": content, **more} for content in contents]
        status, answer = self.send("POST", f"/v1/default/banks/{self.bank}/memories", {"items": items})
        assert status == 200, answer

    def settle(self) -> None:
        """Wait until the server has done what it does after its answers."""
        end = time.monotonic() + 10 * MINUTES
        busy = True
        while busy:
            assert time.monotonic() < end, "the server is still at work"
            found = [
                self.send("GET", f"/v1/default/banks/{self.bank}/operations?status={each}")[1].get("total")
                for each in ("pending", "processing")
            ]
            busy = any(found)
            time.sleep(0.1 if busy else 0)


@chapter
def banks(teller: Teller) -> None:
    for path in ("/memories/list", "/documents", "/mental-models", "/operations"):
        teller.ask("GET", path)
    teller.ask("POST", "/memories/recall", {"query": "tea"})
    teller.ask("GET", "/memories/list", token="other")
    for mission in ("help", "help more"):
        teller.ask("PUT", "", {"reflect_mission": mission, "retain_mission": "decisions"})
    teller.ask("PUT", "", {})
    teller.ask("GET", "/memories/list")
    teller.ask("POST", "/memories", {"items": [{"content": "A bank with a slash."}]}, of="a/b")
    teller.ask("POST", "/nothing", {})
    teller.ask("PUT", "/memories", {})
    for _ in range(2):
        teller.ask("DELETE")
    teller.ask("GET", "/memories/list")


@chapter
def retaining(teller: Teller) -> None:
    item = {"content": "The build uses ninja. Deploys happen on Friday.", "context": "omp", "tags": ["project:one"]}
    teller.ask("POST", "/memories", {"items": [{**item, "metadata": {"session_id": "s1"}}], "async": False})
    teller.ask(
        "POST", "/memories", {"items": [{"content": "The user prefers tea."}, {"content": "The assistant ran."}]}
    )
    teller.ask("POST", "/memories", {"items": [{"content": "[role: user]\nWe ship.\n[user:end]\n\n..."}]})
    for stamp in ("2026-01-02T03:04:05+02:00", "2026-01-02T03:04:05Z", "2026-01-02", "unset", ""):
        teller.ask("POST", "/memories", {"items": [{"content": f"Stamp {stamp!r} fact.", "timestamp": stamp}]})
    teller.ask("POST", "/memories", {"items": []})
    teller.settle()
    answer = teller.ask("GET", "/memories/list", unordered=True)
    mentioned = {row["text"]: row["mentioned_at"] for row in answer["items"] if "Stamp" in row["text"]}
    fixed = {text: time for text, time in mentioned.items() if "2026-01" in text or "unset" in text}
    teller.told.append(("times", 200, fixed))


@chapter
def wrong_items(teller: Teller) -> None:
    teller.ask("PUT", "", {})
    good = {"content": "Good."}
    wrong: list[Any] = [
        {},
        {"items": [{}]},
        {"items": [{"content": ""}]},
        {"items": [{"content": "  "}]},
        {"items": [good, {"content": ""}]},
        {"items": [{**good, "timestamp": "nope"}]},
        {"items": [{**good, "metadata": {"a": 1}}]},
        {"items": [{**good, "metadata": {"a": None}}]},
        {"items": [{**good, "update_mode": "merge"}]},
        {"items": [{**good, "update_mode": "append"}]},
        {"items": [good], "async": True, "operation_id": "no uuid"},
        {"items": "none"},
    ]
    for body in wrong:
        teller.ask("POST", "/memories", body)
    teller.ask("POST", "/memories", {"items": [{"content": 5}]}, loosely=True)
    twice = {"content": "Same.", "document_id": "d"}
    teller.ask("POST", "/memories", {"items": [twice, twice], "async": True}, loosely=True)
    teller.ask("POST", "/memories", loosely=True)
    teller.ask("GET", "/memories/list")


@chapter
def operations(teller: Teller) -> None:
    known, other = str(uuid4()), f"{teller.bank}-other"
    batch = {"items": [{"content": "Fact one.", "tags": ["t"]}, {"content": "Fact two."}], "async": True}
    teller.ask("POST", "/memories", {**batch, "operation_id": known})
    teller.ask("POST", "/memories", {**batch, "operation_id": known})
    teller.ask("POST", "/memories", {"items": [{"content": "Else."}], "async": True, "operation_id": known})
    teller.ask(
        "POST", "/memories", {"items": [{"content": "Elsewhere."}], "async": True, "operation_id": known}, of=other
    )
    teller.ask("POST", "/memories", {"items": [{"content": "Sync."}], "operation_id": known})
    teller.ask("POST", "/memories", {"items": [{"content": "Own id."}], "async": True})
    teller.settle()
    teller.ask("GET", f"/operations/{known}")
    teller.ask("GET", f"/operations/{uuid4()}")
    teller.ask("GET", f"/operations/{known}", of="nobody")
    teller.ask("GET", "/operations/nothing")
    teller.ask("POST", f"/operations/{known}/retry", loosely=True)
    for name in (str(uuid4()), "nothing"):
        teller.ask("POST", f"/operations/{name}/retry")
    teller.ask("GET", "/operations", loosely=True)
    teller.ask("GET", "/memories/list", unordered=True)
    teller.ask("GET", "/memories/list", of=other)


@chapter
def tags(teller: Teller) -> None:
    of = {"a": ["a"], "b": ["b"], "ab": ["a", "b"], "abc": ["a", "b", "c"], "none": []}
    items = [{"content": f"Rule {name} for tests.", "tags": own} for name, own in of.items()]
    teller.ask("POST", "/memories", {"items": items})
    for match in ("any", "all", "any_strict", "all_strict", "exact"):
        for asked in (["a"], ["a", "b"], [], None, ["unknown"]):
            body = {"query": "rule for tests", "tags_match": match, **({} if asked is None else {"tags": asked})}
            teller.ask("POST", "/memories/recall", body, unordered=True)
        teller.ask("GET", f"/memories/list?tags=a&tags_match={match}", unordered=True)
        teller.ask("GET", f"/memories/list?tags=a&tags=b&tags_match={match}", unordered=True)
    groups: list[Any] = [
        [{"tags": ["a"]}],
        [{"tags": ["a"], "match": "exact"}],
        [{"or": [{"tags": ["c"]}, {"not": {"tags": ["a"]}}]}],
        [{"and": [{"tags": ["a"]}, {"tags": ["b"]}]}],
    ]
    for group in groups:
        teller.ask("POST", "/memories/recall", {"query": "rule for tests", "tag_groups": group}, unordered=True)


@chapter
def recalling(teller: Teller) -> None:
    teller.retain("Coffee beans are roasted. The assistant washed the mugs. Walks are long.", context="kitchen")
    teller.retain("用户喜欢使用深色主题。", "デプロイは木曜日に行います。", "Der Größenänderungs-Test läuft nachts.")
    for query in (
        "coffee",
        "roasting coffee bean",
        "mugs",
        "walk",
        "zebra",
        "the",
        '"unbalanced',
        "--force C++ rm -rf",
        "深色主题",
        "デプロイ",
        "Größenänderungs-Test",
    ):
        teller.ask("POST", "/memories/recall", {"query": query})
    for types in (["world"], ["experience"], ["observation"], []):
        teller.ask("POST", "/memories/recall", {"query": "coffee mugs", "types": types}, unordered=True)
    for limit in (-1, 0, 1, 4096):
        teller.ask("POST", "/memories/recall", {"query": "coffee", "max_tokens": limit})
    for budget in ("low", "mid", "high"):
        teller.ask("POST", "/memories/recall", {"query": "coffee", "budget": budget})
    teller.ask("POST", "/memories/recall", {"query": "coffee " * 600})
    wrong: list[Any] = [
        {},
        {"query": ""},
        {"query": "..."},
        {"query": "x", "tags": ["a"], "tag_groups": []},
        {"query": "x", "tags_match": "some"},
        {"query": "x", "budget": "huge"},
        {"query": "x", "types": ["nonsense"]},
    ]
    for body in wrong:
        teller.ask("POST", "/memories/recall", body)


@chapter
def reflecting(teller: Teller) -> None:
    teller.ask("POST", "/reflect", {"query": "What is known?"}, of=f"{teller.bank}-empty")
    teller.retain("The project uses ruff.", tags=["project:p"])
    teller.retain("Mugs are washed.")
    bodies: list[Any] = [
        {"query": "What does the project use?", "budget": "low"},
        {"query": "What does the project use?", "context": "Never mind the mugs."},
        {"query": "mugs", "tags": ["project:p"], "tags_match": "any"},
        {"query": "mugs", "tags": ["project:p"], "tags_match": "any_strict"},
        {"query": "project", "include": {"facts": {}}},
        {"query": "zebra"},
        {"query": "..."},
        {"query": " "},
        {"query": "x", "tags": ["a"], "tag_groups": []},
    ]
    for body in bodies:
        teller.ask("POST", "/reflect", body)


@chapter
def memories(teller: Teller) -> None:
    teller.retain("First part. Second part.", document_id="one", timestamp="2026-01-01")
    teller.retain("Third part.", context="elsewhere", timestamp="2026-01-02")
    found = teller.ask("GET", "/memories/list?q=second")
    teller.settle()
    path = f"/memories/{found['items'][0]['id']}"
    teller.ask("GET", path)
    for query in (
        "limit=1",
        "limit=0",
        "offset=2",
        "type=experience",
        "document_id=one",
        "q=ELSE",
        "limit=-1",
        "type=no",
    ):
        teller.ask("GET", f"/memories/list?{query}")
    teller.ask("PATCH", path, {"text": "Corrected part."})
    teller.ask("POST", "/memories/recall", {"query": "corrected"})
    teller.ask("PATCH", path, {"state": "invalidated", "reason": "wrong"})
    teller.ask("GET", path)
    teller.ask("GET", "/memories/list")
    teller.ask("GET", "/memories/list?state=invalidated", unordered=True)
    teller.ask("POST", "/memories/recall", {"query": "corrected"})
    teller.ask("PATCH", path, {})
    for name in (str(uuid4()), "nothing"):
        teller.ask("GET", f"/memories/{name}")
    teller.ask("PATCH", f"/memories/{uuid4()}", {"text": "x"})
    teller.settle()
    teller.ask("DELETE", "/memories")
    teller.ask("GET", "/memories/list")


@chapter
def documents(teller: Teller) -> None:
    own = {"document_id": "session/1"}
    teller.retain("Plan is alpha. Budget is ten.", tags=["x"], metadata={"k": "v"}, **own)
    teller.ask("GET", "/documents/session/1")
    teller.ask("GET", "/documents")
    teller.retain("Plan is beta.", tags=["y"], **own)
    teller.ask("GET", "/memories/list")
    teller.retain("Owner is Ann.", update_mode="append", **own)
    teller.ask("GET", "/memories/list", unordered=True)
    teller.ask("GET", "/documents/session/1")
    teller.retain("Anew.", update_mode="append", document_id="new")
    parts = [{"content": "First part.", "document_id": "fold"}, {"content": "Second part.", "document_id": "fold"}]
    teller.ask("POST", "/memories", {"items": parts})
    teller.ask("GET", "/documents/fold")
    teller.ask("PATCH", "/documents/session/1", {"tags": ["q"]})
    teller.ask("PATCH", "/documents/session/1", {})
    teller.ask("PATCH", "/documents/nothing", {"tags": []})
    teller.ask("GET", "/memories/list", unordered=True)
    for _ in range(2):
        teller.ask("DELETE", "/documents/session/1")
    teller.ask("GET", "/documents/session/1")
    teller.ask("GET", "/memories/list", unordered=True)


@chapter
def mental_models(teller: Teller) -> None:
    teller.retain("The project uses ruff.", tags=["project:p"])
    teller.retain("The user drinks tea.")
    teller.settle()
    own = {"id": "conventions", "name": "Conventions", "source_query": "What does the project use?", "max_tokens": 800}
    kept = {"mode": "delta", "refresh_after_consolidation": True}
    teller.ask("POST", "/mental-models", {**own, "tags": ["project:p"], "trigger": kept})
    teller.ask("POST", "/mental-models", own)
    teller.ask("POST", "/mental-models", {"name": "Drinks", "source_query": "What does the user drink?"})
    for wrong in ({"id": "x"}, {**own, "id": "small", "max_tokens": 1}, {**own, "trigger": {"mode": "none"}}):
        teller.ask("POST", "/mental-models", wrong)
    teller.settle()
    for detail in ("", "?detail=content", "?detail=full", "?tags=project:p&tags_match=exact", "?tags_match=any_strict"):
        teller.ask("GET", f"/mental-models{detail}", unordered="strict" not in detail)
    for detail in ("", "?detail=content"):
        teller.ask("GET", f"/mental-models/conventions{detail}")
    teller.retain("The project uses pytest daily, too.", tags=["project:p"])
    teller.settle()
    teller.ask("GET", "/mental-models?detail=content", unordered=True)
    teller.ask("GET", "/mental-models/conventions/history")
    teller.ask("POST", "/mental-models/conventions/refresh", {"mode": "full"})
    teller.settle()
    teller.ask("GET", "/mental-models/conventions?detail=content")
    teller.ask("PATCH", "/mental-models/conventions", {"name": "Rules"})
    for method, path in (("GET", ""), ("GET", "/history"), ("POST", "/refresh"), ("PATCH", ""), ("DELETE", "")):
        teller.ask(method, f"/mental-models/nothing{path}", {} if method == "PATCH" else None)
    teller.ask("DELETE", "/mental-models/conventions")
    teller.ask("GET", "/mental-models/conventions")
