import dataclasses
import pickle

import pytest

from places import classes


def test_class_body():
    assert classes.Body.is_full is True
    assert classes.Body.is_full_far is True
    assert classes.Body.only_small == 1
    assert classes.Body.Inner.name == "Ann"


def test_dataclass_fields():
    record = classes.Record()
    assert (record.full, record.far, record.name, record.made, record.shared) == (True, True, "Ann", True, True)
    assert record.adult is True


def test_dataclass_decorator():
    with pytest.raises(dataclasses.FrozenInstanceError):
        classes.Frozen().age = 3


def test_slotted_dataclass():
    assert classes.Slotted(18).adult() is True


def test_slots():
    slotted = classes.WithSlots(18)
    slotted.name = "Ann"
    assert slotted.age is True


def test_enum_members():
    assert classes.Colour.RED.value == "red"
    assert classes.Colour.BLUE.value == "blue"
    assert classes.Colour.LARGE.value is True
    assert classes.Colour.RED.short is True
    assert classes.Flags.TWO.value == 2


def test_named_tuple():
    assert classes.Point() == (0, True, True)
    assert classes.Point().is_right() is True
    assert pickle.loads(pickle.dumps(classes.Point())) == classes.Point()


def test_descriptor():
    assert classes.Owner.ATTRIBUTE is True
    assert classes.Owner.called == "attribute"


def test_metaclass():
    assert classes.Made.long is True
    assert classes.Made.wide is True
    assert classes.Sub.is_sub is True


def test_private_names():
    assert classes.Sub().mangled(" A ") == "a"
    assert classes.Sub().mangled_operand() is True
    assert classes.Sub().by_class_cell() == "sub"


def test_comparison_of_its_own():
    assert classes.compare_once() == (True, 1)
