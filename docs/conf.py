"""The documentation site: `make docs` writes it to docs/_build/html."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pygments.lexers.javascript import JavascriptLexer

import braino_registry

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "braino-registry"
author = "braino-registry contributors"
project_copyright = author
version = release = braino_registry.__version__

extensions = [
    "contents",  # tables of contents from the links that a reader of the source sees
    "formulas",
    "generated",  # the reference, made from entries, tools, checks and commands
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
]
root_doc = "README"
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "_ext"]
nitpicky = True
# Names of other projects are not looked up: that would need their inventories, and a network.
nitpick_ignore_regex = [("py:.*", r"(?!braino).*")]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
copybutton_remove_prompts = True
# Without a pattern, blocks that have no prompt are copied as they are.

autosummary_generate = False  # numpydoc brings it along, and nothing here uses it
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc prints them, with shapes and units
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

smartquotes = False  # quotation marks in examples are meant as they are
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = f"braino-registry {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "header_links_before_dropdown": 6,
    # A hundred tasks are no menu; and what would unfold them has no name for a screen reader.
    "collapse_navigation": True,
    "navbar_end": ["theme-switcher"],
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "use_edit_page_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def setup(app: Any) -> None:
    """Colour JSON with comments, which Pygments has no name for."""
    app.add_lexer("jsonc", JavascriptLexer)
