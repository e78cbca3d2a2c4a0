"""Spark's parent of Python processes, which loads once what each of its children needs.

A child looks for garbage after every task. Among all that our packages load this takes longer than
most tasks of tests; what the parent froze is left out.
"""

from __future__ import annotations

import gc

import pandas  # noqa: F401
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import hushmeans.curator.spark.files  # noqa: F401
from hushmeans.curator.kernel import chosen_kernel

if __name__ == "__main__":
    chosen_kernel()
    gc.freeze()
    manager()
