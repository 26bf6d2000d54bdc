"""Names of users and groups, and sizes for people."""

OWNERS = {
    0: "root",
    1000: "system",
    1001: "radio",
    1015: "sdcard_rw",
    1023: "media_rw",
    2000: "shell",
    9997: "everybody",
}


def owner_name(uid: int) -> str:
    """Name of a user or group; apps are `u0_aNNN`."""
    return OWNERS.get(uid) or (f"u0_a{uid - 10000}" if uid >= 10000 else str(uid))


def human_size(size: int) -> str:
    """Three digits and a unit, as `ls -h` and `df -h` print sizes."""
    value = float(size)
    for unit in ("", "K", "M", "G"):
        if value < 1000:
            return f"{value:.1f}{unit}" if unit and value < 10 else f"{value:.0f}{unit}"
        value /= 1024
    return f"{value:.1f}T"
