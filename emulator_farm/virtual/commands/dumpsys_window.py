"""`dumpsys window`, `dumpsys activity` and `dumpsys display`: what is in front, and how large the screen is."""

from emulator_farm.virtual.defaults import LAUNCHER
from emulator_farm.virtual.intents import Component
from emulator_farm.virtual.phone import Phone, TaskInfo
from emulator_farm.virtual.shell.invocation import Invocation
from emulator_farm.virtual.translation import right_to_left

from .dumpsys_package import stable_hash

MIN_TASK_DP = 220
LARGE_DP = 720
"""Smallest width at which a screen counts as extra large."""


def _record(component: Component, task: int) -> str:
    return f"ActivityRecord{{{stable_hash(str(component))} u0 {component.short} t{task}}}"


def _task_of_front(phone: Phone) -> int:
    return phone.tasks()[0].id if phone.tasks() else 1


def _task_name(task: TaskInfo) -> str:
    kind = "home" if task.package == LAUNCHER else "standard"
    return f"{stable_hash(str(task.id))} #{task.id} type={kind} A=10050:{task.package}"


# -- window

_SECOND = (
    "  Display: mDisplayId=2\n    init=720x480 160dpi cur=720x480 app=720x480 rng=480x480-720x720\n"
    "    mRotation=ROTATION_0 mDisplayRotation=0\n\n  mCurrentFocus=null\n  mFocusedApp=null\n\n"
)
"""What is listed before the phone's own display where there are two."""


def window(run: Invocation, phone: Phone, args: list[str]) -> str:
    """`dumpsys window [windows|displays|policy]`."""
    match args[:1]:
        case ["windows" | "w"]:
            return _windows(phone)
        case ["displays" | "d"]:
            return _displays(phone)
        case ["policy" | "p"]:
            return _policy(phone)
        case _:
            return _policy(phone) + "\n" + _displays(phone) + "\n" + _windows(phone)


def _focus(phone: Phone, indent: str) -> str:
    name = phone.focused_window()
    focus = f"Window{{{stable_hash(name)} u0 {name}}}" if phone.screen_on else "null"
    record = _record(phone.foreground(), _task_of_front(phone))
    return f"{indent}mCurrentFocus={focus}\n{indent}mFocusedApp={record}\n"


def _windows(phone: Phone) -> str:
    width, height = phone.screen_size
    out = ["WINDOW MANAGER WINDOWS (dumpsys window windows)\n"]
    names = [str(component) for task in phone.tasks() for component in reversed(task.activities)]
    focused = phone.focused_window()
    if focused not in names:
        names.insert(0, focused)
    for number, name in zip(range(len(names) - 1, -1, -1), names, strict=True):
        package = name.partition("/")[0]
        bounds = f"[0,0][{width},{height}]"
        visible = str(name == focused).lower()
        secure = "SECURE " if name == focused and phone.faults.window == "secure" else ""
        out.append(
            f"  Window #{number} Window{{{stable_hash(name)} u0 {name}}}:\n"
            f"    mDisplayId=0 rootTaskId={_task_of_front(phone)} "
            f"mSession=Session{{{stable_hash(package)} 1000:u0a10050}}\n"
            f"    mOwnerUid=10050 showForAllUsers=false package={package} appop=NONE\n"
            f"    mAttrs={{(0,0)(fillxfill) sim={{adjust=resize}} ty=BASE_APPLICATION wanim=0x10302fe\n"
            f"      fl=LAYOUT_IN_SCREEN {secure}LAYOUT_INSET_DECOR SPLIT_TOUCH HARDWARE_ACCELERATED}}\n"
            f"    Requested w={width} h={height} mLayoutSeq=1\n"
            f"    Frames: parent={bounds} display={bounds} frame={bounds}\n"
            f"    isOnScreen={visible}\n    isVisible={visible}\n"
        )
    shown = str(phone.ime.shown).lower()
    out.append(f"  mGlobalConfiguration={{{_configuration(phone)}}}\n  mHasPermanentDpad=false\n")
    out.append(_focus(phone, "  "))
    out.append(f"  mInputMethodTarget in display# 0 null shown={shown}\n")
    return "".join(out)


