"""Clustering methods: post-processing of noisy totals, without access to records."""
