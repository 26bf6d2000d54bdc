"""The kinds of text that steps and checks are made of, each with what makes it valid."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

Namespace = Literal["system", "secure", "global"]


class Noun(BaseModel):
    """Base of everything that is read from a task file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _word(value: object) -> object:
    """Numbers in place of text are taken as written; true and false are not, for Android writes 1 and 0."""
    match value:
        case bool():
            raise ValueError(f'is {str(value).lower()}, which phones do not store; write "1" or "0", or quote it')
        case int() | float():
            return str(value)
        case _:
            return value


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("holds a NUL character, which no shell can pass")
    return text


def matching(pattern: str, what: str) -> AfterValidator:
    """A text that matches `pattern` as a whole; the error says that it is not `what`."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"{text!r} is not {what}")
        return text

    return AfterValidator(check)


def _regex(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"{text!r} is not a regular expression: {error}") from None
    return text


def _path(text: str) -> str:
    if not text.startswith("/") or text.endswith("/") or text.count("/") < 2 or ".." in text.split("/"):
        raise ValueError(f"{text!r} is not the absolute path of a file on the phone, like /sdcard/Download/a.txt")
    return text


Text = Annotated[str, BeforeValidator(_word), AfterValidator(_without_nul)]
"""Any text; a number counts as its digits."""
Package = Annotated[str, matching(r"(?a:[A-Za-z]\w*(\.\w+)+)", "a package name like com.android.settings")]
Key = Annotated[str, matching(r"[^\s\x00]+", "a key (one word)")]
Uri = Annotated[
    str, matching(r"content://[\w.-]+(/[^\s\x00]*)?", "a content URI like content://com.android.contacts/data")
]
Column = Annotated[str, matching(r"(?a:[A-Za-z_]\w*)", "a column name")]
Pattern = Annotated[str, Field(min_length=1), AfterValidator(_regex)]
"""A Python regular expression."""
Path = Annotated[str, AfterValidator(_without_nul), AfterValidator(_path)]
"""An absolute path on the phone."""
