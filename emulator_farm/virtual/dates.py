"""Dates and times in the words of a language; the system's own screens and the home screen use them."""

from datetime import datetime

_WEEKDAYS = {
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    "ar": ("الاثنين", "الثلاثاء", "الأربعاء", "الخميس", "الجمعة", "السبت", "الأحد"),
}
_MONTHS_AR = (
    "يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر",
)  # fmt: skip
_HALVES = {"zh": ("上午", "下午"), "ar": ("ص", "م")}


def language(locale: str) -> str:
    """The language of a locale tag: `zh` of `zh-Hans-CN`."""
    return locale.replace("_", "-").partition("-")[0].lower()


def weekday_date(now: datetime, locale: str, full: bool = False) -> str:
    """`Thu, Oct 15` (`Thursday, Oct 15` where `full`), `10月15日星期四`, `الخميس، 15 أكتوبر`."""
    match language(locale):
        case "zh":
            return f"{now.month}月{now.day}日{_WEEKDAYS['zh'][now.weekday()]}"
        case "ar":
            return f"{_WEEKDAYS['ar'][now.weekday()]}، {now.day} {_MONTHS_AR[now.month - 1]}"
        case _:
            return f"{now:%A}, {now:%b} {now.day}" if full else f"{now:%a}, {now:%b} {now.day}"


def half_day(text: str, hour: int, locale: str) -> str:
    """A time on a 12-hour clock with its half of the day: `3:34 PM`, `下午3:34`, `3:34 م`."""
    halves = _HALVES.get(language(locale), ("AM", "PM"))
    half = halves[hour >= 12]
    return f"{half}{text}" if language(locale) == "zh" else f"{text} {half}"
