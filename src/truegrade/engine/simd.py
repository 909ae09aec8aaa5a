"""Instructions that the compiler does not offer or find by itself: eight-lane sums, the bits of floats.

Plain IEEE operations in a fixed order (no fused multiply-add, no reassociation): results are the same on every
processor.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_LANES = 8


@intrinsic
def sum_squares8(typingctx: Any, x: Any, at_x: Any, y: Any, at_y: Any, blocks: Any) -> Any:
    """Sum of (x[at_x + c] - y[at_y + c])^2 over c < 8 * blocks, in float64.

    Lane l sums c = l, l + 8, ...; the lanes are added as ((0+1)+(2+3))+((4+5)+(6+7)). x and y are contiguous arrays
    of any shape, addressed as if flat; at_x, at_y and blocks are int64 and must stay inside them.
    """
    signature = types.float64(x, types.intp, y, types.intp, types.intp)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        wide = ir.VectorType(ir.DoubleType(), _LANES)
        left, right = (context.make_array(sig.args[i])(context, builder, value=args[i]).data for i in (0, 2))
        total = cgutils.alloca_once_value(builder, ir.Constant(wide, [0.0] * _LANES))
        with cgutils.for_range(builder, args[4]) as loop:
            step = builder.mul(loop.index, ir.Constant(loop.index.type, _LANES))
            a = _load(builder, left, builder.add(args[1], step), wide)
            b = _load(builder, right, builder.add(args[3], step), wide)
            difference = builder.fsub(a, b)
            builder.store(builder.fadd(builder.load(total), builder.fmul(difference, difference)), total)
        return _tree(builder, builder.load(total))

    return signature, codegen


def _load(builder: Any, pointer: Any, at: Any, wide: Any) -> Any:
    """Eight elements from `at` on, widened to float64."""
    element = pointer.type.pointee
    vector = ir.VectorType(element, _LANES)
    address = builder.bitcast(builder.gep(pointer, [at]), vector.as_pointer())
    loaded = builder.load(address)
    loaded.align = 4
    return builder.fpext(loaded, wide) if isinstance(element, ir.FloatType) else loaded


def _tree(builder: Any, lanes: Any) -> Any:
    parts = [builder.extract_element(lanes, ir.Constant(ir.IntType(32), i)) for i in range(_LANES)]
    while len(parts) > 1:
        parts = [builder.fadd(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


@intrinsic
def bits_of(typingctx: Any, x: Any) -> Any:
    """The bits of a float32 as int32, of a float64 as int64."""
    return _reinterpret(x, {types.float32: types.int32, types.float64: types.int64}[x])


@intrinsic
def float_of(typingctx: Any, x: Any) -> Any:
    """The float32 with the bits of an int32, the float64 with those of an int64."""
    return _reinterpret(x, {types.int32: types.float32, types.int64: types.float64}[x])


def _reinterpret(of: Any, to: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(sig.return_type))

    return to(of), codegen
