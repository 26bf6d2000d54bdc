"""Every error this package raises on purpose.

    AgentServerError
    ├── InvalidRequest          the caller erred: 4xx, nothing was touched
    │   ├── InvalidImage        bytes that are not a usable screenshot
    │   ├── InvalidUiTree       text that is not a UI hierarchy
    │   ├── MissingScreenshots  digests of images that are not held here: 409, send the images
    │   ├── NotVerified         a model server that does not fit the settings it would be used with
    │   └── UnknownName         a model, adapter or policy nobody has heard of
    ├── Inexpressible           an action that a model's grammar has no words for
    ├── BackendError            the model server failed: 5xx
    │   ├── BackendUnavailable  refused, reset, timed out or not ready
    │   │   └── BackendUnreachable  nobody answers there
    │   ├── BackendReply        it answered, but not with a completion
    │   │   └── ModelNotServed  it serves other models than the one asked for
    │   └── BackendRejected     it refused this very request: 422, asking again gives the same
    ├── LaunchError             a model server could not be started here, again and again
    ├── PromptSourceError       a vendor's prompt is not to be had as it is pinned
    └── PolicyError             what PolicyClient raises
        ├── PolicyUnavailable   no usable answer: network, timeout, 5xx
        └── PolicyRejected      the server refused the request: 4xx

Text that a model wrote and a grammar cannot read is none of these: it is a `ParseError` value in the reply
(`agent_server.schemas`), because it is behaviour to be recorded, not a fault.
"""

from __future__ import annotations

from collections.abc import Iterable


class AgentServerError(Exception):
    """Base of all errors of the package."""


class InvalidRequest(AgentServerError):
    """The caller asked for something impossible. `status` is the HTTP code it becomes."""

    status = 422

    def __init__(self, detail: str, *, status: int | None = None) -> None:
        super().__init__(detail)
        if status is not None:
            self.status = status


class InvalidImage(InvalidRequest):
    """The bytes are not a screenshot that can be used (`status` 413, 415 or 422)."""


class InvalidUiTree(InvalidRequest):
    """The text is not a UI hierarchy."""


class MissingScreenshots(InvalidRequest):
    """History turns name screenshots, by digest, that the server does not hold (any more); nothing was decided."""

    status = 409

    def __init__(self, positions: Iterable[int]) -> None:
        """`positions` are those of the turns in the history."""
        self.positions = tuple(positions)
        where = ", ".join(f"history[{position}]" for position in self.positions)
        super().__init__(f"the screenshots of {where} are not held here (any more); send the images themselves")


class UnknownName(InvalidRequest):
    """A name outside a closed set; the message lists the set."""

    status = 404

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(f"unknown {what} {name!r}; known: {', '.join(self.known) or 'none'}")


class NotVerified(InvalidRequest):
    """A model server does not fit the settings that it would be used with: decisions would be wrong."""


class Inexpressible(AgentServerError):
    """A grammar has no words for this action."""


class BackendError(AgentServerError):
    """The model server failed; `status` is the HTTP code our caller sees."""

    status = 502


class BackendUnavailable(BackendError):
    """The model server could not be reached, is not ready, or did not answer in time."""

    status = 503


class BackendUnreachable(BackendUnavailable):
    """Nobody answers at the model server's address."""


class BackendReply(BackendError):
    """The model server answered with something that is not a completion."""


class ModelNotServed(BackendReply):
    """The model server is there and serves `served`, which the model that was asked for is not among."""

    def __init__(self, detail: str, served: Iterable[str] = ()) -> None:
        super().__init__(detail)
        self.served = tuple(served)


class BackendRejected(BackendError):
    """The model server says that this request cannot be served (a prompt too long, say); asking again is no use."""

    status = 422


class LaunchError(AgentServerError):
    """A model server that was to be started here does not stay up."""


class PromptSourceError(AgentServerError):
    """A vendor's prompt cannot be had: nobody answers, or what came is not what is pinned. Nothing was written."""


class PolicyError(AgentServerError):
    """A call to `/act` gave no decision."""


class PolicyUnavailable(PolicyError):
    """No usable answer came: connection refused or cut, timeout, 5xx, or a body that is not ours."""


class PolicyRejected(PolicyError):
    """The server refused the request (4xx): asking again gives the same answer."""

    def __init__(self, detail: str, *, status: int) -> None:
        super().__init__(detail)
        self.status = status
