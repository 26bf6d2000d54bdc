"""Date & time: where the clock comes from and how it is written."""

from collections.abc import Sequence
from datetime import UTC, datetime

from emulator_farm.virtual.apps.settings.page import Page, plain
from emulator_farm.virtual.dialogs import TextPrompt
from emulator_farm.virtual.material import section, switch_item
from emulator_farm.virtual.time_picker import TimePicker
from emulator_farm.virtual.widgets import Widget

DATE_FORM = "%Y-%m-%d"


class DateTime(Page):
    """The clock's settings. Date and time can be set by hand while they are not set automatically."""

    title = "Date & time"

    def rows(self) -> Sequence[Widget]:
        """Time, zone, format."""
        system = self.system
        now = system.now()
        manual = not system.flag("global", "auto_time")
        return (
            self.toggle("Set time automatically", "global/auto_time", then=self._automatic),
            plain("Date", f"{now:%B} {now.day}, {now.year}", self._ask_date, enabled=manual),
            plain("Time", system.clock_text(now.hour, now.minute), self._ask_time, enabled=manual),
            section("Time zone"),
            self.toggle("Set time zone automatically", "global/auto_time_zone"),
            plain("Time zone", "GMT+00:00 Coordinated Universal Time"),
            section("Time format"),
            switch_item(
                "Use 24-hour format",
                system.uses_24_hours,
                self._set_form,
                "13:00" if system.uses_24_hours else "1:00 PM",
            ),
        )

    def _automatic(self, on: bool) -> None:
        if on:
            self.system.clock.set_time(datetime.now(UTC))

    def _set_form(self, long: bool) -> None:
        self.system.settings.put("system", "time_12_24", "24" if long else "12")

    def _ask_time(self) -> None:
        now = self.system.now()
        self.show(TimePicker(self.system, now.hour, now.minute, self._set_time, self.dismiss).popup())

    def _set_time(self, hour: int, minute: int) -> None:
        self.system.clock.set_time(self.system.now().replace(hour=hour, minute=minute, second=0))
        self.dismiss()

    def _ask_date(self) -> None:
        today = f"{self.system.now():{DATE_FORM}}"
        self.show(TextPrompt("Set date", today, self._set_date, self.dismiss, hint="YYYY-MM-DD").popup())

    def _set_date(self, text: str) -> None:
        try:
            date = datetime.strptime(text, DATE_FORM)
        except ValueError:
            self.system.toast("Enter the date as YYYY-MM-DD")
            return
        now = self.system.now()
        self.system.clock.set_time(now.replace(year=date.year, month=date.month, day=date.day))
        self.dismiss()
