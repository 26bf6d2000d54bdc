"""The commands of the phone, one file per tool: name -> what runs it."""

from collections.abc import Mapping

from emulator_farm.virtual.shell.invocation import Tool

from . import builtins, files, grep, input, printing, screencap, text, uiautomator

TOOLS: Mapping[str, Tool] = {
    **builtins.TOOLS,
    **files.TOOLS,
    **grep.TOOLS,
    **printing.TOOLS,
    **text.TOOLS,
    "input": input.input_tool,
    "screencap": screencap.screencap,
    "uiautomator": uiautomator.uiautomator,
}
