"""DPKMeans: differentially private k-means as a scikit-learn estimator."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import copy
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils import Tags, check_random_state, estimator_html_repr
from sklearn.utils.validation import check_is_fitted, validate_data

from hushmeans.arguments import Amount, whole_number
from hushmeans.budget import Budget
from hushmeans.curator.owner import (
    as_numeric_array,
    is_place,
    is_plain_list,
    is_spark,
    is_table,
    known_columns,
)
from hushmeans.errors import InputError, RepeatedSpendingWarning, warn
from hushmeans.fitting import fit_release
from hushmeans.ledger.address import LEDGER_VARIABLE, without_password
from hushmeans.ledger.standing import Amounts
from hushmeans.release import Release
from hushmeans.schema.bounds import declares_names
from hushmeans.settings import Settings
from hushmeans.types import FloatArray, IntArray

if TYPE_CHECKING:
    from hushmeans.ledger import Ledger


_LABELS = "labels of the fitted records are not private; call predict on records that you may see"
_EXACT = "an exact function of the records is not private; see release_.quality(), or nicv_squared"


def _withheld(name: str, reason: str) -> property:
    """An attribute of scikit-learn's clusterers that is not there, and why."""

    def refuse(_: object) -> NoReturn:
        raise AttributeError(f"DPKMeans has no {name}, because {reason}")

    return property(refuse)


class DPKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Differentially private k-means clustering.

    Parameters
    ----------
    n_clusters
        The number of clusters to release.
    epsilon
        The privacy budget of the whole fit. Smaller values give stronger privacy and more noise.
    delta
        0 for pure differential privacy with Laplace noise; a small positive number, such as
        1e-6, for (epsilon, delta)-differential privacy with Gaussian noise.
    bounds
        Required, unless there is a schema: the public range of every feature, in any form that
        `Bounds` accepts. Values outside the bounds are clipped.
    method
        "refined", the default; or one of the DP-KCCM paper's methods: "allocation_nk" (alias
        "kccm"), "average_nk", "allocation_k" or "average_k".
    method_options
        Options of the method, for research. The paper's methods take "rounds" and, if they
        merge clusters, "n" and "merge". The guide's page "Methods" lists those of the refined
        method.
    rows_per_person
        The maximum number of rows per person. The guarantee covers all of a person's rows, and
        the noise grows in proportion.
    missing
        How missing values are replaced: "middle", the middle of the feature's range.
    schema
        Instead of bounds: the kinds of features, in any form that `Schema` accepts: a mapping
        such as ``{"age": Number(0, 120), "sex": Category(["f", "m"])}``, or the path of a TOML or
        JSON file.
    range_share
        The share of the budget for finding ranges, if the schema has ``"find"``.
    random_state
        None for real noise. A seed gives a reproducible simulation without any privacy
        guarantee, for experiments and tests: it warns, and the release is marked.
    columns
        The columns of a table or a file to use as features, in this order; None for those named
        in the bounds or, if they have no names, for all. Other columns are not read.
    cache
        The folder for encoded records that do not fit into memory while `fit` runs, in an unnamed
        file that no other process can open. The environment variable ``HUSHMEANS_MEMORY`` sets
        the limit, by default a quarter of the machine's memory. None for the system's folder for
        temporary files.
    ledger
        The ledger to debit before a fit spends the budget: a `Ledger`, or its path or URL (a
        password in it is neither printed nor pickled). None for the one in the environment
        variable ``HUSHMEANS_LEDGER``, if it is set; False for none at all.
    dataset
        With a ledger: the name of the dataset to debit.
    release_id
        With a ledger: an id for the release. Repeating the fit with the same id spends nothing
        more and resumes an interrupted fit. None for a new id with every fit.
    simulate
        Confirms a seed when there is a ledger: a simulation is not debited, and no limit applies
        to it.

    Attributes
    ----------
    release_ : Release
        The result of the fit, safe to publish. Nothing else about the records is kept.
    cluster_centers_ : ndarray of shape (n_clusters, n_columns)
        The centres, in original units: a column per feature, or per level of a category, with the
        level's share (`Release.box` has their names).
    cluster_sizes_ : ndarray of shape (n_clusters,)
        The noisy number of records in each cluster.
    n_features_in_ : int
        The number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if the data had column names.

    Notes
    -----
    There is no ``labels_`` or ``inertia_``: both are exact functions of the records and would
    void the guarantee. The results of `predict`, `transform` and `fit_transform` describe
    individual records and are not private.

    Examples
    --------
    >>> import numpy as np
    >>> from hushmeans import DPKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal([[20.0, 1.0], [70.0, 8.0]], [5.0, 1.0], size=(5000, 2, 2)).reshape(-1, 2)
    >>> model = DPKMeans(n_clusters=2, epsilon=1.0, bounds=([0, 0], [100, 10])).fit(X)
    >>> model.cluster_centers_.shape
    (2, 2)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        epsilon: Amount = 1.0,
        delta: Amount = 0.0,
        bounds: Any = None,
        method: str = "refined",
        method_options: Mapping[str, Any] | None = None,
        rows_per_person: int = 1,
        missing: str = "middle",
        schema: Any = None,
        range_share: Any = 0.1,
        random_state: Any = None,
        columns: Sequence[str] | None = None,
        cache: str | PathLike[str] | None = None,
        ledger: Ledger | str | PathLike[str] | Literal[False] | None = None,
        dataset: str | None = None,
        release_id: str | None = None,
        simulate: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.method = method
        self.method_options = method_options
        self.rows_per_person = rows_per_person
        self.missing = missing
        self.schema = schema
        self.range_share = range_share
        self.random_state = random_state
        self.columns = columns
        self.cache = cache
        self.ledger = ledger
        self.dataset = dataset
        self.release_id = release_id
        self.simulate = simulate

    def fit(self, X: Any, y: Any = None) -> Self:
        """Spend the privacy budget on the records and keep the release.

        Parameters
        ----------
        X
            The records: a two-dimensional array; a table from pandas, Polars, DuckDB, Ibis, or
            anything else that exports an Arrow stream; a Spark DataFrame; the path or URL of a CSV,
            Parquet or Arrow file, or of a folder of them; a `CSV`; or a `SQL` query. They are
            read once, before any budget is spent.
        y
            Ignored.
        """
        if self.missing != "middle":
            raise InputError(
                f"missing is {self.missing!r}; the only supported value is 'middle'; to treat "
                "missing values otherwise, declare it for each feature in a schema"
            )
        seed = _seed(self.random_state)
        settings = Settings.of(
            self.n_clusters,
            self.epsilon,
            self.delta,
            self.method,
            self.method_options,
            self.rows_per_person,
            self.range_share,
        )
        self.release_: Release = fit_release(
            X,
            settings,
            bounds=self.bounds,
            schema=self.schema,
            seed=seed,
            columns=self.columns,
            cache=self.cache,
            ledger=_opened(self.ledger),
            dataset=self.dataset,
            release_id=self.release_id,
            simulate=self.simulate,
        )
        if seed is None and self.release_id is None:  # an id is paid for once
            self._count_fit(settings.budget)
        self._remember_features(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> FloatArray:
        """As `fit`, then `transform`: spends the budget, and the distances are NOT PRIVATE."""
        if self.random_state is None:
            spent = Amounts.of(Budget.of(self.epsilon, self.delta))
            warn(
                f"fit_transform spends ε = {spent} every time it is called; to "
                "transform records with the fitted centres, call transform",
                RepeatedSpendingWarning,
            )
        return np.asarray(self.fit(X, y).transform(X))

    def _count_fit(self, budget: Budget) -> None:
        """Warn from the second fit of an estimator and its clones on, as in a search over settings.

        The clones that scikit-learn makes for a search share the record of what was spent.
        """
        fits = self.__dict__.setdefault("_fits", [])
        fits.append(budget)
        if len(fits) > 1:
            spent = Amounts(sum(each.epsilon for each in fits), sum(each.delta for each in fits))
            warn(
                f"this is fit number {len(fits)} of this estimator and its clones; together they "
                f"have spent ε = {spent}, because every fit spends its whole budget again",
                RepeatedSpendingWarning,
            )

    def __sklearn_clone__(self) -> Self:
        clone: Self = super().__sklearn_clone__()
        clone.__dict__["_fits"] = self.__dict__.setdefault("_fits", [])
        return clone

    def __getstate__(self) -> dict[str, Any]:
        """All but the password of a ledger's URL: a pickled estimator travels far."""
        state: dict[str, Any] = super().__getstate__()
        if isinstance(self.ledger, str):
            state = {**state, "ledger": without_password(self.ledger)}
        return state

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """As scikit-learn prints estimators, but without the password of a ledger's URL."""
        return str(super(DPKMeans, copy(self)).__repr__(N_CHAR_MAX))

    def _html_repr(self) -> str:
        return str(estimator_html_repr(copy(self)))

    @property
    def cluster_centers_(self) -> FloatArray:
        check_is_fitted(self)
        return np.array(self.release_.centres)

    @property
    def cluster_sizes_(self) -> FloatArray:
        check_is_fitted(self)
        return np.array(self.release_.sizes)

    def predict(self, X: Any) -> IntArray:
        """Return the index of each record's nearest centre. NOT PRIVATE."""
        X = self._checked(X)
        return self.release_.predict(X)

    def transform(self, X: Any) -> FloatArray:
        """Return the distances from records to centres (see `Release.transform`). NOT PRIVATE."""
        X = self._checked(X)
        return self.release_.transform(X)

    labels_ = _withheld("labels_", _LABELS)
    fit_predict = _withheld("fit_predict", _LABELS)
    inertia_ = _withheld("inertia_", _EXACT)
    score = _withheld("score", _EXACT)

    @property
    def _n_features_out(self) -> int:
        return self.release_.n_clusters

    def _remember_features(self, X: Any) -> None:
        """Set the feature attributes that scikit-learn expects."""
        if is_place(X) or is_spark(X) or (is_table(X) and _has_names(X)):
            self.feature_names_in_ = np.array(self.release_.box.names, dtype=object)
        elif not is_plain_list(X):  # a list has no columns but those that the bounds declare
            validate_data(self, X, reset=True, skip_check_array=True)
        self.n_features_in_ = self.release_.box.n_features

    def _checked(self, X: Any) -> Any:
        """New data with the columns of the fit, selected by name where possible."""
        check_is_fitted(self)
        named = self.columns is not None or declares_names(self.bounds, self.schema)
        if is_place(X) or (is_table(X) and named):
            return X
        if not is_table(X):
            X = as_numeric_array(X)
        elif self.release_.box.names is not None:
            X = known_columns(X, self.release_.box.names)
        return validate_data(self, X, reset=False, skip_check_array=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _has_names(table: Any) -> bool:
    """Whether the columns have names; those of pandas tables may be numbers."""
    return not hasattr(table, "iloc") or all(isinstance(name, str) for name in table.columns)


def _opened(ledger: Ledger | str | PathLike[str] | Literal[False] | None) -> Ledger | None:
    """The ledger at a path or URL, or that of the environment."""
    if ledger is False or (ledger is None and not os.environ.get(LEDGER_VARIABLE)):
        return None
    from hushmeans.ledger import Ledger

    return ledger if isinstance(ledger, Ledger) else Ledger(ledger)


def _seed(random_state: Any) -> int | None:
    """A seed for a simulation; None for real noise."""
    if random_state is None:
        return None
    if isinstance(random_state, Integral):
        return whole_number("random_state", random_state, at_least=0)
    return int(check_random_state(random_state).randint(2**31))
