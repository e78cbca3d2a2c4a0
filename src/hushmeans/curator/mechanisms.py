"""Integer noise and its privacy loss: the only module that draws noise.

The guarantee rests on OpenDP alone: its measurements add the noise, and its privacy maps give the
privacy loss. A seed replaces the noise, and nothing else, by a simulation.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
import opendp.combinators as combinators
import opendp.domains as domains
import opendp.measurements as measurements
import opendp.metrics as metrics
from opendp.mod import enable_features

from hushmeans.budget import Budget, NoiseKind
from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Norm
from hushmeans.errors import InputError
from hushmeans.types import FloatArray, IntArray

LARGEST_SCALE = 2**55
"""At this scale, noise added to totals below 2**62 exceeds 64 bits once in e**120 draws."""

FINE_SENSITIVITY = 2**20
"""A sensitivity at which rounding noise to integers is negligible: one unit of the finest grid."""

enable_features("contrib")  # every OpenDP constructor used here requires it


class Mechanism(ABC):
    """Adds integer noise of one distribution; a *loss* is the privacy loss of one answer.

    Each mechanism measures losses in its own unit. Losses of successive answers add up.
    `allowance` is the largest sum within a budget, and `epsilon` converts a sum back.

    Parameters
    ----------
    seed
        None for OpenDP's sampler with the system's entropy. A number for a simulation, which is
        reproducible and therefore not private.
    """

    norm: Norm
    """The norm in which this mechanism measures sensitivity."""

    kind: NoiseKind
    """What its noise is called."""

    def __init__(self, seed: int | None = None) -> None:
        self._simulation = None if seed is None else np.random.default_rng((seed, 0))

    @property
    def simulated(self) -> bool:
        return self._simulation is not None

    def turned(self, norm: Norm) -> Mechanism:
        """The mechanism for another norm, with the same source of randomness."""
        other = MECHANISMS[norm]()
        other._simulation = self._simulation
        return other

    def add_noise(self, exact: IntArray, scale: float) -> IntArray:
        """The exact totals with noise of this scale on each."""
        flat = exact.ravel()
        if self._simulation is None:
            noisy = np.array(self.measurement(scale)(flat), dtype=np.int64)
        else:
            noisy = flat + np.rint(self.simulate(self._simulation, scale, flat.size)).astype(
                np.int64
            )
        return noisy.reshape(exact.shape)

    def scale_for(self, sensitivity: int, loss: Fraction) -> float:
        """The smallest scale at which OpenDP's privacy map does not exceed the loss."""
        try:
            scale = self.ideal_scale(sensitivity, loss)
        except (OverflowError, ZeroDivisionError):
            scale = math.inf
        if max(scale, sensitivity) > LARGEST_SCALE:
            raise InputError(
                "epsilon is so small, or rows_per_person so large, that the noise would overflow "
                "64-bit integers; use a larger epsilon or fewer rows per person"
            )
        while Fraction(self.loss(sensitivity, scale)) > loss:
            scale = math.nextafter(scale, math.inf)
        return scale

    def noise(self, allowance: Fraction, rows_per_person: int = 1) -> Noise:
        """The noise that answers will have, to any question, where the whole may lose so much."""
        share = Fraction(1, 1000)
        scale = self.scale_for(rows_per_person * FINE_SENSITIVITY, share * allowance)
        deviation = math.sqrt(self.variance(scale)) / FINE_SENSITIVITY
        return Noise(self.norm, deviation * float(share) ** (1 if self.norm == "l1" else 0.5))

    def loss(self, sensitivity: int, scale: float) -> float:
        """The privacy loss of one answer with this noise, by OpenDP's privacy map."""
        return _mapped(type(self), sensitivity, scale)

    @staticmethod
    @abstractmethod
    def measurement(scale: float) -> Any:
        """OpenDP's measurement: a vector of integers to noisy integers."""

    @staticmethod
    @abstractmethod
    def distance(sensitivity: int) -> int | float:
        """The sensitivity as the number type that OpenDP's map takes."""

    @abstractmethod
    def ideal_scale(self, sensitivity: int, loss: Fraction) -> float:
        """The scale in real arithmetic, up to rounding."""

    @abstractmethod
    def simulate(self, generator: np.random.Generator, scale: float, size: int) -> FloatArray:
        """Noise of the same distribution from a seeded generator."""

    @abstractmethod
    def variance(self, scale: float) -> float:
        """The variance of the noise, or a little more where the scale is below 1."""

    @abstractmethod
    def allowance(self, budget: Budget) -> Fraction:
        """The largest total loss within the budget."""

    @abstractmethod
    def epsilon(self, loss: Fraction, delta: Fraction) -> Fraction:
        """The epsilon, at this delta, of a total loss."""


@lru_cache(maxsize=1024)
def _mapped(kind: type[Mechanism], sensitivity: int, scale: float) -> float:
    """OpenDP's privacy map; cached, since experiments repeat the same few values."""
    return float(kind.measurement(scale).map(kind.distance(sensitivity)))


@cache
def _integers(norm: Norm) -> tuple[Any, Any]:
    """OpenDP's domain of vectors of 64-bit integers, and its metric; both are stateless."""
    metric = metrics.l1_distance(T="i64") if norm == "l1" else metrics.l2_distance(T="f64")
    return domains.vector_domain(domains.atom_domain(T="i64")), metric


