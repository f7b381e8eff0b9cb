"""Rows on modules, optimizers and gradients."""

from __future__ import annotations

from .row import ITERATOR, SAME, STRICT, Row, checked, mixes, raises, unchecked

_APPLY = "torch/nn/modules/module.py: Module.to moves parameters and buffers in place"

ROWS: list[Row] = [
    raises(
        "nn.Linear",
        "the module",
        1,
        "OP(3, 2)(dev(4, 3))",
        checked("addmm"),
        "module",
    ),
    raises(
        "nn.Linear",
        "input",
        1,
        "OP(3, 2).to(device)(host(4, 3))",
        checked("addmm"),
    ),
    raises(
        "nn.Conv2d",
        "the module",
        1,
        "OP(3, 2, 3)(dev(1, 3, 8, 8))",
        "aten/src/ATen/native/Convolution.cpp: check_input_same_type_as_parameters",
        "module",
        text="Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be",
    ),
    raises(
        "nn.Embedding",
        "the module",
        1,
        "OP(5, 3)(dev(2, kind=int))",
        checked("index_select"),
        "module",
    ),
    raises(
        "nn.Embedding",
        "input",
        1,
        "OP(5, 3).to(device)(host(2, kind=int))",
        checked("index_select"),
        "int",
    ),
    raises(
        "nn.LayerNorm", "the module", 1, "OP(3)(dev(4, 3))", checked("native_layer_norm"), "module"
    ),
    raises(
        "nn.BatchNorm1d",
        "the module",
        1,
        "OP(3)(dev(4, 3))",
        checked("native_batch_norm"),
        "module",
    ),
    raises(
        "nn.BatchNorm1d",
        "the module, without affine parameters",
        1,
        "OP(3, affine=False)(dev(4, 3))",
        checked("native_batch_norm"),
        "module",
    ),
    raises("nn.PReLU", "the module", 1, "OP()(dev(4, 3))", checked("_prelu_kernel"), "module"),
    raises(
        "nn.MultiheadAttention",
        "attn_mask",
        1,
        "x = dev(4, 1, 8); OP(8, 2).to(device)(x, x, x, attn_mask=host(4, 4), need_weights=False)",
        checked("_scaled_dot_product_efficient_attention"),
    ),
    raises(
        "nn.MultiheadAttention",
        "attn_mask, with need_weights",
        1,
        "x = dev(4, 1, 8); OP(8, 2).to(device)(x, x, x, attn_mask=host(4, 4))",
        checked("baddbmm") + "; torch/nn/functional.py adds the mask with baddbmm",
    ),
    raises(
        "nn.MultiheadAttention",
        "key_padding_mask",
        1,
        "x = dev(4, 1, 8); OP(8, 2).to(device)(x, x, x, key_padding_mask=host(1, 4, kind=bool))",
        checked("baddbmm") + "; torch/nn/functional.py turns it into an attention mask",
        "bool",
    ),
    mixes(
        "nn.TransformerEncoder",
        "mask, causal and alone",
        1,
        "mask = nn.Transformer.generate_square_subsequent_mask(4)\n"
        "OP(nn.TransformerEncoderLayer(8, 2), 1).to(device)(dev(4, 1, 8), mask=mask)",
        "torch/nn/modules/transformer.py: a causal mask becomes a hint, which "
        "torch/nn/functional.py takes instead of the mask",
    ),
    raises(
        "nn.TransformerEncoder",
        "mask, causal, next to a padding mask",
        1,
        "mask = nn.Transformer.generate_square_subsequent_mask(4)\n"
        "OP(nn.TransformerEncoderLayer(8, 2), 1).to(device)("
        "dev(4, 1, 8), mask=mask, src_key_padding_mask=dev(1, 4) > 2)",
        unchecked("add.Tensor") + "; torch/nn/functional.py adds the two masks",
        text=SAME,
    ),
    raises(
        "nn.TransformerEncoder",
        "mask, not causal",
        1,
        "OP(nn.TransformerEncoderLayer(8, 2), 1).to(device)(dev(4, 1, 8), mask=host(4, 4))",
        checked("_scaled_dot_product_efficient_attention"),
        text=SAME,
    ),
    raises(
        "nn.CrossEntropyLoss",
        "the module's weight",
        1,
        "OP(weight=host(3))(dev(2, 3), dev(2, kind=int))",
        checked("nll_loss_forward"),
        "module",
    ),
    mixes(
        "nn.BCEWithLogitsLoss",
        "the module's pos_weight",
        0,
        "OP(pos_weight=host())(dev(4), dev(4))",
        unchecked("binary_cross_entropy_with_logits"),
        "module",
    ),
    *[
        mixes(
            name,
            "the module, which has no state",
            1,
            code,
            "torch/nn/modules: no parameters and no buffers, nothing to move",
            "module",
        )
        for name, code in (
            ("nn.ReLU nn.GELU nn.Sigmoid nn.Softplus nn.Identity nn.Flatten", "OP()(dev(2, 3))"),
            ("nn.Softmax nn.MaxPool1d nn.Upsample", "OP(1)(dev(1, 2, 3))"),
            ("nn.MSELoss nn.L1Loss", "OP()(dev(4), dev(4))"),
        )
    ],
    mixes(
        "nn.Module.to",
        "the module",
        1,
        "model = nn.Linear(3, 2); model.to(device); model(dev(4, 3))",
        _APPLY,
        "module",
    ),
    raises(
        "nn.Module.to",
        "a tensor in a plain attribute",
        1,
        "model = nn.Linear(3, 2); model.scale = host(2); model.to(device); "
        "model(dev(4, 3)) * model.scale",
        _APPLY,
        text=ITERATOR,
    ),
    # Optimizers and gradients.
    mixes(
        "torch.optim.Optimizer.step",
        "step counters",
        0,
        "w = nn.Parameter(dev(3)); opt = torch.optim.AdamW([w]); w.sum().backward(); opt.step(); w",
        "torch/optim/adam.py: the step counter stays on the CPU",
    ),
    raises(
        "torch.optim.Optimizer.step",
        "state made before the module moved",
        1,
        "m = nn.Linear(3, 1); opt = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)\n"
        "m(host(2, 3)).sum().backward(); opt.step(); opt.zero_grad(); m.to(device)\n"
        "m(dev(2, 3)).sum().backward(); opt.step()",
        unchecked("_foreach_add_.List") + STRICT,
        text=ITERATOR,
    ),
    mixes(
        "torch.Tensor.backward",
        "gradient of a host leaf",
        1,
        "w = host(3).requires_grad_(); (w.to(device) * dev(3)).sum().backward(); w.grad",
        "tools/autograd/derivatives.yaml: the gradient of a copy is copied back",
        result="host",
    ),
    mixes(
        "torch.Tensor.backward",
        "a 0-dim leaf",
        0,
        "w = host().requires_grad_(); (w * dev(3)).sum().backward(); w.grad",
        "torch/csrc/autograd/engine.cpp, validate_outputs: a 0-dim gradient is moved to its tensor",
        result="host",
    ),
    mixes(
        "torch.Tensor.backward",
        "gradient",
        0,
        "w = dev(3).requires_grad_(); w.sum().backward(host()); w.grad",
        "torch/csrc/autograd/engine.cpp, validate_outputs: a 0-dim gradient is moved to its tensor",
    ),
    raises(
        "torch.Tensor.backward",
        "gradient",
        1,
        "w = dev(3).requires_grad_(); (w * 2).backward(host(3))",
        "torch/csrc/autograd/engine.cpp, validate_outputs",
        text="invalid gradient at index 0 - expected device cuda:0 but got cpu",
    ),
    mixes(
        "torch.Tensor.data",
        "the data assigned",
        1,
        "w = nn.Parameter(dev(3)); w.data = host(3); w",
        "torch/csrc/autograd/variable.cpp, set_data: dense CPU and CUDA tensors are compatible",
        result="host",
    ),
    raises(
        "torch.Tensor.grad",
        "the gradient assigned",
        1,
        "w = nn.Parameter(dev(3)); setattr(w, 'grad', host(3))",
        "torch/csrc/autograd/python_variable.cpp: the gradient must be where the tensor is",
        text="attempting to assign a gradient with device type 'cpu' to a tensor with device type",
    ),
    mixes(
        "nn.Module.load_state_dict",
        "the state",
        1,
        "m = nn.Linear(3, 2).to(device); m.load_state_dict(nn.Linear(3, 2).state_dict()); m.weight",
        "torch/nn/modules/module.py: parameters are filled with copy_",
    ),
    mixes(
        "torch.optim.Optimizer.load_state_dict",
        "the state",
        1,
        "def trained(w):\n"
        "    opt = torch.optim.SGD([w], lr=0.1, momentum=0.9); w.sum().backward(); opt.step()\n"
        "    return opt\n"
        "w = nn.Parameter(dev(3)); opt = trained(w)\n"
        "opt.load_state_dict(trained(nn.Parameter(host(3))).state_dict()); opt.step()\n"
        "opt.state[w]['momentum_buffer']",
        "torch/optim/optimizer.py: load_state_dict moves state to its parameter",
    ),
]
