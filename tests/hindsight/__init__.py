"""Two servers that the backend ``hindsight`` is tested against: the real one, and a double of it for everyday.

The double needs nothing but this folder::

    from tests.hindsight import Fault, hindsight_double

    with hindsight_double(token="secret") as server:
        ...  # any client of Hindsight with base_url=server.url
        assert server.banks["omp"].texts == ["The build uses ninja."]
        server.misbehave(Fault(status=503), every=3)
        server.misbehave(Fault(cut=True, done=True), times=1, path="/memories")
        assert server.requests[0].body["items"]

The real one is started by ``make hindsight``, which tells its tests where it is (``running_server``);
``test_drift.py`` asks both the same. Both take a text's sentences for its facts, and find those that share a stem
with a query (``model.py``).
"""

from .double import Fault, HindsightDouble, Request, hindsight_double
from .running import RunningServer, running_server

__all__ = ["Fault", "HindsightDouble", "Request", "RunningServer", "hindsight_double", "running_server"]
