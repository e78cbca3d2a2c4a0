"""Many numbers at a time: the operations that the innermost compiled loops are made of.

Numba finds vector instructions for most plain loops, not for these: it would store scores that
belong in registers, and move records number by number. Written out they are twice as fast where
features are few. How many numbers a register holds differs; the compiler makes do with more or
fewer, and the results are the same to the bit.
"""

from __future__ import annotations

import numpy as np
from llvmlite import binding, ir
from numba import config, types
from numba.core.cgutils import get_or_insert_function
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, models, register_model

HOST = binding.get_host_cpu_features().flatten()
CHOSEN = config.CPU_FEATURES  # type: ignore[attr-defined]  # set from the environment
FEATURES = HOST if CHOSEN is None else CHOSEN
LANES = 16 if "+avx512f" in FEATURES.split(",") else 8
"""The numbers in a vector: as many as registers hold, or two registers where they are small."""

# Numba need not ask of an unsigned index whether it counts from the end.
ZERO, ONE, TWO, THREE, FOUR = (np.uint64(number) for number in range(5))
EIGHT, VECTOR = np.uint64(8), np.uint64(LANES)

INDEX = ir.IntType(32)
BYTES = 4
"""All that is loaded and stored is four bytes wide, and lies at a multiple of them."""


class Vector(types.Type):
    """Numba's type of so many numbers of one kind."""

    def __init__(self, element, lanes):
        self.element, self.lanes = element, lanes
        super().__init__(name=f"Vector({element}, {lanes})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, vector):
        element = manager.lookup(vector.element).get_value_type()
        super().__init__(manager, vector, ir.VectorType(element, vector.lanes))


@intrinsic
def regardless_of_writing(typing, array):
    """An array as one of the type that may be written to; whoever asks for this only reads."""

    def emit(context, builder, signature, values):
        return impl_ret_borrowed(context, builder, signature.return_type, values[0])

    return types.Array(array.dtype, array.ndim, array.layout)(array), emit


def _load(lanes):
    """An operation: so many numbers of an array, from a place on."""

    @intrinsic
    def load(typing, array, at):
        def emit(context, builder, signature, values):
            array, at = values
            return _loaded(context, builder, signature.args[0], array, at, lanes)

        return Vector(array.dtype, lanes)(array, at), emit

    return load


load, load8 = _load(LANES), _load(8)


@intrinsic
def store(typing, vector, array, at):
    """Put a vector into an array, from a place on."""

    def emit(context, builder, signature, values):
        vector, array, at = values
        place = _place(context, builder, signature.args[1], array, at)
        builder.store(vector, builder.bitcast(place, vector.type.as_pointer()), align=BYTES)
        return context.get_dummy_value()

    return types.void(vector, array, at), emit


@intrinsic
def prefetch(typing, array, at):
    """Begin to fetch a place of an array into the fastest cache; it may lie past the end."""

    def emit(context, builder, signature, values):
        place = _place(context, builder, signature.args[0], *values)
        pointer = builder.bitcast(place, ir.IntType(8).as_pointer())
        to_read_data_often = [INDEX(0), INDEX(3), INDEX(1)]
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, INDEX, INDEX, INDEX])
        fetch = get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(fetch, [pointer, *to_read_data_often])
        return context.get_dummy_value()

    return types.void(array, at), emit


@intrinsic
def filled(typing, number):
    """A vector of the same number everywhere."""

    def emit(context, builder, signature, values):
        return _filled(builder, values[0], LANES)

    return Vector(number, LANES)(number), emit


@intrinsic
def four_columns(typing, array, start, stride):
    """Four numbers of a row, of as many rows as there are lanes: as four vectors of floats.

    Rows 0, 4, 8, 12 are joined, and 1, 5, 9, 13, and so on. Then numbers only change places
    within fours of lanes, which is what processors do fastest.
    """
    columns = types.UniTuple(Vector(types.float32, LANES), 4)

    def emit(context, builder, signature, values):
        array, start, stride = values
        rows = []
        for i in range(LANES):
            at = builder.add(start, builder.mul(stride, stride.type(i)))
            rows.append(_loaded(context, builder, signature.args[0], array, at, 4))
        a, b, c, d = (_joined(builder, rows[first::4]) for first in range(4))
        turned = []
        for first in (0, 2):
            mixed = (first, LANES + first, first + 1, LANES + first + 1)
            ab, cd = _fourwise(builder, a, b, mixed), _fourwise(builder, c, d, mixed)
            turned.append(_fourwise(builder, ab, cd, (0, 1, LANES, LANES + 1)))
            turned.append(_fourwise(builder, ab, cd, (2, 3, LANES + 2, LANES + 3)))
        kind = ir.VectorType(ir.FloatType(), LANES)
        floats = [builder.sitofp(each, kind) for each in turned]
        return context.make_tuple(builder, columns, floats)

    return columns(array, start, stride), emit


@intrinsic
def plus_product(typing, sums, a, b):
    """``sums + a * b``, rounded once if the processor can."""

    def emit(context, builder, signature, values):
        sums, a, b = values
        fused = ("contract",)
        return builder.fadd(sums, builder.fmul(a, b, flags=fused), flags=fused)

    return sums(sums, a, b), emit


@intrinsic
def where_larger(typing, a, b, then, otherwise):
    """Lane by lane, one thing where the float `a` exceeds `b`, another where it does not."""

    def emit(context, builder, signature, values):
        a, b, then, otherwise = values
        return builder.select(builder.fcmp_ordered(">", a, b), then, otherwise)

    return then(a, b, then, otherwise), emit


