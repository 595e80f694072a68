"""Chatting on the command line: with and without a model, and every way to leave."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.provider import scripted_provider

from .conftest import one_line, run, start


def test_chat_answers_from_what_it_remembers(tmp_path: Path) -> None:
    file = tmp_path / "memory.duckdb"
    told = run(
        "chat", "--file", file, "--user", "ann", text="I have a cat named Momo.\n\n   \nWhat is my cat called?\n"
    )
    assert told.exit_code == 0
    first, second = told.stdout.splitlines()
    assert first == "Noted."
    assert second.startswith("I remember: Has a cat named Momo (said on ")


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
    assert told.exit_code == 0
    assert told.stderr.count("error: ") == 2
    assert "Traceback" not in told.stderr
    assert told.stdout == ""


def test_chat_takes_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "memory.duckdb"
    chat = start("chat", "--file", file, "--user", "ann", "--session", "s")
    assert chat.stdin is not None
    chat.stdin.buffer.write(b"I live in K\xf6ln.\n")
    said, error = chat.communicate(timeout=60)
    assert (chat.returncode, said, error.strip()) == (0, "Noted.\n", "")
    assert "Noted." in run("show", "turns", "--file", file, "--user", "ann").stdout


@pytest.mark.skipif(os.name == "nt", reason="needs signals between processes")
def test_ctrl_c_leaves_the_chat_and_keeps_what_was_said(tmp_path: Path) -> None:
    file = tmp_path / "memory.duckdb"
    chat = start("chat", "--file", file, "--user", "ann")
    assert chat.stdin is not None
    assert chat.stdout is not None
    chat.stdin.write("I live in Oslo.\n")
    chat.stdin.flush()
    assert chat.stdout.readline() == "Noted.\n"
    time.sleep(0.2)  # let it come back to waiting for input
    chat.send_signal(signal.SIGINT)
    _, error = chat.communicate(timeout=60)
    assert chat.returncode == 0
    assert "Traceback" not in error
    assert "Lives in Oslo" in run("show", "facts", "--file", file, "--user", "ann").stdout


def test_a_closed_pipe_is_no_error_message(demo_file: Path) -> None:
    shown = start("show", "--file", demo_file, "--user", "jake", "--json")
    assert shown.stdout is not None
    assert shown.stderr is not None
    shown.stdout.readline()
    shown.stdout.close()
    error = shown.stderr.read()
    shown.wait(timeout=60)
    shown.stderr.close()
    assert shown.stdin is not None
    shown.stdin.close()
    assert "Traceback" not in error
    assert not one_line(error)


def test_a_process_of_its_own_prints_pure_json(demo_file: Path) -> None:
    shown = start("show", "facts", "--file", demo_file, "--user", "jake", "--json")
    said, error = shown.communicate(timeout=60)
    assert (shown.returncode, error) == (0, "")
    assert json.loads(said)["counts"]["facts"] > 0
