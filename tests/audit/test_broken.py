"""The audit can fail: every broken variant is caught, and its healthy twin is not."""

from __future__ import annotations

import numpy as np
import pytest

from audit.broken import VARIANTS, Forked, Variant, one_centroid
from audit.neighbours import NOBODY
from audit.running import audited, hunted
from audit.targets import WHOLE
from hushmeans.budget import Account, Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.kernel import answer
from hushmeans.curator.mechanisms import Laplace
from hushmeans.curator.questions import Totals
from hushmeans.curator.store import Store
from hushmeans.errors import PrivacyError
from hushmeans.schema import Grid
from hushmeans.types import FloatArray

MOST_RUNS = 16_384

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.mark.parametrize(
    "variant", [each for each in VARIANTS if not each.long], ids=lambda variant: variant.name
)
def test_a_broken_variant_is_caught(variant: Variant) -> None:
    assert hunted(variant.target, variant.view, MOST_RUNS) is not None


def test_real_noise_is_not_reused_after_a_fork() -> None:
    assert not audited(Forked(Laplace), 1000, jobs=1)["both answers"].broken


def test_a_budget_spent_twice_is_noticed_before_anything_is_released(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Account, "debit", lambda self, share: None)
    source = Store.of(NOBODY.box, NOBODY.encoded(more=True))
    curator = Curator(source, Laplace(), Budget.of(1))
    for _ in range(2):
        curator.ask(one_centroid(NOBODY), WHOLE)
    with pytest.raises(PrivacyError, match="epsilon = 2"):
        curator.settle()


def float_sum(records: FloatArray) -> float:
    """One record after the other, in single precision."""
    return float(np.cumsum(records, dtype=np.float32)[-1])


def crafted() -> tuple[FloatArray, float]:
    """Records whose float sum one more record, in front, moves by more than its own size.

    The records before the last pairs sum to just below 2^10, where single precision has steps of
    2^-14. There a pair of +1.1 and -0.9 steps adds up to nothing. One record more, and the
    sum is above 2^10, where steps are twice as large: each pair now adds a whole step.
    """
    step = 2.0**-14
    below = np.append(np.ones(2**10 - 1), 1 - 4 * step)
    pairs = np.tile([1.1 * step, -0.9 * step], 20_000)
    return np.concatenate([below, pairs]), 0.5


def test_float_sums_move_by_more_than_their_sensitivity_and_ours_do_not() -> None:
    fewer, record = crafted()
    more = np.append(record, fewer)
    assert abs(float_sum(more) - float_sum(fewer)) > 2
    grid = Grid(20)
    question = Totals(grid, np.zeros((1, 1), dtype=np.int64))
    totals = [answer(question, grid.snap(each[:, None]).astype(np.int32)) for each in (fewer, more)]
    assert np.abs(totals[1] - totals[0]).sum() <= question.sensitivity("l1")


def test_float_sums_depend_on_the_order_and_ours_do_not() -> None:
    records = crafted()[0]
    assert float_sum(records) != float_sum(records[::-1])
    grid = Grid(20)
    question = Totals(grid, np.zeros((1, 1), dtype=np.int64))
    encoded = grid.snap(records[:, None]).astype(np.int32)
    np.testing.assert_array_equal(answer(question, encoded), answer(question, encoded[::-1].copy()))
