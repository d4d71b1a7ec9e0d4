import pandas as pd


def column(table):
    return table["price"] > 100  # expect: killed


def column_around(table):
    return table["price"] > 100  # expect: not-infected


def with_gaps(column):
    return column >= 2.0  # expect: killed


def stamp(moment):
    return moment < pd.Timestamp("2024-03-01")  # expect: killed


def stamp_around(moment):
    return moment < pd.Timestamp("2024-03-01")  # expect: not-infected


def span(length):
    return length <= pd.Timedelta(days=2)  # expect: killed


def whole_table(table):
    return (table > 3).sum().sum()  # expect: killed


def by_label(column, other):
    return column > other  # expect: killed


def nullable(column):
    return column > 3  # expect: killed


def nothing(moment):
    return moment > pd.Timestamp("2024-03-01")  # expect: not-infected
