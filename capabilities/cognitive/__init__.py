"""The cognitive memory: encoding, forgetting, retrieval, slots, graph and prompt.

Not here: the traces themselves (``traces/``), and the formulas (``formulas/``).
"""

from .capability import Cognition, create_cognition
from .config import PROFILES, CognitiveConfig, Profile
from .memory import CognitiveMemory
from .outlook import Outlook
from .prompt.prompt import Assembled
from .results import Encoding, Retrieval, Retrieved, Swept, Tie

__all__ = [
    "PROFILES",
    "Assembled",
    "Cognition",
    "CognitiveConfig",
    "CognitiveMemory",
    "Encoding",
    "Outlook",
    "Profile",
    "Retrieval",
    "Retrieved",
    "Swept",
    "Tie",
    "create_cognition",
]
