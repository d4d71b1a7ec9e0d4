"""Everything that knows mutmut's catalogue of operators: which functions there are, and how they are called."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator, Mapping
from types import MappingProxyType, ModuleType

import libcst as cst

OPERATORS: Mapping[str, str] = MappingProxyType({
    "operator_number": "FP503",
    "operator_string": "FP504",
    "operator_name": "FP505",
    "operator_assignment": "FP509",
    "operator_remove_unary_ops": "FP502",
    "operator_dict_arguments": "FP506",
    "operator_arg_removal": "FP506",
    "operator_symmetric_string_methods_swap": "FP507",
    "operator_unsymmetrical_string_methods_swap": "FP507",
    "operator_lambda": "FP508",
    "operator_if_exp": "FP508",
    "operator_augmented_assignment": "FP511",
    "operator_keywords": "FP502",
    "operator_swap_op": "FP501",
    "operator_match": "FP108",
})  # fmt: skip
"""Each operator of mutmut, and the rule that does the same; `operator_match` is one that runs by default.

What `operator_keywords` makes of `break` and `continue` is FP513, `operator_swap_op` of `+=` and the like FP511."""


def changed(name: str, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What one of mutmut's operators makes of a node."""
    yield from getattr(_catalogue(), name)(node)


@functools.cache
def _catalogue() -> ModuleType:
    # loaded when it is asked for: a run without these rules needs none of it
    return importlib.import_module("mutmut.mutation.mutators")
