"""Draw docs/architecture*.svg: the rooms of the package, who imports what, and two paths.

    python -m tools.import_graph            write the pictures
    python -m tools.import_graph --check    fail if the committed ones are out of date

Everything but the words is read from the source: a new room or import changes the pictures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tools.house import TRUSTED, Edges, House, essential, levels

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "hushmeans"
DOCS = ROOT / "docs"

PURPOSES = {
    "commands": "the command line",
    "studio": "the interactive page",
    "report": "a release as a web page",
    "estimator": "DPKMeans",
    "evaluate": "scores, for the owner",
    "fitting": "from records to a release",
    "ledger": "what datasets have spent",
    "forecasting": "the noise to expect",
    "release": "what is published",
    "settings": "what a fit is asked for",
    "methods": "post-processing only",
    "schema": "what is public about the columns",
}


class Step(NamedTuple):
    """A stop on a path: a function by module and name, and what happens there."""

    place: str
    function: str
    text: str


RECORD = (
    Step("fitting", "fitting.fit_release", "fit hands your data on, unread"),
    Step("curator", "curator.curator.open_curator", "the curator opens it"),
    Step("readers", "curator.readers.open_reading", "a reader gives it in batches, once"),
    Step("encode", "curator.encode.encode", "clips and rounds each record alone"),
    Step("kernel", "curator.kernel.answer_blocks", "adds it up; here its path ends"),
)
"""The path of a record; in this order the functions are entered."""

ANSWER = (
    Step("kernel", "curator.kernel.answer_blocks", "exact integer totals, already paid for"),
    Step("mechanisms", "curator.mechanisms.Mechanism.add_noise", "noise on every total"),
    Step("methods", "methods.refined.RefinedMethod.find", "noisy totals become clusters"),
    Step("release", "release.clusters.in_original_units", "in your units, with errors"),
    Step("fitting", "fitting.fit_release", "the budget is checked, the release made"),
    Step("estimator", "estimator.DPKMeans.fit", "yours to publish"),
)
"""The path of an answer; in this order the functions return."""

WIDTH = 1080
LANES = (85, 195, 305, 885, 995)
"""Where the lines to the doors run."""
CENTRE = 540
BOX = 176
HIGH = 50
GAP = 46
BETWEEN = 22
TOP = 84
HUES = ("a", "b", "c", "d", "e")
"""Classes of the doors' colours."""

STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Place:
    """A box on the page."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def centre(self) -> float:
        return self.y + self.height / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height


@dataclass(frozen=True)
class Layout:
    """Where everything stands.

    Attributes
    ----------
    rooms
        The boxes of the rooms that are not trusted.
    slab
        The box of the trusted room.
    doors, parts
        The boxes inside it: the modules that others import, and the rest.
    height
        Of the page, without a legend.
    """

    rooms: dict[str, Place]
    slab: Place
    doors: dict[str, Place]
    parts: dict[str, Place]
    ground: Place
    height: float

    @classmethod
    def of(cls, house: House) -> Layout:
        edges = house.rooms
        level = levels(edges)
        rooms: dict[str, Place] = {}
        y: float = TOP
        for here in sorted(set(level.values()), reverse=True):
            if here <= level[TRUSTED]:
                break
            row = _ordered([room for room in edges if level[room] == here], edges, rooms)
            rooms |= _spread(row, y)
            y += HIGH + GAP
        slab = Place(40, y + 34, WIDTH - 80, 132)
        doors = _doors(house, rooms, slab)
        others = [part for part in house.trusted_parts if part not in doors]
        stops = [step.place for step in (*RECORD, *ANSWER)]
        others.sort(key=lambda part: (stops.index(part) if part in stops else len(stops), part))
        parts = _row(others, Place(slab.x, slab.y + 78, slab.width, 34), 118)
        y = slab.bottom + GAP
        below = sorted(
            (room for room in edges if level[room] < level[TRUSTED]), key=level.__getitem__
        )
        for room in reversed(below):
            rooms[room] = Place(CENTRE - 150, y, 300, HIGH)
            y += HIGH + GAP
        ground = Place(40, y, WIDTH - 80, 44)
        return cls(rooms, slab, doors, parts, ground, y + 44 + 24)

    def place(self, name: str, *, inside: bool = False) -> Place:
        """A room, or with `inside` a module of the trusted room."""
        if inside or name not in self.rooms:
            return (self.doors | self.parts)[name]
        return self.rooms[name]


def _ordered(row: list[str], edges: Edges, above: dict[str, Place]) -> list[str]:
    """Rooms beneath those that import them; rooms that none imports come last."""

    def where(room: str) -> tuple[float, str]:
        users = [place.middle for user, place in above.items() if room in edges[user]]
        return (sum(users) / len(users) if users else WIDTH, room)

    return sorted(row, key=where)


def _spread(row: Sequence[str], y: float) -> dict[str, Place]:
    whole = len(row) * BOX + (len(row) - 1) * BETWEEN
    left = CENTRE - whole / 2
    return {
        room: Place(left + index * (BOX + BETWEEN), y, BOX, HIGH) for index, room in enumerate(row)
    }


def _row(names: Sequence[str], area: Place, width: float) -> dict[str, Place]:
    step = area.width / len(names)
    width = min(width, step - 12)
    return {
        name: Place(area.x + step * (index + 0.5) - width / 2, area.y, width, area.height)
        for index, name in enumerate(names)
    }


def _doors(house: House, rooms: dict[str, Place], slab: Place) -> dict[str, Place]:
    """Each door under the rooms that use it, as far as the lanes allow."""
    guests = house.doors
    if len(guests) > len(LANES):
        raise ValueError("the trusted room has more doors than there are lanes; add a lane")

    def where(door: str) -> float:
        return sum(rooms[guest].middle for guest in guests[door]) / len(guests[door])

    ordered = sorted(guests, key=where)
    return {
        door: Place(lane - 50, slab.y - 15, 100, 30)
        for door, lane in zip(ordered, LANES, strict=False)
    }


def _box(place: Place, kind: str, radius: int = 9) -> str:
    return (
        f'<rect class="{kind}" x="{place.x:g}" y="{place.y:g}" width="{place.width:g}" '
        f'height="{place.height:g}" rx="{radius}"/>'
    )


def _text(x: float, y: float, kind: str, text: str, anchor: str = "middle") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _page(title: str, note: str, height: float, parts: Sequence[str], width: float = WIDTH) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" aria-label="{escape(title)}">'
    )
    back = (
        f'<rect class="back" x=".5" y=".5" width="{width - 1:g}" height="{height - 1:g}" rx="12"/>'
    )
    words = [_text(40, 38, "title", title, "start"), _text(40, 60, "note", note, "start")]
    return "\n".join([head, f"<style>{STYLE}</style>", back, *words, *parts, "</svg>", ""])


def _rooms(layout: Layout, house: House) -> list[str]:
    """The boxes, without any line."""
    found = [_box(layout.slab, "trusted", 12)]
    for room, place in layout.rooms.items():
        found.append(_box(place, "room"))
        found.append(_text(place.middle, place.y + 22, "name", room))
        found.append(_text(place.middle, place.y + 39, "purpose", PURPOSES.get(room, "")))
    line = layout.slab.y - 27
    found.append(f'<line class="boundary" x1="40" x2="{WIDTH - 40}" y1="{line:g}" y2="{line:g}"/>')
    left = LANES[1] + 70
    found.append(_text(left, layout.slab.y + 26, "name", TRUSTED, "start"))
    for row, words in enumerate(("trusted: the only code that sees", "a record or an exact total")):
        found.append(_text(left, layout.slab.y + 45 + 16 * row, "caption", words, "start"))
    for part, place in layout.parts.items():
        folder = any(name.startswith(f"hushmeans.{TRUSTED}.{part}.") for name in house.modules)
        shown = f"{part}/" if folder else part
        found.append(_box(place, "part", 7))
        found.append(_text(place.middle, place.y + 22, "partname", shown))
    found.append(_box(layout.ground, "room"))
    names = " · ".join(house.ground)
    found.append(_text(52, layout.ground.y + 27, "name", "ground", "start"))
    found.append(_text(120, layout.ground.y + 27, "note", f"every room may use: {names}", "start"))
    return found


def _arrow(x1: float, y1: float, x2: float, y2: float, kind: str = "") -> str:
    """From one box down to another."""
    end = y2 - 7
    bend = (end - y1) / 2
    return (
        f'<g class="{kind}"><path class="arrow" d="M{x1:g} {y1:g} C{x1:g} {y1 + bend:g} '
        f'{x2:g} {end - bend:g} {x2:g} {end:g}"/>'
        f'<path class="head" d="M{x2 - 5:g} {y2 - 9:g} L{x2:g} {y2 - 1:g} '
        f'L{x2 + 5:g} {y2 - 9:g} Z"/></g>'
    )


def _arrows(layout: Layout, house: House, kind: str = "") -> list[str]:
    """The essential imports between rooms, those of the trusted room aside."""
    found = []
    for room, below in sorted(essential(house.rooms).items()):
        for other in sorted(below):
            if other == TRUSTED:
                continue  # drawn to its door
            start = layout.slab if room == TRUSTED else layout.rooms[room]
            end = layout.rooms[other]
            shift = 0 if abs(start.middle - end.middle) < 1 else (end.middle - start.middle) / 8
            limit = end.width / 4
            landing = end.middle - max(-limit, min(limit, shift * 2))
            found.append(_arrow(start.middle + shift, start.bottom, landing, end.y, kind))
    return found


def _lines_to_doors(layout: Layout, house: House) -> list[str]:
    """One line to each door, which every room that uses it joins."""
    found = []
    for index, (door, place) in enumerate(layout.doors.items()):
        hue = HUES[index]
        lane = place.middle
        for guest in sorted(house.doors[door]):
            room = layout.rooms[guest]
            side = -1 if lane < CENTRE else 1
            x = room.middle + side * (34 + 14 * (index % 2))
            track = room.bottom + 12 + 7 * index
            turn = 8 if lane > x else -8
            found.append(
                f'<path class="line {hue}" d="M{x:g} {room.bottom:g} V{track - 8:g} '
                f"Q{x:g} {track:g} {x + turn:g} {track:g} H{lane - turn:g} "
                f'Q{lane:g} {track:g} {lane:g} {track + 8:g} V{place.y - 7:g}"/>'
            )
            found.append(f'<circle class="f{hue}" cx="{x:g}" cy="{room.bottom:g}" r="3.2"/>')
        found.append(
            f'<path class="f{hue}" d="M{lane - 5:g} {place.y - 9:g} L{lane:g} {place.y - 1:g} '
            f'L{lane + 5:g} {place.y - 9:g} Z"/>'
        )
        found.append(_box(place, f"door {hue}", 8))
        found.append(_text(place.middle, place.y + 20, "partname", door))
    return found


def graph(house: House) -> str:
    """The import graph of the rooms."""
    layout = Layout.of(house)
    parts = [*_lines_to_doors(layout, house), *_rooms(layout, house), *_arrows(layout, house)]
    doors = [part for part in _lines_to_doors(layout, house) if part.startswith(("<rect", "<text"))]
    note = (
        "Arrows point at what is imported; those that follow from others are left out. "
        "Coloured: every import of the curator, through one of its doors."
    )
    return _page("Who imports what", note, layout.height, [*parts, *doors])


def paths(house: House) -> str:
    """The path of a record and the path of an answer, through the same rooms."""
    layout = Layout.of(house)
    parts = _rooms(layout, house)
    parts += _arrows(layout, house, "faint")
    for door, place in layout.doors.items():
        parts += [_box(place, "part", 8), _text(place.middle, place.y + 20, "partname", door)]
    parts += [*_record(layout), *_answer(layout)]
    bottom = layout.height + 6
    for x, title, steps, hue in (
        (52.0, "The path of a record", RECORD, "a"),
        (564.0, "The path of an answer", ANSWER, "d"),
    ):
        parts.append(_text(x - 10, bottom + 10, "name", title, "start"))
        for number, step in enumerate(steps, start=1):
            y = bottom + 14 + 25 * number
            parts += _stop(x, y - 4, number, hue)
            parts.append(_text(x + 20, y, "partname", step.text, "start"))
            parts.append(_text(x + 476, y, "purpose", _short(step), "end"))
    note = "A record never leaves the curator; an answer leaves it with noise, and paid for."
    title = "The path of a record and of an answer"
    return _page(title, note, bottom + 14 + 25 * 6 + 26, parts)


def _short(step: Step) -> str:
    return ".".join(step.function.split(".")[-2:])


def _stop(x: float, y: float, number: int, hue: str) -> list[str]:
    return [
        f'<circle class="f{hue}" cx="{x:g}" cy="{y:g}" r="10"/>',
        _text(x, y + 4.3, "number", str(number)),
    ]


def _record(layout: Layout) -> list[str]:
    """The line of a record, with its stops: down to the curator, then from part to part."""
    fitting, curator, *parts = (
        layout.place(step.place, inside=step.place == TRUSTED) for step in RECORD
    )
    start = (fitting.middle - 60, fitting.bottom)
    entry = (curator.middle, curator.y)
    track = fitting.bottom + GAP / 2
    turn = curator.bottom + 22
    first = (parts[0].middle, parts[0].y)
    found = [
        _line([start, (start[0], track), (entry[0], track), entry], "a"),
        _line([(entry[0], curator.bottom), (entry[0], turn), (first[0], turn), first], "a"),
    ]
    for here, there in pairwise(parts):
        found.append(_line([(here.right, here.centre), (there.x, there.centre)], "a"))
    stops = [start, entry, first, *((part.middle, part.y) for part in parts[1:])]
    stops[-1] = (parts[-1].middle - 30, parts[-1].y)
    return [*found, *_stops(stops, "a")]


def _answer(layout: Layout) -> list[str]:
    """The line of an answer: noise, then up through the rooms, outside their boxes."""
    kernel, mechanisms, *rooms = (layout.place(step.place) for step in ANSWER)
    start, noise = (kernel.middle + 30, kernel.y), (mechanisms.middle, mechanisms.y)
    found = [_line([(kernel.right, kernel.centre), (mechanisms.x, mechanisms.centre)], "d")]
    x, y = noise
    for room in rooms:
        track, side = room.bottom + GAP / 2, room.right + 11
        points = [(x, y), (x, track), (side, track), (side, room.centre)]
        if x in (room.right, room.right + 11):  # the same column: straight up
            points = [(x, y), (room.right + 11, y), (room.right + 11, room.centre)]
        elif (x, y) != noise:
            points = [(x, y), (x + 11, y), (x + 11, track), (side, track), (side, room.centre)]
        found.append(_line([*points, (room.right, room.centre)], "d"))
        x, y = room.right, room.centre
    stops = [start, noise, *((room.right, room.centre) for room in rooms)]
    return [*found, *_stops(stops, "d")]


def _stops(points: Sequence[tuple[float, float]], hue: str) -> list[str]:
    return [
        part for number, (x, y) in enumerate(points, start=1) for part in _stop(x, y, number, hue)
    ]


def _line(points: Sequence[tuple[float, float]], hue: str) -> str:
    """Straight pieces with rounded corners."""
    radius = 9
    way = [f"M{points[0][0]:g} {points[0][1]:g}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        (x1, y1), (x2, y2) = (_towards(corner, other, radius) for other in (before, after))
        way.append(f"L{x1:g} {y1:g} Q{corner[0]:g} {corner[1]:g} {x2:g} {y2:g}")
    way.append(f"L{points[-1][0]:g} {points[-1][1]:g}")
    return f'<path class="path {hue}" d="{" ".join(way)}"/>'


def _towards(
    corner: tuple[float, float], other: tuple[float, float], radius: float
) -> tuple[float, float]:
    (x, y), (ox, oy) = corner, other
    far = max(abs(ox - x) + abs(oy - y), 1e-9)
    part = min(radius, far / 2) / far
    return x + (ox - x) * part, y + (oy - y) * part


def matrix(house: House) -> str:
    """Every import between rooms: a row imports the columns that are marked."""
    edges = house.rooms
    level = levels(edges)
    order = sorted(edges, key=lambda room: (-level[room], room))
    cell, left, top = 40, 150, 190
    size = cell * len(order)
    found = []
    for index, room in enumerate(order):
        middle = index * cell + cell / 2
        found.append(
            f'<rect class="diagonal" x="{left + index * cell}" y="{top + index * cell}" '
            f'width="{cell}" height="{cell}"/>'
        )
        found.append(_text(left - 12, top + middle + 5, "name", room, "end"))
        x, y = left + middle + 5, top - 12
        found.append(
            f'<text class="name" transform="translate({x:g} {y:g}) rotate(-55)">{room}</text>'
        )
    for index in range(len(order) + 1):
        at = index * cell
        found.append(f'<path class="grid" d="M{left} {top + at}h{size}M{left + at} {top}v{size}"/>')
    for row, room in enumerate(order):
        for other in sorted(edges[room]):
            column = order.index(other)
            hue = "fd" if other == TRUSTED else "fa"
            across, down = left + (column + 0.5) * cell, top + (row + 0.5) * cell
            found.append(f'<circle class="{hue}" cx="{across:g}" cy="{down:g}" r="7"/>')
    note = f"A row imports its marked columns. All marks lie above the diagonal. Orange: {TRUSTED}."
    return _page("Every import between rooms", note, top + size + 36, found, left + size + 90)


PICTURES = {
    "architecture.svg": graph,
    "architecture-paths.svg": paths,
    "architecture-imports.svg": matrix,
}


def outdated(folder: Path = DOCS, source: Path = SOURCE) -> list[str]:
    """The pictures in a folder that are not what the source gives."""
    house = House.read(source)
    return [
        name
        for name, draw in PICTURES.items()
        if not (folder / name).is_file()
        or (folder / name).read_text(encoding="utf-8") != draw(house)
    ]


def main() -> None:
    """Write the pictures, or check them."""
    parser = argparse.ArgumentParser(description="Draw the architecture from the imports.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if outdated")
    if parser.parse_args().check:
        if late := outdated():
            sys.exit(f"out of date: {', '.join(late)}; run python -m tools.import_graph")
        return
    house = House.read(SOURCE)
    for name, draw in PICTURES.items():
        (DOCS / name).write_text(draw(house), encoding="utf-8")


if __name__ == "__main__":
    main()
