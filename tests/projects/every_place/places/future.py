from __future__ import annotations

from dataclasses import dataclass


def after_future(age: int) -> int if 1 >= 0 else str:
    return age >= 18  # expect: killed


def with_local_annotation(name: str) -> str:
    short: name.strip() = name.strip()  # expect: killed
    return short


@dataclass
class Postponed:
    age: Later = 18 >= 18  # expect: killed


Later = int
