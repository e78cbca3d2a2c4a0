"""hushmeans as a measurement of OpenDP, to be composed with others and used in a `dp.Context`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hushmeans.arguments import Amount, exact_amount, whole_number
from hushmeans.budget import Budget
from hushmeans.curator.curator import epsilon_of_zcdp, rho_within
from hushmeans.errors import InputError, PrivacyError
from hushmeans.methods.registry import DEFAULT_METHOD
from hushmeans.settings import Settings

if TYPE_CHECKING:
    from opendp.mod import Domain, Measure, Measurement, Metric

    from hushmeans.release import Release

USUAL_DELTA = Fraction(1, 10**6)
"""The delta at which a release states what its zCDP is worth."""

PURE, ZCDP = "MaxDivergence", "ZeroConcentratedDivergence"


def make_private_kmeans(
    input_domain: Domain,
    input_metric: Metric,
    output_measure: Measure,
    *,
    k: int,
    bounds: Any,
    d_out: Amount,
    method: str = DEFAULT_METHOD,
    method_options: Mapping[str, Any] | None = None,
) -> Measurement:
    """A measurement that releases private clusters: arrays in, a `Release` out.

    Parameters
    ----------
    input_domain
        Two-dimensional arrays, such as ``dp.numpy.array2_domain(num_columns=3, T=float)``.
    input_metric
        ``dp.symmetric_distance()``: how many rows are added or removed.
    output_measure
        ``dp.max_divergence()`` for Laplace noise, ``dp.zero_concentrated_divergence()`` for
        Gaussian noise.
    k
        The number of clusters.
    bounds
        The public range of each column, as in `DPKMeans`.
    d_out
        The privacy loss of the release for one row: epsilon, or rho.
    method, method_options
        As in `DPKMeans`.

    Returns
    -------
    Measurement
        Its privacy map takes m rows to m·epsilon, or to m²·rho. It does not use a ledger: the
        `dp.Context` does the accounting.

    Examples
    --------
    >>> import opendp.prelude as dp
    >>> dp.enable_features("contrib")
    >>> measurement = make_private_kmeans(
    ...     dp.numpy.array2_domain(num_columns=2, T=float),
    ...     dp.symmetric_distance(),
    ...     dp.max_divergence(),
    ...     k=3,
    ...     bounds=(0, 1),
    ...     d_out=1.0,
    ... )
    >>> measurement.map(1), measurement.map(2)
    (1.0, 2.0)
    """
    from opendp.measurements import make_user_measurement
    from opendp.metrics import symmetric_distance
    from opendp.mod import enable_features

    enable_features("honest-but-curious", "contrib")
    if input_metric != symmetric_distance():
        raise InputError(
            "the input metric must be dp.symmetric_distance(), which counts rows added or removed"
        )
    loss = exact_amount("d_out", d_out)
    if loss <= 0:
        raise InputError("d_out must be above 0; give the epsilon or rho of the release")
    measure = str(output_measure).partition("(")[0]
    if measure not in (PURE, ZCDP):
        raise InputError(
            "the output measure must be dp.max_divergence() or dp.zero_concentrated_divergence()"
        )
    budget = Budget(loss, Fraction(0)) if measure == PURE else _worth(loss)
    settings = Settings.of(k, budget.epsilon, budget.delta, method, method_options)

    def function(data: Any) -> Release:
        from hushmeans.fitting import fit_release

        return fit_release(data, settings, bounds=bounds, one_noise=True)

    def privacy_map(d_in: int) -> float:
        rows = whole_number("d_in", d_in, at_least=0)
        return _not_below(loss * (rows if measure == PURE else rows**2))

    return make_user_measurement(
        input_domain, input_metric, output_measure, function, privacy_map, TO="ExtrinsicObject"
    )


def _worth(rho: Fraction) -> Budget:
    """The epsilon and delta that zCDP of this rho is worth, so that no more than rho is spent."""
    epsilon = epsilon_of_zcdp(rho, USUAL_DELTA)
    step = Fraction(1, 10**6) if epsilon > Fraction(1, 100) else epsilon / 10**6
    whole_steps = epsilon // step
    for fewer in range(10):
        budget = Budget((whole_steps - fewer) * step, USUAL_DELTA)
        spent = rho_within(budget)
        if spent is not None and spent <= rho:
            return budget
    raise PrivacyError("no epsilon was found that keeps to this rho; please report this as a bug")


def _not_below(loss: Fraction) -> float:
    """The smallest float that is not below an exact loss."""
    nearest = float(loss)
    return nearest if Fraction(nearest) >= loss else math.nextafter(nearest, math.inf)
