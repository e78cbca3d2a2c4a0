"""DPKMeans: k-means under differential privacy, in the shape of a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from hushmeans.arguments import Amount, whole_number
from hushmeans.curator.owner import (
    as_numeric_array,
    is_path,
    is_spark,
    is_table,
    known_columns,
)
from hushmeans.errors import InputError
from hushmeans.fitting import fit_release
from hushmeans.release import Release
from hushmeans.settings import Settings
from hushmeans.types import FloatArray, IntArray

if TYPE_CHECKING:
    from hushmeans.ledger import Ledger


class DPKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """K-means clustering under differential privacy.

    Parameters
    ----------
    n_clusters
        How many clusters to release.
    epsilon
        The privacy budget of the whole fit: smaller is more private and noisier.
    delta
        0 for pure epsilon and Laplace noise; above 0, such as 1e-6, for Gaussian noise.
    bounds
        Required: the public range of every feature, as anything that `Bounds` takes.
        Values outside are clipped.
    method
        "refined", our own; or the DP-KCCM paper's "allocation_nk" (or "kccm", the same),
        "average_nk", "allocation_k", "average_k".
    method_options
        Settings of the method, for research. The paper's have "rounds" and, where they merge,
        "n" and "merge"; for ours see `hushmeans.methods.refined.RefinedMethod`.
    rows_per_person
        At most how many rows belong to one person; the noise grows with it.
    missing
        What a missing value counts as: "middle", the middle of the feature's range.
    random_state
        None for real, private noise. A seed makes a simulation instead, for experiments and
        tests: it warns, and the release is marked.
    columns
        The features of a table or a file, in this order; None for all of its columns.
    cache
        A folder in which the encoded records of files may be kept while `fit` runs, in a file
        without a name that nobody else can open. None to read the files for every question.
    ledger
        Where to debit the budget before a fit spends it: a `Ledger`, or the path or URL of one (a
        `Ledger` does not show a password when the estimator is printed). None for no ledger.
        A simulation is not debited.
    dataset
        With a ledger: the name it has for these records.

    Attributes
    ----------
    release_ : Release
        All that is kept of a fit, and safe to publish.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres, in original units.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        The noisy numbers of records.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only where the data had column names.

    Notes
    -----
    There is no ``labels_`` and no ``inertia_``: both would say something exact about the
    records. Nothing of the records is kept. What `predict`, `transform` and `fit_transform`
    return speaks about single records and is not private.

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
        random_state: Any = None,
        columns: Sequence[str] | None = None,
        cache: str | PathLike[str] | None = None,
        ledger: Ledger | str | PathLike[str] | None = None,
        dataset: str | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.method = method
        self.method_options = method_options
        self.rows_per_person = rows_per_person
        self.missing = missing
        self.random_state = random_state
        self.columns = columns
        self.cache = cache
        self.ledger = ledger
        self.dataset = dataset

    def fit(self, X: Any, y: Any = None) -> Self:
        """Spend the budget on the records and keep the release.

        Parameters
        ----------
        X
            The records: a two-dimensional array, a pandas, Polars or Arrow table, or the path
            of a CSV, Parquet or Arrow file, or of a folder of them; or a Spark DataFrame.
        y
            Ignored.
        """
        if self.missing != "middle":
            raise InputError(f"missing is {self.missing!r}; the only choice is 'middle'")
        seed = _seed(self.random_state)
        settings = Settings.of(
            self.n_clusters,
            self.epsilon,
            self.delta,
            self.method,
            self.method_options,
            self.rows_per_person,
        )
        self.release_: Release = fit_release(
            X,
            settings,
            bounds=self.bounds,
            seed=seed,
            columns=self.columns,
            cache=self.cache,
            ledger=_opened(self.ledger),
            dataset=self.dataset,
        )
        self._remember_features(X)
        return self

    @property
    def cluster_centers_(self) -> FloatArray:
        check_is_fitted(self)
        return np.array(self.release_.centres)

    @property
    def cluster_sizes_(self) -> FloatArray:
        check_is_fitted(self)
        return np.array(self.release_.sizes)

    def predict(self, X: Any) -> IntArray:
        """The index of the nearest centre for each record of new data."""
        X = self._checked(X)
        return self.release_.predict(X)

    def transform(self, X: Any) -> FloatArray:
        """Each record's distance to each centre, in the unit box (see `Release.transform`)."""
        X = self._checked(X)
        return self.release_.transform(X)

    @property
    def fit_predict(self) -> NoReturn:
        raise AttributeError(
            "DPKMeans has no fit_predict: the labels of the fitted records are not private; "
            "call fit, and predict for records that you may see"
        )

    @property
    def _n_features_out(self) -> int:
        return self.release_.n_clusters

    def _remember_features(self, X: Any) -> None:
        """Set what scikit-learn wants to know of the columns."""
        if is_path(X) or is_spark(X) or self.columns is not None:
            self.feature_names_in_ = np.array(self.release_.box.names, dtype=object)
        else:
            validate_data(self, X, reset=True, skip_check_array=True)
        self.n_features_in_ = self.release_.box.n_features

    def _checked(self, X: Any) -> Any:
        """New data whose columns are those of the fit, or can be chosen by their names."""
        check_is_fitted(self)
        if is_path(X) or (is_table(X) and self.columns is not None):
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


def _opened(ledger: Ledger | str | PathLike[str] | None) -> Ledger | None:
    """The ledger of a path or URL."""
    if ledger is None:
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
