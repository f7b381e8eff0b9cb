"""Device errors are known by their messages, of all versions of PyTorch; others aren't."""

from __future__ import annotations

import pytest

from torchdev_lint.tracebacks.messages import ErrorKind, device_error

CHECKED = "(when checking argument for argument mat1 in method wrapper_CUDA_addmm)"


@pytest.mark.parametrize(
    ("message", "on_host", "on_accelerator"),
    [
        (
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"cuda:0 and cpu! {CHECKED}",
            (),
            (),
        ),
        (
            "Expected all tensors to be on the same device, but got mat1 is on cpu, different from "
            "other tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)",
            ("mat1",),
            (),
        ),
        (
            "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the "
            "same or input should be a MKLDNN tensor and weight is a dense tensor",
            ("input",),
            ("weight",),
        ),
        (
            "Input and hidden tensors are not at the same device, found input tensor at cuda:0 and "
            "hidden tensor at cpu",
            ("hidden",),
            ("input",),
        ),
        (
            "expected self and mask to be on the same device, but got mask on cpu and self on "
            "mps:0",
            ("mask",),
            ("self",),
        ),
        (
            "indices should be either on cpu or on the same device as the indexed tensor (cpu)",
            (),
            (),
        ),
        ("Expected object of backend CPU but got backend CUDA for argument #2 'mat2'", (), ()),
        (
            "Expected object of device type cuda but got device type cpu for argument #1 'self' in "
            "call to _th_index_select",
            (),
            (),
        ),
        ("Expected a 'cuda' device type for generator but found 'cpu'", (), ()),
        (
            "Function LinearBackward0 returned an invalid gradient at index 0 - expected device "
            "cuda:0 but got cpu",
            (),
            (),
        ),
        ("Placeholder storage has not been allocated on MPS device!", (), ()),
        (
            "module must have its parameters and buffers on device cuda:0 (device_ids[0]) but "
            "found one of them on device: cpu",
            (),
            (),
        ),
        ("Tensors must be CUDA and dense", (), ()),
        ("No backend type associated with device type cpu", (), ()),
        (
            "Expected tensor to have cuda DeviceType, but got tensor with cpu DeviceType (while "
            "checking arguments for inner())",
            (),
            (),
        ),
        ("Trying to pass too many CPU scalars to non-CPU kernel!", (), ()),
        ("CPU Scalar support for self argument is not supported when calling addcmul", (), ()),
        (
            "iter.device(arg).is_cuda() INTERNAL ASSERT FAILED, please report a bug to PyTorch. "
            "argument 2: expected a CUDA device but found cpu",
            (),
            (),
        ),
        (
            "attempting to assign a gradient with device type 'cpu' to a tensor with device type "
            "'cuda'",
            (),
            (),
        ),
        (
            "Could not run 'aten::slow_conv3d_forward' with arguments from the 'CUDA' backend.",
            (),
            (),
        ),
        (
            "Unhandled FakeTensor Device Propagation for aten._trilinear.default, found two "
            "different devices cuda:0, cpu",
            (),
            (),
        ),
        ("arguments are located on different GPUs at /pytorch/aten/src/THC/generic.cu:270", (), ()),
    ],
)
def test_two_places(
    message: str, on_host: tuple[str, ...], on_accelerator: tuple[str, ...]
) -> None:
    error = device_error(message)
    assert error is not None
    assert (error.kind, error.on_host, error.on_accelerator) == (
        ErrorKind.DEVICES,
        on_host,
        on_accelerator,
    )


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (
            "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor "
            "to host memory first.",
            ErrorKind.HOST_WANTED,
        ),
        (
            "'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor",
            ErrorKind.HOST_WANTED,
        ),
        (
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is "
            "False. If you are running on a CPU-only machine, please use torch.load with "
            "map_location=torch.device('cpu') to map your storages to the CPU.",
            ErrorKind.LOADED,
        ),
        (
            "cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned",
            ErrorKind.PINNED,
        ),
        ("Only dense CPU tensors can be pinned", ErrorKind.PINNED),
        ("'tuple' object has no attribute 'to'", ErrorKind.CONTAINER),
        ("'torch.return_types.max' object has no attribute 'cpu'", ErrorKind.CONTAINER),
        ("can't optimize a non-leaf Tensor", ErrorKind.NO_LEAF),
        ("expected scalar type Half but found Float", ErrorKind.DTYPES),
        ("mat1 and mat2 must have the same dtype, but got Float and Half", ErrorKind.DTYPES),
    ],
)
def test_other_kinds(message: str, kind: ErrorKind) -> None:
    error = device_error(message)
    assert error is not None
    assert error.kind is kind


@pytest.mark.parametrize(
    "message",
    [
        "",
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79 GiB",
        "CUDA error: device-side assert triggered",
        "'NoneType' object has no attribute 'to'",
        "'list' object has no attribute 'shape'",
        "Torch not compiled with CUDA enabled",
        "Found no NVIDIA driver on your system.",
        "mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)",
        "Expected one of cpu, cuda, ipu, xpu, mkldnn device type at start of device string: gpu",
        "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0",
        "element 0 of tensors does not require grad and does not have a grad_fn",
        "Expected input batch_size (8) to match target batch_size (4).",
    ],
)
def test_other_errors(message: str) -> None:
    assert device_error(message) is None
