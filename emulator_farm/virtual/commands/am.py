"""`am` (and `cmd activity`): starting and stopping apps, broadcasts, configuration."""

import asyncio
import time

from emulator_farm.virtual.intents import Intent, StartResult
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation, ToolError
from emulator_farm.virtual.translation import right_to_left

from .arguments import Words, java_error, unknown_command
from .intent_args import IntentBuilder

FROM_SHELL = 0x400000
IGNORED_WITH_VALUE = {
    "--user", "--display", "--windowingMode", "--activityType", "--task", "-P", "--start-profiler", "--sampling",
    "--receiver-permission", "-R",
}  # fmt: skip
IGNORED = {
    "-D", "-N", "--streaming", "--track-allocation", "--lock-task", "--allow-background-activity-starts", "--async",
    "--dismiss-keyguard",
}  # fmt: skip
USAGE = """Activity manager (activity) commands:
  help
      Print this help text.
  start-activity [-D] [-W] [-S] [--user <USER_ID> | current] <INTENT>
  broadcast [--user <USER_ID> | all | current] <INTENT>
  force-stop [--user <USER_ID> | all | current] <PACKAGE>
  kill [--user <USER_ID> | all | current] <PACKAGE>
  kill-all
  instrument [-r] [-e <NAME> <VALUE>] [-w] <COMPONENT>
  get-config
  get-current-user
  stack list
  stack remove <TASK_ID>
"""


async def am(run: Invocation) -> int:
    """Run one subcommand."""
    if not run.args or run.args[0] in ("help", "-h", "--help"):
        run.out(USAGE)
        return 0 if run.args else 255
    words = Words(run.args[0], run.args[1:])
    match words.command:
        case "start" | "start-activity":
            return await _start(run, words)
        case "broadcast":
            return await _broadcast(run, words)
        case "startservice" | "start-service" | "startforegroundservice" | "start-foreground-service":
            return await _service(run, words)
        case "stopservice" | "stop-service":
            builder = _intent(words)
            run.line(f"Stopping service: {builder.describe()}")
            run.err("Service not stopped: was not running.\n")
            return 0
        case "force-stop" | "kill":
            package = _skip_user(words)
            await run.call(lambda phone: phone.force_stop(package))
            return 0
        case "kill-all":
            await run.call(_kill_background)
            return 0
        case "instrument":
            return _instrument(run, words)
        case "get-config":
            run.out(await run.call(_config))
            return 0
        case "get-current-user":
            run.line("0")
            return 0
        case "stack" | "task":
            return await _stack(run, words)
        case "wait-for-broadcast-idle" | "wait-for-broadcast-barrier":
            run.line("All broadcast queues are idle!")
            return 0
        case "idle-maintenance" | "set-inactive" | "set-standby-bucket" | "send-trim-memory":
            return 0
        case _:
            raise unknown_command(words.command)


def _kill_background(phone: Phone) -> None:
    front = phone.foreground().package
    for task in phone.tasks():
        if task.package != front and phone.packages.launcher(task.package):
            phone.force_stop(task.package)


def _skip_user(words: Words) -> str:
    while words.peek().startswith("-"):
        if words.required() == "--user":
            words.required()
    return words.required()


def _intent(words: Words) -> IntentBuilder:
    """Read intent options to the end. Raises the system's exception where they make no intent."""
    builder, _ = _intent_and_flags(words, frozenset())
    return builder


def _intent_and_flags(words: Words, known: frozenset[str]) -> tuple[IntentBuilder, set[str]]:
    builder = IntentBuilder()
    flags: set[str] = set()
    given = bool(words)
    while words:
        word = words.required()
        if not word.startswith("-"):
            builder.take_target(word, words.command)
        elif word in known:
            flags.add(word)
        elif word in IGNORED_WITH_VALUE:
            words.required()
        elif word not in IGNORED and not builder.take(word, words):
            raise ToolError(f"Error: Unknown option: {word}", code=255, prefix="")
    if not given:
        raise java_error(words.command, "java.lang.IllegalArgumentException: No intent supplied")
    return builder, flags


# -- start


async def _start(run: Invocation, words: Words) -> int:
    builder, flags = _intent_and_flags(words, frozenset({"-W", "-S"}))
    intent = builder.build()
    package = intent.component.package if intent.component else intent.package
    if "-S" in flags and package:
        run.line(f"Stopping: {package}")
        await run.call(lambda phone: phone.force_stop(package))
    run.line(f"Starting: {builder.describe()}")
    began = time.monotonic()
    if latency := run.handset.phone.latency.launch_s:
        await asyncio.sleep(latency)
    result = await run.call(lambda phone: _start_and_log(run, phone, intent, builder))
    elapsed_ms = int((time.monotonic() - began) * 1000)
    _print_start(run, builder, result, waits="-W" in flags, elapsed_ms=elapsed_ms)
    return 0


