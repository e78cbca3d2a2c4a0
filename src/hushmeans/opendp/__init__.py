"""hushmeans in OpenDP's terms: private k-means as a measurement with a privacy map."""

from hushmeans.opendp.kmeans import make_private_kmeans

__all__ = ["make_private_kmeans"]
