"""Places as a JSON list of boxes, `[{"bbox_2d": [x1, y1, x2, y2]}]`; an empty list says that there is none."""

from __future__ import annotations

import json
from dataclasses import dataclass

from agent_server.adapters.grounding import Grounder, Place
from agent_server.geometry import CoordinateMap


@dataclass(frozen=True)
class BoxGrounder(Grounder):
    """What Qwen-VL was trained to write, and other models write when they are asked to."""

    held_place = '[{"bbox_2d": [$x, $y, $x, $y]}]'

    def render_place(self, place: Place | None, map: CoordinateMap, thought: str | None = None) -> str:
        """A place without a box is a `point_2d`; the thought is dropped."""
        if place is None:
            return "[]"
        if place.box is None:
            return json.dumps([{"point_2d": map.to_model(place.point)}])
        return json.dumps([{"bbox_2d": map.box_to_model(place.box)}])
