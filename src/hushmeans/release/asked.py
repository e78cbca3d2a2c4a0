"""The questions of a fit, in words."""

from __future__ import annotations

from collections.abc import Mapping

ASKED: Mapping[str, str] = {
    "size": "number of records",
    "present": "number of records with a value",
    "histograms": "number of values in each interval, to find ranges",
    "shifts": "offsets of the records from their centroid",
    "spread": "spread of the records",
    "lengths": "number of records at each distance from their mean",
    "cells": "number of records in each cell",
    "totals": "sum and number of records of each cluster",
    "sizes": "number of records of each cluster",
    "spreads": "width of each cluster",
    "distances": "number of records at each distance from their centroid",
    "profiles": "number of records of each cluster and level",
}
"""What a question asks for, by its name in a release."""


def asked(question: str) -> str:
    """What a question asks for; one of a later version is called by its name."""
    return ASKED.get(question, question)
