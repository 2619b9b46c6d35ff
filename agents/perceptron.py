"""The compiled forward pass of multilayer perceptrons.

Rows are computed four at a time, so that weights are read once for all four, and each row's sums are made in the same
order in any company: a row's outputs are equal, bit for bit, alone or among thousands.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from strand_env.engine.jit import Kernel, compiled

_ROWS = 4  # at a time
_ZERO = np.float32(0)


class Layers:
    """Layers of weights (inputs, outputs), all but the first with their biases, as compiled code takes them."""

    def __init__(
        self,
        first: npt.NDArray[np.float32],
        others: Sequence[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]],
        relu: bool,
    ) -> None:
        self._sizes = np.array([*first.shape, *(len(bias) for _, bias in others)])
        parts = [first, *(part for weight, bias in others for part in (bias, weight))]
        self._weights = np.concatenate([part.ravel() for part in parts]).astype(np.float32, copy=False)
        self._relu = relu

    def __call__(
        self, rows: npt.NDArray[np.float32], base: npt.NDArray[np.float32], base_of: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float32]:
        """(rows, outputs) for inputs (rows, inputs); `base[base_of[i]]` stands for the first layer's bias in row i."""
        out = np.empty((len(rows), self._sizes[-1]), np.float32)
        room = np.empty((2, _ROWS, self._sizes.max()), np.float32)  # a new one each time: threads may share a network
        forward(1, len(rows), rows, base, base_of, self._sizes, self._weights, self._relu, room, out)
        return out


@compiled
def add_products(inputs, number, weights, outputs):
    """Adds the products of four rows of inputs with the weights to four rows of outputs."""
    a, b, c, d = inputs[0], inputs[1], inputs[2], inputs[3]
    out_a, out_b, out_c, out_d = outputs[0], outputs[1], outputs[2], outputs[3]
    for i in range(0, number - 3, 4):
        some = False
        for j in range(i, i + 4):
            some |= a[j] != 0 or b[j] != 0 or c[j] != 0 or d[j] != 0
        if not some:  # as for many features, and after ReLU; adding zeros would change nothing
            continue
        a0, a1, a2, a3 = a[i], a[i + 1], a[i + 2], a[i + 3]
        b0, b1, b2, b3 = b[i], b[i + 1], b[i + 2], b[i + 3]
        c0, c1, c2, c3 = c[i], c[i + 1], c[i + 2], c[i + 3]
        d0, d1, d2, d3 = d[i], d[i + 1], d[i + 2], d[i + 3]
        w0, w1, w2, w3 = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        for j in range(weights.shape[1]):
            x, y, z, t = w0[j], w1[j], w2[j], w3[j]
            out_a[j] += a0 * x + a1 * y + a2 * z + a3 * t
            out_b[j] += b0 * x + b1 * y + b2 * z + b3 * t
            out_c[j] += c0 * x + c1 * y + c2 * z + c3 * t
            out_d[j] += d0 * x + d1 * y + d2 * z + d3 * t
    for i in range(number - number % 4, number):
        a0, b0, c0, d0, w0 = a[i], b[i], c[i], d[i], weights[i]
        for j in range(weights.shape[1]):
            out_a[j] += a0 * w0[j]
            out_b[j] += b0 * w0[j]
            out_c[j] += c0 * w0[j]
            out_d[j] += d0 * w0[j]


@Kernel
def forward(start, stop, rows, base, base_of, sizes, weights, relu, room, out):
    for first in range(start, stop, _ROWS):
        here, there = 0, 1  # halves of the room: a layer's inputs and its outputs
        for row in range(_ROWS):
            index = min(first + row, stop - 1)  # the last row fills up the last four
            for entry in range(sizes[0]):
                room[here, row, entry] = rows[index, entry]
            for entry in range(sizes[1]):
                room[there, row, entry] = base[base_of[index], entry]
        place = 0
        for layer in range(len(sizes) - 1):
            inputs, outputs = sizes[layer], sizes[layer + 1]
            if layer:
                for row in range(_ROWS):
                    for entry in range(inputs):
                        value = room[here, row, entry]
                        room[here, row, entry] = max(value, _ZERO) if relu else np.tanh(value)
                    for entry in range(outputs):
                        room[there, row, entry] = weights[place + entry]  # the bias
                place += outputs
            matrix = weights[place : place + inputs * outputs].reshape((inputs, outputs))
            add_products(room[here], inputs, matrix, room[there])
            place += inputs * outputs
            here, there = there, here
        for row in range(min(_ROWS, stop - first)):
            for entry in range(sizes[-1]):
                out[first + row, entry] = room[here, row, entry]
