import warnings


def in_case(age):
    return age >= 18  # expect: killed


def in_set_up(age):
    return age >= 18  # expect: killed


def in_set_up_class(age):
    return age >= 18  # expect: killed


def in_set_up_module(age):
    return age >= 18  # expect: killed


def in_tear_down(age):
    return age >= 18  # expect: killed


def in_cleanup(age):
    return age >= 18  # expect: killed


async def in_coroutine(age):
    return age >= 18  # expect: killed


def in_unittest_subtest(age):
    return age >= 18  # expect: killed


def in_pytest_subtest(age):
    return age >= 18  # expect: killed


def in_last_subtest_swallowed(age):
    return age >= 18  # expect: survived


def in_expected_failure(age):
    return not age >= 18  # expect: killed


def in_skipped_case(age):
    return age >= 18  # expect: not-reached


def in_xfail(age):
    return age >= 18  # expect: survived


def in_strict_xfail(age):
    return age >= 18  # expect: killed


def in_xfail_of_a_kind(age):
    return [1][0 if age >= 18 else 5]  # expect: killed


def in_xfail_that_does_not_run(age):
    return age >= 18  # expect: not-reached


def in_imperative_xfail(age):
    return age >= 18  # expect: survived


def in_skip(age):
    return age >= 18  # expect: not-reached


def in_skip_by_value(age):
    return age >= 18  # expect: survived


def in_parametrized_fixture(age):
    return age >= 18  # expect: killed


def in_indirect(age):
    return age >= 18  # expect: killed


def in_generated(age):
    return age >= 18  # expect: killed


def in_inner_run(age):
    return age >= 18  # expect: killed


def in_inner_process(age):
    return age >= 18  # expect: killed


def warns(age):
    if not age >= 18:  # expect: killed
        warnings.warn("young", stacklevel=2)


def warns_as_expected(age):
    if age >= 18:  # expect: killed
        warnings.warn("old", stacklevel=2)


def leaves_a_file_open(age):
    if not age >= 18:  # expect: killed
        open(__file__)  # noqa: SIM115


def raises_in_a_thread(age):
    if not age >= 18:  # expect: killed
        raise ValueError


def never_awaited(age):
    if not age >= 18:  # expect: killed
        in_coroutine(age)


def in_own_list(age):
    return age >= 18  # expect: killed
