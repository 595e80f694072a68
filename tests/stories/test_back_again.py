"""Who comes back to an employer works there again, who has grown older has one age, and Wien is Vienna."""

import pytest

from pipelines import Memory
from tests.stories.test_whose import facts, told


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (["I work at Stripe.", "I left Stripe.", "I'm back at Stripe."], ["Works at Stripe"]),
        (["I left Stripe.", "I work at Google.", "I am back at Stripe now."], ["Works at Stripe"]),
        (["I left Google.", "I've rejoined Google."], ["Joined Google"]),
        (["I went back to work at Lidl."], ["Works at Lidl"]),
        (["I'm back at Heathrow.", "I'm back at Mum's.", "I'm back at Yale.", "I'm back at Stripe's office."], []),
        (["I'm 34 years old.", "I turned 35.", "I'm 36 now."], ["Is 36 years old"]),
        (["I live in Vienna.", "Ich wohne in Wien."], ["Lives in Vienna"]),
        (["I live in Rome.", "I moved to Vienna.", "Ich wohne in Rom."], ["Ich wohne in Rom"]),
        (["Ich lebe in Deutschland.", "I live in Germany."], ["Ich lebe in Deutschland"]),
        (["My rent is 90.", "My number is 12."], ["Their rent is 90", "Their number is 12"]),
    ],
)
def test_what_is_said_anew_holds_once(texts: list[str], kept: list[str]):
    with Memory(user="jake", embedder=None) as memory:
        told(memory, *texts)
        assert [content for _, content in facts(memory)] == kept


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (["Anna is 34", "Anna is 35"], ["Anna is 35"]),
        (["Anna is 34", "Anna is 35 years old"], ["Anna is 35 years old"]),
        (["Anna is 34 years old", "Anna is 35", "Anna turned 36"], ["Anna turned 36"]),
        (["Is 34", "Turned 35"], ["Turned 35"]),
        (["Bob is 34 years old", "Anna is 35", "Level is 36"], ["Bob is 34 years old", "Anna is 35", "Level is 36"]),
        (["Works at Stripe", "Left Stripe", "Is back at Stripe"], ["Is back at Stripe"]),
    ],
)
def test_what_is_stated_anew_holds_once(texts: list[str], kept: list[str]):
    with Memory(user="jake", embedder=None) as memory:
        for text in texts:
            memory.remember(text)
        assert [content for _, content in facts(memory)] == kept
