"""What a run knows of secrets: looked for where nobody waits, and told from the message before."""

import asyncio
import threading
import time
from typing import Any

from fabric import Fabric, generator, handler
from fabric.redaction import redact
from fabric.runs.run_secrets import LONG, RunSecrets
from fabric.store.secrecy import KEPT, Secrets
from fabric.testing import ScriptedModel, call

FILLER = "The weather was fine and nobody said a word about it. "


def test_only_a_long_text_is_looked_through_on_another_thread():
    seen: list[tuple[int, bool]] = []

    def noting(text: str) -> str:
        seen.append((len(text), threading.current_thread() is threading.main_thread()))
        return redact(text)

    long = FILLER * 100
    asyncio.run(RunSecrets(Secrets(redact=noting)).look_through(["short", long], kept=True))
    assert len(long) > LONG
    assert seen == [(len(long), False)]


def test_while_a_run_looks_through_a_long_text_the_runs_of_others_go_on():
    echo = handler(len, name="echo")
    chat: Any = generator(name="chat", model="test/m")
    waits: list[float] = []
    with Fabric(models=ScriptedModel(lambda _: "Noted.")) as fabric:
        other = fabric.session("other", user="anna")
        other.run(echo, "warm")
        running = threading.Thread(target=lambda: fabric.session("long", user="jake").run(chat, FILLER * 4_000))
        begun = time.perf_counter()
        running.start()
        while running.is_alive():
            asked = time.perf_counter()
            other.run(echo, "x")
            waits.append(time.perf_counter() - asked)
        running.join()
    assert max(waits) < (time.perf_counter() - begun) / 2


def test_what_a_tool_returned_at_length_is_cleaned_all_the_same():
    def read() -> str:
        """Read the notes."""
        return f"{FILLER * 100}The password is hunter2x9. {FILLER}"

    chat: Any = generator(name="chat", model="test/m", tools=[read])
    with Fabric(models=ScriptedModel([call("read"), "I see."])) as fabric:
        session = fabric.session("s", user="jake")
        session.run(chat, "go")
        (result,) = [item for item in session.items if item.kind == "tool_result"]
    assert "The password is [redacted]." in result.text


def test_a_file_that_keeps_everything_keeps_answers_too():
    secrets = RunSecrets(KEPT)
    secrets.heed("What is your password?", "hunter2-blue")
    assert secrets.redact("hunter2-blue") == "hunter2-blue"
    assert secrets.secrets_in("hunter2-blue") == []
    assert secrets.clean({"password": "hunter2x9"}) == {"password": "hunter2x9"}
