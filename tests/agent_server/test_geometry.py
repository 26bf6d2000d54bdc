from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_server.geometry import (
    Box,
    CoordinateMap,
    GeometryError,
    OutOfRange,
    Point,
    Size,
    fit_area,
    fit_longest_side,
    smart_resize,
)

QWEN = {"factor": 28, "min_pixels": 3_136, "max_pixels": 12_845_056}
VENUS_7B = {"factor": 28, "min_pixels": 830_000, "max_pixels": 937_664}
SIDES = st.integers(1, 4000)
SIZES = st.builds(Size, SIDES, SIDES)
POINT = st.tuples(st.integers(0, 10**6), st.integers(0, 10**6))
DIVISORS = st.sampled_from([1, 999, 1000])


def on_screen(size: Size, fraction: tuple[int, int]) -> Point:
    """A pixel of the screen, from two numbers below 10**6 + 1."""
    return Point(fraction[0] * (size.width - 1) // 10**6, fraction[1] * (size.height - 1) // 10**6)


# -- sizes, points, boxes


@pytest.mark.parametrize("text", ["1080x2400", "1080X2400", " 1080 x 2400 "])
def test_sizes_are_read(text):
    assert Size.parse(text) == Size(1080, 2400)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "'' is not a size"),
        ("1080", "'1080' is not a size; write WIDTHxHEIGHT"),
        ("1080x", "is not a size"),
        ("x2400", "is not a size"),
        ("1080x2400x3", "is not a size"),
        ("-1x5", "is not a size"),
        ("1.5x5", "is not a size"),
        ("0x5", "at least 1 pixel"),
        ("5x0", "at least 1 pixel"),
        ("9" * 5000 + "x1", "is not a size"),
    ],
)
def test_other_texts_are_no_sizes(text, says):
    with pytest.raises(GeometryError, match=says):
        Size.parse(text)


@given(SIZES)
def test_a_size_reads_as_it_is_written(size):
    assert Size.parse(str(size)) == size
    assert size.pixels == size.width * size.height


@pytest.mark.parametrize(
    ("point", "clamped"),
    [
        ((0, 0), (0, 0)), ((1079, 2399), (1079, 2399)), ((1080, 2400), (1079, 2399)), ((-1, -9), (0, 0)),
        ((540, 9999), (540, 2399)),
    ],
)  # fmt: skip
def test_clamping_and_inside(point, clamped):
    size = Size(1080, 2400)
    assert Point(*point).clamped(size) == Point(*clamped)
    assert Point(*point).inside(size) == (point == clamped)


def test_boxes_include_left_top_and_exclude_right_bottom():
    box = Box(10, 20, 30, 60)
    assert (box.width, box.height, box.area, box.centre) == (20, 40, 800, Point(20, 40))
    assert box.contains(Point(10, 20))
    assert box.contains(Point(29, 59))
    for outside in ((9, 20), (10, 19), (30, 59), (29, 60)):
        assert not box.contains(Point(*outside))


@pytest.mark.parametrize("box", [Box(5, 5, 5, 9), Box(9, 5, 5, 9), Box(5, 9, 9, 5), Box(9, 9, 5, 5)])
def test_empty_and_inside_out_boxes_have_no_area_and_hold_nothing(box):
    assert box.area == 0
    assert not any(box.contains(Point(x, y)) for x in range(12) for y in range(12))


# -- smart_resize


@pytest.mark.parametrize(
    ("size", "limits", "resized"),
    [
        (Size(1080, 2400), QWEN, Size(1092, 2408)),
        (Size(720, 1280), QWEN, Size(728, 1288)),
        (Size(1092, 2408), QWEN, Size(1092, 2408)),
        (Size(1080, 2400), VENUS_7B, Size(644, 1428)),
        (Size(1080, 2400), {**QWEN, "factor": 32}, Size(1088, 2400)),
        (Size(1, 1), QWEN, Size(56, 56)),
        (Size(42, 70), {"factor": 28, "min_pixels": 1, "max_pixels": 10**6}, Size(56, 56)),  # 1.5 and 2.5: half to even
        (Size(1, 1), {"factor": 28, "min_pixels": 1, "max_pixels": 10}, Size(28, 28)),  # both sides held at the factor
    ],
)
def test_known_resizes(size, limits, resized):
    assert smart_resize(size, **limits) == resized


@pytest.mark.parametrize("size", [(720, 1280), (1080, 2400), (1440, 3120), (2400, 1080), (320, 640)])
def test_the_limits_of_ui_venus_7b(size):
    resized = smart_resize(Size(*size), **VENUS_7B)
    assert 830_000 <= resized.pixels <= 937_664
    assert resized.width % 28 == resized.height % 28 == 0


@pytest.mark.parametrize("size", [Size(1, 200), Size(200, 1), Size(20, 4000), Size(4000, 20)])
def test_two_hundred_times_as_long_as_wide_is_accepted(size):
    resized = smart_resize(size, **QWEN)
    assert min(resized) >= 28
    assert resized.pixels >= 3_136


