"""The features of a release in words."""

from __future__ import annotations

import pytest

from hushmeans.release.features import SHOWN_LEVELS, features_in_words
from hushmeans.schema import Box, Category


@pytest.mark.parametrize(
    ("levels", "end"),
    [
        (SHOWN_LEVELS - 1, ", l10, other."),
        (SHOWN_LEVELS, ", l10, l11, other."),
        (SHOWN_LEVELS + 1, ", l10, l11 and 2 more."),
    ],
)
def test_a_list_of_levels_is_cut_only_where_that_makes_it_shorter(levels: int, end: str) -> None:
    category = Category([f"l{number}" for number in range(levels)])
    sentence, _ = features_in_words(Box.of((category,), ("job",)))
    assert f"l8, l9{end}" in sentence
