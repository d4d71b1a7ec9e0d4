from places import module


def test_constants():
    assert module.IS_FULL is True
    assert module.IS_FULL_FAR is True
    assert module.SHORT == module.SHORT_FAR == "Ann"
    assert module.TABLE == {"full": True, "name": "Ann"}


def test_conditional_import():
    assert module.floor(1.5) == 1
    assert module.text(1) == "1"


def test_loop():
    assert module.LAST == 2


def test_registry():
    assert module.REGISTRY["first"]() is True


def test_module_getattr():
    assert module.DYNAMIC == 1
