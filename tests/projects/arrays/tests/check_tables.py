import pandas as pd

from shop import tables

TABLE = pd.DataFrame({"price": [99, 100, 101]})


def test_columns():
    assert tables.column(TABLE).tolist() == [False, False, True]
    assert tables.column_around(TABLE[TABLE["price"] != 100]).tolist() == [False, True]


def test_gaps():
    assert tables.with_gaps(pd.Series([1.0, None, 2.0])).tolist() == [False, False, True]


def test_stamps():
    assert not tables.stamp(pd.Timestamp("2024-03-01"))
    assert tables.stamp_around(pd.Timestamp("2024-02-29 12:00"))
    assert not tables.nothing(pd.NaT)


def test_spans():
    assert tables.span(pd.Timedelta(hours=48))


def test_tables():
    assert tables.whole_table(pd.DataFrame({"a": [3, 4]})) == 1
    assert tables.by_label(pd.Series([1, 2]), pd.Series([1, 1])).tolist() == [False, True]
    assert tables.nullable(pd.Series([3, None], dtype="Int64")).sum() == 0
