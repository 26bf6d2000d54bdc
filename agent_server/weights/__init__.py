"""Weights that change while they serve: LoRA adapters beside each other, checkpoints in place of each other."""
