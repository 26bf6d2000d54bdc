"""`screencap` and `uiautomator dump`, as they should be and with every fault."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image, UnidentifiedImageError

Out = Callable[[str], str]
Sh = Any
SIGNATURE = b"\x89PNG\r\n\x1a\n"
OPEN_SETTINGS = "am start -n com.android.settings/.Settings > /dev/null 2>&1"


def _picture(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


class TestScreencap:
    def test_forms(self, sh: Sh, out: Out) -> None:
        png = sh("screencap -p").raw
        assert _picture(png).size == (1080, 2400)
        out("screencap -p /sdcard/a; screencap /sdcard/b.png; cd /sdcard; screencap c")
        assert sh("cat /sdcard/a").raw == png
        assert sh("cat /sdcard/b.png").raw == png
        assert sh("cat /sdcard/c").raw == sh("screencap").raw
        assert sh("screencap -d 4619827259835644672 -p; true").raw == png
        assert sh("screencap -a -p -d 0").raw == png

    def test_a_dark_screen_is_black(self, sh: Sh) -> None:
        sh("input keyevent 26")
        assert _picture(sh("screencap -p").raw).getextrema() == ((0, 0), (0, 0), (0, 0))

    @pytest.mark.parametrize(
        ("script", "error"),
        [
            ("screencap -p /nosuch/x.png", "Error opening file: /nosuch/x.png (No such file or directory)"),
            ("screencap /system/x", "Error opening file: /system/x (Read-only file system)"),
            ("screencap -d 7", "Display Id is not valid."),
            ("screencap -z", "screencap: invalid option -- z"),
            ("screencap -h", "usage: screencap"),
            ("screencap a b", "usage: screencap"),
        ],
    )
    def test_mistakes(self, sh: Sh, script: str, error: str) -> None:
        result = sh(script)
        assert (result.code, result.out) == (1, "")
        assert result.err.startswith(error)

    def test_latency(self, sh: Sh) -> None:
        assert sh("vphone latency capture=0.2; timeout 0.1 screencap -p").code == 124
        assert sh("timeout 5 screencap -p").raw.startswith(SIGNATURE)


class TestScreencapFaults:
    def _with(self, sh: Sh, fault: str, script: str = "screencap -p") -> Any:
        return sh(f"vphone fault screencap {fault}; {script}")

    def test_truncated(self, sh: Sh) -> None:
        whole = sh("screencap -p").raw
        assert self._with(sh, "truncated").raw == whole[: len(whole) * 2 // 3]
        with pytest.raises((OSError, SyntaxError)):
            _picture(sh("screencap -p").raw)
        assert len(sh("screencap").raw) == (1080 * 2400 * 4 + 16) * 2 // 3

    def test_empty(self, sh: Sh) -> None:
        result = self._with(sh, "empty")
        assert (result.code, result.raw) == (0, b"")

    def test_black(self, sh: Sh) -> None:
        image = _picture(self._with(sh, "black").raw)
        assert (image.size, image.getextrema()) == ((1080, 2400), ((0, 0), (0, 0), (0, 0)))
        raw = sh("screencap").raw
        assert raw[16:] == b"\0\0\0\xff" * (1080 * 2400)

    def test_wrong_size(self, sh: Sh) -> None:
        assert _picture(self._with(sh, "wrong_size").raw).size == (540, 1200)

    def test_warning_is_the_text_of_a_real_phone(self, sh: Sh) -> None:
        data = self._with(sh, "warning").raw
        corpus = Path(__file__).parents[2] / "corpus" / "transcripts" / "screencap_warning3_then_png.bin"
        assert data[:355] == corpus.read_bytes()[:355]
        assert data.index(SIGNATURE) == 347
        assert sh("screencap -d 0 -p").raw.startswith(SIGNATURE)

    def test_crlf(self, sh: Sh) -> None:
        whole = sh("screencap -p").raw
        mangled = self._with(sh, "crlf").raw
        assert mangled.startswith(b"\x89PNG\r\r\n\x1a\r\n")
        assert mangled.replace(b"\r\n", b"\n") == whole
        with pytest.raises(UnidentifiedImageError):
            _picture(mangled)

    def test_status(self, sh: Sh) -> None:
        result = self._with(sh, "status")
        assert (result.code, result.out, result.err) == (1, "", "Status: -1\n")

    def test_stale(self, sh: Sh) -> None:
        old = sh("screencap -p").raw
        assert self._with(sh, "stale", f"{OPEN_SETTINGS}; screencap -p").raw == old
        assert sh("screencap").raw[16:] == _picture(old).convert("RGBA").tobytes()
        sh("vphone fault clear")
        assert sh("screencap -p").raw != old

    def test_stale_without_an_earlier_frame(self, sh: Sh) -> None:
        assert _picture(self._with(sh, "stale").raw).size == (1080, 2400)

    def test_a_count_clears_the_fault(self, sh: Sh) -> None:
        sh("vphone fault screencap empty; vphone fault count 2")
        assert [len(sh("screencap -p").raw) > 0 for _ in range(3)] == [False, False, True]
        assert "screencap=\n" in sh("vphone faults").out


class TestUiautomator:
    def test_to_the_default_file(self, sh: Sh, out: Out) -> None:
        corpus = Path(__file__).parents[2] / "corpus" / "transcripts"
        assert out("uiautomator dump").strip() == (corpus / "uiautomator_dump_ok.txt").read_text().strip()
        root = ElementTree.fromstring(sh("cat /sdcard/window_dump.xml").raw)
        assert root.tag == "hierarchy"
        assert root.find(".//node") is not None

    def test_to_a_file_and_to_the_terminal(self, sh: Sh, out: Out) -> None:
        assert out("uiautomator dump --compressed /data/local/tmp/x.xml") == (
            "UI hierchary dumped to: /data/local/tmp/x.xml\n"
        )
        text = out("uiautomator dump /dev/tty")
        assert text.endswith("</hierarchy>UI hierchary dumped to: /dev/tty\n")
        assert text.startswith("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">")
        assert text.count("\n") == 1

    def test_faults_print_an_error_at_status_zero(self, sh: Sh) -> None:
        sh("uiautomator dump; rm /sdcard/window_dump.xml; vphone fault dump idle_error")
        result = sh("uiautomator dump")
        assert (result.code, result.out, result.err) == (0, "", "ERROR: could not get idle state.\n")
        sh("vphone fault dump null_root")
        assert sh("uiautomator dump").err == "ERROR: null root node returned by UiTestAutomationBridge.\n"
        assert sh("ls /sdcard/window_dump.xml").code == 1

    def test_stale(self, out: Out) -> None:
        old = out("uiautomator dump /dev/tty")
        assert out(f"vphone fault dump stale; {OPEN_SETTINGS}; uiautomator dump /dev/tty") == old
        assert out("vphone fault clear; uiautomator dump /dev/tty") != old

    def test_usage_and_mistakes(self, sh: Sh) -> None:
        assert sh("uiautomator").code == 1
        assert "creates an XML dump" in sh("uiautomator help").out
        assert "cannot run 'uiautomator runtest'" in sh("uiautomator runtest x.jar").err
        assert sh("uiautomator dump /system/x").err == "uiautomator: /system/x: Read-only file system\n"

    def test_latency(self, sh: Sh) -> None:
        assert sh("vphone latency dump=0.2; timeout 0.05 uiautomator dump").code == 124


class TestVphone:
    def test_faults(self, sh: Sh, out: Out) -> None:
        well = out("vphone faults")
        assert {"screencap=", "dump=", "input=", "offline_after=0", "count=0"} <= set(well.splitlines())
        assert "input=drop" in out("vphone fault input drop; vphone faults")
        assert "input=\n" in out("vphone fault input off; vphone faults")
        assert out("vphone fault dump stale; vphone fault clear; vphone faults") == well
        assert sh("vphone fault screencap sideways").err.startswith(
            "vphone: unknown screencap fault 'sideways'; known: "
        )
        assert sh("vphone fault frob x").err.startswith("vphone: unknown fault 'frob'; known: screencap, ")
        assert sh("vphone fault count many").err == "vphone: count needs a number, not 'many'\n"

    def test_latency(self, sh: Sh, out: Out) -> None:
        set_two = out("vphone latency capture=0.5 launch=2; vphone latency").splitlines()
        assert {"capture=0.5", "input=0", "dump=0", "launch=2", "link=0"} <= set(set_two)
        assert "unknown latency 'frob'" in sh("vphone latency frob=1").err
        assert "needs a number below 3600, not 'soon'" in sh("vphone latency input=soon").err
        assert "needs a number below 3600, not '-1'" in sh("vphone latency input=-1").err
        assert sh("vphone latency launch=0.2; timeout 0.05 am start -n com.android.settings/.Settings").code == 124
        assert sh("timeout 0.05 monkey -p com.android.settings 1").code == 124
        assert sh("vphone latency input=0.2; timeout 0.05 am broadcast -a ADB_KEYBOARD_HIDE").code == 124

    def test_usage(self, sh: Sh) -> None:
        result = sh("vphone")
        assert (result.code, "return to the factory state" in result.err) == (1, True)
