"""Its doctests are all its tests.

>>> from shop.documented import in_module
>>> in_module(18)
True
"""


def in_module(age):
    """Whether."""
    return age >= 18  # expect: killed


def in_function(age):
    """Whether.

    >>> in_function(18)
    True
    """
    return age >= 18  # expect: killed


def behind_another_line(age):
    """Whether.

    >>> grown = behind_another_line(18)
    >>> grown
    True
    """
    return age >= 18  # expect: killed


def not_looked_at(age):
    """Whether.

    >>> grown = not_looked_at(18)
    """
    return age >= 18  # expect: survived


def left_out(age):
    """Whether.

    >>> left_out(18)  # doctest: +SKIP
    True
    """
    return age >= 18  # expect: not-reached


def in_text_file(age):
    """Whether."""
    return age >= 18  # expect: killed


def raising(age):
    """Whether.

    >>> raising(18)
    Traceback (most recent call last):
    ValueError: grown
    """
    if age >= 18:  # expect: killed
        raise ValueError("grown")


class Shop:
    """A class.

    >>> Shop().open(18)
    True
    """

    def open(self, age):
        """Whether.

        >>> Shop().open(19)
        True
        """
        return age >= 18  # expect: killed

    @property
    def large(self):
        """Whether.

        >>> Shop().large
        True
        """
        return len("abc") >= 3  # expect: killed
