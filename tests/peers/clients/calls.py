"""One call a line from standard input, its result as a line of JSON: how a test uses code of another environment."""

import asyncio
import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any


def serve(calls: Mapping[str, Callable[..., Any]]) -> None:
    """Answer `["name", argument, …]` by what `calls[name]` returns, awaited where it is to be awaited.

    What the code prints goes to standard error. An exception ends the process with its traceback there.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    with asyncio.Runner() as runner:
        for line in sys.stdin:
            name, *arguments = json.loads(line)
            result = calls[name](*arguments)
            if inspect.isawaitable(result):
                result = runner.run(_awaited(result))
            answers.write(json.dumps(result) + "\n")
            answers.flush()


async def _awaited(result: Any) -> Any:
    return await result
