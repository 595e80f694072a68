"""The lines in which the reference writes traces, so that its arithmetic can be compared with ours."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Any


def reference_line(trace: Any, style: str, now_ms: int) -> str:
    age, content = _age(now_ms - trace["created_at"]), trace["content"]
    if style == "structured":
        return f"- [{trace['type']}] {content[:300]} ({' | '.join(_about(trace, age))})"
    if style == "narrative":
        linked, entities = len(trace["associated_trace_ids"]), trace["entities"][:3]
        links = f" [linked to {linked} other memories]" if linked else ""
        return f"{age}: {content[:350]}{links}" + (f" (involves: {', '.join(entities)})" if entities else "")
    mark = "(+)" if trace["valence"] > 0.3 else "(-)" if trace["valence"] < -0.3 else "(~)"
    felt = "strongly felt, " if trace["intensity"] > 0.6 else ""
    mood = f" [{felt}mood: {trace['gmi_mood']}]" if trace["intensity"] > 0.3 else ""
    return f"{mark} {age}: {content[:300]}{mood}"


def _about(trace: Any, age: str) -> list[str]:
    confidence = trace["confidence"]
    sure = "high" if confidence > 0.8 else "moderate" if confidence > 0.5 else "low"
    score = Decimal(trace.get("retrieval_score", confidence)).quantize(Decimal("0.01"), ROUND_HALF_UP)
    tags = [f"tags: {', '.join(trace['tags'][:3])}"] if trace["tags"] else []
    return [age, f"{sure} confidence", f"relevance: {score}", *tags]


def _age(elapsed: int) -> str:
    units = (("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000))
    return next((f"{elapsed // size}{unit} ago" for unit, size in units if elapsed >= size), "just now")
