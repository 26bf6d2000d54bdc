"""The directories a booted Android has, and who may touch what in them."""

import errno
import os
import uuid

from .files import FileTree
from .phone import Phone

DIRECTORIES = (
    "/acct", "/apex", "/cache", "/config", "/data/adb", "/data/anr", "/data/app", "/data/data", "/data/local/tmp",
    "/data/media", "/data/misc", "/data/system", "/data/user", "/dev", "/mnt", "/odm", "/oem", "/proc", "/product",
    "/storage/emulated/0", "/storage/self", "/sys", "/system/app", "/system/bin", "/system/etc", "/system/framework",
    "/system/lib64", "/system/priv-app", "/system_ext", "/vendor/bin",
)  # fmt: skip
SHARED = (
    "Alarms",
    "Android/data",
    "DCIM",
    "Documents",
    "Download",
    "Movies",
    "Music",
    "Notifications",
    "Pictures",
    "Podcasts",
)
LINKS = {
    "/sdcard": "/storage/self/primary",
    "/storage/self/primary": "/storage/emulated/0",
    "/data/user/0": "/data/data",
    "/bin": "/system/bin",
    "/etc": "/system/etc",
    "/d": "/sys/kernel/debug",
}
MEDIA_RW = (0, 1015)
SHELL = (2000, 2000)

PRIVATE = ("/data/adb", "/data/data", "/data/misc", "/data/system", "/data/user")
UNLISTED = ("/data", "/data/app", "/data/local")
WRITABLE = ("/storage/emulated/0", "/data/local/tmp")
WRITABLE_BY_ROOT = ("/data", "/storage", "/mnt", "/cache", "/dev", "/config", "/sys", "/proc")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/dev/tty", "/dev/stdin", "/dev/stdout",
           "/dev/stderr")  # fmt: skip


def populate(phone: Phone) -> None:
    """Make what is missing; what exists stays."""
    files = phone.files
    for path in DIRECTORIES:
        files.mkdir(path, parents=True)
    for path, target in LINKS.items():
        if not files.is_there(path):
            files.symlink(target, path)
    for path in list(files.walk("/storage/emulated/0")):
        files.chown(path, *MEDIA_RW)
    files.chmod("/storage/emulated/0", 0o2770)
    files.chown("/data/local/tmp", *SHELL)
    files.chmod("/data/local/tmp", 0o771)
    for name in SHARED:
        files.mkdir(f"/storage/emulated/0/{name}", parents=True)
    for name in DEVICES[:5]:
        files.write(name, b"", 0o666)
    files.write(
        "/proc/version", b"Linux version 6.1.23-android14-4 (virtual phone, not a kernel) #1 SMP PREEMPT\n", 0o444
    )
    files.write(
        "/proc/meminfo",
        b"MemTotal:        2097152 kB\nMemFree:         1048576 kB\nMemAvailable:    1572864 kB\n",
        0o444,
    )
    boot(files)
    files.write("/system/build.prop", "".join(f"{k}={v}\n" for k, v in sorted(phone.props.items())).encode(), 0o600)


def boot(files: FileTree) -> None:
    """What the kernel makes anew at every start: the id of this boot, by which a restart can be told."""
    files.mkdir("/proc/sys/kernel/random", parents=True)
    files.write("/proc/sys/kernel/random/boot_id", f"{uuid.uuid4()}\n".encode(), 0o444)


def wipe(files: FileTree) -> None:
    """Remove what users and apps have stored; directories of the system stay."""
    for top in ("/storage/emulated/0", "/data/local/tmp", "/data/app", "/data/data"):
        for name in files.list(top) if files.is_dir(top) else []:
            files.remove(f"{top}/{name}", recursive=True)


def _below(path: str, tops: tuple[str, ...]) -> bool:
    return any(path == top or path.startswith(top + "/") for top in tops)


def _real(files: FileTree, path: str) -> str:
    """`path` without links; what does not exist yet is kept as it stands."""
    rest = ""
    while True:
        try:
            return files.resolve(path).rstrip("/") + rest or "/"
        except FileNotFoundError:
            path, _, name = path.rstrip("/").rpartition("/")
            path, rest = path or "/", f"/{name}{rest}"


def check_read(files: FileTree, path: str, uid: int) -> None:
    """Raise PermissionError where a user may not look: app data is closed to all but root."""
    if uid != 0 and _below(_real(files, path), PRIVATE):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def check_list(files: FileTree, path: str, uid: int) -> None:
    """As `check_read`, for the names in a directory."""
    check_read(files, path, uid)
    if uid != 0 and _real(files, path) in UNLISTED:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def check_write(files: FileTree, path: str, uid: int, remounted: bool = False, parents: bool = False) -> None:
    """Raise OSError (EACCES, EROFS) where a user may not create, change or remove `path`.

    A missing directory above is ENOENT, unless `parents` says that it would be made too.
    """
    real = _real(files, path) if parents else files.resolve(path)
    if real in DEVICES or _below(real, WRITABLE) or (uid == 0 and (remounted or _below(real, WRITABLE_BY_ROOT))):
        return
    code = errno.EACCES if _below(real, WRITABLE_BY_ROOT) else errno.EROFS
    raise OSError(code, os.strerror(code), path)
