"""The commands inside a chat: what they take, what they refuse, and what is a message although it has a slash."""

import json
from pathlib import Path

import pytest
from typer.testing import Result

from .conftest import run


class Chatting:
    """A chat of ann's over a pipe."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "memory.duckdb"

    def __call__(self, *lines: str) -> Result:
        return run("chat", "--file", self.file, "--user", "ann", text="".join(f"{line}\n" for line in lines))


@pytest.fixture
def chatting(tmp_path: Path) -> Chatting:
    return Chatting(tmp_path)


def test_help_lists_every_command(chatting: Chatting) -> None:
    told = chatting("/help").stdout
    for name in ("help", "why", "forget", "show", "recall", "export", "quit"):
        assert f"/{name}" in told


def test_why_takes_a_number_and_an_id(chatting: Chatting) -> None:
    by_number = chatting("I work at Stripe.", "/why 1").stdout.removeprefix("Noted.\n")
    assert by_number.startswith("Works at Stripe\n")
    assert '"I work at Stripe."' in by_number
    (fact,) = json.loads(run("show", "facts", "--file", chatting.file, "--user", "ann", "--json").stdout)["facts"]
    assert chatting(f"/why {fact['id']}").stdout == by_number
    assert run("why", fact["id"], "--file", chatting.file, "--user", "ann").stdout == by_number


CANNOT = [
    ("/why", "expected the number or id of a memory"),
    ("/why 7", "nothing was told with the number 7"),
    ("/why nobody", "nothing with the id nobody is remembered"),
    ("/forget", "expected the number or id of a memory, or about and a name"),
    ("/forget about Nobody", "there was nothing to forget"),
    ("/recall", "expected a few words"),
    ("/show nonsense", "expected working, episodes, facts, turns, all or recalled"),
    ("/show facts", "no facts yet\n"),
    ("/show working", "nothing in this session's working memory yet\n"),
    ("/show", "nothing is remembered yet\n"),
    ("/show recalled", "nothing went into the last prompt"),
    ("/export", "nothing is remembered"),
    ("/wyh 1", "there is no command /wyh; did you mean /why? To say it in the chat, write //wyh"),
    ("/zzz", "there is no command /zzz; /help lists the commands."),
    ("/", "there is no command /"),
]


def test_what_a_command_cannot_do_is_said_and_the_chat_goes_on(chatting: Chatting) -> None:
    told = chatting(*(line for line, _ in CANNOT), "Hello.")
    rest = told.stderr
    for line, said in CANNOT:
        assert said in rest, line
        rest = rest.partition(said)[2]
    assert told.stdout == "Noted.\n"
    assert told.exit_code == 0


def test_forget_asks_first_and_shows_a_receipt(chatting: Chatting) -> None:
    kept = chatting("I work at Stripe.", "/forget 1", "n", "Where do I work?")
    assert "I remember: Works at Stripe" in kept.stdout
    gone = chatting("Where do I work?", "/forget 1", "y", "Where do I work?")
    assert "Forgotten for good: 1 fact," in gone.stdout
    assert gone.stdout.endswith("I remember nothing about that.\n")


def test_an_end_of_input_at_the_question_deletes_nothing(chatting: Chatting) -> None:
    told = chatting("I work at Stripe.", "/forget 1")
    assert "Nothing was changed." in told.stderr
    assert "Works at Stripe" in run("show", "facts", "--file", chatting.file, "--user", "ann").stdout


def test_forget_about_somebody(chatting: Chatting) -> None:
    told = chatting("My sister Anna lives in Lisbon.", "I work at Stripe.", "/forget about Anna", "y", "/show facts")
    assert "Forgotten for good: " in told.stdout
    assert "Lisbon" not in told.stdout.partition("Forgotten for good")[2]
    assert "Works at Stripe" in told.stdout


def test_show_takes_a_part(chatting: Chatting) -> None:
    told = chatting("I work at Stripe.", "/show episodes").stdout
    assert "Episodes: 1" in told
    assert "Facts" not in told
    assert "Facts about user: 1" in chatting("/show").stdout


def test_recall_finds_what_is_meant(chatting: Chatting) -> None:
    told = chatting("I work at Stripe.", "I live in Oslo.", "/recall Oslo").stdout
    assert told.splitlines()[2].endswith("Lives in Oslo")


def test_export_writes_over_a_file_only_when_told_to(chatting: Chatting, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine")
    refused = chatting("I work at Stripe.", f"/export {out}", "n")
    assert "out.jsonl exists. Write over it?" in refused.stderr
    assert out.read_text() == "mine"
    chatting(f"/export {out}", "y")
    assert any(json.loads(line).get("content") == "Works at Stripe" for line in out.read_text().splitlines())
    before = chatting.file.read_bytes()[:4096]
    assert "is the memory's own file" in chatting(f"/export {chatting.file}", "y").stderr
    assert chatting.file.read_bytes()[8:12] == before[8:12]
    assert "No such file or directory" in chatting(f"/export {tmp_path / 'none' / 'out.jsonl'}").stderr


def test_export_steers_no_terminal(chatting: Chatting) -> None:
    told = chatting("I have a cat named \x9b31mMomo.", "/export").stdout
    assert "\x9b" not in told
    assert "\\u009b31mMomo" in told


def test_quit_leaves(chatting: Chatting) -> None:
    told = chatting("/quit", "I work at Stripe.")
    assert (told.exit_code, told.stdout) == (0, "")


@pytest.mark.parametrize(
    ("line", "message"),
    [("//why is that", "/why is that"), ("/usr/bin/env fails", "/usr/bin/env fails"), ("/5 of it", "/5 of it")],
)
def test_a_message_with_a_slash_is_not_lost(chatting: Chatting, line: str, message: str) -> None:
    told = chatting(line)
    assert told.stdout == "Noted.\n"
    (turn, _) = json.loads(run("show", "turns", "--file", chatting.file, "--user", "ann", "--json").stdout)["turns"]
    assert turn["text"] == message
