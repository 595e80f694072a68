"""Each model call is on the result: who asked, who answered, what it cost."""

from fabric import Fabric, generator, sequencer
from fabric.testing import FrozenClock, ScriptedModel


def test_the_result_lists_every_call_and_their_usage_adds_up():
    first = generator(name="first", model="test/small")
    second = generator(name="second", model="test/large", user=lambda text: f"Shorten: {text}")
    with Fabric(models=ScriptedModel(["a long answer", "short"]), clock=FrozenClock()) as fabric:
        result = fabric.session("monday", user="jake").run(sequencer(name="both").then(first).then(second), "Hello")
    assert [(call.block, call.model, call.usage.calls) for call in result.calls] == [
        ("both > first", "test/small", 1),
        ("both > second", "test/large", 1),
    ]
    assert sum(call.usage.input_tokens for call in result.calls) == result.usage.input_tokens > 0
