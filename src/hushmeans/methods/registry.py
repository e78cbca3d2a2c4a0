"""The methods by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hushmeans.errors import InputError
from hushmeans.methods.method import Method
from hushmeans.methods.paper import PAPER_METHODS
from hushmeans.methods.refined import RefinedMethod

DEFAULT_METHOD = "refined"

ALIASES: Mapping[str, str] = {"kccm": "allocation_nk"}

METHODS: Mapping[str, Method] = {"refined": RefinedMethod(), **PAPER_METHODS}


def chosen_method(name: str, options: Mapping[str, Any] | None = None) -> Method:
    """The method of this name, with the user's options."""
    method = METHODS.get(canonical_name(name))
    if method is None:
        raise InputError(
            f"there is no method {name!r}; choose one of {', '.join((*METHODS, *ALIASES))}"
        )
    options = dict(options or {})
    if unknown := [option for option in options if option not in method.options]:
        allowed = ", ".join(method.options)
        raise InputError(f"the method {name!r} has no option {unknown[0]!r}; it has {allowed}")
    return replace(method, **options)  # type: ignore[type-var]


def canonical_name(name: str) -> str:
    """The name of a method, aliases resolved."""
    return ALIASES.get(name, name)
