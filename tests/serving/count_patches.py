"""What the image processors of transformers make of images. Runs in the Python of a vLLM.

Reads one JSON object from stdin, {folder of a checkpoint: [[width, height], …]}, and writes the same with (1, rows,
columns) of patches for each size, the resized pixels included: images are really processed.
"""

from __future__ import annotations

import json
import sys

from PIL import Image
from transformers import AutoImageProcessor


def main() -> None:
    asked = json.load(sys.stdin)
    found = {}
    for folder, sizes in asked.items():
        processor = AutoImageProcessor.from_pretrained(folder)
        images = (Image.new("RGB", tuple(size)) for size in sizes)
        found[folder] = [processor(images=image, return_tensors="pt")["image_grid_thw"][0].tolist() for image in images]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
