"""Speed and memory of the embedders that are installed: ``python -m tests.bench.embedders``."""

import asyncio
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from fabric.embedding import Embedder, embed_texts
from fabric.embedding.files import is_installed
from fabric.embedding.joined import JoinedEmbedder
from fabric.embedding.minilm import PACKAGES, MiniLMEmbedder
from fabric.embedding.remote import RemoteEmbedder
from fabric.embedding.static import PACKAGE, StaticEmbedder
from tests.stub_server import StubServer

TOPICS = ["tea", "gardens", "trains", "chess", "rain", "bread", "maps", "owls", "violins", "rivers"]
QUERIES = 50
ROUNDS = 3


def text(number: int) -> str:
    """Return a turn of about 120 characters."""
    first, second = TOPICS[number % 10], TOPICS[number // 10 % 10]
    return (
        f"Ann: last week I read about {first} and told Bo, who thinks that {second} matter more "
        f"to people of {20 + number % 60} years than we say."
    )


def mebibytes() -> float:
    """Return the most memory that this process had so far."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


async def measure(name: str, embedder: Embedder, count: int) -> None:
    """Print one row: seconds to load, texts a second (the best of some rounds), one query, memory."""
    begun = time.perf_counter()
    await embed_texts(embedder, ["first"])
    load = time.perf_counter() - begun
    texts = [text(number) for number in range(count)]
    rates = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        await embed_texts(embedder, texts)
        rates.append(count / (time.perf_counter() - begun))
    queries = []
    for number in range(QUERIES):
        begun = time.perf_counter()
        await embed_texts(embedder, [f"What did Ann read about {TOPICS[number % 10]}?"])
        queries.append((time.perf_counter() - begun) * 1000)
    print(
        f"{name:<22}{embedder.dimension:>5} {load:>7.2f} {max(rates):>9,.0f} "
        f"{statistics.median(queries):>9.2f} {mebibytes():>8.0f}"
    )


async def measure_remote() -> None:
    """Measure what the way to a provider on this machine costs, model excluded."""
    with StubServer() as server:
        remote = RemoteEmbedder("openai/stub", api_base=server.url + "/v1", api_key="none")
        await measure("remote (on loopback)", remote, 512)


def measure_static() -> None:
    """Measure the default model."""
    asyncio.run(measure("static (default)", StaticEmbedder(), 5000))


def measure_minilm() -> None:
    """Measure the model of the extra."""
    asyncio.run(measure("minilm alone", MiniLMEmbedder(), 320))


def measure_joined() -> None:
    """Measure what the extra gives: both local models side by side."""
    asyncio.run(measure("minilm beside static", JoinedEmbedder(StaticEmbedder(), MiniLMEmbedder()), 320))


KINDS: dict[str, tuple[bool, Callable[[], None]]] = {
    "static": (is_installed(PACKAGE), measure_static),
    "minilm": (all(map(is_installed, PACKAGES)), measure_minilm),
    "joined": (all(map(is_installed, (PACKAGE, *PACKAGES))), measure_joined),
    "remote": (True, lambda: asyncio.run(measure_remote())),
}


def main() -> None:
    """Print a table; each embedder is measured in a process of its own, so that its memory is its own."""
    if len(sys.argv) > 1:
        KINDS[sys.argv[1]][1]()
        return
    print(f"{'embedder':<22}{'dim':>5} {'load s':>7} {'texts/s':>9} {'query ms':>9} {'peak MiB':>8}", flush=True)
    for kind, (installed, _) in KINDS.items():
        if installed:
            subprocess.run([sys.executable, "-m", "tests.bench.embedders", kind], check=True)
        else:
            print(f"{kind:<22} not installed", flush=True)


if __name__ == "__main__":
    main()
