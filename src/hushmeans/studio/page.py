"""What the studio's template is given."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushmeans.budget import WHOLE_PERSON
from hushmeans.fitting import weaknesses
from hushmeans.forecasting.forecast import OF_A_WIDTH
from hushmeans.report.markup import templates_of
from hushmeans.settings import Settings
from hushmeans.studio.account import AccountView
from hushmeans.studio.form import KINDS, LEVEL_RULES, VALUE_RULES, ColumnForm
from hushmeans.studio.planning import DELTAS, EPSILON_STOPS, MOST_ON_SLIDER, Outlook, Stop, risk
from hushmeans.studio.session import Session

STUDIO_TEMPLATES = templates_of("hushmeans.studio")

WIDTH, HEIGHT, EDGE, FLOOR = 640, 240, 14, 34
"""The size of the curve's drawing, and the room for the labels below it."""

LABELLED = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""The budgets that the drawing names."""


@dataclass(frozen=True)
class ErrorCurve:
    """The expected error for each budget on the slider, as points of a drawing.

    Attributes
    ----------
    points, x, y
        The line, and the mark of the plan.
    ticks
        Where a budget is named, and its name.
    areas
        The heights from which noise is visible and from which it dominates.
    stops
        What the page shows for each budget on the slider, as JSON.
    """

    points: str
    x: float
    y: float
    ticks: tuple[tuple[float, str], ...]
    areas: tuple[float, float]
    stops: str

    @classmethod
    def of(cls, outlook: Outlook) -> ErrorCurve:
        width = outlook.forecast.width
        errors = [stop.error / width for stop in outlook.stops]
        low, high = min(*errors, OF_A_WIDTH.visible) / 1.5, max(*errors, OF_A_WIDTH.dominates) * 1.5

        def height(part: float) -> float:
            return HEIGHT - FLOOR - (HEIGHT - FLOOR - EDGE) * _log_part(part, low, high)

        def along(epsilon: float) -> float:
            place = np.interp(math.log(epsilon), np.log(EPSILON_STOPS), range(len(EPSILON_STOPS)))
            return round(EDGE + (WIDTH - 2 * EDGE) * float(place) / (len(EPSILON_STOPS) - 1), 1)

        def at(stop: Stop) -> tuple[float, float]:
            return along(stop.epsilon), round(height(stop.error / width), 1)

        places = [at(stop) for stop in outlook.stops]
        stops = [
            {"x": x, "y": y, **_told(stop)}
            for stop, (x, y) in zip(outlook.stops, places, strict=True)
        ]
        visible, dominates = (
            round(height(each), 1) for each in (OF_A_WIDTH.visible, OF_A_WIDTH.dominates)
        )
        return cls(
            " ".join(f"{x},{y}" for x, y in places),
            *at(outlook.here),
            tuple((along(each), f"{each:g}") for each in LABELLED),
            (visible, dominates),
            json.dumps(stops),
        )


def _told(stop: Stop) -> dict[str, Any]:
    """What the page says of a budget."""
    return {
        "epsilon": f"{stop.epsilon:g}",
        "level": stop.verdict.level,
        "verdict": str(stop.verdict),
        "risk": risk(stop.epsilon),
        "belief": stop.belief,
        "errors": stop.errors,
    }


def steps_page(session: Session) -> str:
    """The page as HTML."""
    outlook, account = session.outlook, session.account
    settings = session.settings
    return STUDIO_TEMPLATES.get_template("studio.html").render(
        table=session.table,
        columns=[
            {"number": number, "column": each, "problem": session.problems.get(each.name)}
            for number, each in enumerate(session.columns)
        ],
        kinds=KINDS,
        declared=[] if session.schema is None else _declared(session),
        missing_values=VALUE_RULES,
        missing_levels=LEVEL_RULES,
        problem=session.problems.get(""),
        person=session.person,
        person_problem=session.problems.get("person"),
        schema=session.schema,
        schema_file=session.schema_file.name,
        filled=session.filled_plan,
        deltas=_choices(session.filled_plan["delta"]),
        most_k=MOST_ON_SLIDER,
        plan=session.plan,
        plan_problem=session.plan_problem,
        warnings=[] if settings is None else weaknesses(settings.budget),
        outlook=outlook,
        curve=None if outlook is None else ErrorCurve.of(outlook),
        size=(WIDTH, HEIGHT, FLOOR),
        told=None if outlook is None else _told(outlook.here),
        names=[] if outlook is None or session.schema is None else session.schema.names,
        unit=_unit(settings),
        account=_amounts(account),
        refusal=account.refusal,
        news=account.news,
        release_id=session.release_id,
        unfinished=session.unfinished,
        resumed=session.resumed,
        spend_problem=session.spend_problem,
        progress=session.progress,
        release=session.release,
    )


def _declared(session: Session) -> list[tuple[str, str]]:
    """What is declared of each feature, in a few words."""
    return [
        (each.name, KIND_WORDS[each.kind].format_map(defaultdict(str, _shown_fields(each))))
        for each in session.columns
        if each.kind
    ]


KIND_WORDS = {
    "number": "{low} to {high}",
    "found": "range to be found",
    "category": "{n} levels",
    "ordinal": "{n} ordered levels",
    "flag": "yes or no",
    "date": "{first} to {last}",
    "cycle": "repeats every {period}",
}


def _shown_fields(column: ColumnForm) -> dict[str, str]:
    levels = [line for line in column.filled.get("levels", "").splitlines() if line.strip()]
    return {**column.filled, "n": str(len(levels))}


def _choices(delta: str) -> list[str]:
    """The deltas to choose from, and the one that is chosen."""
    known = {float(each) for each in DELTAS}
    try:
        return [*DELTAS] if float(delta or "0") in known else [*DELTAS, delta]
    except ValueError:
        return [*DELTAS, delta]


def _unit(settings: Settings | None) -> str:
    """Whom the guarantee covers."""
    if settings is None or settings.unit == WHOLE_PERSON:
        return "all rows of one person"
    return "one row" if settings.unit == 1 else f"up to {settings.unit} rows of one person"


def _amounts(account: AccountView) -> dict[str, Any]:
    """The account in words, and as parts of a bar."""
    before, after = account.before, account.after
    parts = account.parts
    return {
        "spent": str(before.proven),
        "limit": None if before.limit is None else str(before.limit),
        "left": None if before.left is None else str(before.left),
        "after": None if after is None else str(after.proven),
        "left_after": None if after is None or after.left is None else str(after.left),
        "composed": after is not None and after.proven != after.spent,
        "debits": before.debits,
        "bar": None if parts is None else [f"{100 * part:.2f}" for part in parts],
    }


def _log_part(value: float, low: float, high: float) -> float:
    return min(max(math.log(value / low) / math.log(high / low), 0.0), 1.0)