@pytest.mark.parametrize("size", [Size(1, 201), Size(201, 1), Size(4001, 20)])
def test_longer_is_refused(size):
    with pytest.raises(GeometryError, match="200 times as long as wide"):
        smart_resize(size, **QWEN)


@pytest.mark.parametrize("size", [Size(0, 5), Size(5, 0), Size(-3, 5)])
def test_an_image_without_pixels_is_refused(size):
    with pytest.raises(GeometryError, match="no pixels"):
        smart_resize(size, **QWEN)


@given(SIZES, st.sampled_from([28, 32]), st.integers(1, 2_000_000), st.integers(4, 60))
def test_resizes_are_on_the_grid_and_within_the_limits(size, factor, low, width_of_limits):
    if max(size) > 200 * min(size):
        return
    high = low * width_of_limits
    resized = smart_resize(size, factor=factor, min_pixels=low, max_pixels=high)
    assert resized.width % factor == resized.height % factor == 0
    assert min(resized) >= factor
    held = min(resized) == factor
    assert resized.pixels <= high or held
    natural = Size(*(max(factor, round(side / factor) * factor) for side in size))
    if natural.pixels < low and not held:
        assert low <= resized.pixels
    if low <= natural.pixels <= high:
        assert resized == natural


@given(SIZES)
def test_a_resize_keeps_the_shape_where_the_grid_is_fine(size):
    if max(size) > 4 * min(size):
        return
    resized = smart_resize(size, factor=28, min_pixels=3_000_000, max_pixels=12_845_056)
    assert math.isclose(resized.width / resized.height, size.width / size.height, rel_tol=0.08)