def _configuration(phone: Phone) -> str:
    """Font scale, language, direction, sizes in dp, density and theme, as a configuration is printed."""
    system = phone.system
    width, height = (round(side) for side in phone.display.size_dp)
    direction = "ldrtl" if right_to_left(system.locale) else "ldltr"
    shape = "long land" if width > height else "long port"
    size = "xlrg" if min(width, height) >= LARGE_DP else "nrml"
    return (
        f"{system.font_scale} 310mcc260mnc [{system.locale.replace('-', '_')}] {direction} sw{min(width, height)}dp "
        f"w{width}dp h{height}dp {phone.density}dpi {size} {shape}{' night' if system.dark else ''} finger -keyb/v/h"
    )


def _displays(phone: Phone) -> str:
    width, height = phone.screen_size
    base = f"{phone.physical_width}x{phone.physical_height} {phone.physical_density}dpi"
    effective = f"{phone.width}x{phone.height} {phone.density}dpi"
    override = f" base={effective}" if effective != base else ""
    other = _SECOND if phone.faults.display == "two" else ""
    return (
        "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n" + other + "  Display: mDisplayId=0 (organized)\n"
        f"    init={base} mMinSizeOfResizeableTaskDp={MIN_TASK_DP}{override} cur={width}x{height} app={width}x{height} "
        f"rng={min(width, height)}x{min(width, height)}-{max(width, height)}x{max(width, height)}\n"
        "    deferred=false mLayoutNeeded=false "
        f"mTouchExcludeRegion=SkRegion((0,0,{width},{height}))\n"
        f"    mRotation=ROTATION_{phone.rotation * 90} mDisplayRotation={phone.rotation}\n\n"
        + _focus(phone, "  ")
        + "\n  DisplayRotation\n    mCurrentAppOrientation=SCREEN_ORIENTATION_UNSPECIFIED\n"
        + f"    mRotation={phone.rotation}\n"
    )


def _policy(phone: Phone) -> str:
    awake = str(phone.screen_on).lower()
    locked, secure = str(phone.ui.locked).lower(), str(phone.ui.lock.secure).lower()
    dreaming = str(phone.ui.locked or not phone.screen_on).lower()
    return (
        "WINDOW MANAGER POLICY STATE (dumpsys window policy)\n"
        f"    mAwake={awake} mScreenOnEarly={awake} mScreenOnFully={awake}\n"
        f"    isKeyguardShowing={locked} mShowingLockscreen={locked} mShowingDream=false "
        f"mDreamingLockscreen={dreaming}\n"
        f"    KeyguardServiceDelegate\n      showing={locked}\n      showingAndNotOccluded={locked}\n"
        f"      inputRestricted={locked}\n      occluded=false\n      secure={secure}\n"
        f"      screenState=SCREEN_STATE_{'ON' if phone.screen_on else 'OFF'}\n"
        f"      interactiveState=INTERACTIVE_STATE_{'AWAKE' if phone.screen_on else 'SLEEP'}\n"
    )


# -- activity


def activity(run: Invocation, phone: Phone, args: list[str]) -> str:
    """`dumpsys activity [activities|top|recents|processes]`."""
    match args[:1]:
        case ["activities" | "a"]:
            return _activities(phone)
        case ["top"]:
            return _top(phone)
        case ["recents" | "r"]:
            return _recents(phone)
        case ["processes" | "p"]:
            return _processes(phone)
        case ["services" | "broadcasts" | "intents" | "provider" | "providers" | "s" | "b" | "i", *_]:
            return f"ACTIVITY MANAGER {args[0].upper()} (dumpsys activity {args[0]})\n  (nothing)\n"
        case _:
            return _recents(phone) + "\n" + _activities(phone) + "\n" + _processes(phone)


def _activities(phone: Phone) -> str:
    width, height = phone.screen_size
    out = [
        "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\n",
        "Display #0 (activities from top to bottom):\n",
    ]
    for index, task in enumerate(phone.tasks()):
        visible = str(index == 0).lower()
        out.append(
            f"  * Task{{{_task_name(task)} U=0 visible={visible} mode=fullscreen translucent=false "
            f"sz={len(task.activities)}}}\n"
            f"    mBounds=Rect(0, 0 - {width}, {height})\n"
        )
        for number in range(len(task.activities) - 1, -1, -1):
            component = task.activities[number]
            state = "RESUMED" if index == 0 and number == len(task.activities) - 1 else "STOPPED"
            out.append(
                f"    * Hist  #{number}: {_record(component, task.id)}\n"
                f"        packageName={component.package} processName={component.package}\n"
                f"        mActivityComponent={component.short}\n        state={state}\n"
            )
    record = _record(phone.foreground(), _task_of_front(phone))
    out.append(f"\n  topResumedActivity={record}\n")
    out.append(f"  ResumedActivity: {record}\n  mResumedActivity: {record}\n")
    out.append(f"  mFocusedApp={record}\n  mLastFocusedRootTask=Task{{#{_task_of_front(phone)} visible=true}}\n")
    out.append(f"  KeyguardController:\n    mKeyguardShowing={str(phone.ui.locked).lower()}\n    mAodShowing=false\n")
    return "".join(out)


