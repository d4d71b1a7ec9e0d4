import pytest
import trio

from shop import waiting


@pytest.mark.anyio
async def test_anyio():
    assert await waiting.in_anyio(18)


@pytest.mark.anyio
async def test_anyio_that_does_not_look():
    await waiting.in_anyio_not_looked_at(18)


def test_trio():
    assert trio.run(waiting.in_trio, 18)
