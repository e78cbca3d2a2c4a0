"""Clustering methods: post-processing of noisy totals, out of reach of any record."""
