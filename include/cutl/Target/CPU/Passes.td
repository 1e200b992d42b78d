//===- Passes.td - Passes of the CPU target ----------------*- tablegen -*-===//
//
// The steps of the CPU pipeline that no upstream pass does.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGET_CPU_PASSES_TD
#define CUTL_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CutlCpuConvertMath : Pass<"cutl-cpu-convert-math", "ModuleOp"> {
  let summary = "Convert math operations without an instruction to libm calls";
  let description = [{
    Turns every `math` operation that the C library has and the processor has
    not into a call, and leaves the others (`absf`, `copysign`, `sqrt`,
    `rsqrt`, `fma`, roundings, bit counts, ...) to `convert-math-to-llvm`, which
    would lower some of the former to formulas that lose digits. `clampf`
    becomes `maximumf` and `minimumf`.

    A division of integers without a value, by zero or of the least integer by
    -1, would stop the program: such a divisor is replaced by 1.

    ```mlir
    %0 = math.expm1 %x : f32    // becomes call @expm1f, not exp(x) - 1
    %1 = math.sqrt %x : f32     // stays
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def CutlCpuAllowNegativeStrides
    : Pass<"cutl-cpu-allow-negative-strides", "ModuleOp"> {
  let summary = "Drop the promise that addresses are computed without sign";
  let description = [{
    The lowering of memrefs marks the arithmetic of addresses `nuw`: no step
    wraps as an unsigned number. With a negative stride one does. This drops the
    flag from additions, multiplications and `llvm.getelementptr`.

    ```mlir
    %1 = llvm.mul %i, %stride overflow<nsw, nuw> : i64
    // becomes
    %1 = llvm.mul %i, %stride overflow<nsw> : i64
    ```
  }];
}

def CutlCpuExpandFloat8 : Pass<"cutl-cpu-expand-float8", "ModuleOp"> {
  let summary = "Convert 8-bit floats by arithmetic on bits";
  let description = [{
    No processor instruction converts `f8E4M3FN` or `f8E5M2`. `arith.extf` from
    them and `arith.truncf` to them (to the nearest, ties to even) become
    integer arithmetic on the bits, constants become their bits, and other
    scalar arithmetic of them is done in f32 between conversions; 8-bit floats
    are then only moved.

    ```mlir
    %0 = arith.extf %x : f8E5M2 to f32
    // becomes
    %b = arith.bitcast %x : f8E5M2 to i8
    %w = arith.extui %b : i8 to i16
    %s = arith.shli %w, %c8_i16 : i16
    %h = arith.bitcast %s : i16 to f16
    %0 = arith.extf %h : f16 to f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def CutlCpuMarkEntryPoints : Pass<"cutl-cpu-mark-entry-points", "ModuleOp"> {
  let summary = "Record the signatures of functions callable from the host";
  let description = [{
    Gives each public function with a body that returns nothing, and whose
    arguments are strided memrefs and numbers, the attributes
    `llvm.emit_c_interface` and `cutl.host_signature`. The latter keeps the
    argument types, which the lowering to LLVM erases and which the engine
    checks at every call.

    ```mlir
    func.func @f(%x: memref<?xf32>, %s: f64)
    // becomes
    func.func @f(%x: memref<?xf32>, %s: f64)
        attributes {cutl.host_signature = [memref<?xf32>, f64],
                    llvm.emit_c_interface}
    ```
  }];
}

#endif // CUTL_TARGET_CPU_PASSES_TD