@intrinsic
def not_larger(typing, a, b):
    """A number whose bits, from the lowest on, say in which lanes `a` does not exceed `b`."""

    def emit(context, builder, signature, values):
        lanes = builder.fcmp_unordered("<=", *values)
        return builder.zext(builder.bitcast(lanes, ir.IntType(LANES)), ir.IntType(64))

    return types.uint64(a, b), emit


def _lanewise(operation):
    """An operation on two vectors of one kind."""

    @intrinsic
    def lanewise(typing, a, b):
        return a(a, b), lambda context, builder, signature, values: operation(builder, *values)

    return lanewise


larger = _lanewise(lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b))
smaller = _lanewise(lambda builder, a, b: builder.select(builder.fcmp_ordered("<", a, b), a, b))
apart = _lanewise(lambda builder, a, b: builder.fsub(a, b))
plus = _lanewise(lambda builder, a, b: builder.add(a, b))
product = _lanewise(lambda builder, a, b: builder.mul(a, b))
minus = _lanewise(lambda builder, a, b: builder.sub(a, b))
common_bits = _lanewise(lambda builder, a, b: builder.and_(a, b))
all_bits = _lanewise(lambda builder, a, b: builder.or_(a, b))


@intrinsic
def squared(typing, vector, bits):
    """The squares of whole numbers without their last bits."""

    def emit(context, builder, signature, values):
        wide = _wide(builder, values[0])
        shift = _filled(builder, values[1], wide.type.count)
        return builder.trunc(builder.lshr(builder.mul(wide, wide), shift), values[0].type)

    return vector(vector, bits), emit


@intrinsic
def wide_sizes(typing, vector):
    """The sizes of whole numbers, in 64 bits."""

    def emit(context, builder, signature, values):
        negative = builder.neg(values[0])
        positive = builder.icmp_signed(">", values[0], negative)
        return _wide(builder, builder.select(positive, values[0], negative))

    return Vector(types.int64, vector.lanes)(vector), emit


@intrinsic
def wide_squares(typing, vector):
    """The squares of whole numbers, in 64 bits."""

    def emit(context, builder, signature, values):
        wide = _wide(builder, values[0])
        return builder.mul(wide, wide)

    return Vector(types.int64, vector.lanes)(vector), emit


@intrinsic
def total(typing, vector):
    """The sum of all lanes: halves are added until one lane is left."""

    def emit(context, builder, signature, values):
        (vector,) = values
        while (count := vector.type.count // 2) > 0:
            upper = _picked(builder, vector, vector, range(count, 2 * count))
            lower = _picked(builder, vector, vector, range(count))
            vector = builder.add(lower, upper)
        return builder.extract_element(vector, INDEX(0))

    return vector.element(vector), emit


@intrinsic
def multiplied(typing, vector, factor):
    """``vector * factor``, cut towards zero; the product is in float64."""

    def emit(context, builder, signature, values):
        vector, factor = values
        wide = ir.VectorType(ir.DoubleType(), vector.type.count)
        filled = _filled(builder, factor, wide.count)
        return builder.fptosi(builder.fmul(builder.sitofp(vector, wide), filled), vector.type)

    return vector(vector, factor), emit


@intrinsic
def scaled(typing, vector, times, over):
    """``vector * times / over``, cut towards zero; the product and the quotient are in float64."""

    def emit(context, builder, signature, values):
        vector, *factors = values
        wide = ir.VectorType(ir.DoubleType(), vector.type.count)
        times, over = (_filled(builder, factor, vector.type.count) for factor in factors)
        product = builder.fmul(builder.sitofp(vector, wide), times)
        return builder.fptosi(builder.fdiv(product, over), vector.type)

    return vector(vector, times, over), emit


def _place(context, builder, array_type, array, at):
    """The address of an entry."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [at])


def _loaded(context, builder, array_type, array, at, lanes):
    kind = ir.VectorType(context.get_value_type(array_type.dtype), lanes)
    place = _place(context, builder, array_type, array, at)
    return builder.load(builder.bitcast(place, kind.as_pointer()), align=BYTES)


def _filled(builder, number, lanes):
    nothing = ir.Constant(ir.VectorType(number.type, lanes), ir.Undefined)
    first = builder.insert_element(nothing, number, INDEX(0))
    return _picked(builder, first, nothing, [0] * lanes)


def _picked(builder, a, b, lanes):
    """A vector of chosen lanes of two, counted through."""
    chosen = ir.Constant(ir.VectorType(INDEX, len(lanes)), list(lanes))
    return builder.shuffle_vector(a, b, chosen)


def _joined(builder, vectors):
    """Short vectors as a long one."""
    while len(vectors) > 1:
        both = range(2 * vectors[0].type.count)
        pairs = zip(vectors[::2], vectors[1::2], strict=True)
        vectors = [_picked(builder, left, right, both) for left, right in pairs]
    return vectors[0]


def _fourwise(builder, a, b, lanes):
    """The same lanes of every four of two vectors."""
    return _picked(builder, a, b, [four + lane for four in range(0, LANES, 4) for lane in lanes])


def _wide(builder, vector):
    """Whole numbers in 64 bits."""
    return builder.sext(vector, ir.VectorType(ir.IntType(64), vector.type.count))
