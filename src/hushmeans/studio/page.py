"""What the studio's template is given."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction

from jinja2 import Environment, PackageLoader, StrictUndefined

from hushmeans.ledger.standing import Amounts, short_amount
from hushmeans.release.numbers import plain
from hushmeans.report.markup import printable
from hushmeans.studio.form import KINDS
from hushmeans.studio.planning import EPSILONS, Outlook, risk
from hushmeans.studio.session import Session

TEMPLATES = Environment(
    loader=PackageLoader("hushmeans.studio"),
    autoescape=True,
    finalize=printable,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)

WIDTH, HEIGHT, MARGIN = 640, 220, 12
"""The size of the curve's drawing."""


@dataclass(frozen=True)
class Curve:
    """The expected error for each budget on the slider, as points of a drawing."""

    points: str
    x: float
    y: float
    stops: str

    @classmethod
    def of(cls, outlook: Outlook) -> Curve:
        errors = [stop.error for stop in outlook.stops]
        top = max(*errors, outlook.here.error)

        def at(epsilon: float, error: float) -> tuple[float, float]:
            first, last = EPSILONS[0], EPSILONS[-1]
            along = _log_part(epsilon, first, last)
            y = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * error / top
            return MARGIN + (WIDTH - 2 * MARGIN) * along, y

        places = [at(stop.epsilon, stop.error) for stop in outlook.stops]
        stops = [
            {
                "epsilon": f"{stop.epsilon:g}",
                "x": round(x, 1),
                "y": round(y, 1),
                "level": stop.verdict.level,
                "verdict": str(stop.verdict),
                "risk": risk(stop.epsilon),
                "belief": stop.belief,
            }
            for stop, (x, y) in zip(outlook.stops, places, strict=True)
        ]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        return cls(points, *at(outlook.here.epsilon, outlook.here.error), json.dumps(stops))


def steps_page(session: Session) -> str:
    """The page as HTML."""
    outlook = session.outlook
    return TEMPLATES.get_template("studio.html").render(
        table=session.table,
        columns=[
            {"number": number, "column": each, "problem": session.problems.get(each.name)}
            for number, each in enumerate(session.columns)
        ],
        kinds=KINDS,
        problem=session.problems.get(""),
        person=session.person or "",
        person_problem=session.problems.get("person"),
        rows_per_person=session.rows_per_person,
        schema=session.schema,
        schema_file=session.schema_file.name,
        plan=session.filled_plan,
        planned=session.plan,
        plan_problem=session.plan_problem,
        outlook=outlook,
        curve=None if outlook is None else Curve.of(outlook),
        size=(WIDTH, HEIGHT),
        risk=None if outlook is None else risk(outlook.here.epsilon),
        errors=_errors(session, outlook),
        account=_account(session),
        refusal=session.refusal,
        release_id=session.release_id,
        unfinished=session.unfinished() if session.job is None else (),
        spend_problem=session.spend_problem,
        progress=session.progress,
    )


def _errors(session: Session, outlook: Outlook | None) -> list[tuple[str, str]]:
    """For each number, the expected error of a cluster's centre in its own units."""
    if outlook is None or session.schema is None:
        return []
    box, error = session.schema.box(), outlook.forecast.centre_error
    numbers = (block.first for block in box.layout.of_kind("number"))
    return [(box.name(each), plain(error * float(box.half_width[each]), 2)) for each in numbers]


def _account(session: Session) -> dict[str, str | None]:
    """What the ledger holds for this dataset, before and after the plan."""
    standing = session.standing
    spent = Amounts() if standing is None else standing.spent
    limit = None if standing is None else standing.limit
    plan = session.plan
    after = None
    if plan is not None and session.schema is not None:
        budget = plan.settings(session.schema).budget
        after = Amounts(spent.epsilon + budget.epsilon, spent.delta + budget.delta)
    gauge = None
    if limit is not None and limit.epsilon > 0:
        parts = [min(each.epsilon / limit.epsilon, Fraction(1)) for each in (spent, after or spent)]
        gauge = f"{float(parts[0]):.4f} {float(parts[1] - parts[0]):.4f}"
    return {
        "spent": str(spent),
        "after": None if after is None else str(after),
        "limit": None if limit is None else str(limit),
        "left": None if limit is None else short_amount(limit.epsilon - spent.epsilon),
        "gauge": gauge,
    }


def _log_part(value: float, low: float, high: float) -> float:
    return min(max(math.log(value / low) / math.log(high / low), 0.0), 1.0)
