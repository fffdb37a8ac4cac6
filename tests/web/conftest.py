"""What the tests of the host share."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest


@pytest.fixture
def finish():
    """Run a coroutine to its end, in a thread of its own: the browser tests keep a loop in this."""
    with ThreadPoolExecutor(1) as thread:
        yield lambda coroutine: thread.submit(asyncio.run, coroutine).result()
