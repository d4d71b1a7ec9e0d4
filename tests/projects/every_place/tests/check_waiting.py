import asyncio

from places import waiting


def sent(generator, *values):
    """What a generator yields last when these values are sent into it."""
    result = next(generator)
    for value in values:
        result = generator.send(value)
    return result


def test_generator():
    assert list(waiting.generator(2)) == [0, 1]
    assert list(waiting.generator_far(3)) == [0, 1]
    waiting.never_started(18)


def test_yield_in_operand():
    assert sent(waiting.yield_in_operand(), 18) is True
    assert sent(waiting.yield_in_call(), " Ann ") == "Ann"
    assert sent(waiting.yield_in_both_operands(), 5, 5) is True
    assert sent(waiting.yield_in_a_chain(), 5, 5) is False


def test_yielded():
    assert list(waiting.yielded(18)) == [True]
    assert list(waiting.yield_from([18])) == [True]


def test_async_function():
    assert asyncio.run(waiting.function(18)) is True
    waiting.function_never_awaited(18).close()


def test_await_in_operand():
    assert asyncio.run(waiting.await_in_operand(18)) is True
    assert asyncio.run(waiting.await_in_operand_far(19)) is True
    assert asyncio.run(waiting.await_in_call(" Ann ")) == "Ann"
    assert asyncio.run(waiting.await_in_a_chain(18)) is True
    assert asyncio.run(waiting.await_around(18)) is True


def test_async_generator():
    async def collected():
        return [value async for value in waiting.asynchronous_generator([18])]

    assert asyncio.run(collected()) == [True]


def test_async_comprehension():
    assert asyncio.run(waiting.asynchronous_comprehension()) == [18]
    assert asyncio.run(waiting.asynchronous_set()) == {"a"}
    assert asyncio.run(waiting.asynchronous_generator_expression()) == [True]


def test_async_for_and_with():
    assert asyncio.run(waiting.asynchronous_for(2)) == 3
    assert asyncio.run(waiting.asynchronous_with(" a ")) == "a"
