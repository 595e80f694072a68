"""Which function answers which request of the double: ``answer`` takes a request to a status and a body."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError

from . import answers
from .banks import Bank, Fact, MentalModel, Operation, admits, admits_group, now
from .bodies import (
    DocumentUpdate,
    MemoryUpdate,
    Mission,
    ModelPage,
    ModelUpdate,
    NewModel,
    Page,
    Recall,
    Reflect,
    Refresh,
    Retain,
    Scoped,
    problems,
)

TYPES = ("experience", "observation", "world")
REFLECT_TOKENS = 2048
Body = TypeVar("Body", bound=BaseModel)
Answer = tuple[int, Any]


class Refused(Exception):  # noqa: N818  what a handler ends with, as the server's own
    """A request that is answered with an error."""

    def __init__(self, status: int, detail: Any) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


@dataclass
class Call:
    """A request of the server's interface, with the banks that it is about."""

    banks: dict[str, Bank]
    bank_id: str
    rest: tuple[str, ...]
    query: Mapping[str, list[str]]
    body: Any
    broken: str | None = None
    background: list[tuple[Bank, Operation]] = field(default_factory=list)

    @property
    def bank(self) -> Bank:
        """Return the bank, or refuse where it does not exist."""
        if self.bank_id not in self.banks:
            raise Refused(404, f"Bank '{self.bank_id}' not found")
        return self.banks[self.bank_id]

    @property
    def made(self) -> Bank:
        """Return the bank, which is made where it does not exist."""
        return self.banks.setdefault(self.bank_id, Bank(self.bank_id))

    def read(self, kind: type[Body]) -> Body:
        """Return the body as what it has to be, or refuse with what is wrong in it."""
        if self.body is None:
            raise Refused(422, [{"type": "missing", "loc": ["body"], "msg": "Field required", "input": None}])
        try:
            return kind.model_validate(self.body)
        except ValidationError as error:
            raise Refused(422, problems(error, "body")) from error

    def page(self, kind: type[Body]) -> Body:
        """Return the words of the query string; of one that is given twice the last, of tags all."""
        words = {name: values if name == "tags" else values[-1] for name, values in self.query.items()}
        try:
            return kind.model_validate(words)
        except ValidationError as error:
            raise Refused(422, problems(error, "query")) from error

    def think(self) -> None:
        """Refuse where the model is broken: what is asked for needs it."""
        if self.broken:
            raise Refused(500, self.broken)

    def later(self, operation: Operation) -> Operation:
        """Have an operation done after the answer."""
        self.made.operations[operation.id] = operation
        self.background.append((self.made, operation))
        return operation


def put_bank(call: Call) -> Answer:
    mission, bank = call.read(Mission), call.made
    for name, value in mission.model_dump(exclude_none=True).items():
        setattr(bank, name, value)
    return 200, answers.profile(bank)


def delete_bank(call: Call) -> Answer:
    call.banks.pop(call.bank_id, None)
    message = f"Bank '{call.bank_id}' and all associated data deleted successfully"
    return 200, {"success": True, "message": message, "deleted_count": 0}


def list_banks(call: Call) -> Answer:
    return 200, {"banks": [answers.listed_bank(bank) for bank in call.banks.values()]}


def retain(call: Call) -> Answer:
    asked = call.read(Retain)
    if any(item.update_mode == "append" and not item.document_id for item in asked.items):
        raise Refused(400, "update_mode='append' requires a document_id")
    if not asked.in_background:
        call.think()
        call.made.retain(asked.items)
        return 200, answers.retained(call.made, len(asked.items), None)
    if asked.operation_id is not None:
        owners = [bank for bank in call.banks.values() if asked.operation_id in bank.operations]
        known = owners[0].operations[asked.operation_id] if owners else None
        if known and (owners[0].id != call.bank_id or known.kind != "batch_retain"):
            raise Refused(409, f"operation_id {asked.operation_id} is already in use")
        if known:
            return 200, answers.retained(call.made, len(known.items), known)
    named = [item.document_id for item in asked.items if item.document_id]
    if len(named) > len(set(named)):
        raise Refused(
            400, f"Batch contains duplicate document_ids: {[one for one, times in Counter(named).items() if times > 1]}"
        )
    operation = Operation(kind="batch_retain", items=asked.items)
    operation.id = asked.operation_id or operation.id
    return 200, answers.retained(call.made, len(asked.items), call.later(operation))


def clear_memories(call: Call) -> Answer:
    removed = len(call.made.texts)
    call.made.facts.clear()
    call.made.documents.clear()
    message = f"Cleared {removed} memory unit(s) from bank '{call.bank_id}'"
    return 200, {"success": True, "message": message, "deleted_count": removed}


def scope_of(bank: Bank, asked: Scoped, types: list[str]) -> list[Fact]:
    """Return the valid facts of these types that pass a request's filter by tags."""
    facts = [fact for fact in bank.facts if fact.state == "valid" and fact.type in types]
    if asked.tag_groups is not None:
        return [fact for fact in facts if all(admits_group(fact.tags, group) for group in asked.tag_groups)]
    return [fact for fact in facts if admits(fact.tags, asked.tags, asked.tags_match)]


