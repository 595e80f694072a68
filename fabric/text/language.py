"""Which language a text is in, roughly, and what its words have in common: stop words and Snowball stems."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import regex

from ..lazy import lazy
from ..slices import SLICE, slices
from .words import FUNCTION_WORDS, SHORT, words

if TYPE_CHECKING:
    import snowballstemmer
else:
    snowballstemmer = lazy("snowballstemmer")

STOP_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(listed.split())
    for language, listed in {
        "english": "a about above after again all am an and any are as at be been before being below between both "
        "but by can could did do does doing down during each few for from further had has have having he "
        "her here hers herself him himself his how i if in into is it its itself just me more most my "
        "myself no nor not of off on once only or other our ours out over own same she should so some "
        "such than that the their theirs them then there these they this those through to too under until "
        "up very was we were what when where which while who whom whose why will with would you your "
        "yours s t d ll m re ve don't didn't doesn't isn't it's i'm i've i'd i'll you're that's what's "
        "let's",
        "german": "aber alle als am an auch auf aus bei bin bis bist da das dass dein deine dem den der des die dir "
        "dich du durch ein eine einem einen einer eines er es euch für gegen habe haben hast hat hatte "
        "hatten ich ihr ihre ihm ihn im in ist ja kein keine können man mein meine mich mir mit nach "
        "nicht noch nur ob oder ohne schon sein seine sich sie sind so über um und uns unser unter vom "
        "von vor war waren was wann warum welche welchen welcher welches wem wen wenn wer werden wie wir "
        "wird wo woher wohin womit worden wurde zu zum zur",
        "spanish": "a al algo como con cuál cuales cuáles cuándo cuando cuánto cuántos de del desde donde dónde el "
        "ella ellos en era eran eres es esa ese eso esta está este esto fue ha han has hay he la las le "
        "les lo los más me mi mis mucho muy no nos o para pero por porque qué que quién quien se según "
        "ser si sí sin sobre son soy su sus te tiene tengo tu tus un una uno unos y ya yo",
        "french": "à ai as au aux avec c'est ce ces cette combien comment comme d'un d'une dans de des du elle "
        "elles en est et été être eu fait il ils j'ai je l'a la le les leur lui ma mais me mes mon ne nos "
        "notre nous on ont ou où par pas pour pourquoi qu'il quand que quel quelle quelles quels qui quoi "
        "sa sans se ses si son sont suis sur ta te tes toi ton tu un une vous y",
        "italian": "a ai al alla anche che chi ci come con cosa cui da dal dalla dei del della delle di dove e è era "
        "gli ha hai hanno ho i il in io la le lei lo loro lui ma mi mia mio ne nel nella no noi non o per "
        "perché più qual quale quali quando quanto questo se sei si sono su sua sul suo ti tu tuo un una "
        "uno",
        "portuguese": "a ao aos as até com como da das de do dos e é ela ele eles em era essa esse esta está este eu "
        "foi há isso já lhe mais mas me meu minha muito na não nas no nos o onde os ou para pela pelo por "
        "porque qual quais quando quanto que quem se sem ser seu seus só sua suas são também te tem tenho "
        "tu um uma você",
        "dutch": "aan al als bij dan dat de deze die dit een en er ge haar hebben heb heeft hem het hij hoe ik in "
        "is je jij kan maar me met mij mijn naar niet nog nu of om onder ons ook op over te tot uit van "
        "voor waar waarom wanneer waren was wat we welke wie wij wordt ze zich zij zijn zo",
        "swedish": "alla att av den det där de dig din du då efter ej en ett från för ha han har hon hur hade i inte "
        "jag kan man med men mig min mitt mot ni nu när och om oss på sig sin ska som så till upp var vad "
        "vem vi vilken är",
        "danish": "af alle at blev da de dem den der det dig din du efter eller en er et for fra ham han har havde "
        "hun hvad hvem hvor hvornår i ikke ind jeg kan man med men mig min mit nu når og om op os på sig "
        "sin som til ud var vi",
        "norwegian": "alle at av da de den der det deg din du eller en er et for fra ham han har hadde hun hva hvem "
        "hvor hvordan i ikke jeg kan man med men meg min mitt når og om opp oss på seg sin som så til ut "
        "var vi være",
        "finnish": "ei ja joka jos kanssa kuin kuka kun ole olen oli on ovat mikä milloin minun minä missä mitä myös "
        "niin ne nyt se sen sinä tai tämä vai vain että hän hänen",
        "hungarian": "a az és egy hogy nem is van volt meg már csak ha vagy de mint ki mi mit hol mikor ő én te ez aki "
        "amely lesz",
        "romanian": "a al ale am ar are au ca care ce cel cine cu cum când de din este eu fi fost în la mai mea meu "
        "nu o pe pentru prin sau se sunt și un unde una",
        "turkish": "acaba ama bana ben benim bir bu çok da daha de değil diye gibi için ile ise kadar ki kim mı mi "
        "mu mü nasıl ne nerede neden o olan olarak onun sen şu var ve veya ya",
        "polish": "a ale był była co czy dla do gdzie go i ich jak jego jej jest kiedy kto ma mnie na nie o od po "
        "przez się są ta tak to tym w we z za że",
        "indonesian": "ada adalah akan apa atau bagaimana dan dari dengan di dia ini itu kapan ke mana oleh pada saya "
        "sebagai siapa tidak untuk yang",
        "russian": "а без бы был была были было быть в вам вас весь во вот все вы где да для до его ее её если есть "
        "еще ещё же за и из или им их к как какая какие какой когда который кто куда ли меня мне мой моя "
        "мы на над не него нет но ну о об он она они от по под при с сколько со так там то только ты у "
        "уже чем что чтобы это эта этот я",
        "greek": "αν από αυτό για δε δεν εγώ είμαι είναι εκεί ένα ένας ή η θα και κατά με μια να ο οι όταν ότι που "
        "πού πώς ποιος ποια πότε σε στη στην στο στον τα τη την της τι το τον του των ως",
        "arabic": "أن أو إلى إن التي الذي أنا أين أي بعد به بها بين ثم حتى عن على عند في فيه قد كان كانت كل كم كيف "
        "لا لم لماذا له لها ليس ما ماذا متى مع من منذ هذا هذه هل هم هو هي و يا",
        "hindi": "और का की के को में से है हैं था थे थी पर यह वह कि जो ने तो भी हो कर क्या कहाँ कब कौन मैं मेरा मेरी",
        "chinese": "什么 甚么 哪里 哪儿 哪个 哪些 怎么 怎样 为什 多少 是谁 谁的 吗 的 了 是 在 "
        "我 你 他 她 有 什麼 哪裡 哪個 怎麼 多久 几个 時候 时候 么时 是什 的什",
        "japanese": "です ます した して する から まで ので のは のが のを には では とは どこ "
        "いつ だれ なに 何で です すか ますか ました ませ でし は が を に の で と "
        "か",
    }.items()
}
"""Words that say how a sentence is built, by language; they also tell the languages of one script apart."""

_ONESELF: Mapping[str, frozenset[str]] = {
    language: frozenset(listed.split())
    for language, listed in {
        "english": "i i'm i've i'd i'll me my mine myself",
        "german": "ich mir mich mein meine meinem meinen meiner meines",
        "spanish": "yo mi mis mí mío mía conmigo me vivo trabajo tengo soy estoy conduzco bebo estudio hablo toco nací",
        "french": "je j'ai j'habite j'aime j'utilise moi mon ma mes me",
        "italian": "io mi mio mia miei mie me vivo abito lavoro ho sono guido bevo parlo suono chiamo",
        "portuguese": "eu meu minha meus minhas mim me vivo moro trabalho tenho sou estou bebo estudo falo toco nasci",
        "dutch": "ik mij mijn me",
        "swedish": "jag mig min mitt mina",
        "danish": "jeg mig min mit mine",
        "norwegian": "jeg meg min mitt mine",
        "finnish": "minä minun minua minulla",
        "hungarian": "én nekem engem enyém",
        "romanian": "eu meu mea mei mele mie",
        "turkish": "ben benim bana beni",
        "polish": "ja mnie mi mój moja moje",
        "indonesian": "saya aku",
        "russian": "я меня мне мой моя моё мои",
        "greek": "εγώ μου με",
        "arabic": "أنا لي عندي",
        "hindi": "मैं मेरा मेरी मेरे मुझे",
        "chinese": "我",
        "japanese": "私 僕 俺",
    }.items()
}
"""The words with which one speaks of oneself, by language."""
_UNSPACED = frozenset({"chinese", "japanese"})

_BY_SCRIPT = (
    ("russian", regex.compile(r"\p{Cyrillic}")),
    ("arabic", regex.compile(r"\p{Arabic}")),
    ("greek", regex.compile(r"\p{Greek}")),
    ("hindi", regex.compile(r"\p{Devanagari}")),
    ("tamil", regex.compile(r"\p{Tamil}")),
    ("armenian", regex.compile(r"\p{Armenian}")),
)
_PERSIAN = regex.compile(r"[پچژگی]")
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_HAN = regex.compile(r"\p{Han}")
NO_LATIN = frozenset({"russian", "greek", "arabic", "hindi", "chinese", "japanese"})
"""The languages above that are not written in Latin script."""
_LATIN = tuple(language for language in STOP_WORDS if language not in NO_LATIN)
LATIN_LANGUAGES = frozenset(_LATIN)
"""The languages above that are."""
_STEMMED = frozenset({*_LATIN, "russian", "arabic", "greek", "hindi", "tamil", "armenian"})


def guess_language(words: Sequence[str]) -> str:
    """Return the likely language of a text's words: by script, in Latin script by stop words, English when in doubt.

    >>> guess_language("wo wohnt anna jetzt".split()), guess_language("кошка спит".split()), guess_language(["pizza"])
    ('german', 'russian', 'english')
    """
    texts = [" ".join(words)] if len(words) <= SLICE else [" ".join(some) for some in slices(words)]
    if all(map(str.isascii, texts)):
        return _latin(words)
    found = next((language for language, script in _BY_SCRIPT if any(map(script.search, texts))), "")
    if found == "arabic" and any(map(_PERSIAN.search, texts)):
        return ""
    if found:
        return found
    if any(map(_KANA.search, texts)):
        return "japanese"
    return "chinese" if any(map(_HAN.search, texts)) else _latin(words)


def language_of(text: str) -> str:
    """Return the likely language of a text, as `guess_language` does of its words.

    >>> language_of("wo wohnt Anna jetzt?"), language_of("")
    ('german', 'english')
    """
    return _language_of_short(text) if len(text) <= SHORT else guess_language(words(text))


@lru_cache(maxsize=16_384)
def _language_of_short(text: str) -> str:
    return guess_language(words(text))


def known_languages(words: Sequence[str], *, english: AbstractSet[str] = frozenset()) -> frozenset[str]:
    """Return the languages that a text's words may be in by its script or its stop words; none where these do not tell.

    ``english`` are further words that tell English. Where several are as likely, all of them are returned.

    >>> [sorted(known_languages(text.split())) for text in ("wo wohnt anna", "has a cat", "json", "кошка спит")]
    [['german'], ['english', 'spanish'], [], ['russian']]
    """
    guessed = guess_language(words)
    if guessed not in _LATIN:
        return frozenset({guessed}) - {""}
    counts = _counts(words)
    counts["english"] = counts.get("english", 0) + sum(word in english for word in words)
    most = max(counts.values())
    return frozenset(language for language in counts if most and counts[language] == most)


def _latin(words: Sequence[str]) -> str:
    counts = _counts(words)
    most = max(counts.values(), default=None)
    return next(language for language in _LATIN if counts.get(language) == most)


def _counts(words: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        for language in _LANGUAGES_OF.get(word, ()):
            counts[language] = counts.get(language, 0) + 1
    return counts


_LANGUAGES_OF: dict[str, tuple[str, ...]] = {
    word: tuple(language for language in _LATIN if word in STOP_WORDS[language])
    for word in frozenset[str]().union(*(STOP_WORDS[language] for language in _LATIN))
}


def speaks_of_oneself(text: str, language: str) -> bool:
    """Return whether whoever wrote the text speaks of themselves in it; False for a language that is not known.

    >>> speaks_of_oneself("Where do I live?", "english"), speaks_of_oneself("wo wohnt Anna?", "german")
    (True, False)
    """
    own = _ONESELF.get(language, frozenset())
    if language in _UNSPACED:
        return any(word in text for word in own)
    return not own.isdisjoint(words(text))


def is_stop_word(word: str, language: str) -> bool:
    """Return whether the word only builds sentences, in this language."""
    return word in STOP_WORDS.get(language, FUNCTION_WORDS)


@lru_cache(maxsize=65_536)
def stem(word: str, language: str) -> str:
    """Return the word's Snowball stem in this language; the word itself where the language has no stemmer.

    >>> stem("working", "english"), stem("häuser", "german"), stem("仕事", "japanese")
    ('work', 'haus', '仕事')
    """
    stemmer = _stemmer(language)
    if stemmer is None:
        return word
    return str(stemmer.stemWord(word)) or word


@lru_cache(maxsize=64)
def _stemmer(language: str) -> Any:
    if language not in _STEMMED or language not in snowballstemmer.algorithms():
        return None
    return snowballstemmer.stemmer(language)  # pyright: ignore[reportUnknownMemberType]  the package has no types
