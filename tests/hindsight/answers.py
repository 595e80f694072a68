"""How the server writes down what it keeps: one function for each shape of its answers."""

from collections.abc import Iterable
from typing import Any

from .banks import Bank, Document, Fact, Found, MentalModel, Operation, answer_of, told

TOKENS_IN, TOKENS_OUT = 11, 7
"""What the stub says that an answer of the model took."""
TRIGGER = dict.fromkeys(
    (
        "budget",
        "refresh_cron",
        "full_refresh_cron",
        "min_refresh_interval_seconds",
        "fact_types",
        "exclude_mental_model_ids",
        "tags_match",
        "tag_groups",
        "include_chunks",
        "recall_max_tokens",
        "recall_chunks_max_tokens",
        "reflect_search_observations_max_tokens",
        "reflect_search_observations_include_entities",
        "response_schema",
    )
)


def usage(calls: int) -> dict[str, int]:
    """Return what so many calls of the model took."""
    took = {"input_tokens": TOKENS_IN * calls, "output_tokens": TOKENS_OUT * calls}
    return {**took, "total_tokens": sum(took.values()), "cached_tokens": 0, "thoughts_tokens": 0}


def profile(bank: Bank) -> dict[str, Any]:
    """Return a bank as ``PUT`` answers it."""
    disposition = {"skepticism": 3, "literalism": 3, "empathy": 3}
    mission = bank.reflect_mission
    return {"bank_id": bank.id, "name": bank.id, "disposition": disposition, "mission": mission, "background": mission}


def listed_bank(bank: Bank) -> dict[str, Any]:
    """Return a bank in the list of banks."""
    written = max((fact.created_at for fact in bank.facts), default=None)
    shown = {name: value for name, value in profile(bank).items() if name != "background"}
    times = {"created_at": told(bank.created_at), "updated_at": told(bank.created_at)}
    last = {"last_document_at": told(written), "last_write_at": told(written)}
    return {**shown, **times, "fact_count": len(bank.facts), **last, "display_alias": None, "matched_aliases": []}


def retained(bank: Bank, items: int, operation: Operation | None) -> dict[str, Any]:
    """Return what is said of a batch that was taken."""
    return {
        "success": True,
        "bank_id": bank.id,
        "items_count": items,
        "async": operation is not None,
        "operation_id": operation.id if operation else None,
        "operation_ids": None,
        "usage": None if operation else usage(items),
    }


def recalled(found: Iterable[Found]) -> dict[str, Any]:
    """Return the answer to a recall."""
    results = [_result(one) for one in found]
    nothing = dict.fromkeys(("trace", "entities", "chunks", "source_facts", "source_facts_truncated"))
    return {"results": results, **nothing}


def _result(found: Found) -> dict[str, Any]:
    fact = found.fact
    scores = {"final": found.final, "reranker": None, "semantic": found.semantic, "keyword": found.keyword}
    return {
        "id": fact.id,
        "text": fact.text,
        "type": fact.type,
        "entities": None,
        "context": fact.context,
        "occurred_start": None,
        "occurred_end": None,
        "mentioned_at": told(fact.mentioned_at),
        "document_id": fact.document_id,
        "metadata": fact.metadata,
        "chunk_id": fact.chunk_id,
        "tags": fact.tags,
        "source_fact_ids": None,
        "scores": scores,
        "attachments": None,
    }


def reflected(found: list[Fact], *, with_facts: bool) -> dict[str, Any]:
    """Return the answer to a reflection."""
    shown = {"memories": [_based_on(fact) for fact in found], "mental_models": [], "directives": []}
    return {
        "text": answer_of(found),
        "based_on": shown if with_facts else None,
        "structured_output": None,
        "structured_output_error": None,
        "usage": usage(4),
        "trace": None,
    }


def _based_on(fact: Fact) -> dict[str, Any]:
    return {
        "id": fact.id,
        "text": fact.text,
        "type": fact.type,
        "context": None,
        "occurred_start": None,
        "occurred_end": None,
        "mentioned_at": told(fact.mentioned_at),
        "document_id": fact.document_id,
        "chunk_id": fact.chunk_id,
        "tags": fact.tags,
        "metadata": fact.metadata,
        "attachments": None,
    }


def memory(fact: Fact) -> dict[str, Any]:
    """Return one memory as ``GET`` and ``PATCH`` of it answer."""
    return {
        "id": fact.id,
        "text": fact.text,
        "context": fact.context,
        "date": told(fact.mentioned_at) or "",
        "type": fact.type,
        "mentioned_at": told(fact.mentioned_at),
        "occurred_start": None,
        "occurred_end": None,
        "entities": [],
        "document_id": fact.document_id,
        "chunk_id": fact.chunk_id,
        "tags": fact.tags,
        "metadata": fact.metadata,
        "observation_scopes": None,
        "state": fact.state,
        "invalidation_reason": fact.reason,
        "invalidated_at": told(fact.invalidated_at),
        "edited_at": told(fact.edited_at),
        "consolidated_at": None,
        "consolidation_failed_at": None,
    }


