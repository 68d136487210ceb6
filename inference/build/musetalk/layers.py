"""What the image networks of Stable Diffusion are built of (Rombach et al. 2022), by the names of `diffusers`' state dicts."""

import numpy as np

from .network import Array, Network, Value


def convolution(net: Network, x: Value, name: str, outputs: int, kernel: int = 3, bias: Array | None = None) -> Value:
    """Of stride 1 that keeps the size. bias: what is added to the stored one, [outputs]."""
    return _convolve(net, x, name, outputs, kernel, [kernel // 2] * 4, 1, bias)


def _convolve(
    net: Network, x: Value, name: str, outputs: int, kernel: int, pads: list[int], stride: int, bias: Array | None = None
) -> Value:
    weight = net.weight(f"{name}.weight", outputs, x.shape[1], kernel, kernel)
    stored = net.stored(f"{name}.bias", outputs)
    shift = net.constant(stored if bias is None else (stored + bias).astype(np.float32))
    height, width = ((n + pads[0] + pads[2] - kernel) // stride + 1 for n in x.shape[2:])
    shape = (x.shape[0], outputs, height, width)
    return net.node("Conv", [x, weight, shift], shape, kernel_shape=[kernel] * 2, pads=pads, strides=[stride] * 2)


def halved(net: Network, x: Value, name: str, pads: list[int]) -> Value:
    """Half as large. pads: top, left, bottom, right."""
    return _convolve(net, x, f"{name}.conv", x.shape[1], 3, pads, 2)


def doubled(net: Network, x: Value, name: str) -> Value:
    """Twice as large, by the nearest pixel, then convolved."""
    n, channels, height, width = x.shape
    scales = net.constant(np.array([1, 1, 2, 2], np.float32))
    nothing = Value("", ())
    attributes = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    larger = net.node("Resize", [x, nothing, scales], (n, channels, 2 * height, 2 * width), **attributes)
    return convolution(net, larger, f"{name}.conv", channels)


def group_norm(net: Network, x: Value, name: str, groups: int, epsilon: float) -> Value:
    """torch.nn.GroupNorm: InstanceNormalization of the groups, as ONNX 17 has no other."""
    n, channels = x.shape[:2]
    ones, zeros = (net.constant(np.full(groups, value, np.float32)) for value in (1, 0))
    grouped = net.reshape(x, n, groups, -(-int(np.prod(x.shape[1:])) // groups))
    normal = net.node("InstanceNormalization", [grouped, ones, zeros], grouped.shape, epsilon=epsilon)
    along = (channels, *[1] * (len(x.shape) - 2))
    scale, shift = (net.constant(net.stored(f"{name}.{part}", channels).reshape(along)) for part in ("weight", "bias"))
    return net.add(net.multiply(net.reshape(normal, *x.shape), scale), shift)


def silu(net: Network, x: Value) -> Value:
    return net.multiply(x, net.node("Sigmoid", [x], x.shape))


def residual(net: Network, x: Value, name: str, outputs: int, groups: int, epsilon: float, bias: Array | None = None) -> Value:
    """A ResnetBlock2D. bias: what the time embedding adds to the first convolution, [outputs]."""
    inner = silu(net, group_norm(net, x, f"{name}.norm1", groups, epsilon))
    inner = convolution(net, inner, f"{name}.conv1", outputs, bias=bias)
    inner = silu(net, group_norm(net, inner, f"{name}.norm2", groups, epsilon))
    inner = convolution(net, inner, f"{name}.conv2", outputs)
    if x.shape[1] != outputs:
        x = convolution(net, x, f"{name}.conv_shortcut", outputs, kernel=1)
    return net.add(x, inner)


def to_tokens(net: Network, x: Value) -> Value:
    """n x channels x height x width as n x pixels x channels."""
    n, channels, height, width = x.shape
    return net.transpose(net.reshape(x, n, channels, height * width), 0, 2, 1)


def from_tokens(net: Network, tokens: Value, shape: tuple[int, ...]) -> Value:
    """The inverse of to_tokens()."""
    return net.reshape(net.transpose(tokens, 0, 2, 1), *shape)


def joined(net: Network, x: Value, y: Value) -> Value:
    """The channels of both."""
    return net.node("Concat", [x, y], (x.shape[0], x.shape[1] + y.shape[1], *x.shape[2:]), axis=1)
