"""Generators and asynchronous code, with the `yield` or the `await` inside an operand."""

import contextlib


async def given(value):
    return value


async def several(*values):
    for value in values:
        yield value


def generator(limit):
    value = 0
    while value < limit:  # expect: killed
        yield value
        value += 1


def generator_far(limit):
    value = 0
    while value * 2 < limit:  # expect: not-infected
        yield value
        value += 1


def yield_in_operand():
    answer = (yield "how old?") >= 18  # expect: killed
    yield answer


def yield_in_call():
    yield (yield "name?").strip()  # expect: killed


def yield_in_both_operands():
    yield (yield 1) >= (yield 2)  # expect: killed


def yield_in_a_chain():
    # two operands that cannot be evaluated twice: that no test infects a link is not known, so it is run
    yield 1 <= (yield "a") < (yield "b")  # expect: survived, killed


def yielded(age):
    yield age >= 18  # expect: killed


def yield_from(ages):
    yield from [age >= 18 for age in ages]  # expect: killed


def never_started(age):
    yield age >= 18  # expect: not-reached


async def function(age):
    return age >= 18  # expect: killed


async def function_never_awaited(age):
    return age >= 18  # expect: not-reached


async def await_in_operand(age):
    return await given(age) >= 18  # expect: killed


async def await_in_operand_far(age):
    return await given(age) >= 18  # expect: not-infected


async def await_in_call(name):
    return (await given(name)).strip()  # expect: killed


async def await_in_a_chain(age):
    return 18 <= await given(age) < await given(65)  # expect: killed, survived


async def await_around(age):
    return await given(age >= 18)  # expect: killed


async def asynchronous_generator(ages):
    for age in ages:
        yield age >= 18  # expect: killed


async def asynchronous_comprehension():
    return [age async for age in several(17, 18) if age >= 18]  # expect: killed


async def asynchronous_set():
    return {name.strip() async for name in several(" a ")}  # expect: killed


async def asynchronous_generator_expression():
    return [ok async for ok in (await given(age) >= 18 async for age in several(18))]  # expect: killed


async def asynchronous_for(limit):
    total = 0
    async for value in several(1, 2, 3):
        if value <= limit:  # expect: killed
            total += value
    return total


@contextlib.asynccontextmanager
async def holding(value):
    yield value


async def asynchronous_with(name):
    async with holding(name.strip()) as held:  # expect: killed
        return held
