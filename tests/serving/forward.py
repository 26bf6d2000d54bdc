"""Log-probabilities of recorded tokens by a forward pass of the checkpoint itself: transformers, not vLLM.

Runs in the Python of a vLLM, which brings torch and transformers. Reads a question a line on stdin and answers a line
on stdout, both JSON. A question names a checkpoint and has cases: a prompt and a response as ids, the images as files
in the order of the prompt, and under `processed` what sampling makes of the scores, where that is to be counted in. The
answer to a case is the natural logarithm of each response token's probability, and what the checkpoint's own processor
makes of the images, in patches.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from PIL import Image
from transformers import AutoImageProcessor, Qwen2_5_VLForConditionalGeneration


def main() -> None:
    for line in sys.stdin:
        question = json.loads(line)
        model, processor = loaded(question["checkpoint"])
        answers = [answer(model, processor, **case) for case in question["cases"]]
        print(json.dumps(answers), flush=True)


@functools.cache
def loaded(checkpoint: str) -> tuple[Any, Any]:
    """Model and image processor, in single precision whatever the checkpoint's is."""
    model = Qwen2_5_VLForConditionalGeneration.from_pretrained(checkpoint, dtype=torch.float32).eval()
    return model, AutoImageProcessor.from_pretrained(checkpoint)


@torch.inference_mode()
def answer(
    model: Any,
    processor: Any,
    prompt_ids: list[int],
    response_ids: list[int],
    images: list[str],
    processed: dict[str, float] | None = None,
) -> dict[str, Any]:
    ids = torch.tensor(prompt_ids + response_ids)
    seen = processor([Image.open(path).convert("RGB") for path in images], return_tensors="pt")
    scores = model(
        input_ids=ids[None],
        attention_mask=torch.ones_like(ids)[None],
        mm_token_type_ids=(ids == model.config.image_token_id).int()[None],
        pixel_values=seen["pixel_values"],
        image_grid_thw=seen["image_grid_thw"],
    ).logits[0]
    logprobs = []
    for position in range(len(prompt_ids), len(ids)):
        before = (
            scores[position - 1] if processed is None else sampled(scores[position - 1], ids[:position], **processed)
        )
        logprobs.append(before.log_softmax(-1)[ids[position]].item())
    return {"logprobs": logprobs, "image_grid": seen["image_grid_thw"].tolist()}


def sampled(
    scores: torch.Tensor,
    earlier: torch.Tensor,
    temperature: float = 1.0,
    top_p: float = 1.0,
    top_k: int = 0,
    repetition_penalty: float = 1.0,
) -> torch.Tensor:
    """The scores that are drawn from: the penalty on tokens that came before, temperature, top-k, top-p."""
    penalty = torch.ones_like(scores)
    penalty[earlier] = repetition_penalty
    scores = torch.where(scores > 0, scores / penalty, scores * penalty) / temperature
    if top_k > 0:
        scores = scores.masked_fill(scores < scores.topk(top_k).values[-1], -torch.inf)
    ordered, order = scores.sort(descending=True)
    likelier = ordered.softmax(-1).cumsum(-1) - ordered.softmax(-1)
    return scores.index_fill(0, order[likelier >= top_p], -torch.inf)


main()
