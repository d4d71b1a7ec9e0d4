"""Every statement that can hold an expression, and the expressions in which position matters."""

import contextlib


def match_guard(age):
    match age:
        case int() if age >= 18:  # expect: killed
            return "adult"
        case int() if age >= 12:  # expect: not-infected
            return "youth"
        case _:
            return "child"


def match_subject(name):
    match name.lower():  # expect: killed
        case "ann":
            return 1
    return 0


def match_guard_text(kind):
    match kind:
        case str() if kind == "child":  # expect: killed
            return 1
    return 0


def assertion(age):
    assert age >= 18, age >= 18  # expect: killed, ignored
    return age


def if_expression(age):
    return "adult" if age >= 18 else "child"  # expect: killed


def if_expression_branch(age):
    return age >= 18 if age else None  # expect: killed


def if_statement(age):
    if age >= 18:  # expect: killed
        return 1
    elif age > 12:  # expect: killed
        return 2
    else:
        return age > 3  # expect: not-infected


def walrus_target(age):
    return (adult := age >= 18), adult  # expect: killed


def walrus_inside(name):
    if (short := name.strip()) and len(short) < 4:  # expect: killed, killed
        return short
    return None


def walrus_in_operand(text):
    return (size := len(text)) <= 3, size  # expect: killed


def chain_of_two(age):
    return 18 <= age < 65  # expect: killed, not-infected


def chain_of_two_upper(age):
    return 18 <= age < 65  # expect: not-infected, killed


def chain_of_three(low, age, high):
    return 0 <= low < age <= high  # expect: killed, killed, killed


def chain_with_middle_call(text):
    return 1 <= len(text.strip()) < 4  # expect: killed, not-infected, survived


def chain_that_ends_early(low, high):
    return 10 < low < high()  # expect: killed, not-reached


def middle_call_once(values):
    return 0 <= values.pop() <= 9  # expect: not-infected, killed


def mixed_chain(kind, age):
    return kind == "child" != (age < 12)  # expect: killed, killed, not-infected


def slice_bounds(names, text):
    return names[len(text.strip()) :]  # expect: killed


def subscript(names, age):
    return names[age >= 18]  # expect: killed


def subscript_key(ages, name):
    return ages[name.lower()]  # expect: killed


def subscript_target(name):
    ages = {}
    ages[name.lower()] = 1  # expect: killed
    return ages


def while_condition(limit):
    number = 1
    while number <= limit:  # expect: killed
        number *= 2
    return number


def while_else(limit):
    number = 1
    while number < limit:  # expect: not-infected
        number += 2
    else:
        return number >= 3  # expect: killed


def for_loop(names):
    found = []
    for name in names.strip().split(","):  # expect: killed
        found.append(name)
    else:
        found.append(len(found) >= 2)  # expect: killed
    return found


def try_body(age):
    try:
        return age >= 18  # expect: killed
    except TypeError:
        return age == "old"  # expect: killed
    finally:
        pass


def try_else(age):
    try:
        pass
    except TypeError:
        return age > 3  # expect: not-reached
    else:
        age = age > 4  # expect: killed
    finally:
        done = age < 2  # expect: not-infected
    return age, done


def finally_body(age, seen):
    try:
        return None
    finally:
        seen.append(age >= 18)  # expect: killed


def except_type(loud):
    try:
        raise KeyError("x")
    except (KeyError if loud >= 1 else ValueError):  # expect: killed
        return "caught"


def exception_group(age):
    try:
        raise ExceptionGroup("several", [ValueError(age >= 18)])  # expect: killed
    except* ValueError as group:
        caught = group.exceptions[0].args
    return caught


def with_item(name):
    with contextlib.nullcontext(name.strip()) as held:  # expect: killed
        return held


def with_two_items(name):
    with (
        contextlib.nullcontext(name.strip()) as held,  # expect: killed
        contextlib.nullcontext(held.lower()) as low,  # expect: not-infected
    ):
        return held, low


def returned_tuple(age):
    return age, age >= 18  # expect: killed


def raised(name):
    raise ValueError(name.strip())  # expect: killed


def raised_from(age):
    raise ValueError("x") from (KeyError("k") if age >= 18 else None)  # expect: killed


def deleted(ages, name):
    del ages[name.lower()]  # expect: killed
    return ages


def augmented(total, age):
    total += age >= 18  # expect: killed
    return total


def augmented_target(ages, name):
    ages[name.lower()] += 1  # expect: killed
    return ages


def annotated_assignment(age):
    adult: bool = age >= 18  # expect: killed
    return adult


def unpacked(age, name):
    first, (second, *rest) = age >= 18, (name.strip(), 1)  # expect: killed, killed
    return first, second, rest


def chained_assignment(age):
    first = second = age >= 18  # expect: killed
    return first is second is True


def dict_display(age, name):
    return {name.strip(): age, "adult": age >= 18}  # expect: killed, killed


def set_display(age, name):
    return {name.strip(), age >= 18}  # expect: killed, killed


def list_display(age):
    return [1, age >= 18, 2]  # expect: killed


def starred(names, text):
    return [*names, *text.strip()]  # expect: killed


def double_starred(name):
    return {**{name.lower(): 1}}  # expect: killed


def boolean_operators(age, name):
    return age >= 18 and not name.strip() == "Bob" or age == "old"  # expect: killed, killed, killed, killed


def unary(age):
    return not age >= 18  # expect: killed


def nested_comparisons(one, two):
    return (one >= 1) == (two >= 2)  # expect: killed, killed


def nested_calls(name):
    return name.strip().lower()  # expect: killed, killed


def nested_calls_far(name):
    return name.strip().lower()  # expect: not-infected, killed


def call_argument(age):
    return str(age >= 18)  # expect: killed


def keyword_argument(name):
    return dict(key=name.strip())  # expect: killed


def parenthesised(age):
    return ((age) >= (18))  # expect: killed


def over_lines(age):
    return (
        age
        >= 18
    )  # expect[-2]: killed


def semicolons(age): adult = age >= 18; return adult  # expect: killed


def after_return(age):
    return age
    return age >= 18  # expect: not-reached


def spaced_method(name):
    return (
        name
        .strip()
        .lower()
    )  # expect[-3]: killed, killed


def glued(age):
    return 1if age>=18else 0  # expect: killed


def backslash(age):
    return age \
        >= 18  # expect[-1]: killed
