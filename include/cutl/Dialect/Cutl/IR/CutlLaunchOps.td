//===- CutlLaunchOps.td - Operations of the host side --------*- tablegen -*-===//
//
// Constraints are numbered through the file.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLLAUNCHOPS_TD
#define CUTL_DIALECT_CUTL_IR_CUTLLAUNCHOPS_TD

include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "cutl/Dialect/Cutl/IR/CutlBase.td"

def Cutl_LaunchOperand : AnyTypeOf<[AnyStridedMemRef, AnyFloat, AnySignlessIntegerOrIndex],
  "strided memref, or number">;
def Cutl_Workspace
    : Type<CPred<"$_self == ::mlir::cutl::getWorkspaceType($_self.getContext())">, "memref<?xi8>", "::mlir::MemRefType">,
      BuildableType<"::mlir::cutl::getWorkspaceType($_builder.getContext())">;
def Cutl_Stream
    : Type<CPred<"$_self == ::mlir::cutl::getStreamType($_self.getContext())">, "!llvm.ptr",
           "::mlir::LLVM::LLVMPointerType">,
      BuildableType<"::mlir::cutl::getStreamType($_builder.getContext())">;

def Cutl_BundleOp : Cutl_Op<"bundle", "0.1", "host", [
    IsolatedFromAbove, NoRegionArguments, NoTerminator, SingleBlock, Symbol, SymbolTable
  ]> {
  let summary = "entries and the kernels that they launch";
  let description = [{
    What the runtime loads as one piece: any number of `cutl.entry` and the `gpu.module` (later the `gpu.binary`) with
    their kernels. Nothing in it runs where it stands; `cutl.launch` calls an entry.

    ```mlir
    cutl.bundle @linear_bundle attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
      cutl.entry @linear(%x: memref<?x?xbf16>, %w: memref<?x?xbf16>, %d: memref<?x?xbf16>, %workspace: memref<?xi8>) {
        cutl.launch_kernel @kernels::@linear_0(%x, %w, %d) : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>)
        cutl.end_entry
      }
      gpu.module @kernels { … }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name)>];
}

def Cutl_EntryOp : Cutl_Op<"entry", "0.1", "host", [
    AffineScope, AutomaticAllocationScope, FunctionOpInterface, HasParent<"::mlir::cutl::BundleOp">, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"::mlir::cutl::EndEntryOp">
  ]> {
  let summary = "what one call puts on a stream";
  let description = [{
    A callable of a bundle: the steps that it puts on the caller's stream, in order, and the arithmetic on sizes,
    strides and integer arguments that they need. The host evaluates that arithmetic at each call and waits for nothing.

    Arguments are the operands (strided memrefs in device memory), the numbers, and last the workspace. An intermediate
    is a `memref.alloc` until `cutl-plan-workspace` gives it a place in the workspace. An argument attribute `cutl.name`
    is what errors call the argument.

    ```mlir
    cutl.entry @two(%x: memref<?x64xf16> {cutl.name = "x"}, %w: memref<48x64xf16>, %v: memref<10x48xf16>,
                    %d: memref<?x10xf32>, %workspace: memref<?xi8>) {
      %c0 = arith.constant 0 : index
      %m = memref.dim %x, %c0 : memref<?x64xf16>
      %h = memref.alloc(%m) : memref<?x48xf16>
      cutl.launch_kernel @kernels::@two_0(%x, %w, %h) : (memref<?x64xf16>, memref<48x64xf16>, memref<?x48xf16>)
      cutl.launch_kernel @kernels::@two_1(%h, %v, %d) : (memref<?x48xf16>, memref<10x48xf16>, memref<?x10xf32>)
      cutl.end_entry
    }
    ```

    **Constraints.**

    * C1: an entry has no results and one block.
    * C2: its last argument is the workspace, a `memref<?xi8>`; the others are strided memrefs or numbers.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  /// The entry block has its arguments and the terminator.
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::TypeRange":$arguments)>];
  let extraClassDeclaration = [{
    /// FunctionOpInterface.
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }

    /// The arguments without the workspace.
    ::mlir::Block::BlockArgListType getOperandArguments() { return getArguments().drop_back(); }
    ::mlir::BlockArgument getWorkspace() { return getArguments().back(); }
  }];
}

def Cutl_EndEntryOp : Cutl_Op<"end_entry", "0.1", "host",
    [HasParent<"::mlir::cutl::EntryOp">, Pure, ReturnLike, Terminator]> {
  let summary = "ends an entry";
  let description = [{
    After `cutl-plan-workspace` its operand is how many bytes of workspace the entry needs.

    ```mlir
    cutl.end_entry
    cutl.end_entry workspace(%bytes)
    ```
  }];
  let arguments = (ins Optional<Index>:$workspace_bytes);
  let assemblyFormat = "(`workspace` `(` $workspace_bytes^ `)`)? attr-dict";
  let builders = [OpBuilder<(ins), "build($_builder, $_state, ::mlir::Value());">];
}

def Cutl_LaunchKernelOp : Cutl_Op<"launch_kernel", "0.1", "host", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    AttrSizedOperandSegments,
    ParentOneOf<["::mlir::cutl::EntryOp"]>
  ]> {
  let summary = "puts a kernel on the entry's stream";
  let description = [{
    A step of an entry. Operands are the kernel's arguments: memrefs in the order of the problem op that it was made
    from, then the numbers taken by value, then what the schedule works on. Any memref may be read or written. `grid` is
    how many CTAs run, and is no more than `sm_budget`; without it, that is decided when the kernel is lowered, never more
    at once than `sm_budget` says, in whole clusters. The first of `variants` whose condition holds is put on the stream
    in place of the kernel.

    ```mlir
    cutl.launch_kernel @kernels::@linear_0(%x, %w, %d) : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>)
    cutl.launch_kernel @kernels::@linear_0(%x, %w, %d) variants(%few : [@kernels::@linear_0_variant_0])
        : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>)
    cutl.launch_kernel @kernels::@linear_0(%x, %w, %d) sm_budget(64)
        : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>)
    cutl.launch_kernel @kernels::@linear_0(%x, %w, %d, %p, %c) grid(%ctas)
        : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>, memref<?x8192xf32>, memref<?xi32>)
    ```

    **Constraints.**

    * C3: the kernel is a `gpu.func` with `kernel`, or what lowering made of it: an `llvm.func`, or a name in the kernel
      table of a `gpu.binary`.
    * C4: operands are as many as the arguments of a `gpu.func`, and of their types.
    * C5: variants are as many as conditions, and kernels as C3 and C4 say; they do not go with a `grid`.
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Variadic<Cutl_LaunchOperand>:$arguments, Optional<Index>:$grid,
                       Variadic<I1>:$conditions, OptionalAttr<TypedArrayAttrBase<SymbolRefAttr, "kernels">>:$variants,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$sm_budget);
  let assemblyFormat = [{
    $kernel `(` $arguments `)` (`grid` `(` $grid^ `)`)? (`variants` `(` $conditions^ `:` $variants `)`)?
    (`sm_budget` `(` $sm_budget^ `)`)? attr-dict (`:` `(` type($arguments)^ `)`)?
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::SymbolRefAttr":$kernel, "::mlir::ValueRange":$arguments,
                                 CArg<"::mlir::IntegerAttr", "{}">:$sm_budget), [{
    build($_builder, $_state, kernel, arguments, /*grid=*/::mlir::Value(), /*conditions=*/::mlir::ValueRange(),
          /*variants=*/::mlir::ArrayAttr(), sm_budget);
  }]>];
  let extraClassDeclaration = [{
    /// The kernels of `variants`, in order.
    ::llvm::SmallVector<::mlir::SymbolRefAttr> getVariantKernels();
  }];
}

def Cutl_ResidentCtasOp : Cutl_Op<"resident_ctas", "0.1", "host", [
    ParentOneOf<["::mlir::cutl::EntryOp"]>, Pure
  ]> {
  let summary = "how many CTAs of a kernel run at once";
  let description = [{
    How many CTAs of a kernel the device holds at once, a multiple of its cluster's size: at least one cluster. It is the
    same wherever it stands in the entry.

    ```mlir
    %ctas = cutl.resident_ctas @kernels::@linear_0
    ```

    **Constraints.**

    * C6: the entry launches the kernel.
  }];
  let arguments = (ins SymbolRefAttr:$kernel);
  let results = (outs Index:$ctas);
  let assemblyFormat = "$kernel attr-dict";
  let hasVerifier = 1;
}

def Cutl_MemsetOp : Cutl_Op<"memset", "0.1", "host", [ParentOneOf<["::mlir::cutl::EntryOp"]>]> {
  let summary = "fills an array on the entry's stream";
  let description = [{
    A step of an entry. Writes one value, of which the elements have the low bits, to every element.

    ```mlir
    cutl.memset %arrivals to 0 : memref<?xi32>
    ```

    **Constraints.**

    * C7: the array is in row-major order without gaps.
  }];
  let arguments = (ins Arg<MemRefOf<[I8, I16, I32, F32]>, "what is filled", [MemWrite]>:$destination, I32Attr:$value);
  let assemblyFormat = "$destination `to` $value attr-dict `:` type($destination)";
  let hasVerifier = 1;
}

def Cutl_LaunchOp : Cutl_Op<"launch", "0.1", "host", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>
  ]> {
  let summary = "calls an entry of a bundle";
  let description = [{
    Puts the steps of an entry on a stream and returns without waiting. Operands are the entry's arguments but the last,
    which is the workspace: device memory that is in use until the work is done. The stream is a pointer to a
    `CutlStream` of the runtime, which holds the stream and what went wrong on it.

    ```mlir
    cutl.launch @linear_bundle::@linear(%x, %w, %d) workspace(%workspace) stream(%stream)
        : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>)
    ```

    **Constraints.**

    * C8: the symbol is a `cutl.entry` in a `cutl.bundle`.
    * C9: operands are as many as the entry's arguments without the workspace, and of their types.
  }];
  let arguments = (ins SymbolRefAttr:$entry, Variadic<Cutl_LaunchOperand>:$arguments, Cutl_Workspace:$workspace,
                       Cutl_Stream:$stream);
  let assemblyFormat = [{
    $entry `(` $arguments `)` `workspace` `(` $workspace `)` `stream` `(` $stream `)` attr-dict
    (`:` `(` type($arguments)^ `)`)?
  }];
}

#endif // CUTL_DIALECT_CUTL_IR_CUTLLAUNCHOPS_TD
