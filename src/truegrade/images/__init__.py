"""Images: listing, decoding and resizing pictures. Files become arrays of pixels by one documented rule.

opening finds what a source is; listing tells images from other files; sources, frames, shapes and storage give one
image at a time; decode and ranges are the rule by which it becomes RGB pixels in 0 to 255; manifest remembers what was
done.
"""

from truegrade.images.ahead import in_order
from truegrade.images.collection import Decoded, Images, OnError, Skipped
from truegrade.images.manifest import Manifest
from truegrade.images.opening import load_images
from truegrade.images.pictures import PicturesOf
from truegrade.images.resize import resize

__all__ = ["Decoded", "Images", "Manifest", "OnError", "PicturesOf", "Skipped", "in_order", "load_images", "resize"]