class Laplace(Mechanism):
    """Discrete Laplace noise on totals of bounded L1 norm; a loss is an epsilon."""

    norm: Norm = "l1"
    kind: NoiseKind = "laplace"

    @staticmethod
    def measurement(scale: float) -> Any:
        return measurements.make_laplace(*_integers("l1"), scale)

    @staticmethod
    def distance(sensitivity: int) -> int:
        return sensitivity

    def ideal_scale(self, sensitivity: int, loss: Fraction) -> float:
        return float(sensitivity / loss)

    def simulate(self, generator: np.random.Generator, scale: float, size: int) -> FloatArray:
        up, down = generator.geometric(-math.expm1(-1 / scale), size=(2, size))
        return np.asarray(up - down, dtype=np.float64)

    def variance(self, scale: float) -> float:
        return 2 * math.exp(-1 / scale) / math.expm1(-1 / scale) ** 2

    def allowance(self, budget: Budget) -> Fraction:
        return budget.epsilon

    def epsilon(self, loss: Fraction, delta: Fraction) -> Fraction:
        return loss


NEAR = 1e-8
"""How near, relatively, to an estimated rho only a conversion can tell which side another is on."""

MOST_SECANTS = 20


class Gaussian(Mechanism):
    """Discrete Gaussian noise on totals of bounded L2 norm; a loss is a rho of zCDP."""

    norm: Norm = "l2"
    kind: NoiseKind = "gaussian"

    @staticmethod
    def measurement(scale: float) -> Any:
        return measurements.make_gaussian(*_integers("l2"), scale)

    @staticmethod
    def distance(sensitivity: int) -> float:
        return _rounded_up(sensitivity)

    def ideal_scale(self, sensitivity: int, loss: Fraction) -> float:
        return sensitivity / math.sqrt(2 * loss)

    def simulate(self, generator: np.random.Generator, scale: float, size: int) -> FloatArray:
        return generator.normal(0.0, scale, size)

    def variance(self, scale: float) -> float:
        return scale**2

    def allowance(self, budget: Budget) -> Fraction:
        return _largest_rho(budget.epsilon, budget.delta)

    def epsilon(self, loss: Fraction, delta: Fraction) -> Fraction:
        return _epsilon_of(loss, delta)


@lru_cache(maxsize=1024)
def _epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """OpenDP's conversion from zCDP; cached, since every fit of one plan repeats it."""
    unit_noise: Any = combinators.make_zCDP_to_approxDP(Gaussian.measurement(1.0))
    distance = math.nextafter(math.sqrt(2 * rho), math.inf)
    return Fraction(unit_noise.map(distance).epsilon(-_rounded_up(-delta)))


def _rounded_up(number: int | Fraction) -> float:
    """The smallest float64 that is not below the number."""
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else math.nextafter(nearest, math.inf)


@lru_cache(maxsize=1024)
def _largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Bisection on OpenDP's conversion from zCDP; the lower end is always within the budget.

    A conversion takes milliseconds, and it rises with rho. So an estimate of where it reaches
    epsilon decides the steps that are far from there, and conversions confirm the result.
    """
    estimate = _where_reached(epsilon, delta)
    kept, broken = _bisected(epsilon, delta, estimate)
    if _epsilon_of(kept, delta) <= epsilon < _epsilon_of(broken, delta):
        return kept
    return _bisected(epsilon, delta, estimate=None)[0]


def _bisected(
    epsilon: Fraction, delta: Fraction, estimate: float | None
) -> tuple[Fraction, Fraction]:
    """The largest rho that was found to keep epsilon, and the smallest that was not."""

    def keeps(rho: Fraction) -> bool:
        if estimate is not None and abs(float(rho) - estimate) > NEAR * estimate:
            return rho < estimate
        return _epsilon_of(rho, delta) <= epsilon

    kept, broken = Fraction(0), epsilon
    while keeps(broken):
        kept, broken = broken, 2 * broken
    while broken - kept > kept / 10**6:
        rho = (kept + broken) / 2
        if keeps(rho):
            kept = rho
        else:
            broken = rho
    return kept, broken


def _where_reached(epsilon: Fraction, delta: Fraction) -> float | None:
    """About the rho whose conversion is epsilon, by secants in the root of rho; None without one.

    The simple bound ``rho + 2 sqrt(rho log(1 / delta))`` is a little above the conversion.
    """
    wanted, most = float(epsilon), -math.log(delta)
    before = math.sqrt(most + wanted) - math.sqrt(most)
    off_before = _off(before, epsilon, delta)
    root = 1.05 * before
    for _ in range(MOST_SECANTS):
        off = _off(root, epsilon, delta)
        if off == off_before:
            return None
        root, before, off_before = root - off * (root - before) / (off - off_before), root, off
        if not 0 < root < 2 * wanted + 2:
            return None
        if abs(root - before) < NEAR / 10 * root:
            return root**2
    return None


def _off(root: float, epsilon: Fraction, delta: Fraction) -> float:
    return float(_epsilon_of(Fraction(root) ** 2, delta) - epsilon)


MECHANISMS: Mapping[Norm, type[Mechanism]] = {"l1": Laplace, "l2": Gaussian}


def mechanism_for(budget: Budget, seed: int | None = None) -> Mechanism:
    """Laplace noise for pure epsilon, Gaussian noise where the budget has a delta."""
    return Gaussian(seed) if budget.delta > 0 else Laplace(seed)
