"""One call of a model server, before it is known which one answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from agent_server.weights.revision import Revision


@dataclass(frozen=True)
class ChatRequest:
    """One call, without the model's name."""

    messages: Sequence[Mapping[str, object]]
    sampling: Mapping[str, object] = field(default_factory=dict)
    """Fields of the request body, by their names there; None is left out."""
    session: str | None = None
    return_tokens: bool = False
    image_characters: int = 0
    """How long the data URLs in the messages are together: what it takes to write them."""
    extras: Mapping[str, object] = field(default_factory=dict)
    """Further fields of the body: tools, response_format, structured_outputs."""
    revision: Revision | None = None
    """The weights that must answer; None leaves that to whoever chooses them for the session."""

    @property
    def session_field(self) -> str:
        """The session as a header that routers of many servers know, so that behind one URL too it stays with one."""
        return "" if self.session is None else f"X-Session-ID: {quote(self.session, safe='')}\r\n"
