from places import future


def test_after_future():
    assert future.after_future(18) is True
    assert future.with_local_annotation(" a ") == "a"
    assert future.Postponed().age is True
    assert future.Postponed.__annotations__ == {"age": "Later"}
