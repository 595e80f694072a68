"""What schemas do to something new: what fits one is encoded less strongly, what fits none more."""

from typing import TYPE_CHECKING

import numpy as np

from capabilities.formulas.in_sleep import schema_strength
from capabilities.traces.graph import edge_between
from capabilities.traces.record import Edge, Trace
from capabilities.traces.seen import visible
from capabilities.traces.tables import Place
from capabilities.traces.words import TAGGED

from ..graph import WEIGHTS
from .config import SchemaEncoding
from .metadata import metadata_of, noting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capabilities.traces.table import TraceTable
    from fabric.search.base import SearchView

    Floats = NDArray[np.float32]

SCHEMA = "schema"
"""The tag of a schema: what a consolidation drew from a cluster."""


def beside_schemas(table: "TraceTable", place: Place, new: Trace, how: SchemaEncoding) -> tuple[Trace, list[Edge]]:
    """Return a new trace, its strength changed by the nearest schema (by cosine), and the edge if it fits one."""
    index, vector = table.tx.index(place.tables.traces, table.space), table.vector_of(new.content)
    nearest = None if index is None or vector is None else _nearest(index, place, vector)
    if nearest is None:
        return new, []
    schema, cosine = nearest
    strength, fits = schema_strength(new.strength, cosine, how.rates)
    told = {"is_congruent": fits, **({"schema_id": schema} if fits else {})}
    changed = {"strength": strength, "data": noting(new, metadata_of(new).model_copy(update=told))}
    edges = [edge_between(schema, new.id, WEIGHTS["schema_instance"], "schema_instance")] if fits else []
    return new.model_copy(update=changed), edges


def _nearest(index: "SearchView", place: Place, vector: "Floats") -> tuple[str, float] | None:
    """Return the schema that is most like a vector, and its cosine; None where the place has none."""
    term, vectors = index.postings.terms.get(TAGGED + SCHEMA), index.vectors
    if term is None or vectors is None or not len(vectors) or vectors.dimension != vector.shape[-1]:
        return None
    positions = index.postings.of(term)[0]
    seen = visible(index, [place.persona], scopes=[place.scope])[positions]
    schemas = np.asarray(positions[seen & vectors.present[positions]], np.int64)
    if not len(schemas):
        return None
    exact = vectors.exact(vector if vector.ndim == 1 else vector[0], schemas)
    best = int(np.argmax(exact))
    return index.ids[schemas[best]], min(1.0, float(exact[best]))
