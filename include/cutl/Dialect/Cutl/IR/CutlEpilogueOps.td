//===- CutlEpilogueOps.td - Operations of epilogue regions ---*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLEPILOGUEOPS_TD
#define CUTL_DIALECT_CUTL_IR_CUTLEPILOGUEOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "cutl/Dialect/Cutl/IR/CutlEnums.td"
include "cutl/Dialect/Cutl/IR/CutlInterfaces.td"

/// The errors that the descriptions name are bounds in f32 on the GPU, whatever errors the approximate instructions make
/// within their specification; narrower types add one rounding. docs/Epilogues.md has the table, and the
/// bounds of results that are rounded later.

/// A scalar op of an epilogue region. One `def` with the interface's methods makes the op known to the verifier, the
/// linalg definition, the reference evaluation and the cost model.
class Cutl_EpilogueOp<string mnemonic, string since, list<Trait> traits = []>
    : Cutl_Op<mnemonic, since, "epilogue", !listconcat([
        Pure, SameOperandsAndResultType,
        DeclareOpInterfaceMethods<Cutl_EpilogueOpInterface, ["expandToArith"]>], traits)>;

class Cutl_ActivationOp<string mnemonic, string since> : Cutl_EpilogueOp<mnemonic, since> {
  let arguments = (ins AnyFloat:$x);
  let results = (outs AnyFloat:$y);
  let assemblyFormat = "$x attr-dict `:` type($y)";
}

def Cutl_ReluOp : Cutl_ActivationOp<"relu", "0.1"> {
  let summary = "max(x, 0)";
  let description = [{
    `y = x > 0 ? x : 0`, and NaN for NaN. `relu(-0.0)` is `0.0`. Exact.

    ```mlir
    %y = cutl.relu %x : f32
    ```
  }];
  let hasFolder = 1;
}

