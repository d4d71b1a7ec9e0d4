async def in_asyncio(age):
    return age >= 18  # expect: killed


async def in_asyncio_fixture(age):
    return age >= 18  # expect: killed


async def in_task(age):
    return age >= 18  # expect: killed


async def in_session_loop(age):
    return age >= 18  # expect: killed


async def in_async_generator(age):
    return age >= 18  # expect: killed


async def in_anyio(age):
    return age >= 18  # expect: killed


async def in_trio(age):
    return age >= 18  # expect: killed


async def in_anyio_not_looked_at(age):
    return age >= 18  # expect: survived
