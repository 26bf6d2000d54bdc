"""How tool calls say that the task is over."""

from __future__ import annotations

from agent_server.actions import Finished
from agent_server.adapters.arguments import TEXT, Arguments
from agent_server.adapters.reply import Unreadable

_SUCCESS = {"success", "succeeded", "successful", "complete", "completed"}
_FAILURE = {"failure", "fail", "failed", "infeasible", "impossible"}


def ended(arguments: Arguments, default: str = "") -> Finished:
    """The end with the status that the call names, or `default` where it names none. Raises Unreadable for others."""
    status = str(arguments.value("status") or default).strip().lower()
    text = arguments.optional_text(*TEXT) or ""
    if status in _SUCCESS:
        return Finished(text=text)
    if status in _FAILURE:
        return Finished(status="infeasible", text=text)
    raise Unreadable(f"{arguments.written} needs the status success or failure and has {status[:40]!r}")
