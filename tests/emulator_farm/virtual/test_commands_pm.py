"""Packages: listing, installing a real APK in every way that adb knows, resolving intents."""

import io
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from emulator_farm.virtual.apk import ApkInfo, BadApk, read_apk

Out = Callable[[str], str]
Sh = Any
Wired = Any
PACKAGE = "com.github.uiautomator"


def make_apk(package: str, version: int = 1, test_only: bool = False, utf16: bool = False) -> bytes:
    """A minimal APK: a binary manifest with a string pool and two elements, zipped."""
    names = ["package", "versionCode", "versionName", "testOnly", "manifest", "application", package, "1.2"]
    encoded = b""
    offsets = []
    for name in names:
        offsets.append(len(encoded))
        if utf16:
            encoded += struct.pack("<H", len(name)) + name.encode("utf-16-le") + b"\0\0"
        else:
            encoded += bytes([len(name), len(name.encode())]) + name.encode() + b"\0"
    encoded += bytes(-len(encoded) % 4)
    start = 28 + 4 * len(names)
    pool = struct.pack("<HHIIIIII", 1, 28, start + len(encoded), len(names), 0, 0 if utf16 else 0x100, start, 0)
    pool += struct.pack(f"<{len(names)}I", *offsets) + encoded
    none = 0xFFFFFFFF
    manifest = [(0, 6, 3, 6), (1, none, 0x10, version), (2, 7, 3, 7)]
    application = [(3, none, 0x12, none if test_only else 0)]

    def element(name: int, attributes: list[tuple[int, int, int, int]]) -> bytes:
        body = struct.pack("<IIHHHHHH", none, name, 20, 20, len(attributes), 0, 0, 0)
        for key, raw, kind, value in attributes:
            body += struct.pack("<IIIHBBI", none, key, raw, 8, 0, kind, value)
        return struct.pack("<HHIII", 0x102, 16, 16 + len(body), 1, none) + body

    chunks = pool + element(4, manifest) + element(5, application)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("AndroidManifest.xml", struct.pack("<HHI", 3, 8, 8 + len(chunks)) + chunks)
    return out.getvalue()


class TestApk:
    def test_a_real_one(self, uiautomator_apk: Path) -> None:
        info = read_apk(uiautomator_apk.read_bytes())
        assert info.package == PACKAGE
        assert re.fullmatch(r"[\d.]+", info.version_name)
        assert info.version_code > 0

    @pytest.mark.parametrize("utf16", [False, True])
    def test_made_ones(self, utf16: bool) -> None:
        assert read_apk(make_apk("org.é.x", 7, True, utf16)) == ApkInfo("org.é.x", 7, "1.2", True)
        assert not read_apk(make_apk("a.b", utf16=utf16)).test_only

    def test_a_long_name(self) -> None:
        name = "a." + "b" * 100
        assert read_apk(make_apk(name)).package == name

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"", "Failed to parse the APK"),
            (b"PK\x03\x04 no archive", "Failed to parse the APK"),
            (make_apk("a.b")[:-30], "Failed to parse the APK"),
            (make_apk(""), "names no package"),
        ],
    )
    def test_what_is_none(self, data: bytes, message: str) -> None:
        with pytest.raises(BadApk, match=message):
            read_apk(data)

    @pytest.mark.parametrize(
        ("manifest", "message"),
        [
            (b"<manifest/>  ", "not binary XML"),
            (b"\3\0", "Failed to parse AndroidManifest"),
            (b"\3\0\x08\0\x10\0\0\0\x01\0\x1c\0\xff\xff\0\0", "Failed to parse AndroidManifest"),
            (b"\3\0\x08\0\x10\0\0\0\x80\x01\x08\0\x04\0\0\0", "chunk of 4 bytes"),
        ],
    )
    def test_a_broken_manifest(self, manifest: bytes, message: str) -> None:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("AndroidManifest.xml", manifest)
        with pytest.raises(BadApk, match=message):
            read_apk(out.getvalue())

    def test_a_zip_without_a_manifest(self) -> None:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("other", b"")
        with pytest.raises(BadApk, match="AndroidManifest"):
            read_apk(out.getvalue())


