from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Nothing(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Rotation(_message.Message):
    __slots__ = ("rotation",)
    class SkinRotation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PORTRAIT: _ClassVar[Rotation.SkinRotation]
        LANDSCAPE: _ClassVar[Rotation.SkinRotation]
        REVERSE_PORTRAIT: _ClassVar[Rotation.SkinRotation]
        REVERSE_LANDSCAPE: _ClassVar[Rotation.SkinRotation]
    PORTRAIT: Rotation.SkinRotation
    LANDSCAPE: Rotation.SkinRotation
    REVERSE_PORTRAIT: Rotation.SkinRotation
    REVERSE_LANDSCAPE: Rotation.SkinRotation
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    rotation: Rotation.SkinRotation
    def __init__(self, rotation: _Optional[_Union[Rotation.SkinRotation, str]] = ...) -> None: ...

class ImageFormat(_message.Message):
    __slots__ = ("format", "rotation", "width", "height", "display")
    class ImgFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PNG: _ClassVar[ImageFormat.ImgFormat]
        RGBA8888: _ClassVar[ImageFormat.ImgFormat]
        RGB888: _ClassVar[ImageFormat.ImgFormat]
    PNG: ImageFormat.ImgFormat
    RGBA8888: ImageFormat.ImgFormat
    RGB888: ImageFormat.ImgFormat
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_FIELD_NUMBER: _ClassVar[int]
    format: ImageFormat.ImgFormat
    rotation: Rotation
    width: int
    height: int
    display: int
    def __init__(self, format: _Optional[_Union[ImageFormat.ImgFormat, str]] = ..., rotation: _Optional[_Union[Rotation, _Mapping]] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., display: _Optional[int] = ...) -> None: ...

class Image(_message.Message):
    __slots__ = ("format", "image", "seq", "timestampUs")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMPUS_FIELD_NUMBER: _ClassVar[int]
    format: ImageFormat
    image: bytes
    seq: int
    timestampUs: int
    def __init__(self, format: _Optional[_Union[ImageFormat, _Mapping]] = ..., image: _Optional[bytes] = ..., seq: _Optional[int] = ..., timestampUs: _Optional[int] = ...) -> None: ...

class Touch(_message.Message):
    __slots__ = ("x", "y", "identifier", "pressure")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    IDENTIFIER_FIELD_NUMBER: _ClassVar[int]
    PRESSURE_FIELD_NUMBER: _ClassVar[int]
    x: int
    y: int
    identifier: int
    pressure: int
    def __init__(self, x: _Optional[int] = ..., y: _Optional[int] = ..., identifier: _Optional[int] = ..., pressure: _Optional[int] = ...) -> None: ...

class TouchEvent(_message.Message):
    __slots__ = ("touches", "display")
    TOUCHES_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_FIELD_NUMBER: _ClassVar[int]
    touches: _containers.RepeatedCompositeFieldContainer[Touch]
    display: int
    def __init__(self, touches: _Optional[_Iterable[_Union[Touch, _Mapping]]] = ..., display: _Optional[int] = ...) -> None: ...

class MouseEvent(_message.Message):
    __slots__ = ("x", "y", "buttons", "display")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    BUTTONS_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_FIELD_NUMBER: _ClassVar[int]
    x: int
    y: int
    buttons: int
    display: int
    def __init__(self, x: _Optional[int] = ..., y: _Optional[int] = ..., buttons: _Optional[int] = ..., display: _Optional[int] = ...) -> None: ...

class KeyboardEvent(_message.Message):
    __slots__ = ("codeType", "eventType", "keyCode", "key", "text")
    class KeyCodeType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        Usb: _ClassVar[KeyboardEvent.KeyCodeType]
        Evdev: _ClassVar[KeyboardEvent.KeyCodeType]
        XKB: _ClassVar[KeyboardEvent.KeyCodeType]
        Win: _ClassVar[KeyboardEvent.KeyCodeType]
        Mac: _ClassVar[KeyboardEvent.KeyCodeType]
    Usb: KeyboardEvent.KeyCodeType
    Evdev: KeyboardEvent.KeyCodeType
    XKB: KeyboardEvent.KeyCodeType
    Win: KeyboardEvent.KeyCodeType
    Mac: KeyboardEvent.KeyCodeType
    class KeyEventType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        keydown: _ClassVar[KeyboardEvent.KeyEventType]
        keyup: _ClassVar[KeyboardEvent.KeyEventType]
        keypress: _ClassVar[KeyboardEvent.KeyEventType]
    keydown: KeyboardEvent.KeyEventType
    keyup: KeyboardEvent.KeyEventType
    keypress: KeyboardEvent.KeyEventType
    CODETYPE_FIELD_NUMBER: _ClassVar[int]
    EVENTTYPE_FIELD_NUMBER: _ClassVar[int]
    KEYCODE_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    codeType: KeyboardEvent.KeyCodeType
    eventType: KeyboardEvent.KeyEventType
    keyCode: int
    key: str
    text: str
    def __init__(self, codeType: _Optional[_Union[KeyboardEvent.KeyCodeType, str]] = ..., eventType: _Optional[_Union[KeyboardEvent.KeyEventType, str]] = ..., keyCode: _Optional[int] = ..., key: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class Entry(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: str
    def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class EntryList(_message.Message):
    __slots__ = ("entry",)
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    entry: _containers.RepeatedCompositeFieldContainer[Entry]
    def __init__(self, entry: _Optional[_Iterable[_Union[Entry, _Mapping]]] = ...) -> None: ...

class EmulatorStatus(_message.Message):
    __slots__ = ("version", "uptime", "booted", "hardwareConfig")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    UPTIME_FIELD_NUMBER: _ClassVar[int]
    BOOTED_FIELD_NUMBER: _ClassVar[int]
    HARDWARECONFIG_FIELD_NUMBER: _ClassVar[int]
    version: str
    uptime: int
    booted: bool
    hardwareConfig: EntryList
    def __init__(self, version: _Optional[str] = ..., uptime: _Optional[int] = ..., booted: bool = ..., hardwareConfig: _Optional[_Union[EntryList, _Mapping]] = ...) -> None: ...

class BatteryState(_message.Message):
    __slots__ = ("hasBattery", "isPresent", "charger", "chargeLevel", "status")
    class BatteryStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        UNKNOWN: _ClassVar[BatteryState.BatteryStatus]
        CHARGING: _ClassVar[BatteryState.BatteryStatus]
        DISCHARGING: _ClassVar[BatteryState.BatteryStatus]
        NOT_CHARGING: _ClassVar[BatteryState.BatteryStatus]
        FULL: _ClassVar[BatteryState.BatteryStatus]
    UNKNOWN: BatteryState.BatteryStatus
    CHARGING: BatteryState.BatteryStatus
    DISCHARGING: BatteryState.BatteryStatus
    NOT_CHARGING: BatteryState.BatteryStatus
    FULL: BatteryState.BatteryStatus
    class BatteryCharger(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        NONE: _ClassVar[BatteryState.BatteryCharger]
        AC: _ClassVar[BatteryState.BatteryCharger]
        USB: _ClassVar[BatteryState.BatteryCharger]
        WIRELESS: _ClassVar[BatteryState.BatteryCharger]
    NONE: BatteryState.BatteryCharger
    AC: BatteryState.BatteryCharger
    USB: BatteryState.BatteryCharger
    WIRELESS: BatteryState.BatteryCharger
    HASBATTERY_FIELD_NUMBER: _ClassVar[int]
    ISPRESENT_FIELD_NUMBER: _ClassVar[int]
    CHARGER_FIELD_NUMBER: _ClassVar[int]
    CHARGELEVEL_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    hasBattery: bool
    isPresent: bool
    charger: BatteryState.BatteryCharger
    chargeLevel: int
    status: BatteryState.BatteryStatus
    def __init__(self, hasBattery: bool = ..., isPresent: bool = ..., charger: _Optional[_Union[BatteryState.BatteryCharger, str]] = ..., chargeLevel: _Optional[int] = ..., status: _Optional[_Union[BatteryState.BatteryStatus, str]] = ...) -> None: ...
