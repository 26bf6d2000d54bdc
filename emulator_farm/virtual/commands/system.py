"""Commands about the system: user, kernel, processes, disks, power."""

import re
from collections.abc import Iterator

from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError, on_phone

from .options import parse_options
from .owners import human_size, owner_name

GROUPS = "1004(input),1007(log),1011(adb),1015(sdcard_rw),1028(sdcard_r),1078(ext_data_rw),1079(ext_obb_rw)"
DAEMONS = (
    ("root", 1, 0, "init"),
    ("root", 2, 0, "[kthreadd]"),
    ("logd", 180, 1, "logd"),
    ("system", 290, 1, "surfaceflinger"),
    ("root", 310, 1, "zygote64"),
    ("shell", 420, 1, "adbd"),
    ("system", 520, 310, "system_server"),
    ("u0_a51", 760, 310, "com.android.systemui"),
)
SIGNALS = (
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM",
    "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO",
    "PWR", "SYS",
)  # fmt: skip
SIGTERM = 15


async def id_tool(run: Invocation) -> int:
    """Who runs this: -u, -g, -n, -G."""
    options, _ = parse_options(run, "ugnGrZ")
    uid = run.shell.uid
    name = owner_name(uid)
    if options & set("ugG"):
        run.line(name if "n" in options else str(uid))
        return 0
    context = f"context=u:r:{'su' if uid == 0 else 'shell'}:s0"
    groups = f"groups={uid}({name})" + ("" if uid == 0 else f",{GROUPS}")
    run.line(f"uid={uid}({name}) gid={uid}({name}) {groups} {context}")
    return 0


async def whoami(run: Invocation) -> int:
    """The user's name."""
    run.line(owner_name(run.shell.uid))
    return 0


@on_phone
def uname(run: Invocation) -> int:
    """The kernel, which is none: -a -m -n -r -s."""
    options, _ = parse_options(run, "amnrsvo")
    fields = {
        "s": "Linux",
        "n": "localhost",
        "r": "6.1.23-android14-4",
        "v": "#1 SMP PREEMPT virtual phone",
        "m": run.phone.props.get("ro.product.cpu.abi", "x86_64").replace("-v8a", ""),
        "o": "Toybox",
    }
    letters = "snrvmo" if "a" in options else "".join(letter for letter in "snrvmo" if letter in options) or "s"
    run.line(" ".join(fields[letter] for letter in letters))
    return 0


# -- processes


def processes(run: Invocation) -> Iterator[tuple[str, int, int, str]]:
    """(user, pid, parent, name) of the daemons, of every running app and of what shells keep running."""
    yield from DAEMONS
    for package in run.phone.packages.list():
        pid = run.phone.pid(package.name)
        if pid is not None:
            yield owner_name(package.uid), pid, 310, package.name
    for process in run.handset.processes:
        yield owner_name(process.uid), process.pid, 420, process.name


@on_phone
def ps(run: Invocation) -> int:
    """List processes; -o picks columns of USER, PID, PPID, NAME."""
    args = list(run.args)
    columns = ["USER", "PID", "PPID", "VSZ", "RSS", "WCHAN", "ADDR", "S", "NAME"]
    if "-o" in args[:-1]:
        columns = [name.upper() for name in args[args.index("-o") + 1].split(",")]
    everything = any(arg.startswith("-") and set(arg[1:]) & set("AeoT") for arg in args) or not args
    rows = [
        {"USER": user, "PID": str(pid), "PPID": str(ppid), "VSZ": "13804592", "RSS": "98304", "WCHAN": "0",
         "ADDR": "0", "S": "S", "NAME": name, "CMD": name, "ARGS": name, "CMDLINE": name}
        for user, pid, ppid, name in processes(run)
        if everything or name in args or str(pid) in args
    ]  # fmt: skip
    unknown = [column for column in columns if rows and column not in rows[0]]
    if unknown:
        raise ToolError(f"bad -o {unknown[0]}")
    widths = {"USER": -12, "PID": 6, "PPID": 6, "VSZ": 10, "RSS": 6, "WCHAN": -10, "ADDR": 10}
    for row in [{column: column for column in columns}, *rows]:
        run.line(" ".join(_cell(row[column], widths.get(column, 0)) for column in columns))
    return 0


