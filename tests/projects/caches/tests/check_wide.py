import pytest

from shop import wide


@pytest.fixture(scope="module")
def in_module():
    yield wide.in_module(18)
    assert wide.at_the_end(18)


@pytest.fixture(scope="module")
def by_request(request):
    return [wide.by_request(18), request]


@pytest.fixture(scope="module")
def not_looked_at():
    return wide.not_looked_at(18)


def setup_module(module):
    module.GROWN = wide.in_setup_module(18)


def test_first(in_module, by_request, not_looked_at, chosen_anew):
    pass


def test_module(in_module):
    assert in_module


def test_by_name(request):
    assert request.getfixturevalue("by_request")[0]


def test_parameter(by_parameter):
    age, grown = by_parameter
    assert grown == (age == 18)


def test_chosen(chosen_anew):
    assert chosen_anew


class TestClass:
    @pytest.fixture(scope="class")
    def in_class(self):
        return wide.in_class(18)

    @classmethod
    def setup_class(cls):
        cls.grown = wide.in_setup_class(18)

    def test_first(self, in_class):
        pass

    def test_second(self, in_class):
        assert in_class

    def test_third(self):
        assert self.grown


def test_last(not_looked_at):
    assert GROWN  # noqa: F821


def test_start(pytestconfig):
    assert pytestconfig.grown_at_start