def recall(call: Call) -> Answer:
    asked = call.read(Recall)
    if wrong := [each for each in asked.types or () if each not in TYPES]:
        raise Refused(422, f"Invalid fact type(s): {', '.join(wrong)}. Must be one of: {', '.join(TYPES)}")
    facts = scope_of(call.bank, asked, asked.types or list(TYPES))
    return 200, answers.recalled(call.bank.recall(asked.query, facts, asked.max_tokens))


def reflect(call: Call) -> Answer:
    asked = call.read(Reflect)
    call.think()
    query = f"{asked.query}\n\nAdditional context: {asked.context}" if asked.context else asked.query
    facts = scope_of(call.made, asked, list(asked.fact_types or TYPES))
    found = [one.fact for one in call.made.recall(query, facts, REFLECT_TOKENS)]
    return 200, answers.reflected(found, with_facts="facts" in asked.include)


def list_memories(call: Call) -> Answer:
    asked = call.page(Page)
    facts = [fact for fact in call.bank.facts if fact.state == asked.state]
    facts = [fact for fact in facts if admits(fact.tags, asked.tags, asked.tags_match)]
    facts = [fact for fact in facts if asked.type in (None, fact.type)]
    facts = [fact for fact in facts if asked.document_id in (None, fact.document_id)]
    facts = [fact for fact in facts if (asked.q or "").lower() in f"{fact.text} {fact.context}".lower()]
    facts.sort(key=lambda fact: (fact.mentioned_at is not None, fact.mentioned_at or fact.created_at), reverse=True)
    return 200, answers.page([answers.listed_memory(fact) for fact in facts], asked.limit, asked.offset)


def fact_of(call: Call) -> Fact:
    """Return the memory that the path names, or refuse."""
    name = call.rest[0]
    try:
        UUID(name)
    except ValueError as error:
        raise Refused(400, f"Invalid memory_id: '{name}' is not a valid UUID") from error
    for fact in call.made.facts:
        if fact.id == name:
            return fact
    raise Refused(404, f"Memory unit '{name}' not found")


def get_memory(call: Call) -> Answer:
    return 200, answers.memory(fact_of(call))


def update_memory(call: Call) -> Answer:
    asked, fact = call.read(MemoryUpdate), fact_of(call)
    if asked.text is not None:
        fact.text, fact.edited_at = asked.text, now()
    if asked.state is not None:
        fact.invalidated_at = now() if asked.state == "invalidated" else None
        fact.reason = asked.reason if fact.invalidated_at else None
    return 200, answers.memory(fact)


def list_documents(call: Call) -> Answer:
    asked, bank = call.page(Page), call.bank
    kept = [answers.listed_document(bank, one) for one in bank.documents.values()]
    return 200, {**answers.page(kept, asked.limit, asked.offset), "total_is_estimate": False}


def get_document(call: Call) -> Answer:
    if call.rest[0] not in call.made.documents:
        raise Refused(404, "Document not found")
    return 200, answers.document(call.made, call.made.documents[call.rest[0]])


def update_document(call: Call) -> Answer:
    asked = call.read(DocumentUpdate)
    if asked.tags is None:
        raise Refused(422, "At least one field (tags, observation_scopes) must be provided")
    get_document(call)
    call.made.documents[call.rest[0]].tags = asked.tags
    for fact in call.made.documents[call.rest[0]].facts:
        fact.tags = asked.tags
    return 200, {"success": True}


def delete_document(call: Call) -> Answer:
    name = call.rest[0]
    removed = call.made.delete_document(name)
    if removed is None:
        raise Refused(404, "Document not found")
    message = f"Document '{name}' and {removed} associated memory units deleted successfully"
    return 200, {"success": True, "message": message, "document_id": name, "memory_units_deleted": removed}


def list_operations(call: Call) -> Answer:
    asked = call.page(Page)
    limit = asked.limit if "limit" in call.query else 20
    kept = [one for one in call.bank.operations.values() if asked.status in (None, one.status)]
    shown = [answers.listed_operation(one) for one in reversed(kept)]
    counted = {"bank_id": call.bank_id, "total": len(shown), "limit": limit, "offset": asked.offset}
    return 200, {**counted, "operations": shown[asked.offset : asked.offset + limit]}


def operation_of(call: Call) -> Operation | None:
    """Return the operation that the path names, None if there is none, or refuse what names none."""
    try:
        UUID(call.rest[0])
    except ValueError as error:
        raise Refused(400, f"Invalid operation_id format: {call.rest[0]}") from error
    bank = call.banks.get(call.bank_id)
    return bank.operations.get(call.rest[0]) if bank else None


def get_operation(call: Call) -> Answer:
    kept = operation_of(call)
    return 200, answers.operation(kept) if kept else answers.unknown_operation(call.rest[0])


