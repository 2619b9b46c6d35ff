"""Training: `strand train`, and a small example in plain PyTorch to copy and change."""
