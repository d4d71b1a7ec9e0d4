"""A store in a database."""


def put(connection, name, size):
    connection.execute("INSERT INTO things VALUES (?, ?)", (name, size >= 18))  # expect: killed


def large(connection, name):
    ((found,),) = connection.execute("SELECT large FROM things WHERE name = ?", (name,)).fetchall()
    return found >= 1  # expect: killed


def count(connection):
    ((found,),) = connection.execute("SELECT count(*) FROM things")
    return found if found >= 1 else None  # expect: killed


def filled(size):
    return size >= 18  # expect: killed


def unseen(size):
    return size >= 18  # expect: survived
