"""Images: listing, decoding and resizing pictures. Files become arrays of pixels by one documented rule."""

from truegrade.images.ahead import in_order
from truegrade.images.collection import Decoded, Images, Skipped
from truegrade.images.opening import load_images

__all__ = ["Decoded", "Images", "Skipped", "in_order", "load_images"]