def Cutl_LeakyReluOp : Cutl_EpilogueOp<"leaky_relu", "0.1"> {
  let summary = "x, or slope · x where x is not positive";
  let description = [{
    `y = x > 0 ? x : slope · x` (Maas, Hannun and Ng, "Rectifier nonlinearities improve neural network acoustic
    models", 2013), with a finite `slope`.

    NaN gives NaN, `+inf` gives `+inf`, `-inf` gives `slope · -inf`, which is NaN for a slope of zero. Error: the
    rounding of the slope and of one product, 1 ulp.

    ```mlir
    %y = cutl.leaky_relu %x slope 0.01 : f32
    ```
  }];
  let arguments = (ins AnyFloat:$x, F64Attr:$slope);
  let results = (outs AnyFloat:$y);
  let assemblyFormat = "$x `slope` $slope attr-dict `:` type($y)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Cutl_HardswishOp : Cutl_ActivationOp<"hardswish", "0.1"> {
  let summary = "x · min(max(x + 3, 0), 6) / 6";
  let description = [{
    `y = x · min(max(x + 3, 0), 6) / 6` (Howard et al., "Searching for MobileNetV3", arXiv:1905.02244): `-0.0` up to
    -3, and `x` itself from 3 on.

    NaN gives NaN, `+inf` gives `+inf`, `-inf` gives `-0.0`. Error: 2.5 ulp.

    ```mlir
    %y = cutl.hardswish %x : f32
    ```
  }];
}

def Cutl_ClampOp : Cutl_EpilogueOp<"clamp", "0.1"> {
  let summary = "x moved into an interval";
  let description = [{
    `y = min(max(x, low), high)`, where `-0.0` is less than `0.0`. The bounds are constants with `low <= high`, either of
    which may be infinite; they are rounded to the type of the result. For bounds that are values there are
    `arith.maximumf` and `arith.minimumf`, to which NaN is contagious, and `arith.maxnumf` and `arith.minnumf`, which
    ignore it.

    NaN gives NaN, `-inf` gives `low`, `+inf` gives `high`. Exact.

    ```mlir
    %y = cutl.clamp %x low -1.0 high 1.0 : f32
    ```
  }];
  let arguments = (ins AnyFloat:$x, F64Attr:$low, F64Attr:$high);
  let results = (outs AnyFloat:$y);
  let assemblyFormat = [{
    $x `low` $low `high` $high attr-dict `:` type($y)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Cutl_GeluOp : Cutl_EpilogueOp<"gelu", "0.1"> {
  let summary = "Gaussian error linear unit";
  let description = [{
    Two formulas, never exchanged for each other (Hendrycks and Gimpel, arXiv:1606.08415):

    * `erf` (default): `y = x/2 · (1 + erf(x/√2))`
    * `tanh`: `y = x/2 · (1 + tanh(√(2/π) · (x + 0.044715·x³)))`

    NaN gives NaN, `+inf` gives `+inf`, `-inf` gives `-0.0`. Error: 3.9 ulp for positive operands and 2.2·2^-24·|x| for
    negative ones; of the tanh form 4.4 ulp and 2.7·2^-24·|x|.

    ```mlir
    %y = cutl.gelu %x : f32
    %z = cutl.gelu tanh %x : f32
    ```
  }];
  let arguments = (ins AnyFloat:$x, DefaultValuedAttr<Cutl_GeluFormAttr, "::mlir::cutl::GeluForm::Erf">:$form);
  let results = (outs AnyFloat:$y);
  let assemblyFormat = "`` custom<GeluForm>($form) $x attr-dict `:` type($y)";
}

def Cutl_SiluOp : Cutl_ActivationOp<"silu", "0.1"> {
  let summary = "x · sigmoid(x)";
  let description = [{
    `y = x / (1 + exp(-x))`. NaN gives NaN, `+inf` gives `+inf`, `-inf` gives `-0.0`. Error: 6.5 ulp, and 2^-142 where
    the result is almost subnormal.

    ```mlir
    %y = cutl.silu %x : f32
    ```
  }];
}

def Cutl_SigmoidOp : Cutl_ActivationOp<"sigmoid", "0.1"> {
  let summary = "1 / (1 + exp(-x))";
  let description = [{
    NaN gives NaN, `+inf` gives 1, `-inf` gives 0. Error: 6 ulp.

    ```mlir
    %y = cutl.sigmoid %x : f32
    ```
  }];
}

def Cutl_TanhOp : Cutl_ActivationOp<"tanh", "0.1"> {
  let summary = "hyperbolic tangent";
  let description = [{
    NaN gives NaN, `±inf` gives `±1`. Error: 2.9 ulp.

    ```mlir
    %y = cutl.tanh %x : f32
    ```
  }];
}

def Cutl_SoftplusOp : Cutl_ActivationOp<"softplus", "0.1"> {
  let summary = "log(1 + exp(x))";
  let description = [{
    `y = log(1 + exp(x))`, computed as `max(x, 0) + log1p(exp(-|x|))`, which neither overflows nor loses small results
    (Dugas et al., "Incorporating second-order functional knowledge for better option pricing", 2000).

    NaN gives NaN, `+inf` gives `+inf`, `-inf` gives 0. Error: 3.4 ulp.

    ```mlir
    %y = cutl.softplus %x : f32
    ```
  }];
}

def Cutl_LinearCombinationOp : Cutl_EpilogueOp<"linear_combination", "0.1"> {
  let summary = "alpha · acc + beta · c, with the BLAS rule for beta = 0";
  let description = [{
    `y = beta == 0 ? alpha · acc : alpha · acc + beta · c`. With `beta == 0` the value of `c` has no influence, NaN and
    infinity included, as in the BLAS; with `alpha == 0` the product is still formed, so NaN in it is kept. Error: the
    rounding of each product and of the sum.

    ```mlir
    %y = cutl.linear_combination %alpha, %acc, %beta, %c : f32
    ```
  }];
  let arguments = (ins AnyFloat:$alpha, AnyFloat:$acc, AnyFloat:$beta, AnyFloat:$c);
  let results = (outs AnyFloat:$y);
  let assemblyFormat = "$alpha `,` $acc `,` $beta `,` $c attr-dict `:` type($y)";
  let hasFolder = 1;
}

#endif // CUTL_DIALECT_CUTL_IR_CUTLEPILOGUEOPS_TD
