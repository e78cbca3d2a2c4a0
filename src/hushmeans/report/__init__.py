"""A release as one page to look at: HTML that needs nothing else, and shows nothing else."""

from hushmeans.report.gather import Report, Source
from hushmeans.report.page import page

__all__ = ["Report", "Source", "page"]
