"""Drawings as files: the same results give the same bytes."""

from __future__ import annotations

from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure as Canvas

from hushmeans.documents import written_whole


def save_canvas(canvas: Canvas, path: Path) -> None:
    """Write a drawing as PNG or SVG, as the name says, without a date."""
    undated = {"Date": None} if path.suffix == ".svg" else None
    # Matplotlib makes up names for parts of an SVG file; a fixed salt repeats them.
    with rc_context({"svg.hashsalt": "hushmeans"}), written_whole(path) as beside:
        canvas.savefig(beside, dpi=110, metadata=undated)
