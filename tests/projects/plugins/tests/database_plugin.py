"""As a plugin for a web framework does it: one database for the session, each test in a transaction that is undone."""

import sqlite3

import pytest

from shop import store


@pytest.fixture(scope="session")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("database") / "test.sqlite3"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("CREATE TABLE things (name TEXT, large BOOLEAN)")
    connection.execute("INSERT INTO things VALUES ('first', ?)", (store.filled(18),))
    store.unseen(18)
    yield connection
    connection.close()


@pytest.fixture
def transaction(database):
    database.execute("BEGIN")
    yield database
    database.execute("ROLLBACK")