def _start_and_log(run: Invocation, phone: Phone, intent: Intent, builder: IntentBuilder) -> StartResult:
    text = builder.describe(0x10000000).removeprefix("Intent ").replace("{ ", "{").replace(" }", "}")
    run.handset.write_log("I", "ActivityTaskManager", f"START u0 {text} with LAUNCH_MULTIPLE from uid {run.shell.uid}")
    return phone.start_activity(intent)


def _print_start(run: Invocation, builder: IntentBuilder, result: StartResult, waits: bool, elapsed_ms: int) -> None:
    tell = run.out if waits else run.err
    match result.kind:
        case "not_found" if builder.component is not None:
            name = f"{{{builder.component.package}/{builder.component.activity}}}"
            tell(f"Error type 3\nError: Activity class {name} does not exist.\n")
            return
        case "not_found":
            tell(f"Error: Activity not started, unable to resolve {builder.describe(0x10000000)}\n")
            return
        case "brought_to_front":
            tell("Warning: Activity not started, its current task has been brought to the front\n")
    if not waits:
        return
    state = "HOT" if result.kind == "brought_to_front" else "WARM" if result.was_running else "COLD"
    run.line("Status: ok")
    run.line(f"LaunchState: {state}")
    if result.component is not None:
        run.line(f"Activity: {result.component.short}")
    run.line(f"TotalTime: {elapsed_ms}")
    run.line(f"WaitTime: {elapsed_ms + 2}")
    run.line("Complete")


# -- the rest


async def _broadcast(run: Invocation, words: Words) -> int:
    builder = _intent(words)
    run.line(f"Broadcasting: {builder.describe(FROM_SHELL)}")
    if run.handset.phone.latency.input_s and builder.action.startswith("ADB_"):
        await asyncio.sleep(run.handset.phone.latency.input_s)
    result = await run.call(lambda phone: phone.broadcast(builder.build()))
    data = f', data="{result.data}"' if result.data is not None else ""
    run.line(f"Broadcast completed: result={result.code}{data}")
    return 0


async def _service(run: Invocation, words: Words) -> int:
    builder = _intent(words)
    run.line(f"Starting service: {builder.describe()}")
    run.err("Error: Not found; no service started.\n")
    return 255


def _instrument(run: Invocation, words: Words) -> int:
    target = ""
    while words:
        word = words.required()
        if word == "-e":
            words.required(), words.required()
        elif word in ("--user", "--abi", "-p"):
            words.required()
        elif not word.startswith("-"):
            target = word
    if not target:
        raise java_error("instrument", 'java.lang.IllegalArgumentException: Argument expected after "instrument"')
    run.line(f"INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{{{target}}}")
    run.line("INSTRUMENTATION_STATUS: id=ActivityManagerService")
    run.line("INSTRUMENTATION_STATUS_CODE: -1")
    run.err(f"android.util.AndroidException: INSTRUMENTATION_FAILED: {target}\n")
    return 1


def _config(phone: Phone) -> str:
    width, height = phone.screen_size
    scale = 160 / phone.density
    dp_width, dp_height = int(width * scale), int(height * scale)
    language, _, region = phone.system.locale.partition("-")
    direction = "ldrtl" if right_to_left(phone.system.locale) else "ldltr"
    night = "night" if phone.system.dark else "notnight"
    parts = [
        "mcc310-mnc260", language, f"r{region}", direction, f"sw{min(dp_width, dp_height)}dp", f"w{dp_width}dp",
        f"h{dp_height}dp", "normal", "long", "notround", "lowdr", "nowidecg", "land" if width > height else "port",
        night, f"{phone.density}dpi", "finger", "keysexposed", "qwerty", "navhidden", "nonav", f"{width}x{height}",
        "v34",
    ]  # fmt: skip
    return f"config: {'-'.join(part for part in parts if part != 'r')}\nabi: {phone.props['ro.product.cpu.abilist']}\n"


async def _stack(run: Invocation, words: Words) -> int:
    verb = words.optional()
    if verb == "remove":
        number = words.required()
        if not number.isdecimal():
            raise java_error(words.command, f'java.lang.NumberFormatException: For input string: "{number}"')
        await run.call(lambda phone: phone.close_task(int(number)))
        return 0
    if verb != "list":
        raise ToolError("Error: unknown command for stack; only 'list' and 'remove' are there", code=255, prefix="")

    def describe(phone: Phone) -> str:
        width, height = phone.screen_size
        bounds = f"bounds=[0,0][{width},{height}]"
        out = []
        for index, task in enumerate(phone.tasks()):
            top = task.activities[-1]
            out.append(
                f"RootTask id={task.id} {bounds} displayId=0 userId=0\n"
                f"  taskId={task.id}: {top} {bounds} userId=0 visible={str(index == 0).lower()} "
                f"topActivity=ComponentInfo{{{top}}}\n"
            )
        return "\n".join(out)

    run.out(await run.call(describe))
    return 0
