"""Facts and episodes of files from before users had exact ids in them: they are filed when they are used."""

from fabric.flow.resource import Transaction

from ..claims import USER
from ..semantic.refiling import refile_own
from .layout import MemoryLayout
from .people.oneself import SHARED, is_shared


def refile_own_rows(tx: Transaction, layout: MemoryLayout) -> None:
    """File what the user of a transaction has said of themselves in a shared memory under their exact id."""
    if not is_shared(layout):
        return
    if layout.semantic is not None:
        refile_own(tx, layout.semantic)
    if layout.episodic is not None:
        is_alone = layout.semantic is None or layout.semantic.scope not in SHARED
        refile_own(tx, layout.episodic, [USER] if is_alone else [])