def _cell(text: str, width: int) -> str:
    return text.ljust(-width) if width < 0 else text.rjust(width)


@on_phone
def pidof(run: Invocation) -> int:
    """Process ids by name."""
    names = [arg for arg in run.args if not arg.startswith("-")]
    found = [str(pid) for _, pid, _, name in processes(run) if name in names]
    if found:
        run.line(" ".join(found))
    return int(not found)


@on_phone
def pgrep(run: Invocation) -> int:
    """Process ids by a pattern of the name: -f, -l."""
    options, operands = parse_options(run, "flxn")
    lines = _lines(run) if "f" in options else {}
    everything = [(pid, lines.get(pid, name)) for _, pid, _, name in processes(run)]
    found = [(pid, line) for pid, line in everything if operands and re.search(operands[0], line)]
    for pid, name in found:
        run.line(f"{pid} {name}" if "l" in options else str(pid))
    return int(not found)


def _lines(run: Invocation) -> dict[int, str]:
    return {process.pid: process.line for process in run.handset.processes}


def _signal(run: Invocation) -> tuple[int, list[str]]:
    """The signal of `-9`, `-KILL`, `-SIGKILL` or `-s KILL`, and the other words."""
    args = [arg for arg in run.args if arg not in ("-f", "-x", "-q", "-v", "-w")]
    signal = SIGTERM
    targets: list[str] = []
    while args:
        arg = args.pop(0)
        if arg == "-s" and args:
            signal = _signal_number(run, args.pop(0))
        elif arg.startswith("-") and len(arg) > 1 and not targets:
            signal = _signal_number(run, arg[1:])
        else:
            targets.append(arg)
    return signal, targets


def _signal_number(run: Invocation, text: str) -> int:
    name = text.upper().removeprefix("SIG")
    if name.isdecimal() and int(name) < 65:
        return int(name)
    if name not in SIGNALS:
        raise ToolError(f"bad -s '{text}'")
    return SIGNALS.index(name) + 1


@on_phone
def kill(run: Invocation) -> int:
    """End an app or a program by its process id, by name with `killall` and `pkill`, by its line with `pkill -f`."""
    if run.args[:1] == ["-l"]:
        run.line(" ".join(SIGNALS))
        return 0
    signal, targets = _signal(run)
    if not targets:
        raise ToolError(f'Needs 1 argument (see "{run.name} --help")')
    status = 0
    apps = {package.name for package in run.phone.packages.list()}
    programs = {process.pid: process for process in run.handset.processes}
    lines = _lines(run) if run.name == "pkill" and "-f" in run.args else {}
    for target in targets:
        found = [
            entry
            for entry in processes(run)
            if target in (str(entry[1]), entry[3]) or (entry[1] in lines and re.search(target, lines[entry[1]]))
        ]
        if not found:
            run.complain(f"bad pid '{target}'" if run.name != "kill" else f"{target}: No such process")
            status = 1
        for user, pid, _, name in found:
            allowed = run.shell.uid == 0 or user == owner_name(run.shell.uid)
            if allowed and signal == 0:
                continue
            if allowed and pid in programs:
                programs[pid].kill(signal)
            elif allowed and name in apps:
                run.phone.force_stop(name)
            else:
                run.complain(f"{target}: Operation not permitted")
                status = 1
    return status


# -- disks


