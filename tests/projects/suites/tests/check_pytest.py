import threading

import pytest

from shop import tested


def test_subtests(subtests):
    for age in (18, 19):
        with subtests.test(age=age):
            assert tested.in_pytest_subtest(age)


def test_subtest_that_catches(subtests):
    with subtests.test():
        try:
            assert tested.in_last_subtest_swallowed(18)
        except AssertionError:
            pass


@pytest.mark.xfail
def test_xfail():
    assert not tested.in_xfail(18)


@pytest.mark.xfail(strict=True)
def test_strict_xfail():
    assert not tested.in_strict_xfail(18)


@pytest.mark.xfail(raises=AssertionError)
def test_xfail_of_a_kind():
    assert not tested.in_xfail_of_a_kind(18)


@pytest.mark.xfail(run=False)
def test_xfail_that_does_not_run():
    assert tested.in_xfail_that_does_not_run(18)


def test_imperative_xfail():
    if not tested.in_imperative_xfail(18):
        pytest.xfail("young")


@pytest.mark.skip
def test_skip():
    assert tested.in_skip(18)


def test_skip_by_value():
    if not tested.in_skip_by_value(18):
        pytest.skip("young")


@pytest.fixture(params=[17, 18], ids=["young", "grown"])
def age(request):
    return request.param, tested.in_parametrized_fixture(request.param)


def test_parametrized_fixture(age):
    number, grown = age
    assert grown == (number == 18)


@pytest.fixture
def indirect(request):
    return tested.in_indirect(request.param)


@pytest.mark.parametrize("indirect", [18, 19], indirect=True)
def test_indirect(indirect):
    assert indirect


def test_generated(generated):
    assert tested.in_generated(generated) == (generated == 18)


INNER = """
from shop import tested

def test_inner():
    assert tested.{name}(18)
"""


def test_inner_run(pytester, monkeypatch):
    pytester.makepyfile(INNER.format(name="in_inner_run"))
    pytester.inline_run("-p", "no:cacheprovider").assertoutcome(passed=1)


def test_inner_process(pytester, pytestconfig, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(pytestconfig.rootpath))
    pytester.makepyfile(INNER.format(name="in_inner_process"))
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_warning():
    tested.warns(18)


def test_expected_warning():
    with pytest.warns(UserWarning, match="old"):
        tested.warns_as_expected(18)


def test_open_file():
    tested.leaves_a_file_open(18)


def test_thread():
    thread = threading.Thread(target=tested.raises_in_a_thread, args=(18,))
    thread.start()
    thread.join()


def test_never_awaited():
    tested.never_awaited(18)


CASES = [[18], [19]]


@pytest.mark.parametrize("case", CASES)
def test_that_changes_its_own_cases(case):
    assert tested.in_own_list(case.pop())
    CASES.append(case)


def test_that_counts_the_cases():
    assert len(CASES) == 4
