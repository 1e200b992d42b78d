//===- CutlLaunchOps.td - Operations of the host side --------*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLLAUNCHOPS_TD
#define CUTL_DIALECT_CUTL_IR_CUTLLAUNCHOPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "cutl/Dialect/Cutl/IR/CutlBase.td"

def Cutl_LaunchOperand : AnyTypeOf<[AnyStridedMemRef, AnyFloat, AnySignlessInteger],
  "strided memref, or number">;

def Cutl_LaunchOp : Cutl_Op<"launch", "0.1", "host", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>
  ]> {
  let summary = "runs a kernel that was outlined";
  let description = [{
    Stands where the problem op stood and runs the kernel that took its place. Operands are the kernel's arguments: the
    op's memrefs in its order, then the numbers that it took by value. Any memref may be read or written. How many CTAs
    run, and where, is decided when the kernel is lowered.

    ```mlir
    cutl.launch @linear_kernels::@linear_0(%x, %w, %d) : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>)
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Variadic<Cutl_LaunchOperand>:$arguments);
  let assemblyFormat = "$kernel `(` $arguments `)` attr-dict `:` `(` type($arguments) `)`";
}

#endif // CUTL_DIALECT_CUTL_IR_CUTLLAUNCHOPS_TD
