"""What each feature contributes to distances, as a result of its kind, range and weight."""

from __future__ import annotations

from dataclasses import dataclass

from hushmeans.schema.box import Box


@dataclass(frozen=True)
class Contribution:
    """What one feature contributes to the squared distance between two records.

    Attributes
    ----------
    name, kind, weight
        The feature, its kind in a word, and its declared weight.
    columns
        How many columns of an encoded record it takes.
    most
        The largest squared distance in it: between both ends of a range, or between two levels.
    part
        The same as a part of the sum over all features.
    """

    name: str
    kind: str
    weight: float
    columns: int
    most: float
    part: float


def contributions(box: Box) -> tuple[Contribution, ...]:
    """What each feature contributes, in their order.

    Examples
    --------
    >>> from hushmeans.schema import Schema
    >>> age, sex = contributions(Schema({"age": (0, 120), "sex": {"levels": ["f", "m"]}}).box())
    >>> age.most, round(sex.most, 4)
    (4.0, 0.25)
    """
    unit = box.grid.unit
    pairs = zip(box.features, box.reaches, strict=True)
    most = [kind.farthest * (reach / unit) ** 2 for kind, reach in pairs]
    return tuple(
        Contribution(
            name=box.feature_name(index),
            kind=kind.word,
            weight=kind.weight,
            columns=kind.n_columns,
            most=each,
            part=each / sum(most),
        )
        for index, (kind, each) in enumerate(zip(box.features, most, strict=True))
    )