def listed_memory(fact: Fact) -> dict[str, Any]:
    """Return one memory of a list: its type has another name there, and its entities are a text."""
    shown = {name: value for name, value in memory(fact).items() if name not in ("type", "observation_scopes")}
    changed = told(fact.edited_at or fact.created_at)
    more = {"fact_type": fact.type, "entities": "", "proof_count": 1, "updated_at": changed, "source_memory_ids": []}
    return {**shown, **more}


def document(bank: Bank, kept: Document) -> dict[str, Any]:
    """Return one document with its text."""
    kinds = [fact.type for fact in kept.facts]
    return {
        "id": kept.id,
        "bank_id": bank.id,
        "original_text": kept.text,
        "content_hash": kept.content_hash,
        "created_at": told(kept.created_at),
        "updated_at": told(kept.updated_at),
        "memory_unit_count": len(kinds),
        "nodes_by_fact_type": {kind: kinds.count(kind) for kind in ("world", "experience", "observation")},
        "tags": kept.tags,
        "document_metadata": kept.metadata or None,
        "retain_params": {"metadata": kept.metadata} if kept.metadata else None,
        "observation_scopes": None,
        "attachments": None,
    }


def listed_document(bank: Bank, kept: Document) -> dict[str, Any]:
    """Return one document of a list, without its text."""
    left_out = ("original_text", "nodes_by_fact_type", "observation_scopes", "attachments")
    shown = {name: value for name, value in document(bank, kept).items() if name not in left_out}
    return {**shown, "text_length": len(kept.text), "matched_fields": []}


def operation(kept: Operation) -> dict[str, Any]:
    """Return the state of one operation."""
    batch = kept.kind == "batch_retain"
    finished = {"unit_ids_count": len(kept.items), "extraction_errors_count": 0} if kept.completed_at else {}
    counted = {"is_parent": True, "items_count": len(kept.items), "total_tokens": 0, "num_sub_batches": 1, **finished}
    child = {"operation_id": kept.child, "status": kept.status, "sub_batch_index": 1, "items_count": len(kept.items)}
    return {
        **unknown_operation(kept.id),
        "status": kept.status,
        "operation_type": kept.kind,
        "task_type": kept.kind,
        "mental_model_id": kept.mental_model_id,
        "created_at": told(kept.created_at),
        "updated_at": told(kept.completed_at or kept.created_at),
        "completed_at": told(kept.completed_at),
        "error_message": kept.error,
        "retry_count": 0,
        "result_metadata": counted if batch else {},
        "child_operations": [{**child, "error_message": kept.error}] if batch else None,
    }


def unknown_operation(id_: str) -> dict[str, Any]:
    """Return what is said of an operation that is not known."""
    nothing = dict.fromkeys(
        (
            "operation_type",
            "task_type",
            "mental_model_id",
            "created_at",
            "updated_at",
            "completed_at",
            "error_message",
            "retry_count",
            "next_retry_at",
            "progress",
            "result_metadata",
            "details",
            "child_operations",
            "task_payload",
        )
    )
    return {"operation_id": id_, "id": id_, "status": "not_found", **nothing}


def listed_operation(kept: Operation) -> dict[str, Any]:
    """Return one operation of a list."""
    left_out = ("completed_at", "result_metadata", "child_operations", "task_payload")
    shown = {name: value for name, value in operation(kept).items() if name not in left_out}
    return {**shown, "items_count": len(kept.items), "document_id": None, "filename": None}


def mental_model(bank: Bank, kept: MentalModel, detail: str) -> dict[str, Any]:
    """Return a mental model, with as much of it as ``detail`` names: metadata, content or full."""
    asked, shown = kept.asked, detail != "metadata"
    trigger = {**TRIGGER, **asked.trigger.model_dump(), "exclude_mental_models": False, "keep_trace": False}
    refreshed = told(kept.refreshed_at)
    response = {"text": kept.content.strip(), "outcome": "content_written"} if kept.content else None
    return {
        "id": kept.id,
        "bank_id": bank.id,
        "name": asked.name,
        "source_query": asked.source_query if shown else None,
        "content": kept.content if shown else None,
        "tags": asked.tags,
        "max_tokens": asked.max_tokens if shown else None,
        "trigger": trigger if shown else None,
        "last_refreshed_at": refreshed,
        "last_memory_seen_at": refreshed if kept.seen >= 0 else None,
        "last_refresh_failed_at": None,
        "last_full_refreshed_at": refreshed if kept.content else None,
        "created_at": told(kept.created_at),
        "is_knowledge_page": False,
        "reflect_response": response if detail == "full" else None,
        "is_stale": any(fact.order > kept.seen for fact in bank.facts),
    }


def page(items: list[dict[str, Any]], limit: int, offset: int) -> dict[str, Any]:
    """Return the asked part of a list, and how long all of it is."""
    return {"items": items[offset : offset + limit], "total": len(items), "limit": limit, "offset": offset}