def retry_operation(call: Call) -> Answer:
    kept = operation_of(call)
    if kept is None:
        raise Refused(404, f"Operation {call.rest[0]} not found for bank {call.bank_id}")
    if kept.status != "failed":
        raise Refused(409, f"Operation {kept.id} has nothing to retry: its status is {kept.status}")
    kept.status, kept.error = "pending", None
    call.later(kept)
    return 200, {"success": True, "message": f"Operation {kept.id} queued for retry", "operation_id": kept.id}


def list_models(call: Call) -> Answer:
    asked, bank = call.page(ModelPage), call.bank
    kept = [one for one in bank.mental_models.values() if admits(one.asked.tags, asked.tags, asked.tags_match)]
    kept.sort(key=lambda one: (one.refreshed_at, one.id), reverse=True)
    shown = [answers.mental_model(bank, one, asked.detail) for one in kept]
    return 200, answers.page(shown, asked.limit, asked.offset)


def create_model(call: Call) -> Answer:
    asked = call.read(NewModel)
    operation = Operation(kind="refresh_mental_model")
    name = asked.id or f"mm-{operation.id.replace('-', '')}"
    if name in call.made.mental_models:
        raise Refused(409, f"Mental model '{name}' already exists in bank '{call.bank_id}'")
    operation.mental_model_id = name
    call.made.mental_models[name] = MentalModel(id=name, asked=asked)
    return 200, {"mental_model_id": name, "operation_id": call.later(operation).id}


def model_of(call: Call) -> MentalModel:
    """Return the mental model that the path names, or refuse."""
    name = call.rest[0]
    if name not in call.made.mental_models:
        raise Refused(404, f"Mental model '{name}' not found")
    return call.made.mental_models[name]


def get_model(call: Call) -> Answer:
    detail = call.page(ModelPage).detail if "detail" in call.query else "full"
    return 200, answers.mental_model(call.made, model_of(call), detail)


def get_model_history(call: Call) -> Answer:
    return 200, model_of(call).history


def refresh_model(call: Call) -> Answer:
    full = call.body is not None and call.read(Refresh).mode == "full"
    name = call.rest[0]
    if name not in call.made.mental_models:
        raise Refused(404, f"Mental model {name} not found in bank {call.bank_id}")
    for waiting in call.made.operations.values():
        if waiting.mental_model_id == name and waiting.status == "pending":
            waiting.full = waiting.full or full
            return 200, {"operation_id": waiting.id, "status": "queued"}
    operation = call.later(Operation(kind="refresh_mental_model", mental_model_id=name, full=full))
    return 200, {"operation_id": operation.id, "status": "queued"}


def update_model(call: Call) -> Answer:
    asked, model = call.read(ModelUpdate), model_of(call)
    model.asked = model.asked.model_copy(update=asked.model_dump(exclude_none=True))
    return 200, {**answers.mental_model(call.made, model, "content"), "is_knowledge_page": None}


def delete_model(call: Call) -> Answer:
    del call.made.mental_models[model_of(call).id]
    return 200, {"status": "deleted"}


BANK, ONE, ANY = "/v1/default/banks/([^/]+)", "/([^/]+)", "/(.+)"
ROUTES: dict[str, dict[str, Callable[[Call], Answer]]] = {
    "/v1/default/banks": {"GET": list_banks},
    BANK: {"PUT": put_bank, "DELETE": delete_bank},
    f"{BANK}/memories": {"POST": retain, "DELETE": clear_memories},
    f"{BANK}/memories/list": {"GET": list_memories},
    f"{BANK}/memories/recall": {"POST": recall},
    f"{BANK}/memories{ONE}": {"GET": get_memory, "PATCH": update_memory},
    f"{BANK}/reflect": {"POST": reflect},
    f"{BANK}/documents": {"GET": list_documents},
    f"{BANK}/documents{ANY}": {"GET": get_document, "PATCH": update_document, "DELETE": delete_document},
    f"{BANK}/operations": {"GET": list_operations},
    f"{BANK}/operations{ONE}": {"GET": get_operation},
    f"{BANK}/operations{ONE}/retry": {"POST": retry_operation},
    f"{BANK}/mental-models": {"GET": list_models, "POST": create_model},
    f"{BANK}/mental-models{ONE}/history": {"GET": get_model_history},
    f"{BANK}/mental-models{ONE}/refresh": {"POST": refresh_model},
    f"{BANK}/mental-models{ONE}": {"GET": get_model, "PATCH": update_model, "DELETE": delete_model},
}


def find(method: str, path: str) -> tuple[Callable[[Call], Answer], tuple[str, ...]]:
    """Return what answers a request, and the bank and names in its path; refuse what no route has."""
    known = False
    for pattern, verbs in ROUTES.items():
        if found := re.fullmatch(pattern, path):
            known = True
            if method in verbs:
                return verbs[method], found.groups()
    raise Refused(405, "Method Not Allowed") if known else Refused(404, "Not Found")
