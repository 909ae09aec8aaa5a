"""Images: listing, decoding and resizing pictures. Files become arrays of pixels by one documented rule."""

from truegrade.images.collection import Decoded, Images

__all__ = ["Decoded", "Images"]
