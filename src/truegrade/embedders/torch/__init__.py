"""Embedders that need the extra `torch`. Importing this imports no torch; making or running one does."""

from __future__ import annotations

from truegrade.embedders.torch.hub import CLIP, DINOv2
from truegrade.embedders.torch.inception_fid import InceptionFID
from truegrade.embedders.torch.module import TorchModule
from truegrade.embedders.torch.torchvision import VGG16, Inception, ResNet34

__all__ = ["CLIP", "VGG16", "DINOv2", "Inception", "InceptionFID", "ResNet34", "TorchModule"]
