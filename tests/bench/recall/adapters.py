"""Other memories and stores under the one shape that the comparison asks for; none is imported until it is opened."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from fabric import Fabric
from fabric.embedding import default_embedder
from pipelines import memory_system

from .data import Said


class Peer(Protocol):
    """A system that takes a user's turns one by one and finds them again; ``folder`` is its own."""

    def add(self, user: str, turn: Said) -> None:
        """Store one turn."""
        ...

    def search(self, user: str, cue: str, k: int) -> list[str]:
        """Return the ids of the user's best turns."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


def embed(texts: Sequence[str]) -> Any:
    """Return the default embedder's vectors."""
    static = default_embedder()
    assert static is not None
    return static.embed(texts)


class Ours:
    """This project: every turn through `import_block`, as a chat would add it."""

    name = "thought-fabric"

    def __init__(self, folder: Path) -> None:
        self._memory = memory_system(episodic=True, semantic=True, embedder="default")
        self._fabric = Fabric(folder / "memory.duckdb")

    def add(self, user: str, turn: Said) -> None:
        """Store one turn."""
        self._fabric.session("now", user=user).run(self._memory.import_block, [turn.record])

    def search(self, user: str, cue: str, k: int) -> list[str]:
        """Return the ids of the best turns."""
        found = self._fabric.session("now", user=user).run(self._memory.recall_block, {"cue": cue, "limit": k})
        return [one.sources[0].turn_id for one in found.output]

    def close(self) -> None:
        """Close the file."""
        self._fabric.close()


class Mem0:
    """mem0 with ``infer=False`` and its local Qdrant."""

    def __init__(self, folder: Path) -> None:
        from mem0 import Memory  # type: ignore[import-not-found]

        size = len(embed(["size"])[0])
        key = {"api_key": "none"}  # its configuration asks for one even where nothing is called
        self._memory: Any = Memory.from_config(
            {
                "llm": {"provider": "openai", "config": key},
                "embedder": {"provider": "openai", "config": {**key, "embedding_dims": size}},
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": str(folder / "qdrant"), "embedding_model_dims": size, "on_disk": True},
                },
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = _Mem0Embedder()

    def add(self, user: str, turn: Said) -> None:
        """Store one turn."""
        self._memory.add(turn.line, user_id=user, infer=False, metadata={"turn": turn.id})

    def search(self, user: str, cue: str, k: int) -> list[str]:
        """Return the ids of the best turns."""
        found = self._memory.search(cue, filters={"user_id": user}, top_k=k, threshold=0.0)["results"]
        return [record["metadata"]["turn"] for record in found]

    def close(self) -> None:
        """Close its store."""
        self._memory.vector_store.client.close()


class _Mem0Embedder:
    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return [float(one) for one in embed([text])[0]]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [[float(one) for one in row] for row in embed(texts)]


class LangGraph:
    """LangGraph's in-memory store with an index."""

    def __init__(self, folder: Path) -> None:
        from langgraph.store.memory import InMemoryStore  # type: ignore[import-not-found]

        self._store: Any = InMemoryStore(index={"dims": len(embed(["size"])[0]), "embed": _lists, "fields": ["text"]})

    def add(self, user: str, turn: Said) -> None:
        """Store one turn."""
        self._store.put((user,), turn.id, {"text": turn.line})

    def search(self, user: str, cue: str, k: int) -> list[str]:
        """Return the ids of the best turns."""
        return [result.key for result in self._store.search((user,), query=cue, limit=k)]

    def close(self) -> None:
        """Nothing is on disk."""


class LangGraphSqlite(LangGraph):
    """LangGraph's SQLite store with an index; it needs a Python whose sqlite3 loads extensions."""

    def __init__(self, folder: Path) -> None:
        from langgraph.store.sqlite import SqliteStore  # type: ignore[import-not-found]

        index = {"dims": len(embed(["size"])[0]), "embed": _lists, "text_fields": ["text"], "fields": ["text"]}
        self._open = SqliteStore.from_conn_string(str(folder / "store.db"), index=index)
        self._store = self._open.__enter__()
        try:
            self._store.setup()
        except AttributeError as missing:
            raise ImportError(f"this Python's sqlite3 loads no extensions ({missing})") from missing

    def close(self) -> None:
        """Close the file."""
        self._open.__exit__(None, None, None)


def _lists(texts: Sequence[str]) -> list[list[float]]:
    return [[float(one) for one in row] for row in embed(texts)]


class Chroma:
    """Chroma's persistent client, a collection a user."""

    def __init__(self, folder: Path) -> None:
        import chromadb  # type: ignore[import-not-found]

        self._client: Any = chromadb.PersistentClient(path=str(folder))
        self._collections: dict[str, Any] = {}

    def _of(self, user: str) -> Any:
        if user not in self._collections:
            self._collections[user] = self._client.create_collection(user, metadata={"hnsw:space": "cosine"})
        return self._collections[user]

    def add(self, user: str, turn: Said) -> None:
        """Store one turn."""
        self._of(user).add(ids=[turn.id], documents=[turn.line], embeddings=_lists([turn.line]))

    def search(self, user: str, cue: str, k: int) -> list[str]:
        """Return the ids of the best turns."""
        found: list[str] = self._of(user).query(query_embeddings=_lists([cue]), n_results=k)["ids"][0]
        return found

    def close(self) -> None:
        """Nothing has to be closed."""


class Bm25s:
    """bm25s with stems; it cannot add, so the first question of a user builds the index over what was added."""

    def __init__(self, folder: Path) -> None:
        import bm25s  # type: ignore[import-not-found]
        import Stemmer  # type: ignore[import-not-found]

        self._bm25s, self._stemmer = bm25s, Stemmer.Stemmer("english")
        self._turns: dict[str, list[Said]] = {}
        self._built: dict[str, Any] = {}

    def add(self, user: str, turn: Said) -> None:
        """Keep one turn."""
        self._turns.setdefault(user, []).append(turn)
        self._built.pop(user, None)

    def search(self, user: str, cue: str, k: int) -> list[str]:
        """Return the ids of the best turns."""
        turns = self._turns[user]
        if user not in self._built:
            self._built[user] = self._bm25s.BM25()
            self._built[user].index(self._tokens([turn.line for turn in turns]), show_progress=False)
        rows, _scores = self._built[user].retrieve(self._tokens([cue]), k=min(k, len(turns)), show_progress=False)
        return [turns[row].id for row in rows[0]]

    def _tokens(self, texts: list[str]) -> Any:
        return self._bm25s.tokenize(texts, stemmer=self._stemmer, show_progress=False)

    def close(self) -> None:
        """Nothing is on disk."""


PEERS: dict[str, Callable[[Path], Peer]] = {
    "bm25s, stemmed": Bm25s,
    "Chroma, persistent": Chroma,
    "LangGraph InMemoryStore": LangGraph,
    "LangGraph SqliteStore": LangGraphSqlite,
    "mem0, infer=False": Mem0,
}
