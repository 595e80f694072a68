"""What a program says of itself, as it stands in answers that people paste, is no fact about whoever pastes it."""

from blocks.capture.contradicted import said_of_itself
from blocks.readers.moods import said_in
from blocks.readers.observe import observe_text
from blocks.readers.sentences import machine_lines
from capabilities.vocabulary import Observation

OF_ITSELF = [
    "As an AI, I live in the cloud.",
    "As an AI language model, I don't have a dog.",
    "As a large language model trained by OpenAI, I live in the cloud and I like tea.",
    "I am an AI assistant. I live in the cloud.",
    "I'm Claude, an AI assistant made by Anthropic. I live in the cloud.",
    "Since I'm an AI, I don't have a favorite color.",
    "I live in the cloud, as an AI.",
    "As your virtual assistant, I live in the cloud.",
    "Als KI lebe ich in der Cloud.",
    "Ich bin eine KI und wohne in Berlin.",
    "Como IA, vivo en la nube.",
    "En tant qu'IA, je vis dans le cloud.",
    "Come IA, vivo nel cloud.",
    "Como IA, moro na nuvem.",
    "Als AI woon ik in de cloud.",
    "Как ИИ, я живу в облаке.",
    "作为一个AI，我住在云端。",
    "AIとして、私はクラウドに住んでいます。",
    "Yapay zeka olarak bulutta yaşıyorum.",
    "بصفتي ذكاء اصطناعي، أعيش في السحابة.",
]
BY_A_PERSON = [
    "As an AI engineer, I live in Berlin.",
    "I am an AI safety researcher at DeepMind.",
    "I am an AI and robotics student.",
    "I'm a fan of AI.",
    "As an AI, you should know that I live in Rome.",
    "As an AI, do you sleep? I live in Rome.",
    "I work as a virtual assistant.",
    "I'm building an AI assistant.",
    "I use ChatGPT as an AI, my boss hates it",
    "Als KI-Forscher lebe ich in Berlin.",
    "Soy ingeniero de IA.",
    "Je suis ingénieur en IA.",
    "Ik werk als AI engineer.",
    "我是人工智能工程师，我住在北京",
    "私はAIエンジニアです。",
]


def test_what_a_program_says_of_itself_is_no_fact_about_the_user():
    assert [text for text in OF_ITSELF if observe_text(text)] == []
    found = observe_text("I live in Rome.\n\nAs an AI, I live in the cloud.\nI like tea.\n\nI have a cat.")
    assert [seen.content for seen in found] == ["Lives in Rome", "Has a cat"]


def test_what_people_say_who_work_with_programs_is_their_own():
    assert [text for text in BY_A_PERSON if list(machine_lines(text))] == []


def test_what_only_the_answer_says_of_itself_is_no_observation_of_the_user():
    def of_itself(content: str, heard: str, answer: str) -> bool:
        return said_of_itself(Observation(content=content, importance=0.5), heard, list(said_in(answer)))

    assert of_itself("Lives in the cloud", "Where do you live?", "As an AI, I live in the cloud.")
    assert of_itself("Lives in the cloud", "Where do you live?", "I live in the cloud.")
    assert not of_itself("Lives in Rome", "I live in Rome.", "I live in Rome too!")
    assert not of_itself("Lives in Rome", "Where do I live?", "You live in Rome.")
