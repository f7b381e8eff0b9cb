"""Checks that CUDA makes in functions which the CPU runs through other ATen operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .claims import (
    ACCELERATOR,
    HOST,
    Claim,
    claim_of,
    device_of,
    is_accelerator,
    set_claim,
    tensors_in,
)
from .families import two_devices
from .moves import moved
from .operands import Mixing, Operand
from .schemas import wrapper_name

Rule = Callable[[Sequence[Any], dict[str, Any]], None]


def check_function(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
) -> None:
    """Check a torch function whose CUDA path differs from the CPU's.

    Raises:
        Mixing: CUDA would refuse.
    """
    name = getattr(function, "__name__", "")
    rule = _RULES.get(name)
    if rule is not None:
        rule(args, kwargs)


def adapted(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments as a function written in C++ moves them, which no mode can see."""
    if getattr(function, "__name__", "") == "ctc_loss":
        device = device_of(args[0])
        rest = [moved(value, device) if _is_tensor(value) else value for value in args[1:4]]
        return (args[0], *rest, *args[4:]), kwargs
    return args, kwargs


def settle_results(function: Callable[..., Any], result: Any) -> None:
    """Say where the results of a function are that don't follow its first argument."""
    if getattr(function, "__name__", "") == "_pad_packed_sequence":
        set_claim(result[1], Claim(HOST))  # the lengths, as they were given


def _operand(name: str, tensor: torch.Tensor) -> Operand:
    return Operand(name, tensor, claim_of(tensor))