@given(SIZES, SIDES)
def test_the_longest_side_is_fitted_and_the_ratio_kept(size, longest):
    fitted = fit_longest_side(size, longest)
    if max(size) <= longest:
        assert fitted is None
        return
    assert max(fitted) == longest
    for side, before in zip(fitted, size, strict=True):
        assert side == max(1, before * longest // max(size))


# -- coordinates


@pytest.mark.parametrize(
    ("map", "written", "pixel"),
    [
        (CoordinateMap.relative(Size(1440, 3120), 999), (447, 81), Point(644, 253)),
        (CoordinateMap.absolute(Size(1080, 2400), Size(1092, 2408)), (935, 406), Point(925, 405)),
        (CoordinateMap.relative(Size(1080, 2400), 1000), (500, 500), Point(540, 1200)),
        (CoordinateMap.relative(Size(1080, 2400), 1), (0.25, 0.75), Point(270, 1800)),
        (CoordinateMap.relative(Size(1, 1), 1000), (1000, 0), Point(0, 0)),
    ],
)
def test_known_points(map, written, pixel):
    assert map.to_device(*written) == pixel


@pytest.mark.parametrize("divisor", [1, 999, 1000])
def test_the_corners_are_on_the_screen(divisor):
    map = CoordinateMap.relative(Size(1080, 2400), divisor)
    assert map.to_device(0, 0) == Point(0, 0)
    assert map.to_device(divisor, divisor) == Point(1079, 2399)


@pytest.mark.parametrize(
    "outside",
    [(-1, 5), (5, -0.001), (1000.5, 5), (5, 1001), (math.nan, 5), (5, math.nan), (math.inf, 5), (5, -math.inf)],
)
def test_points_outside_of_the_models_space_are_refused(outside):
    map = CoordinateMap.relative(Size(1080, 2400), 1000)
    with pytest.raises(OutOfRange, match=r"outside the model's space \[0, 1000\] x \[0, 1000\]"):
        map.to_device(*outside)


def test_absolute_limits_are_those_of_the_resized_image():
    map = CoordinateMap.absolute(Size(1080, 2400), Size(1092, 2408))
    assert map.to_device(1092, 2408) == Point(1079, 2399)
    with pytest.raises(OutOfRange, match=r"\[0, 1092\] x \[0, 2408\]"):
        map.to_device(1093, 5)


def test_points_off_the_screen_are_clamped_before_they_are_written():
    map = CoordinateMap.relative(Size(1080, 2400), 1000)
    assert map.to_model(Point(-50, 99_999)) == map.to_model(Point(0, 2399)) == (0, 1000)


def test_whole_numbers_where_the_model_writes_them():
    x, y = CoordinateMap.relative(Size(1080, 2400), 999).to_model(Point(540, 1200))
    assert isinstance(x, int)
    assert isinstance(y, int)
    assert CoordinateMap.relative(Size(1080, 2400), 1).to_model(Point(270, 1800)) == (0.25, 0.75)


@st.composite
def maps(draw: st.DrawFn) -> CoordinateMap:
    """Absolute and relative spaces of screens of any size, down to one pixel."""
    size = draw(SIZES)
    if draw(st.booleans()):
        return CoordinateMap.absolute(size, Size(28 * draw(st.integers(1, 140)), 28 * draw(st.integers(1, 140))))
    return CoordinateMap.relative(size, draw(DIVISORS))


def unit(map: CoordinateMap) -> float:
    """The step in which the model counts."""
    return 1 if map.integral else 1e-4


@given(maps(), POINT)
def test_a_pixel_is_written_within_half_a_unit(map, fraction):
    pixel = on_screen(map.device, fraction)
    for axis in (0, 1):
        exact = pixel[axis] * map.extent[axis] / map.device[axis]
        assert abs(map.to_model(pixel)[axis] - exact) <= unit(map) / 2 + 1e-9


@given(maps(), POINT)
def test_a_pixel_comes_back(map, fraction):
    """Exactly where the model's space is finer than the screen; within half a unit of it otherwise."""
    pixel = on_screen(map.device, fraction)
    back = map.to_device(*map.to_model(pixel))
    for axis in (0, 1):
        pixels_a_unit = unit(map) * map.device[axis] / map.extent[axis]
        assert abs(back[axis] - pixel[axis]) <= (0 if pixels_a_unit < 1 else pixels_a_unit / 2 + 0.5)


@given(maps(), POINT)
def test_a_written_point_comes_back(map, fraction):
    """The same where the screen is finer than the model's space, within half a pixel otherwise, the far edge aside."""
    written = [min(round(fraction[i] * map.extent[i] / 10**6 / unit(map)) * unit(map), map.extent[i]) for i in (0, 1)]
    pixel = map.to_device(*written)
    assert pixel.inside(map.device)
    back = map.to_model(pixel)
    for axis in (0, 1):
        units_a_pixel = map.extent[axis] / map.device[axis] / unit(map)
        at_the_edge = written[axis] * map.device[axis] / map.extent[axis] > map.device[axis] - 1
        off = abs(back[axis] - written[axis]) / unit(map)
        half_a_pixel = units_a_pixel / 2 + 0.5 if units_a_pixel >= 1 else 0.5
        assert off <= (units_a_pixel + 0.5 if at_the_edge else half_a_pixel) + 1e-6


@given(SIZES, DIVISORS, POINT)
def test_relative_points_do_not_depend_on_the_screen(size, divisor, fraction):
    """The same fraction of two screens is the same place on both, to a pixel."""
    x, y = (part / 10**6 * divisor for part in fraction)
    here = CoordinateMap.relative(size, divisor).to_device(x, y)
    doubled = CoordinateMap.relative(Size(size.width * 2, size.height * 2), divisor).to_device(x, y)
    assert abs(doubled.x - 2 * here.x) <= 2
    assert abs(doubled.y - 2 * here.y) <= 2


# -- areas and boxes


@given(SIZES, st.integers(1, 4_000_000))
def test_an_area_is_fitted_and_the_ratio_kept(size, most):
    fitted = fit_area(size, most)
    if size.pixels <= most:
        assert fitted is None
        return
    assert fitted.pixels <= max(most, max(fitted))
    assert 1 <= fitted.width <= size.width
    assert 1 <= fitted.height <= size.height
    if min(fitted) > 50:
        assert fitted.width / fitted.height == pytest.approx(size.width / size.height, rel=0.05)


def test_a_known_area():
    assert fit_area(Size(1080, 2400), 1_048_576) == Size(686, 1526)


@pytest.mark.parametrize(
    ("written", "box"),
    [
        ((0, 0, 1000, 1000), Box(0, 0, 1080, 2400)),
        ((400, 400, 600, 600), Box(432, 960, 648, 1440)),
        ((600, 600, 400, 400), Box(432, 960, 648, 1440)),
        ((500, 500, 500, 500), Box(540, 1200, 541, 1201)),
        ((1000, 1000, 1000, 1000), Box(1079, 2399, 1080, 2400)),
    ],
)
def test_known_boxes(written, box):
    assert CoordinateMap.relative(Size(1080, 2400), 1000).box_to_device(*written) == box


def test_boxes_outside_of_the_models_space_are_refused():
    relative = CoordinateMap.relative(Size(1080, 2400), 1000)
    for written in ((-1, 0, 5, 5), (0, 0, 1001, 5), (0, 0, 5, 1001)):
        with pytest.raises(OutOfRange):
            relative.box_to_device(*written)


@given(SIZES, DIVISORS, POINT, POINT)
@example(Size(2562, 1), 999, (781, 0), (781, 0))
def test_a_box_comes_back_within_half_a_unit(size, divisor, one, other):
    relative = CoordinateMap.relative(size, divisor)
    (left, right), (top, bottom) = (
        sorted(pair) for pair in zip(on_screen(size, one), on_screen(size, other), strict=True)
    )
    box = Box(left, top, right + 1, bottom + 1)
    back = relative.box_to_device(*relative.box_to_model(box))
    step = 1 if relative.integral else 1e-4
    limits = (size.width / relative.extent[0] * step / 2 + 0.5, size.height / relative.extent[1] * step / 2 + 0.5) * 2
    assert all(abs(a - b) <= limit + 1e-9 for a, b, limit in zip(back, box, limits, strict=True))
    # A box of less than a unit, widened to a pixel, may be a whole unit the next time; then it stays.
    again = relative.box_to_device(*relative.box_to_model(back))
    assert relative.box_to_device(*relative.box_to_model(again)) == again
