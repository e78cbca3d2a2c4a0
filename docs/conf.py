"""Settings of the documentation site; `make docs` builds it.

The site's sources are the Markdown files as they lie in the repository, so that a link works on the
site and in a checkout alike. The source folder is therefore the root of the repository.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import hushmeans

ROOT = Path(__file__).parent.parent

# Examples run with a seed, and say so; the warning would show the path of the builder's checkout.
warnings.filterwarnings("ignore", category=hushmeans.SimulationWarning)

project = "hushmeans"
author = "the hushmeans developers"
copyright = author
version = release = hushmeans.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "tools.reference_pages",
]
include_patterns = [
    "docs/**",
    "proofs/**",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]
exclude_patterns = [
    "docs/_build/**",
    "docs/_templates/**",
    "docs/gallery/**.ipynb",
    "docs/gallery/**.py",
    "docs/gallery/**.md5",
]
root_doc = "docs/index"
templates_path = [str(ROOT / "docs" / "_templates")]
smartquotes = False  # two hyphens begin an option
highlight_language = "text"  # blocks without a language hold output, not Python

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autosummary_generate = True
autodoc_typehints = "none"  # the parameters' sections say what a value may be
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples" / "gallery"),
    "gallery_dirs": str(ROOT / "docs" / "gallery"),
    "filename_pattern": r"/\d+_",
    "ignore_pattern": r"__init__\.py",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "hushmeans"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("quiet.js", {"priority": 100})]  # before the theme's
html_context = {"default_mode": "auto"}
html_extra_path = [
    "_extra",  # from the top of the site to its first page
    "../src/hushmeans/release/release.schema.json",  # for programs that read releases
]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "hushmeans"},
    "navbar_align": "left",
    "show_toc_level": 2,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
