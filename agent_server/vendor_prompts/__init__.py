"""Vendors' own prompts, fetched on the user's machine from pinned sources. None of their text is part of this package.

`recipes.py` says where each stands and how its placeholders become our variables, `excerpt.py` reads it out of a source
file without running that, `fetch.py` gets the files, checks them, and writes a folder for `--prompts`.
"""