def _top(phone: Phone) -> str:
    out = []
    for task in reversed(phone.tasks()):
        component = task.activities[-1]
        pid = phone.pid(task.package) or 0
        out.append(
            f"TASK {task.package} id={task.id} userId=0\n"
            f"  ACTIVITY {component.short} {stable_hash(str(component))} pid={pid}\n"
            "    Local Activity State:\n"
            f"      mResumed={str(component == phone.foreground()).lower()} mStopped=false mFinished=false\n"
        )
    return "\n".join(out)


def _recents(phone: Phone) -> str:
    out = [
        "ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)\n",
        "mRecentsUid=10050\n",
        "  Recent tasks:\n",
    ]
    for index, task in enumerate(phone.tasks()):
        out.append(
            f"  * Recent #{index}: Task{{{_task_name(task)}}}\n"
            f"    userId=0 effectiveUid=u0a50 mCallingUid=2000\n    affinity={task.package}\n"
            f"    realActivity={{{task.activities[0]}}}\n    mActivityComponent={task.activities[0].short}\n"
        )
    return "".join(out)


def _processes(phone: Phone) -> str:
    out = ["ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)\n"]
    for task in phone.tasks():
        pid = phone.pid(task.package) or 0
        out.append(f"  *APP* UID 10050 ProcessRecord{{{stable_hash(task.package)} {pid}:{task.package}/u0a50}}\n")
    return "".join(out)


# -- display


def display(run: Invocation, phone: Phone, args: list[str]) -> str:
    """`dumpsys display`."""
    width, height = phone.screen_size
    panel = f"{phone.physical_width} x {phone.physical_height}"
    dpi = phone.physical_density
    state = "ON" if phone.screen_on else "OFF"
    brightness = phone.settings.get_int("system", "screen_brightness", 102) / 255
    info = (
        f'DisplayInfo{{"Built-in Screen", displayId 0, displayGroupId 0, state {state}, real {width} x {height}, '
        f"largest app {max(width, height)} x {max(width, height)}, rotation {phone.rotation}, "
        f"density {phone.density} ({phone.density}.0 x {phone.density}.0) dpi, layerStack 0, type INTERNAL}}"
    )
    lines = [
        "DISPLAY MANAGER (dumpsys display)",
        "  mOnlyCode=false",
        "  mSafeMode=false",
        "  mPendingTraversal=false",
        "  mViewports=[DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:0', "
        f"physicalPort=0, orientation={phone.rotation}, logicalFrame=Rect(0, 0 - {width}, {height}), "
        f"physicalFrame=Rect(0, 0 - {width}, {height}), deviceWidth={width}, deviceHeight={height}}}]",
        f"  mStableDisplaySize=Point({phone.physical_width}, {phone.physical_height})",
        "",
        "Display States: size=1",
        "  Display Id=0",
        f"  Display State={state}",
        f"  Display Brightness={brightness:.6f}",
        "",
        "Display Devices: size=1",
        f'  DisplayDeviceInfo{{"Built-in Screen": uniqueId="local:0", {panel}, modeId 1, defaultModeId 1, '
        f"supportedModes [{{id=1, width={phone.physical_width}, height={phone.physical_height}, fps=60.0}}], "
        f"density {dpi}, {dpi}.0 x {dpi}.0 dpi, state {state}}}",
        "",
        "Logical Displays: size=1",
        "  Display 0:",
        "    mDisplayId=0",
        f"    mBaseDisplayInfo={info}",
        f"    mOverrideDisplayInfo={info}",
        f"    mCurrentOrientation={phone.rotation}",
    ]
    return "\n".join(lines) + "\n"
