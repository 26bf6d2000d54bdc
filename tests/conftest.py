"""Real parts that several test folders share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from emulator_farm.embedded import EmbeddedValkey


@pytest.fixture(scope="session")
def valkey() -> Iterator[EmbeddedValkey]:
    """One real Valkey for the whole session; tests that kill a server start their own."""
    with EmbeddedValkey() as server:
        yield server


@pytest.fixture
def connection(valkey: EmbeddedValkey) -> Iterator[redis.Redis]:
    """An empty database."""
    client = redis.Redis.from_url(valkey.url)
    client.flushall()
    yield client
    client.close()
