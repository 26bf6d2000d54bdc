"""The commands of the phone, one file per tool: name -> what runs it."""

from collections.abc import Mapping

from emulator_farm.virtual.shell.invocation import Tool

from . import (
    am,
    builtins,
    cmd,
    content,
    date,
    dumpsys,
    files,
    grep,
    ime,
    input,
    monkey,
    pm,
    printing,
    props,
    screencap,
    settings,
    svc,
    system,
    text,
    uiautomator,
    vphone,
    wm,
    words,
)

TOOLS: Mapping[str, Tool] = {
    **builtins.TOOLS,
    **cmd.TOOLS,
    **dumpsys.TOOLS,
    **files.TOOLS,
    **grep.TOOLS,
    **printing.TOOLS,
    **system.TOOLS,
    **text.TOOLS,
    **words.TOOLS,
    "am": am.am,
    "content": content.content,
    "date": date.date,
    "getprop": props.getprop,
    "ime": ime.ime,
    "input": input.input_tool,
    "monkey": monkey.monkey,
    "pm": pm.pm,
    "screencap": screencap.screencap,
    "setprop": props.setprop,
    "settings": settings.settings,
    "svc": svc.svc,
    "uiautomator": uiautomator.uiautomator,
    "vphone": vphone.vphone,
    "wm": wm.wm,
}