class TestInstall:
    @pytest.mark.parametrize("how", [["install"], ["install", "--no-streaming"], ["install-multiple", "-r"]])
    def test_by_adb(self, wired: Wired, uiautomator_apk: Path, how: list[str]) -> None:
        result = wired(*how, str(uiautomator_apk))
        assert result.code == 0, result
        assert "Success" in result.out
        path = wired.shell(f"pm path {PACKAGE}").out.strip().removeprefix("package:")
        assert re.fullmatch(rf"/data/app/~~[^/]+/{PACKAGE}-[^/]+/base\.apk", path)
        assert wired("exec-out", f"cat '{path}'").raw == uiautomator_apk.read_bytes()
        assert PACKAGE in wired.shell("pm list packages -3").out
        assert wired("uninstall", PACKAGE).out == "Success\n"
        assert wired.shell(f"pm path {PACKAGE}").code == 1
        assert wired.shell(f"ls '{path}'").code == 1

    def test_by_adbutils(self, wired: Wired, uiautomator_apk: Path) -> None:
        device = wired.device()
        device.install(str(uiautomator_apk), nolaunch=True, uninstall=True, silent=True)
        info = device.app_info(PACKAGE)
        assert info is not None
        assert info.version_name == read_apk(uiautomator_apk.read_bytes()).version_name
        assert info.path.endswith("/base.apk")
        device.uninstall(PACKAGE)
        assert device.app_info(PACKAGE) is None

    def test_versions(self, sh: Sh, out: Out) -> None:
        def put(version: int, test_only: bool = False) -> None:
            sh("cat > /data/local/tmp/x.apk", stdin=make_apk("org.x", version, test_only))

        put(5)
        assert out("pm install /data/local/tmp/x.apk") == "Success\n"
        assert out("pm install -R /data/local/tmp/x.apk || true").startswith("Failure [INSTALL_FAILED_ALREADY_EXISTS")
        put(4)
        older = sh("pm install -r /data/local/tmp/x.apk")
        assert older.code == 1
        assert older.out.startswith("Failure [INSTALL_FAILED_VERSION_DOWNGRADE")
        assert out("pm install -r -d -g --user 0 /data/local/tmp/x.apk; dumpsys package org.x | grep versionCode") == (
            "Success\n    versionCode=4 minSdk=24 targetSdk=34\n"
        )
        put(9, test_only=True)
        assert sh("pm install /data/local/tmp/x.apk").out.startswith("Failure [INSTALL_FAILED_TEST_ONLY")
        assert out("pm install -t /data/local/tmp/x.apk") == "Success\n"

    def test_streams(self, sh: Sh) -> None:
        apk = make_apk("org.x")
        assert sh(f"cmd package install -S {len(apk)}", stdin=apk).out == "Success\n"
        assert "bytes but 10 are missing" in sh(f"pm install -S {len(apk) + 10}", stdin=apk).err
        assert "invalid size" in sh("pm install -S many").err
        assert "INSTALL_PARSE_FAILED_NOT_APK" in sh("pm install -S 4", stdin=b"junk").out

    def test_sessions(self, sh: Sh, out: Out) -> None:
        created = out("pm install-create -S 100 -r")
        number = re.fullmatch(r"Success: created install session \[(\d+)\]\n", created)
        assert number is not None
        session = number.group(1)
        base, split = make_apk("org.x"), make_apk("org.x", 2)
        assert sh(f"pm install-write -S {len(base)} {session} base.apk -", stdin=base).out == (
            f"Success: streamed {len(base)} bytes\n"
        )
        sh("cat > /data/local/tmp/split.apk", stdin=split)
        assert sh(f"pm install-write {session} split.apk /data/local/tmp/split.apk").code == 0
        assert out(f"pm install-commit {session}; pm path org.x").startswith("Success\npackage:/data/app/")
        assert "no open install session" in sh(f"pm install-commit {session}").err
        assert "no open install session" in sh("pm install-abandon x").err

    def test_sessions_that_fail(self, sh: Sh, out: Out) -> None:
        def create() -> str:
            found = re.search(r"\[(\d+)\]", out("pm install-create"))
            assert found is not None
            return found.group(1)

        assert "Session has no parts" in sh(f"pm install-commit {create()}").out
        assert out(f"pm install-abandon {create()}") == "Success\n"
        session = create()
        for package in ("org.x", "org.y"):
            apk = make_apk(package)
            sh(f"pm install-write -S {len(apk)} {session} {package} -", stdin=apk)
        assert "different packages" in sh(f"pm install-commit {session}").out
        assert "a part needs a name" in sh(f"pm install-write {create()}").err

    def test_mistakes(self, sh: Sh) -> None:
        assert "Unable to open file: /nosuch" in sh("pm install /nosuch").err
        assert "must either specify" in sh("pm install").err
        assert "Option -i needs a value" in sh("pm install -i").err


