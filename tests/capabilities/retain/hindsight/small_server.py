"""A small server with the paths of Hindsight that a thin test needs."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

Answer = tuple[int, Any]


class SmallServer:
    def __init__(self) -> None:
        self.requests: list[tuple[str, str, Any]] = []
        self.kept: dict[str, list[dict[str, Any]]] = {}
        self.operations: dict[str, int] = {}
        self.answer: Callable[[str, str, Any], Answer | None] = lambda *_: None
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                path = unquote(urlsplit(self.path).path)
                with outer._lock:
                    outer.requests.append((self.command, path, body))
                answer = outer.answer(self.command, path, body) or outer.done(self.command, path, body)
                data = json.dumps(answer[1]).encode()
                self.send_response(answer[0])
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do  # noqa: N815

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def done(self, method: str, path: str, body: Any) -> Answer:
        bank, _, rest = path.removeprefix("/v1/default/banks/").partition("/")
        with self._lock:
            if method == "PUT":
                traits = {"skepticism": 3, "literalism": 3, "empathy": 3}
                return 200, {"bank_id": bank, "name": bank, "disposition": traits, "mission": ""}
            if rest == "memories":
                operation = body["operation_id"]
                if operation not in self.operations:
                    self.operations[operation] = len(body["items"])
                    self.kept.setdefault(bank, []).extend(body["items"])
                return 200, {
                    "success": True,
                    "bank_id": bank,
                    "items_count": self.operations[operation],
                    "async": True,
                    "operation_id": operation,
                }
            if rest == "memories/recall":
                words = set(body["query"].lower().split())
                return 200, {
                    "results": [
                        {"id": str(n), "text": item["content"], "type": "world", "mentioned_at": item["timestamp"]}
                        for n, item in enumerate(self.kept.get(bank, []))
                        if words & set(item["content"].lower().split())
                    ]
                }
            if rest == "reflect":
                return 200, {"text": f"about {body['query']}"}
            if rest == "mental-models":
                return 200, {"items": [], "total": 0} if method == "GET" else {
                    "mental_model_id": "m",
                    "operation_id": "o",
                }
        return 404, {"detail": "Not Found"}

    def sent(self, rest: str = "memories") -> list[Any]:
        return [body for _, path, body in self.requests if path.endswith(f"/{rest}")]

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
