"""The chat over a pipe: answers on stdout, and on stderr what was recalled for them and learned from them."""

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from tests.provider import ENOUGH, reply, scripted_provider
from tests.stub_server import Received, StubReply, cut_stream, failure, text

from .conftest import PATIENCE, run, start

Chatting = Callable[..., Result]
KEPT = "(what you said is kept, the answer is not)"


@pytest.fixture
def chatting(tmp_path: Path) -> Chatting:
    """A chat of ann's over a pipe, its lines as arguments."""

    def command(*lines: str, options: tuple[str, ...] = ()) -> Result:
        return run(
            "chat",
            "--file",
            tmp_path / "memory.duckdb",
            "--user",
            "ann",
            *options,
            text="".join(f"{line}\n" for line in lines),
        )

    return command


def test_chat_answers_from_what_it_remembers(tmp_path: Path) -> None:
    file = tmp_path / "memory.duckdb"
    told = run(
        "chat", "--file", file, "--user", "ann", text="I have a cat named Momo.\n\n   \nWhat is my cat called?\n"
    )
    assert told.exit_code == 0
    first, second = told.stdout.splitlines()
    assert first == "Noted."
    assert second.startswith("I remember: Has a cat named Momo (said on ")


def test_chat_repeats_nothing_that_the_message_itself_makes_untrue(chatting: Chatting) -> None:
    said = ("I work at Stripe and have a cat named Momo.", "I work at Shopify now.", "Momo died.", "Where do I work?")
    first, second, third, answer = chatting(*said).stdout.splitlines()
    assert (first, second) == ("Noted.", "Noted.")
    assert "Momo" not in third
    assert "Shopify" in answer
    assert "Stripe" not in answer


@pytest.mark.parametrize(
    ("lines", "asked", "answer"),
    [
        (["I joined Stripe last month."], "where do I work?", "Joined Stripe last month"),
        (["I live in Utrecht.", "I moved to Rome."], "where do I live?", "Moved to Rome"),
        (["我住在北京。"], "我住在哪里？", "北京"),
    ],
)
def test_chat_answers_what_is_asked_for_in_other_words(
    chatting: Chatting, lines: list[str], asked: str, answer: str
) -> None:
    last = chatting(*lines, asked).stdout.splitlines()[-1]
    assert last.startswith("I remember: ")
    assert answer in last.split(";")[0]


def test_chat_does_not_answer_with_what_is_known_of_others(chatting: Chatting) -> None:
    told = chatting("My sister Anna works at Philips.", "where do I work?")
    assert told.stdout.splitlines()[-1] == "I remember nothing about that."


def test_chat_remembers_in_the_next_session(tmp_path: Path) -> None:
    file = tmp_path / "memory.duckdb"
    run("chat", "--file", file, "--user", "ann", "--session", "one", text="I live in Oslo.\n")
    told = run("chat", "--file", file, "--user", "ann", "--session", "two", text="Do I live in Oslo?\nAnd do I ski?\n")
    assert told.stdout.splitlines() == [told.stdout.splitlines()[0], "I remember nothing about that."]
    assert "Lives in Oslo" in told.stdout
    other = run("chat", "--file", file, "--user", "bob", "--session", "two", text="Do I live in Oslo?\n")
    assert other.stdout == "I remember nothing about that.\n"


def test_chat_keeps_a_project_apart_and_shares_it_among_users(tmp_path: Path) -> None:
    file = tmp_path / "memory.duckdb"
    run("chat", "--file", file, "--user", "ann", "--project", "apollo", text="I live in Oslo.\n")
    assert run("show", "facts", "--file", file, "--user", "ann").exit_code == 3
    assert "Oslo" in run("show", "facts", "--file", file, "--user", "bob", "--project", "apollo").stdout


def test_chat_with_a_model_writes_its_answer_and_lets_it_observe(tmp_path: Path) -> None:
    file = tmp_path / "memory.duckdb"
    with scripted_provider(tmp_path):
        told = run("chat", "--file", file, "--user", "ann", "--model", "openai/test", text="I joined Stripe.\n")
    assert told.exit_code == 0
    assert told.stdout == "Congratulations on the new job!\n"
    assert "Joined Stripe last month" in run("show", "facts", "--file", file, "--user", "ann").stdout


def test_a_model_that_cannot_be_used_costs_one_line_and_not_the_chat(tmp_path: Path) -> None:
    told = run("chat", "--file", tmp_path / "memory.duckdb", "--model", "no-provider", text="Hello.\nAre you there?\n")
    assert told.exit_code == 1
    assert told.stderr.startswith("model: litellm knows no provider for 'no-provider'; to mend it: write it with its ")
    assert told.stderr.count("error: ") == 2
    assert "Traceback" not in told.stderr
    assert told.stdout == ""


