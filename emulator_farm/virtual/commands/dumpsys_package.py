"""`dumpsys package NAME` and `pm dump NAME`."""

from datetime import UTC, datetime

from emulator_farm.virtual.packages import Package
from emulator_farm.virtual.permission_dialog import ALWAYS_ASKED
from emulator_farm.virtual.phone import Phone


def describe_package(phone: Phone, name: str) -> str:
    """The sections that tools read, or the line that says it is not there."""
    package = phone.packages.find(name)
    if package is None:
        return f"Unable to find package: {name}\n"
    installed = _time_of(phone, package)
    flags = "SYSTEM HAS_CODE ALLOW_CLEAR_USER_DATA" if package.system else "HAS_CODE ALLOW_CLEAR_USER_DATA"
    runtime = sorted({*package.requested, *package.permissions})
    code_path = package.apk_path.rsplit("/", 1)[0]
    lines = ["Activity Resolver Table:", "  Non-Data Actions:"]
    for activity in package.activities:
        for action in activity.actions:
            lines += [f"      {action}:", f"        {stable_hash(activity.component.short)} {activity.component.short}"]
            if activity.launcher:
                lines.append('          Category: "android.intent.category.LAUNCHER"')
    lines += [
        "",
        "Packages:",
        f"  Package [{name}] ({stable_hash(name)}):",
        f"    userId={package.uid}",
        f"    pkg=Package{{{stable_hash(name + 'p')} {name}}}",
        f"    codePath={code_path}",
        f"    resourcePath={code_path}",
        f"    versionCode={package.version_code} minSdk=24 targetSdk=34",
        f"    versionName={package.version_name or 'null'}",
        f"    flags=[ {flags} ]",
        f"    pkgFlags=[ {flags} ]",
        f"    dataDir=/data/user/0/{name}",
        "    supportsScreens=[small, medium, large, xlarge, resizeable, anyDensity]",
        f"    timeStamp={installed}",
        f"    firstInstallTime={installed}",
        f"    lastUpdateTime={installed}",
        f"    signatures=PackageSignatures{{{stable_hash(name + 's')} version:2, "
        f"signatures:[{stable_hash(name + 'k')}], past signatures:[]}}",
        *(["    requested permissions:"] if package.requested else []),
        *(f"      {permission}" for permission in package.requested),
        "    installPermissionsFixed=true",
        f"    User 0: ceDataInode={package.uid} installed=true hidden=false suspended=false stopped=false enabled=0",
        "      gids=[3003]",
        "      runtime permissions:",
        *(f"        {permission}: {_grant(package, permission)}" for permission in runtime),
    ]
    return "\n".join(lines) + "\n"


def _grant(package: Package, permission: str) -> str:
    flags = ["USER_SET"] if permission in package.permissions or permission in package.refused else []
    if package.refused.count(permission) >= ALWAYS_ASKED:
        flags = ["USER_FIXED"]
    if permission in package.once:
        flags.append("ONE_TIME")
    granted = str(permission in package.permissions).lower()
    return f"granted={granted}, flags=[ {'|'.join(flags) + ' ' if flags else ''}]"


def _time_of(phone: Phone, package: Package) -> str:
    if phone.files.exists(package.apk_path):
        return datetime.fromtimestamp(phone.files.stat(package.apk_path).mtime, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return "2009-01-01 00:00:00"


def stable_hash(text: str) -> str:
    """A stable stand-in for an object's identity."""
    value = 2166136261
    for byte in text.encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFF
    return f"{value:x}"
