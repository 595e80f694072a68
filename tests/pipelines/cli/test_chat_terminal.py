"""The chat in a terminal: line editing, what is told above the line, and every way to stop and to leave."""

import os
import threading
from pathlib import Path

import pytest

if os.name == "nt":
    pytest.skip("needs a pseudo terminal", allow_module_level=True)

from tests.provider import ENOUGH, reply, scripted_provider
from tests.stub_server import Received, StubReply, hang, stalled_stream, text

from .conftest import run
from .typed_terminal import CTRL_C, CTRL_D, ENTER, PATIENCE, PROMPT, TAB, UP, Terminal


def chat(folder: Path, *options: str, **environment: str) -> Terminal:
    return Terminal("chat", "--file", folder / "memory.duckdb", "--user", "ann", *options, **environment)


def with_model(folder: Path) -> Terminal:
    return chat(folder, "--model", "openai/test")


def test_a_conversation_with_commands_history_and_completion(tmp_path: Path) -> None:
    with chat(tmp_path) as terminal:
        terminal.expect(PROMPT)
        terminal.press(f"I work at Stripe.{ENTER}")
        terminal.expect("learned 1: Works at Stripe (")
        terminal.expect(PROMPT)
        terminal.press(f"I work at Shopify now.{ENTER}")
        terminal.expect("learned 2: Works at Stripe → Works at Shopify (")
        terminal.expect(PROMPT)
        terminal.press(f"/wh{TAB} 2{ENTER}")
        terminal.expect('"I work at Shopify now."')
        terminal.expect(PROMPT)
        terminal.press(f"/forget 2{ENTER}")
        terminal.expect("This deletes 2 facts, ")
        terminal.expect("[y/N]:")
        terminal.press("n\n")
        terminal.expect(PROMPT)
        terminal.press(f"{UP}{ENTER}")
        terminal.expect("[y/N]:")
        terminal.press("y\n")
        terminal.expect("Forgotten for good: 2 facts")
        terminal.expect(PROMPT)
        terminal.press(CTRL_D)
        assert terminal.ended() == 0
    assert run("show", "facts", "--file", tmp_path / "memory.duckdb", "--user", "ann").exit_code == 3


def test_ctrl_c_at_the_prompt_clears_the_line(tmp_path: Path) -> None:
    with chat(tmp_path) as terminal:
        terminal.expect(PROMPT)
        terminal.press("I live in Oslo")
        terminal.expect("I live in Oslo")
        terminal.press(CTRL_C)
        terminal.expect(PROMPT)
        terminal.press(f"/show turns{ENTER}")
        terminal.expect("no turns yet")
        terminal.expect(PROMPT)
        terminal.press(CTRL_C)
        terminal.expect("Ctrl-D leaves.")
        terminal.expect(PROMPT)
        terminal.press(f"/quit{ENTER}")
        assert terminal.ended() == 0


def test_what_is_told_is_dim_unless_no_colour_is_wanted(tmp_path: Path) -> None:
    def seen(**environment: str) -> str:
        with chat(tmp_path, **environment) as terminal:
            terminal.expect(PROMPT)
            terminal.press(f"I live in Oslo.{ENTER}")
            terminal.expect("learned 1: Lives in Oslo")
            terminal.expect(PROMPT)
            terminal.press(CTRL_D)
            terminal.ended()
            return terminal.seen

    assert "\x1b[2m  learned 1: Lives in Oslo" in seen()
    assert "\x1b[2m" not in seen(NO_COLOR="1")


def test_an_answer_streams_and_what_it_teaches_stands_above_the_next_line(tmp_path: Path) -> None:
    typed = threading.Event()

    def thinking(received: Received) -> StubReply:
        if not received.body.get("stream"):
            typed.wait(PATIENCE)
        return reply(received)

    with scripted_provider(tmp_path) as server, with_model(tmp_path) as terminal:
        server.script([thinking] * ENOUGH)
        terminal.expect(PROMPT)
        terminal.press(f"I joined Stripe last month.{ENTER}")
        terminal.expect("Congratulations on the new job!")
        terminal.expect("answer: 11 tokens in, 7 out")
        terminal.expect(PROMPT)
        terminal.press("half a line")
        terminal.expect("half a line")
        typed.set()
        terminal.expect("learned 1: Joined Stripe last month")
        terminal.expect(PROMPT)
        terminal.press(CTRL_C)
        terminal.expect(PROMPT)
        terminal.press(f"/why 1{ENTER}")
        terminal.expect('"I joined Stripe last month."')
        terminal.expect(PROMPT)
        terminal.press(CTRL_D)
        assert terminal.ended() == 0


def test_ctrl_c_stops_an_answer_and_says_what_is_kept(tmp_path: Path) -> None:
    def stalling(received: Received) -> StubReply:
        if not received.body.get("stream"):
            return reply(received)
        return (
            text("Gladly.") if "again" in str(received.body["messages"][-1]) else stalled_stream("Once upon a time", 3)
        )

    with scripted_provider(tmp_path) as server, with_model(tmp_path) as terminal:
        server.script([stalling] * ENOUGH)
        terminal.expect(PROMPT)
        terminal.press(f"I joined Stripe last month.{ENTER}")
        terminal.expect("Once")
        terminal.press(CTRL_C)
        terminal.expect("(stopped: what you said is kept, the answer is not)")
        terminal.expect("learned 1: Joined Stripe last month")
        terminal.expect(PROMPT)
        terminal.press(f"/show turns{ENTER}")
        terminal.expect("Turns: 1 messages kept whole")
        terminal.expect(PROMPT)
        terminal.press(CTRL_C)
        terminal.expect("Ctrl-D leaves.")
        terminal.expect(PROMPT)
        terminal.press(f"Try again.{ENTER}")
        terminal.expect("Gladly.")
        terminal.expect(PROMPT)
        terminal.press(CTRL_D)
        assert terminal.ended() == 0
    turns = run("show", "turns", "--file", tmp_path / "memory.duckdb", "--user", "ann").stdout
    assert "Once" not in turns
    assert "I joined Stripe last month." in turns


def test_leaving_waits_for_what_is_learned_and_ctrl_c_leaves_it_for_the_next_chat(tmp_path: Path) -> None:
    def stalling(received: Received) -> StubReply:
        return reply(received) if received.body.get("stream") else hang()

    with scripted_provider(tmp_path) as server:
        server.script([stalling] * ENOUGH)
        with with_model(tmp_path) as terminal:
            terminal.expect(PROMPT)
            terminal.press(f"I joined Stripe last month.{ENTER}")
            terminal.expect("Congratulations on the new job!")
            terminal.expect(PROMPT)
            terminal.press(CTRL_D)
            terminal.expect("Ctrl-C leaves that for the next chat.")
            terminal.press(CTRL_C)
            terminal.expect("Background work: 1 left for the next chat; see thought-fabric jobs.")
            assert terminal.ended() == 0
        server.script([reply] * ENOUGH)
        with with_model(tmp_path) as terminal:
            terminal.expect("learned 1: Joined Stripe last month")
            terminal.expect(PROMPT)
            terminal.press(CTRL_D)
            assert terminal.ended() == 0