def test_chat_takes_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "memory.duckdb"
    chat = start("chat", "--file", file, "--user", "ann", "--session", "s")
    assert chat.stdin is not None
    chat.stdin.buffer.write(b"I live in K\xf6ln.\n")
    said, error = chat.communicate(timeout=PATIENCE)
    assert (chat.returncode, said) == (0, "Noted.\n")
    assert error == "  learned 1: Lives in K\ufffdln (new fact, new episode)\n"
    assert "Noted." in run("show", "turns", "--file", file, "--user", "ann").stdout


@pytest.mark.skipif(os.name == "nt", reason="needs signals between processes")
def test_ctrl_c_leaves_the_chat_and_keeps_what_was_said(tmp_path: Path) -> None:
    file = tmp_path / "memory.duckdb"
    chat = start("chat", "--file", file, "--user", "ann")
    assert chat.stdin is not None
    assert chat.stdout is not None
    assert chat.stderr is not None
    chat.stdin.write("I live in Oslo.\n")
    chat.stdin.flush()
    assert chat.stdout.readline() == "Noted.\n"
    assert "learned 1: Lives in Oslo" in chat.stderr.readline()  # now it waits for input
    chat.send_signal(signal.SIGINT)
    _, error = chat.communicate(timeout=PATIENCE)
    assert chat.returncode == 0
    assert "Traceback" not in error
    assert "Lives in Oslo" in run("show", "facts", "--file", file, "--user", "ann").stdout


def test_what_was_learned_is_told_with_numbers_and_what_it_replaced(chatting: Chatting) -> None:
    told = chatting("I work at Stripe.", "I work at Stripe.", "I work at Shopify now.", "I will fly to Oslo tomorrow.")
    learned = [line for line in told.stderr.splitlines() if "learned" in line]
    assert learned[:3] == [
        "  learned 1: Works at Stripe (new fact, new episode)",
        "  learned 1: Works at Stripe (fact reinforced, new episode)",
        "  learned 2: Works at Stripe → Works at Shopify (fact changed, new episode)",
    ]
    assert learned[3].startswith("  learned 3: Will fly to Oslo tomorrow (")
    assert learned[3].endswith(" (this session)")


def test_what_is_about_somebody_else_says_so(chatting: Chatting) -> None:
    told = chatting("My sister Anna lives in Lisbon.", "Where does Anna live?")
    learned, *_, recalled = [line for line in told.stderr.splitlines() if "Lisbon" in line]
    assert learned.startswith("  learned ")
    assert ": anna: Lives in Lisbon (" in learned
    assert ": anna: Lives in Lisbon (" in recalled


def test_what_was_recalled_for_an_answer_is_told_with_the_same_numbers(chatting: Chatting) -> None:
    told = chatting("I work at Stripe.", "Where do I work?")
    recalled = [line for line in told.stderr.splitlines() if "recalled" in line]
    assert len(recalled) == 1
    assert recalled[0].startswith("  recalled 1: Works at Stripe (fact, 0.")
    assert ", said 20" in recalled[0]


def test_what_is_told_is_what_went_into_the_prompt(tmp_path: Path, chatting: Chatting) -> None:
    chatting("I work at Stripe.", "I have a cat named Momo.", "I live in Oslo.")
    with scripted_provider(tmp_path) as server:
        told = chatting("Hello.", options=("--model", "openai/test", "--session", "next"))
        asked = next(request.body for request in server.requests if request.body.get("stream"))
    prompt = asked["messages"][0]["content"]
    contents = [line.split(": ", 1)[1].rsplit(" (", 1)[0] for line in told.stderr.splitlines() if "recalled" in line]
    assert sorted(contents) == ["Has a cat named Momo", "Lives in Oslo", "Works at Stripe"]
    lines = [line.removeprefix("- ") for line in prompt.splitlines() if line.startswith("- ")]
    assert sorted(re.sub(r"^\[\w+\] ", "", line) for line in lines) == sorted(contents)


def test_of_many_memories_some_are_told_and_the_rest_is_a_command_away(tmp_path: Path, chatting: Chatting) -> None:
    chatting(
        "I live in Oslo.",
        "I like tea.",
        "I have a cat named Momo.",
        "I play chess.",
        "My name is Ann.",
        "I am a nurse.",
    )
    with scripted_provider(tmp_path):
        told = chatting("Hello.", "/show recalled", options=("--model", "openai/test"))
    first, _, rest = told.stderr.partition("  and ")
    assert first.count("recalled") == 5
    more = int(rest.split(" ")[0])
    assert rest.startswith(f"{more} more: /show recalled")
    assert rest.count("  recalled ") == 5 + more


