"""Build a randomly initialised Qwen2.5-VL checkpoint without a network; a few seconds.

    python build_checkpoint.py OUT [--size tiny|10m|30m] [--dtype bfloat16|float32] [--min-pixels N] [--max-pixels N]

Runs in the Python of a vLLM (it needs torch and transformers). Tokenizer, chat template and image processor are the
family's in kind, with a vocabulary trained on Python's own library; the weights are noise. What such a checkpoint can
prove is the wire, the count of image tokens and the prompt, not behaviour.
"""

from __future__ import annotations

import argparse
import json
import os
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import (
    AutoTokenizer,
    GenerationConfig,
    PreTrainedTokenizerBase,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2TokenizerFast,
)

LONGEST = 32_768
SPECIAL = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>",
    "<|box_start|>", "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>",
    "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>",
]  # fmt: skip
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""How the family's tokenizer splits text before it merges: every digit on its own."""
CHAT = """\
{%- for message in messages %}
    {%- if loop.first and message.role != 'system' %}
        {{- '<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n' }}
    {%- endif %}
    {{- '<|im_start|>' + message.role + '\n' }}
    {%- if message.content is string %}{{ message.content }}
    {%- else %}{% for part in message.content %}
        {%- if part.type in ('image', 'image_url') %}{{ '<|vision_start|><|image_pad|><|vision_end|>' }}
        {%- elif part.type == 'video' %}{{ '<|vision_start|><|video_pad|><|vision_end|>' }}
        {%- elif 'text' in part %}{{ part.text }}{% endif %}
    {%- endfor %}{% endif %}
    {{- '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}
"""


@dataclass(frozen=True)
class Shape:
    """Of the text model and of the vision model; vLLM's CPU attention takes head sizes of 32, 64, 80, 96, 128, …"""

    vocabulary: int
    hidden: int
    inner: int
    layers: int
    heads: int
    key_heads: int
    vision_hidden: int
    vision_inner: int
    vision_layers: int
    vision_heads: int
    full_attention: tuple[int, ...]


SHAPES = {
    "tiny": Shape(2048, 128, 352, 4, 4, 2, 128, 256, 4, 4, (1, 3)),
    "10m": Shape(4096, 320, 864, 6, 5, 1, 192, 512, 6, 6, (2, 5)),
    "30m": Shape(8192, 512, 1408, 6, 8, 2, 320, 864, 6, 5, (2, 5)),
}


def main() -> None:
    flags = argparse.ArgumentParser()
    flags.add_argument("out", type=Path)
    flags.add_argument("--size", choices=SHAPES, default="tiny")
    flags.add_argument("--dtype", choices=("bfloat16", "float32"), default="bfloat16")
    flags.add_argument("--min-pixels", type=int, default=4 * 28 * 28)
    flags.add_argument("--max-pixels", type=int, default=768 * 28 * 28)
    flags.add_argument("--seed", type=int, default=0)
    given = flags.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(given.seed)
    shape = SHAPES[given.size]
    model = build_model(shape, build_tokenizer(given.out, shape.vocabulary))
    model.to(getattr(torch, given.dtype)).save_pretrained(given.out, safe_serialization=True)
    write_processor(given.out, given.min_pixels, given.max_pixels)


def build_tokenizer(out: Path, vocabulary: int) -> PreTrainedTokenizerBase:
    trained = Tokenizer(models.BPE())
    trained.normalizer = normalizers.NFC()
    trained.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(WORDS), behavior="isolated", invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])  # fmt: skip
    trained.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=vocabulary - len(SPECIAL), initial_alphabet=alphabet, show_progress=False)
    trained.train_from_iterator(texts(), trainer)
    learned = json.loads(trained.to_str())["model"]
    tokenizer = Qwen2TokenizerFast(
        vocab=learned["vocab"],
        merges=[tuple(pair) for pair in learned["merges"]],
        unk_token=None,
        bos_token=None,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        extra_special_tokens=SPECIAL,
        model_max_length=LONGEST,
    )
    tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(out)
    return AutoTokenizer.from_pretrained(out)


def texts() -> Iterator[str]:
    """What the vocabulary is trained on: Python's own library, and calls as models write them."""
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[:120]:
        yield path.read_text("utf-8", errors="replace")
    for x in range(0, 1000, 3):
        yield json.dumps({"name": "mobile_use", "arguments": {"action": "click", "coordinate": [x, 1000 - x]}})


def build_model(shape: Shape, tokenizer: PreTrainedTokenizerBase) -> Qwen2_5_VLForConditionalGeneration:
    ids = {token: tokenizer.convert_tokens_to_ids(token) for token in SPECIAL}
    end, nothing = ids["<|im_end|>"], ids["<|endoftext|>"]
    model = Qwen2_5_VLForConditionalGeneration(
        Qwen2_5_VLConfig(
            text_config=text_config(shape, len(tokenizer), end, nothing),
            vision_config=vision_config(shape),
            image_token_id=ids["<|image_pad|>"],
            video_token_id=ids["<|video_pad|>"],
            vision_start_token_id=ids["<|vision_start|>"],
            vision_end_token_id=ids["<|vision_end|>"],
            tie_word_embeddings=True,
        )
    ).eval()
    model.generation_config = GenerationConfig(
        do_sample=True, temperature=1.0, eos_token_id=[end, nothing], pad_token_id=nothing, bos_token_id=nothing
    )
    return model


def text_config(shape: Shape, tokens: int, end: int, nothing: int) -> dict[str, object]:
    half = shape.hidden // shape.heads // 2
    side = 3 * half // 8  # of a position's frequencies, for each of height and width; the rest is for time
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [half - 2 * side, side, side]}
    return {
        "vocab_size": (tokens + 63) // 64 * 64,
        "hidden_size": shape.hidden,
        "intermediate_size": shape.inner,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.key_heads,
        "max_position_embeddings": LONGEST,
        "rms_norm_eps": 1e-6,
        "rope_parameters": rope,
        "bos_token_id": nothing,
        "eos_token_id": end,
        "pad_token_id": nothing,
    }


def vision_config(shape: Shape) -> dict[str, object]:
    return {
        "depth": shape.vision_layers,
        "hidden_size": shape.vision_hidden,
        "intermediate_size": shape.vision_inner,
        "num_heads": shape.vision_heads,
        "patch_size": 14,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
        "window_size": 112,
        "out_hidden_size": shape.hidden,
        "fullatt_block_indexes": list(shape.full_attention),
        "tokens_per_second": 2,
    }


def write_processor(out: Path, min_pixels: int, max_pixels: int) -> None:
    shared = {
        "processor_class": "Qwen2_5_VLProcessor",
        "min_pixels": min_pixels,
        "max_pixels": max_pixels,
        "patch_size": 14,
        "temporal_patch_size": 2,
        "merge_size": 2,
        "image_mean": [0.48145466, 0.4578275, 0.40821073],
        "image_std": [0.26862954, 0.26130258, 0.27577711],
    }
    image = {"image_processor_type": "Qwen2VLImageProcessor", **shared}
    video = {"video_processor_type": "Qwen2VLVideoProcessor", **shared}
    (out / "preprocessor_config.json").write_text(json.dumps(image, indent=1))
    (out / "video_preprocessor_config.json").write_text(json.dumps(video, indent=1))


if __name__ == "__main__":
    main()