def _recurrent(args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """`lstm`, `gru`, `rnn_*`: input and hidden state first, then the parameters.

    The packed form has the batch sizes, always on the host, in second place.
    """
    source = args[0]
    packed = isinstance(args[1], torch.Tensor) and isinstance(args[3], (list, tuple))
    hidden, parameters = (args[2], args[3]) if packed else (args[1], args[2])
    expected = device_of(source)
    for label, group in (("hidden", hidden), ("parameter", parameters)):
        for tensor in tensors_in(group):
            found = device_of(tensor)
            if found != expected:
                odd = _operand(label, tensor) if found == HOST else _operand("input", source)
                raise Mixing(
                    RuntimeError(
                        f"Input and {label} tensors are not at the same device, found input "
                        f"tensor at {expected} and {label} tensor at {found}"
                    ),
                    [odd],
                    found if is_accelerator(found) else expected,
                )


def _attention(args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """`scaled_dot_product_attention`: query, key and value first, then the mask."""
    given = dict(zip(("query", "key", "value", "attn_mask"), args, strict=False)) | kwargs
    query, key, value = (given.get(name) for name in ("query", "key", "value"))
    if not all(isinstance(tensor, torch.Tensor) for tensor in (query, key, value)):
        return
    main = [_operand(n, given[n]) for n in ("query", "key", "value")]
    places = {operand.device for operand in main}
    accelerator = next((place for place in places if is_accelerator(place)), HOST)
    if len(places) > 1:
        raise Mixing(
            RuntimeError(
                "Expected query, key, and value to have the same device type, but got "
                f"query.device: {main[0].device} key.device: {main[1].device} and "
                f"value.device: {main[2].device} instead."
            ),
            [operand for operand in main if operand.device == HOST],
            accelerator,
        )
    mask = given.get("attn_mask")
    if isinstance(mask, torch.Tensor) and device_of(mask) != main[0].device:
        method = wrapper_name("_scaled_dot_product_efficient_attention")
        raise Mixing(
            RuntimeError(
                "Expected all tensors to be on the same device, but got attn_bias is on "
                f"{device_of(mask)}, different from other tensors on {main[0].device} "
                f"(when checking argument in method {method})"
            ),
            [_operand("attn_mask", mask) if device_of(mask) == HOST else main[0]],
            accelerator if is_accelerator(accelerator) else device_of(mask),
        )


def _windowed(name: str) -> Rule:
    """`stft` and `istft`, which compare their window before they do anything."""

    def rule(args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        # The methods of Tensor call torch.<name> with everything by position.
        window = kwargs.get("window", args[4] if len(args) > 4 else None)
        source = args[0] if args else kwargs["input"]
        if isinstance(window, torch.Tensor) and device_of(window) != device_of(source):
            odd = [_operand("window", window), _operand("self", source)]
            raise Mixing(
                RuntimeError(
                    f"{name} input and window must be on the same device but got self on "
                    f"{device_of(source)} and window on {device_of(window)}"
                ),
                [operand for operand in odd if operand.device == HOST],
                ACCELERATOR,
            )

    return rule


def _pair(first: str, second: str, text: Callable[[torch.device, torch.device], str]) -> Rule:
    """Two tensors that a function compares before it does anything.

    Args:
        first: name of the first argument.
        second: name of the second argument.
        text: words the error for their two devices.
    """

    def rule(args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        given = dict(zip((first, second), args, strict=False)) | kwargs
        pair = [_operand(n, given[n]) for n in (first, second) if _is_tensor(given.get(n))]
        if len(pair) == 2 and pair[0].device != pair[1].device:
            error = RuntimeError(text(pair[0].device, pair[1].device))
            raise Mixing(error, [o for o in pair if o.device == HOST], ACCELERATOR)

    return rule


def _is_tensor(value: object) -> bool:
    return isinstance(value, torch.Tensor)


def _take_along_dim_text(first: torch.device, second: torch.device) -> str:
    return (
        f"Expected tensor to have {first} Device, but got tensor with {second} Device (while "
        "checking arguments for torch.take_along_dim():)"
    )


def _inner_text(first: torch.device, second: torch.device) -> str:
    return (
        f"Expected tensor to have {first.type} DeviceType, but got tensor with {second.type} "
        "DeviceType (while checking arguments for inner())"
    )


def _quantile_text(first: torch.device, second: torch.device) -> str:
    return "quantile() q tensor must be on the same device as the input tensor"


def _meshgrid(args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    operands = [_operand("tensors", tensor) for tensor in tensors_in(list(args))]
    if len({operand.device for operand in operands}) > 1:
        raise Mixing(
            RuntimeError("torch.meshgrid expects all tensors to have the same device"),
            [operand for operand in operands if operand.device == HOST],
            ACCELERATOR,
        )


def _solve_text(first: torch.device, second: torch.device) -> str:
    return (
        f"Expected b and A to be on the same device, but found b on {first} and A on {second} "
        "instead."
    )


def _multi_dot(args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    operands = [_operand("tensors", tensor) for tensor in tensors_in([*args, *kwargs.values()])]
    for index, operand in enumerate(operands):
        if operand.device != operands[0].device:
            raise Mixing(
                RuntimeError(
                    "multi_dot(): all tensors must be on the same device but tensor 0 is on "
                    f"{operands[0].device} and tensor {index} on {operand.device}"
                ),
                [operand for operand in operands if operand.device == HOST],
                ACCELERATOR,
            )


def _tensor_split(args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """The places to split at are read on the host, and must be there."""
    given = dict(zip(("input", "tensor_indices_or_sections"), args, strict=False)) | kwargs
    places = given.get("tensor_indices_or_sections")
    if isinstance(places, torch.Tensor) and device_of(places) != HOST:
        raise Mixing(
            RuntimeError(
                "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on "
                f"{device_of(places)}"
            ),
            [],
            ACCELERATOR,
        )


def _ctc_loss(args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Targets that cuDNN could take, were they on the device; all others are moved there."""
    scores, *rest = args[:4]
    if not (is_accelerator(device_of(scores)) and all(map(_is_tensor, rest))):
        return
    targets = rest[0]
    if device_of(targets) == HOST and targets.dim() == 1 and scores.dtype == torch.float32:
        if all(value.dtype == torch.int32 for value in rest):
            raise two_devices([_operand("targets", targets)], device_of(scores))


_RULES: dict[str, Rule] = {
    "ctc_loss": _ctc_loss,
    "tensor_split": _tensor_split,
    "lstm": _recurrent,
    "gru": _recurrent,
    "rnn_tanh": _recurrent,
    "rnn_relu": _recurrent,
    "scaled_dot_product_attention": _attention,
    "inner": _pair("input", "other", _inner_text),
    "take_along_dim": _pair("input", "indices", _take_along_dim_text),
    "quantile": _pair("input", "q", _quantile_text),
    "nanquantile": _pair("input", "q", _quantile_text),
    "cholesky_solve": _pair("input", "input2", _solve_text),
    "meshgrid": _meshgrid,
    "cartesian_prod": _meshgrid,
    "linalg_multi_dot": _multi_dot,
    "chain_matmul": _multi_dot,
    "stft": _windowed("stft"),
    "istft": _windowed("istft"),
}