def test_what_a_turn_took_is_told_only_with_a_model(tmp_path: Path, chatting: Chatting) -> None:
    with scripted_provider(tmp_path):
        told = chatting("I joined Stripe.", options=("--model", "openai/test"))
    assert "  answer: 11 tokens in, 7 out\n" in told.stderr
    assert "  memory: 11 tokens in, 7 out\n" in told.stderr
    assert "  learned 1: Joined Stripe last month (new fact, new episode)\n" in told.stderr
    assert "tokens" not in chatting("I live in Oslo.").stderr


def test_a_turn_that_could_not_be_learned_from_says_so(tmp_path: Path, chatting: Chatting) -> None:
    def refusing(received: Received) -> StubReply:
        return reply(received) if received.body.get("stream") else failure(400, "no such luck")

    with scripted_provider(tmp_path) as server:
        server.script([refusing] * ENOUGH)
        told = chatting("I joined Stripe.", options=("--model", "openai/test"))
    assert told.exit_code == 0
    _, second, third = told.stderr.splitlines()
    assert second.startswith("  not learned: model 'openai/test': ")
    assert second.endswith("no such luck; see thought-fabric jobs")
    assert third == "Background work: 1 failed; see thought-fabric jobs."


def test_what_steers_a_terminal_is_spelled_out(tmp_path: Path, chatting: Chatting) -> None:
    def steering(received: Received) -> StubReply:
        return text("one\n\x1b[2Jtwo") if received.body.get("stream") else reply(received)

    with scripted_provider(tmp_path) as server:
        server.script([steering] * ENOUGH)
        told = chatting("I have a cat named \x1b[31mMomo.", options=("--model", "openai/test"))
    assert told.stdout == "one\n\\x1b[2Jtwo\n"
    said = chatting("I have a cat named \x1b[31mMomo.", "What is my cat called?")
    assert "Momo" in said.stdout
    assert "\x1b" not in said.stdout + said.stderr


def test_an_answer_that_breaks_off_ends_its_line(tmp_path: Path, chatting: Chatting) -> None:
    def breaking(received: Received) -> StubReply:
        return cut_stream("Once upon a time", 3) if received.body.get("stream") else reply(received)

    with scripted_provider(tmp_path) as server:
        server.script([breaking] * ENOUGH)
        told = chatting("Tell me a story.", options=("--model", "openai/test"))
    assert told.stdout == "Once upon \n"
    error, *more = told.stderr.splitlines()
    assert error.startswith("error: model 'openai/test' is not")
    assert error.count("APIConnectionError: OpenAIException") == 1
    assert KEPT in more
    assert told.exit_code == 1


def test_the_network_may_be_down(tmp_path: Path, chatting: Chatting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    told = chatting("Hello.", options=("--model", "openai/test"))
    errors = [line for line in told.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert errors[0].startswith("error: model 'openai/test' is not available now")
    assert errors[0].endswith("; try again later, or with another --model")
    assert told.exit_code == 1


@pytest.mark.parametrize("status", [401, 500])
def test_a_failed_answer_says_what_is_kept_and_only_a_last_one_is_an_error(
    tmp_path: Path, chatting: Chatting, status: int
) -> None:
    failing = True

    def answering(received: Received) -> StubReply:
        return failure(status, "oops") if failing and received.body.get("stream") else reply(received)

    with scripted_provider(tmp_path) as server:
        server.script([answering] * ENOUGH)
        told = chatting("I joined Stripe.", options=("--model", "openai/test"))
        assert KEPT in told.stderr.splitlines()
        assert told.exit_code == 1
        failing = False
        learned = chatting("Hello.", options=("--model", "openai/test"))
    assert learned.exit_code == 0
    assert "Joined Stripe last month" in told.stderr + learned.stderr


def test_a_key_that_is_missing_is_named_before_and_after(chatting: Chatting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    told = chatting("Hello.", options=("--model", "openai/gpt-5-mini"))
    begin, error, *more = told.stderr.splitlines()
    assert begin.startswith("model: openai/gpt-5-mini, of openai: OPENAI_API_KEY is not set in the environment; ")
    assert begin.endswith("to mend it: export OPENAI_API_KEY=...")
    assert error.startswith("error: model 'openai/gpt-5-mini': OPENAI_API_KEY is not set in the environment: set it,")
    assert KEPT in more
    assert told.exit_code == 1
