"""Banks on a Hindsight server: what is retained waits in this file until the server has taken it.

What lives here: the backend, the queue that outlives the process (`outbox` are its rows, `queue` sends them), the one
file that knows the server's client library (`client`), the mission of a bank, and its mental models. What does not:
banks in this file (``../local``), and which bank a directory has (``..``).
"""

from .backend import HINDSIGHT_RESOURCES, HindsightBackend
from .errors import HindsightError
from .outbox import RETAIN_OUTBOX, OutboxItem

__all__ = ["HINDSIGHT_RESOURCES", "RETAIN_OUTBOX", "HindsightBackend", "HindsightError", "OutboxItem"]
