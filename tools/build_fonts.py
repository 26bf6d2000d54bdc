"""Rebuild the virtual phone's fonts from the published ones. Needed only to change the set of characters or icons.

Run in a virtualenv with `fonttools` and `brotli`:

    npm pack @expo-google-fonts/roboto@0.4.3 material-symbols@0.47.5   # unpack both
    apt-get download fonts-noto-core fonts-noto-cjk                    # unpack both into one folder
    python tools/build_fonts.py latin ROBOTO_PACKAGE_DIR SYMBOLS_PACKAGE_DIR
    python tools/build_fonts.py noto UNPACKED_DIR

Roboto is subset to Latin, Greek, Cyrillic, punctuation, currency and arrows; layout features are dropped because the
phone draws with Pillow's basic layout. Material Symbols becomes two static fonts, outlined and filled. Noto Sans CJK SC
is subset to the characters of GB 2312, kana and full-width forms; Noto Sans Arabic to Arabic with its presentation
forms, which the phone chooses by itself.
"""

import shutil
import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, TTFont
from fontTools.varLib.instancer import instantiateVariableFont

HERE = Path(__file__).parents[1] / "emulator_farm/virtual/assets"
WEIGHTS = {"regular": "400Regular", "medium": "500Medium", "bold": "700Bold"}
UNICODES = [
    *range(0x20, 0x7F),
    *range(0xA0, 0x180),
    0x192,
    *range(0x218, 0x21C),
    *range(0x2C6, 0x2DE),
    *range(0x370, 0x400),
    *range(0x400, 0x530),
    *range(0x1E80, 0x1E86),
    *range(0x1EA0, 0x1EFA),
    *range(0x2000, 0x2070),
    *range(0x2070, 0x2090),
    *range(0x20A0, 0x20C0),
    *range(0x2100, 0x2150),
    *range(0x2150, 0x2190),
    *range(0x2190, 0x2200),
    *range(0x2200, 0x2270),
    *range(0x25A0, 0x2600),
    0x2713,
    0xFFFD,
]
ARABIC = [0x20, *range(0x600, 0x700), *range(0xFB50, 0xFBB2), *range(0xFDF2, 0xFDFE), *range(0xFE70, 0xFEFD)]
CJK_FACE = 2
"""Noto Sans CJK SC inside the collection."""
ICONS = (Path(__file__).parent / "phone_icons.txt").read_text(encoding="ascii").split()


def subset(font: TTFont, unicodes: list[int]) -> None:
    """Keep only these code points, no layout features."""
    options = Options()
    options.layout_features = []
    options.name_IDs = [0, 1, 2, 4, 5, 6, 13, 14]
    options.notdef_outline = True
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "STAT"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=unicodes)
    subsetter.subset(font)


def build_roboto(source: Path) -> None:
    """Three weights of Roboto and their licence."""
    for weight, folder in WEIGHTS.items():
        font = TTFont(source / folder / f"Roboto_{folder}.ttf")
        subset(font, UNICODES)
        font.save(HERE / f"roboto_{weight}.ttf")
    shutil.copyfile(source / "LICENSE_FONT", HERE / "LICENSE-Roboto.txt")


def build_symbols(source: Path) -> None:
    """Outlined and filled icons, the table of their code points, and the licence."""
    points: dict[str, int] = {}
    for face, fill in (("outlined", 0), ("filled", 1)):
        font = TTFont(source / "material-symbols-outlined.woff2")
        by_name = {glyph: point for point, glyph in sorted(font.getBestCmap().items(), reverse=True)}
        unknown = [name for name in ICONS if name not in by_name]
        if unknown:
            raise SystemExit(f"not in the font: {' '.join(unknown)}")
        points = {name: by_name[name] for name in ICONS}
        font = instantiateVariableFont(font, {"FILL": fill, "wght": 400, "GRAD": 0, "opsz": 24})
        font.flavor = None
        subset(font, list(points.values()))
        font.save(HERE / f"symbols_{face}.ttf")
    lines = [f"{name} {point:x}\n" for name, point in sorted(points.items())]
    (HERE / "symbols.txt").write_text("".join(lines), encoding="ascii")
    shutil.copyfile(source / "LICENSE", HERE / "LICENSE-MaterialSymbols.txt")


def gb2312() -> list[int]:
    """Code points of the Chinese standard of 6,763 characters, with its punctuation and full-width forms."""
    pairs = (bytes((row, cell)) for row in range(0xA1, 0xF8) for cell in range(0xA1, 0xFF))
    return [ord(text) for text in (pair.decode("gb2312", "ignore") for pair in pairs) if len(text) == 1]


def ofl(source: Path) -> str:
    """The licence of the Noto fonts, out of the package's list of copyrights, whose dots stand for empty lines."""
    text = (source / "usr/share/doc/fonts-noto-core/copyright").read_text(encoding="utf-8")
    licence = next(part for part in text.split("\n\n") if part.startswith("License: OFL-1.1\n"))
    lines = [line[1:].replace(".", "", 1) if line == " ." else line[1:] for line in licence.splitlines()[1:]]
    holders = "Noto Sans CJK SC: © 2014-2021 Adobe\nNoto Sans Arabic: Copyright 2015-2020 Google LLC\n\n"
    return holders + "SIL OPEN FONT LICENSE Version 1.1\n\n" + "\n".join(lines) + "\n"


def build_noto(source: Path) -> None:
    """Chinese and Arabic, and their licence."""
    cjk = TTCollection(next(source.rglob("NotoSansCJK-Regular.ttc")), lazy=True).fonts[CJK_FACE]
    subset(cjk, [point for point in [*gb2312(), *range(0x3000, 0x3100), *range(0xFF01, 0xFFE7)] if point >= 0x2E80])
    cjk.save(HERE / "noto_sans_sc.otf")
    arabic = TTFont(next(source.rglob("NotoSansArabic-Regular.ttf")))
    subset(arabic, ARABIC)
    arabic.save(HERE / "noto_sans_arabic.ttf")
    (HERE / "LICENSE-NotoSans.txt").write_text(ofl(source), encoding="utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["latin", roboto, symbols]:
            build_roboto(Path(roboto))
            build_symbols(Path(symbols))
        case ["noto", unpacked]:
            build_noto(Path(unpacked))
        case _:
            raise SystemExit(__doc__)