@on_phone
def df(run: Invocation) -> int:
    """Space of the file tree: -h, -k."""
    options, _ = parse_options(run, "hkHPa")
    files = run.files
    total, used = files.capacity, files.used
    if "h" in options:
        sizes = [human_size(value) for value in (total, used, total - used)]
    else:
        sizes = [str(value // 1024) for value in (total, used, total - used)]
    percent = f"{100 * used // total}%"
    run.line(
        f"{'Filesystem':<15} {'Size' if 'h' in options else '1K-blocks':>9} {'Used':>9} {'Avail':>9} Use% Mounted on"
    )
    for device, place in (("/dev/block/dm-5", "/data"), ("/dev/fuse", "/storage/emulated")):
        run.line(f"{device:<15} {sizes[0]:>9} {sizes[1]:>9} {sizes[2]:>9} {percent:>4} {place}")
    return 0


@on_phone
def du(run: Invocation) -> int:
    """Space of files: -s, -h, -k."""
    options, paths = parse_options(run, "shkac", "d")
    for path in paths or ["."]:
        absolute = run.listable(path)
        size = sum(run.files.stat(each, follow=False).size for each in run.files.walk(absolute))
        run.line(f"{human_size(size) if 'h' in options else -(-size // 1024)}\t{path}")
    return 0


@on_phone
def free(run: Invocation) -> int:
    """Memory, which is made up."""
    run.line("\t\ttotal        used        free      shared     buffers")
    run.line("Mem:       2147483648  1073741824  1073741824     2097152     8388608")
    run.line("Swap:      1610612736           0  1610612736")
    return 0


# -- power


async def reboot(run: Invocation) -> int:
    """Restart the phone; the connection drops."""
    await run.handset.reboot()
    return 0


async def remount(run: Invocation) -> int:
    """Make the system partitions writable; only root may."""
    if run.shell.uid != 0:
        raise ToolError('Not running as root. Try "adb root" first.', prefix="")
    run.handset.remounted = True
    run.line("remount succeeded")
    return 0


async def screenrecord(run: Invocation) -> int:
    """There is no video encoder on this phone."""
    raise ToolError("Unable to get output buffers (err=-38): this virtual phone has no video encoder", prefix="")


async def getenforce(run: Invocation) -> int:
    """The SELinux mode that such a phone would have."""
    run.line("Enforcing")
    return 0


@on_phone
def uptime(run: Invocation) -> int:
    """Time since boot."""
    seconds = int(run.phone.clock.uptime_s())
    now = run.phone.clock.now().strftime("%H:%M:%S")
    run.line(f" {now} up {seconds // 60} min,  0 users,  load average: 0.00, 0.00, 0.00")
    return 0


async def ifconfig(run: Invocation) -> int:
    """The network of a stock emulator; this phone has none of its own."""
    if run.name == "ip":
        run.line(
            "2: wlan0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc pfifo_fast state UP group default qlen 1000"
        )
        run.line("    inet 10.0.2.16/24 brd 10.0.2.255 scope global wlan0")
        return 0
    run.line("wlan0     Link encap:Ethernet  HWaddr 02:15:b2:00:00:00")
    run.line("          inet addr:10.0.2.16  Bcast:10.0.2.255  Mask:255.255.255.0")
    return 0


@on_phone
def service(run: Invocation) -> int:
    """`service list`, `service check NAME`, and the shade by `service call statusbar 1|2`."""
    from .dumpsys import SERVICES

    match run.args:
        case ["list"]:
            run.line(f"Found {len(SERVICES)} services:")
            for index, name in enumerate(sorted(SERVICES)):
                run.line(f"{index}\t{name}: []")
        case ["check", name]:
            run.line(f"Service {name}: {'found' if name in SERVICES else 'not found'}")
        case ["call", "statusbar", "1" | "2" as code, *_]:
            run.phone.ui.expand() if code == "1" else run.phone.ui.collapse()
            run.line("Result: Parcel(00000000    '....')")
        case _:
            raise ToolError("Unknown or unsupported service command", code=10)
    return 0


async def silent(run: Invocation) -> int:
    """Nothing to do on this phone."""
    return 0


TOOLS: dict[str, Tool] = {
    "df": df, "du": du, "free": free, "getenforce": getenforce, "id": id_tool, "ifconfig": ifconfig, "ip": ifconfig,
    "kill": kill, "killall": kill, "pgrep": pgrep, "pidof": pidof, "pkill": kill,
    "ps": ps, "reboot": reboot, "remount": remount, "screenrecord": screenrecord, "service": service, "sync": silent,
    "uname": uname, "uptime": uptime, "whoami": whoami,
}  # fmt: skip
