"""The virtual phone: a device that speaks the ADB wire protocol and looks like a plain Android 14."""
