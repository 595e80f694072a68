"""What to do about an error of the driver or of the system, told by its words."""

import re

_FOREIGN = (
    "the log beside it belongs to another file, or to another state of this one: put the file back that it belongs to, "
    "or move the log away to open this one without it; nothing was changed"
)
_ADVICE = (
    (r"wal does not match", _FOREIGN),
    (
        r"no space left|not enough space|disk quota|file too large",
        "the disk is full: make room and do it again; nothing of this was kept, nothing that was kept before is lost",
    ),
    (
        r"could not read|not enough|checksum|corrupt|truncated|serializ|failed to load metadata|wal file",
        "the file is damaged: look at it with thought-fabric doctor FILE, or restore a backup",
    ),
    (
        r"permission denied|read-only file system",
        "the file and its folder must be readable and writable: change their permissions, or use another place",
    ),
)
_READ = tuple((re.compile(words, re.IGNORECASE), advice) for words, advice in _ADVICE)


def advice(error: object) -> str:
    """Return what to do, to be put behind the error; "" where nothing is known.

    >>> advice("Could not write file: No space left on device")[:31]
    '; the disk is full: make room a'
    """
    return next((f"; {what}" for words, what in _READ if words.search(str(error))), "")
