"""Flags that several commands share, or that make one value together: written once, as the parameters of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable

Command = Callable[..., None]


def with_flags(maker: Callable[..., object]) -> Callable[[Command], Command]:
    """Replaces the parameter of a command that has the type `maker` returns by the parameters of `maker`.

    The command gets the value that `maker` makes of its flags, and its other parameters as they are.
    """
    made = inspect.signature(maker, eval_str=True)

    def decorate(function: Command) -> Command:
        own = inspect.signature(function, eval_str=True).parameters
        slot = next(name for name, parameter in own.items() if parameter.annotation is made.return_annotation)

        def command(**values: object) -> None:
            value = maker(**{name: values.pop(name) for name in made.parameters})
            function(**{slot: value}, **values)

        parameters = [*made.parameters.values(), *(parameter for name, parameter in own.items() if name != slot)]
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
        )
        return command

    return decorate
