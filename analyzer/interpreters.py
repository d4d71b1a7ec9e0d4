"""Which programs are Python interpreters, and which command lines keep one from finding its way to us.

Standard library only: it is loaded in the processes under test.
"""

from __future__ import annotations

import os
from typing import Any


def is_python(program: Any) -> bool:
    """Whether a program to be started is a Python interpreter, by its name."""
    name = os.fsdecode(program) if isinstance(program, str | bytes | os.PathLike) else ""
    return os.path.basename(name).startswith(("python", "pypy"))


def ignores_environment(command: Any) -> bool:
    """Whether a command line starts Python with `-I`, `-E` or `-S`, so that it reads nothing of ours."""
    if not isinstance(command, list | tuple) or not command:
        return False
    words = [os.fsdecode(word) for word in command if isinstance(word, str | bytes | os.PathLike)]
    if not words or not is_python(words[0]):
        return False
    rest = iter(words[1:])
    for word in rest:
        if not word.startswith("-") or word.startswith("--"):
            return False
        for place, letter in enumerate(word[1:], start=1):
            if letter in "IES":
                return True
            if letter in "cm":
                return False
            if letter in "XW":  # the value follows, here or as the next word
                if place == len(word) - 1:
                    next(rest, None)
                break
    return False
