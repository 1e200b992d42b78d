//===- CutlDerivativeOps.td - Derivatives of activations -----*- tablegen -*-===//
//
// Each is the derivative at x alone; a backward pass multiplies it by the
// gradient that arrives.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLDERIVATIVEOPS_TD
#define CUTL_DIALECT_CUTL_IR_CUTLDERIVATIVEOPS_TD

include "cutl/Dialect/Cutl/IR/CutlEpilogueOps.td"

def Cutl_ReluGradOp : Cutl_ActivationOp<"relu_grad", "0.1"> {
  let summary = "derivative of relu";
  let description = [{
    `y = x > 0 ? 1 : 0`; the derivative at zero is taken to be 0. NaN gives NaN, `+inf` gives 1, `-inf` gives 0. Exact.

    ```mlir
    %d = cutl.relu_grad %x : f32
    %dx = arith.mulf %dy, %d : f32
    ```
  }];
}

def Cutl_LeakyReluGradOp : Cutl_EpilogueOp<"leaky_relu_grad", "0.1"> {
  let summary = "derivative of leaky_relu";
  let description = [{
    `y = x > 0 ? 1 : slope`, with a finite `slope`; the derivative at zero is taken to be `slope`. NaN gives NaN, `+inf`
    gives 1, `-inf` gives `slope`. Exact but for the rounding of the slope to the type.

    ```mlir
    %d = cutl.leaky_relu_grad %x slope 0.01 : f32
    ```
  }];
  let arguments = (ins AnyFloat:$x, F64Attr:$slope);
  let results = (outs AnyFloat:$y);
  let assemblyFormat = "$x `slope` $slope attr-dict `:` type($y)";
  let hasVerifier = 1;
}

def Cutl_GeluGradOp : Cutl_EpilogueOp<"gelu_grad", "0.1"> {
  let summary = "derivative of gelu";
  let description = [{
    The derivatives of the two formulas of `cutl.gelu`, never exchanged for each other:

    * `erf` (default): `y = Φ(x) + x · φ(x)`, where Φ is the distribution function of the normal distribution and φ its
      density
    * `tanh`: `y = s + x · s · (1 - s) · v'`, where `s = 1 / (1 + exp(-v))`, `v = 2 · √(2/π) · (x + 0.044715·x³)` and
      `v' = 2 · √(2/π) · (1 + 0.134145·x²)`

    NaN gives NaN, `+inf` gives 1, `-inf` gives 0. Error: 2.6 ulp for positive operands and 2.1·2^-24 for negative ones;
    of the tanh form 2.8 ulp and 2.5·2^-24.

    ```mlir
    %d = cutl.gelu_grad %x : f32
    %e = cutl.gelu_grad tanh %x : f32
    ```
  }];
  let arguments = (ins AnyFloat:$x, DefaultValuedAttr<Cutl_GeluFormAttr, "::mlir::cutl::GeluForm::Erf">:$form);
  let results = (outs AnyFloat:$y);
  let assemblyFormat = "`` custom<GeluForm>($form) $x attr-dict `:` type($y)";
}

def Cutl_SiluGradOp : Cutl_ActivationOp<"silu_grad", "0.1"> {
  let summary = "derivative of silu";
  let description = [{
    `y = s · (1 + x · (1 - s))` with `s = sigmoid(x)`. NaN gives NaN, `+inf` gives 1, `-inf` gives 0. Error:
    2.8 ulp for positive operands and 2.5·2^-24 for negative ones.

    ```mlir
    %d = cutl.silu_grad %x : f32
    ```
  }];
}

def Cutl_SigmoidGradOp : Cutl_ActivationOp<"sigmoid_grad", "0.1"> {
  let summary = "derivative of sigmoid";
  let description = [{
    `y = sigmoid(x) · (1 - sigmoid(x))` for the operand `x` of the sigmoid, not for its result; computed as
    `t / (1 + t)²` with `t = exp(-|x|)`, without cancellation. NaN gives NaN, `±inf` gives 0. Error: 9.6 ulp.

    ```mlir
    %d = cutl.sigmoid_grad %x : f32
    ```
  }];
}

def Cutl_TanhGradOp : Cutl_ActivationOp<"tanh_grad", "0.1"> {
  let summary = "derivative of tanh";
  let description = [{
    `y = 1 - tanh(x)²` for the operand `x` of the tanh, not for its result; computed as `4t / (1 + t)²` with
    `t = exp(-2|x|)`, without cancellation. NaN gives NaN, `±inf` gives 0. Error: 9.6 ulp.

    ```mlir
    %d = cutl.tanh_grad %x : f32
    ```
  }];
}

def Cutl_HardswishGradOp : Cutl_ActivationOp<"hardswish_grad", "0.1"> {
  let summary = "derivative of hardswish";
  let description = [{
    `y = 0` for `x <= -3`, `1` for `x >= 3`, and `(x + 1.5) / 3` between them; the derivative at the two corners is taken
    from outside. NaN gives NaN, `+inf` gives 1, `-inf` gives 0. Error: 1.4 ulp.

    ```mlir
    %d = cutl.hardswish_grad %x : f32
    ```
  }];
}

def Cutl_SoftplusGradOp : Cutl_ActivationOp<"softplus_grad", "0.1"> {
  let summary = "derivative of softplus";
  let description = [{
    `y = 1 / (1 + exp(-x))`, which is `cutl.sigmoid`, and canonicalises to it. NaN gives NaN, `+inf` gives 1, `-inf`
    gives 0. Error: 6 ulp.

    ```mlir
    %d = cutl.softplus_grad %x : f32
    // becomes
    %d = cutl.sigmoid %x : f32
    ```
  }];
  let hasCanonicalizeMethod = 1;
}

#endif // CUTL_DIALECT_CUTL_IR_CUTLDERIVATIVEOPS_TD
