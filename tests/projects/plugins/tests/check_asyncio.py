import asyncio

import pytest
import pytest_asyncio

from shop import waiting

pytestmark = pytest.mark.asyncio


async def test_asyncio():
    assert await waiting.in_asyncio(18)


@pytest_asyncio.fixture
async def grown():
    yield await waiting.in_asyncio_fixture(18)


async def test_fixture(grown):
    assert grown


async def test_task():
    async with asyncio.TaskGroup() as group:
        task = group.create_task(waiting.in_task(18))
    assert task.result()


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def of_session():
    return await waiting.in_session_loop(18)


@pytest.mark.asyncio(loop_scope="session")
async def test_session_first(of_session):
    pass


@pytest.mark.asyncio(loop_scope="session")
async def test_session(of_session):
    assert of_session


async def test_generator():
    async def ages():
        for age in (18, 19):
            yield await waiting.in_async_generator(age)

    assert [grown async for grown in ages()] == [True, True]
