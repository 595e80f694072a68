"""The programs of the tests: each is on its own from the moment that it can be told of."""

import os
import sys

import pytest

from tests import forkserver


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere programs are started anew")
def test_a_program_with_a_session_of_its_own_has_it_at_once():
    for _ in range(100):
        with forkserver.popen([sys.executable, "-c", "input()"], stdin=-1, start_new_session=True) as process:
            assert os.getsid(process.pid) == os.getpgid(process.pid) == process.pid
            process.kill()
