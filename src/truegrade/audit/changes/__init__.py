"""What is done to real samples before they are embedded: the changes that scenarios of images and recordings mix in.

images: moved, turned, blurred, and in their place noise or what a simple model makes. recordings: noise, gain, a dead
lead, another beginning. Row i of what a change gives is sample i, changed by what is drawn for it alone.
"""

from __future__ import annotations

from truegrade.audit.changes.images import image_changes as image_changes
from truegrade.audit.changes.recordings import ecg_changes as ecg_changes
