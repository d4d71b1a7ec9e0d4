from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from shop import given as code


@given(st.integers(min_value=16, max_value=20))
def test_found(age):
    assert code.found_by_hypothesis(age) == (age > 17)


@given(st.integers(max_value=100))
@example(123_456_789)
def test_example(age):
    assert code.given_as_example(age) == (age > 123_456_788)


@given(st.integers(max_value=100))
def test_never_found(age):
    assert not code.never_found(age)


@given(st.integers(min_value=16, max_value=20))
def test_not_looked_at(age):
    code.not_looked_at(age)


class Machine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.counter = code.Counter()

    @rule()
    def add(self):
        self.counter.add()

    @invariant()
    def few(self):
        assert self.counter.count <= 2


TestMachine = Machine.TestCase
