"""Finding the place of the records by zooming in.

Declared ranges are often far wider than the records. The method asks for the mean and then counts
the records by their distance from it; the noise of these counts does not grow with the number of
features. If the records lie close together, both questions are asked again of a smaller cube.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hushmeans.methods.lengths import ZOOM, ask_lengths, share_for_lengths
from hushmeans.methods.mean import NoisyMean, ask_mean
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import Place
from hushmeans.types import FloatArray

MOST_ZOOMS = 5
"""The largest number of smaller cubes that are tried one after the other."""
ONLY_NOISE = 2.0
"""If most records lie within this many times the expected error of the mean, their distance from it
may be due to noise alone: the mean is then asked again with a clip of that length. Higher values do
this more often, and such short clips cut the tails of skewed records."""


@dataclass(frozen=True)
class Located:
    """Where the records were found.

    Attributes
    ----------
    place
        The cube that they fill, or the unit box.
    mean
        Their mean.
    length
        The median of their largest coordinate-wise distance from the mean; None if it was not
        counted.
    """

    place: Place
    mean: FloatArray
    length: float | None = None


def zoom_in(purse: Purse, size: float, mean: NoisyMean) -> Located:
    """Find a cube that the records fill, and their mean; the unit box if they may fill that.

    If the mean is not asked again, the very same array is returned.
    """
    place, noise, length = Place.whole(len(mean.mean)), purse.door.noise, None
    if share_for_lengths(noise, size) == 0:
        return Located(place, mean.mean)
    for _ in range(MOST_ZOOMS):
        if not purse.may_locate:
            break
        lengths = ask_lengths(purse, size, mean.mean, place)
        if lengths is None:
            break
        found, length = lengths.place, lengths.median
        only_noise = lengths.core <= ONLY_NOISE * mean.likely_error(noise)
        smaller = (lengths.core if only_noise else found.half) <= ZOOM * place.half
        half = min(found.half, place.half)
        if half < 1 and (smaller or place.half < 1):
            seen = place.reach if place.reach > place.half else half  # outside of the last place
            place = replace(found, half=half, reach=max(found.reach, seen))
        if not smaller:
            break
        narrow = min(lengths.core / half, 1.0) if only_noise else 1.0
        mean, length = ask_mean(purse, size, place, mean.mean, narrow), None
    return Located(place, mean.mean, length)