class TestLists:
    def test_packages(self, sh: Sh, out: Out) -> None:
        sh("cat > /data/local/tmp/x.apk; pm install /data/local/tmp/x.apk", stdin=make_apk("org.mine", 3))
        everything = out("pm list packages").splitlines()
        assert "package:com.android.settings" in everything
        assert out("pm list packages -3").splitlines() == ["package:com.github.uiautomator", "package:org.mine"]
        assert "org.mine" not in out("pm list packages -s")
        assert len(out("cmd package list packages -e").splitlines()) == len(everything)
        assert out("pm list packages -d") == ""
        assert out("pm list packages deskclock") == "package:com.android.deskclock\n"
        assert re.fullmatch(r"package:/\S+\.apk=com\.android\.deskclock\n", out("pm list packages -f deskclock"))
        assert out("pm list packages --show-versioncode -i mine") == "package:org.mine versionCode:3  installer=null\n"
        assert re.fullmatch(r"package:org\.mine uid:\d+\n", out("pm list packages -U --user 0 mine"))

    def test_other_lists(self, sh: Sh, out: Out) -> None:
        assert "feature:android.hardware.touchscreen" in out("pm list features")
        assert "UserInfo{0" in out("pm list users; pm list libraries; pm list permissions; pm list instrumentation")
        assert "unknown list type 'frob'" in sh("pm list frob").err
        assert (
            out("pm has-feature android.hardware.wifi; pm get-install-location; pm get-max-users")
            == "true\n0[auto]\n4\n"
        )
        assert sh("pm has-feature x.y").code == 1

    def test_clear_and_uninstall(self, sh: Sh, out: Out) -> None:
        assert out("pm clear com.android.settings") == "Success\n"
        assert sh("pm clear no.such").out == "Failed\n"
        assert sh("pm uninstall no.such").out == "Failure [not installed for 0]\n"
        assert sh("pm uninstall com.android.settings").out == "Failure [DELETE_FAILED_INTERNAL_ERROR]\n"
        assert out("pm uninstall --user 0 com.android.settings") == "Success\n"
        assert "com.android.settings" not in out("pm list packages")

    def test_permissions(self, sh: Sh, out: Out) -> None:
        out("pm grant com.android.contacts android.permission.CAMERA")
        assert "android.permission.CAMERA: granted=true" in out("dumpsys package com.android.contacts")
        out("pm revoke com.android.contacts android.permission.CAMERA")
        assert "CAMERA" not in out("pm dump com.android.contacts")
        assert "Unknown package: no.such" in sh("pm grant no.such android.permission.CAMERA").err
        assert "Unknown permission: camera" in sh("pm grant com.android.contacts camera").err
        assert sh("pm grant com.android.contacts").err == "Error: no permission specified\n"
        assert sh("pm grant").err == "Error: no package specified\n"

    @pytest.mark.parametrize(
        ("script", "error"),
        [
            ("pm frob", "Unknown command: frob"),
            ("pm path", 'Argument expected after "path"'),
            ("pm disable-user com.android.settings", "Shell cannot change component state"),
            ("pm resolve-activity --frob", "Error: Unknown option: --frob"),
        ],
    )
    def test_mistakes(self, sh: Sh, script: str, error: str) -> None:
        result = sh(script)
        assert result.code == 255
        assert error in result.out + result.err

    def test_usage_and_quiet_ones(self, sh: Sh, out: Out) -> None:
        assert sh("pm").code == 255
        assert "resolve-activity" in out("pm help")
        assert out("pm trim-caches 1G; pm compile -a") == "Success\nSuccess\n"


class TestIntents:
    LAUNCHER = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"

    def test_query(self, out: Out) -> None:
        components = out(f"cmd package query-activities --components {self.LAUNCHER}").splitlines()
        assert "com.android.settings/.Settings" in components
        brief = out(f"cmd package query-activities --brief {self.LAUNCHER}").splitlines()
        assert brief[0] == f"{len(components)} activities found:"
        assert brief[1:4] == [
            "  Activity #0:",
            "    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true",
            f"    {components[0]}",
        ]
        full = out(f"pm query-activities --user 0 {self.LAUNCHER}")
        assert full.count("ActivityInfo:") == len(components)
        assert out("pm query-activities -a no.such.ACTION") == "No activities found\n"

    def test_resolve(self, out: Out) -> None:
        assert out("cmd package resolve-activity --brief com.android.settings").splitlines()[-1] == (
            "com.android.settings/.Settings"
        )
        assert out("cmd package resolve-activity --components -n com.android.settings/.Settings") == (
            "com.android.settings/.Settings\n"
        )
        full = out(f"cmd package resolve-activity {self.LAUNCHER} com.android.settings")
        assert full.splitlines()[:4] == [
            "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true",
            "ActivityInfo:",
            "  name=com.android.settings.Settings",
            "  packageName=com.android.settings",
        ]
        assert out("cmd package resolve-activity -a no.such.ACTION") == "No activity found\n"
