"""`cmd notification` and `dumpsys notification`: post, list and describe what is in the shade."""

from emulator_farm.virtual.notifications import SHELL, SHELL_ID, Notification
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation, ToolError, on_phone

from .arguments import Words, java_error, unknown_command
from .dumpsys_package import stable_hash
from .intent_args import IntentBuilder

ZEN = {"none": "2", "on": "1", "priority": "1", "alarms": "3", "all": "0", "off": "0"}
POST_USAGE = """usage: cmd notification post [flags] <tag> <text>

flags:
  -h|--help
  -v|--verbose
  -t|--title <text>
  -i|--icon <iconspec>
  -I|--large-icon <iconspec>
  -S|--style <style> [styleargs]
  -c|--content-intent <intentspec>

an <intentspec> is (broadcast|service|activity) <args>
"""


@on_phone
def notification(run: Invocation) -> int:
    """Run one subcommand."""
    phone = run.phone
    match run.args:
        case ["list"]:
            for each in phone.system.notifications.list():
                run.line(each.key)
        case ["get", key]:
            found = phone.system.notifications.find(key)
            if found is None:
                raise java_error("get", f"java.lang.IllegalArgumentException: No notification: {key}")
            run.line(record(found))
        case ["post" | "notify", *words]:
            return _post(run, phone, Words("post", words))
        case ["set_dnd", mode] if mode in ZEN:
            phone.settings.put("global", "zen_mode", ZEN[mode])
        case ["allow_listener" | "disallow_listener" | "allow_dnd" | "disallow_dnd", *_]:
            pass
        case [name, *_]:
            raise unknown_command(name)
        case _:
            raise unknown_command("null")
    return 0


def _post(run: Invocation, phone: Phone, words: Words) -> int:
    title, intent, rest = "", None, []
    while words:
        word = words.required()
        match word:
            case "-h" | "--help":
                run.out(POST_USAGE)
                return 0
            case "-v" | "--verbose":
                pass
            case "-t" | "--title":
                title = words.required()
            case "-i" | "--icon" | "-I" | "--large-icon" | "-S" | "--style":
                words.required()
            case "-c" | "--content-intent":
                words.required()
                builder = IntentBuilder()
                while words.peek().startswith("-") and builder.take(words.required(), words):
                    pass
                intent = builder.build()
            case _:
                rest.append(word)
    if len(rest) < 2:
        raise ToolError(POST_USAGE, code=255, prefix="", on_stdout=True)
    posted = Notification(
        SHELL, SHELL_ID, title, " ".join(rest[1:]), phone.clock.now(), tag=rest[0], intent=intent, channel="shell_cmd"
    )
    phone.system.notifications.post(posted)
    run.line(f"posting:\n  {_shown(posted)}")
    return 0


def _shown(each: Notification) -> str:
    flags = "0x2" if each.ongoing else "0x0"
    return (
        f"Notification(channel={each.channel} shortcut=null contentView=null vibrate=null sound=null defaults=0x0 "
        f"flags={flags} color=0x00000000 vis=PRIVATE)"
    )


def record(each: Notification) -> str:
    """One notification as the notification service prints it, nothing left out."""
    return (
        f"    NotificationRecord(0x{stable_hash(each.key)}: pkg={each.package} user=UserHandle{{0}} id={each.id} "
        f"tag={each.tag or 'null'} importance=3 key={each.key}: {_shown(each)})\n"
        f"      uid={each.uid} userId=0\n"
        f"      opPkg={each.package}\n"
        "      extras={\n"
        f"          android.title=String ({each.title})\n"
        f"          android.text=String ({each.text})\n"
        "      }"
    )


def dump(run: Invocation, phone: Phone, args: list[str]) -> str:
    """`dumpsys notification [--noredact]`."""
    lines = ["Current Notification Manager state:", "  Notification List:"]
    lines += [record(each) for each in phone.system.notifications.list()]
    zen = phone.settings.get_int("global", "zen_mode")
    names = {0: "ZEN_MODE_OFF", 1: "ZEN_MODE_IMPORTANT_INTERRUPTIONS", 2: "ZEN_MODE_NO_INTERRUPTIONS"}
    lines += ["  ", "  Zen Mode:", f"    mZenMode={names.get(zen, 'ZEN_MODE_ALARMS')}"]
    return "\n".join(lines) + "\n"
