"""A file in use by somebody who may have opened it or been handed it open: who opened it closes it."""

from os import PathLike

from .models.base import ModelClient
from .run import Fabric

File = str | PathLike[str] | Fabric


class Lease:
    """An open file. ``owns`` says whether closing the lease closes it; by default when the lease has opened it.

    ``models`` answers the model calls of a file that is opened here. StoreError when it cannot be opened.
    """

    def __init__(self, file: File, *, owns: bool | None = None, models: ModelClient | None = None) -> None:
        opens = not isinstance(file, Fabric)
        self.fabric = file if isinstance(file, Fabric) else Fabric(file, models=models)
        self._owns = opens if owns is None else owns

    def close(self) -> None:
        """Close the file, if it is this lease's to close."""
        if self._owns:
            self.fabric.close()

    async def aclose(self) -> None:
        """Do what `close` does, on the caller's own event loop."""
        if self._owns:
            await self.fabric.aclose()
