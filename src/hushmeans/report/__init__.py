"""A release as one page to look at: HTML that needs nothing else, and shows nothing else."""

from hushmeans.report.gather import LoadedRelease, Report
from hushmeans.report.page import report_page

__all__ = ["LoadedRelease", "Report", "report_page"]
