//===- CutlGemmOps.td - Matrix product operations ------------*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLGEMMOPS_TD
#define CUTL_DIALECT_CUTL_IR_CUTLGEMMOPS_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "cutl/Dialect/Cutl/IR/CutlEnums.td"
include "cutl/Dialect/Cutl/IR/CutlInterfaces.td"
include "cutl/Dialect/Cutl/IR/CutlScheduleAttrs.td"
include "cutl/Dialect/Cutl/IR/CutlTileAttrs.td"

def Cutl_Shaped : AnyTypeOf<[
  RankedTensorOf<[AnyFloat, AnySignlessInteger]>, MemRefRankOf<[AnyFloat, AnySignlessInteger], [0, 1, 2, 3, 4, 5, 6, 7, 8]>
], "ranked tensor or memref of numbers, of rank at most 8">;
def Cutl_ShapedOrScalar : AnyTypeOf<[Cutl_Shaped, AnyFloat, AnySignlessInteger],
  "number, or ranked tensor or memref of numbers, of rank at most 8">;

def Cutl_GemmOp : Cutl_Op<"gemm", "0.1", "problems", [
    AttrSizedOperandSegments,
    IsolatedFromAbove,
    SingleBlock,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getIterationDomain", "getLoopIteratorTypes", "getTiledImplementation", "getResultTilePosition",
       "generateResultTileValue", "getIterationDomainTileFromResultTile"]>,
    Cutl_ProblemOpInterface
  ]> {
  let summary = "matrix product with a fused epilogue";
  let description = [{
    Computes, for every batch index `b…`, every `m` and every `n`,

    ```
    acc_i[b…, m, n] = sum over k of A'[b…, m, k] · B_i'[b…, n, k]
    A'  = round(A − zero_A) · scale_A     B_i' = round(B_i − zero_Bi) · scale_Bi
    ```

    and passes the accumulators `acc_i` through the epilogue region once per `(b…, m, n)`. Operands are addressed by maps
    over the domain `(b…, m, n, k)`: `(m, k)` is a row-major A when its last stride is one, `(k, m)` the column-major
    one; pitch is the memref's strides. A batch dimension missing from an operand's map broadcasts it. With one batch
    dimension the name is `b`; with more they are `b0, b1, …`.

    The region's arguments are the accumulators (one per B, or two for a split B), then one element of each auxiliary
    operand. It yields one value per `outs` operand. `outs` contents are never read. An output whose map drops a
    dimension is a reduction over that dimension and names its combiner: `outs(%s : (n) add)`; over an empty dimension
    it holds the combiner's identity (`add`, `amax`: 0; `max`, `min`: −inf, +inf, or the type's least and greatest
    integer). `max`, `min` and `amax` return NaN if a value is NaN. Integers are signed: sums wrap in the output's type,
    and `amax` of the least is the greatest. Values combine in the output's type, f16 and bf16 sums in f32, rounded once.

    Every size is legal, 0 and 1 included: with `k = 0` the accumulators are zero and the epilogue still runs.

    **How the product is formed.** Operand elements are converted to the accumulator type (the type of the region's first
    arguments: f32, f64, i32, or f16), multiplied and added there. `compute(…)` changes this: `math = tf32`, `bf16` or
    `f16` rounds f32 operands to that type first (`round` above, to nearest even), `math = tf32x3` recovers f32 accuracy from three
    tf32 products; `a = unsigned`, `b = unsigned` read integer elements as unsigned; `saturate` clamps the exact integer
    sum to the accumulator's range instead of wrapping; `promote = n` moves fp8 partial sums to f32 every `n` steps of k.

    ```mlir
    %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) aux(%b : (n)) outs(%d : (m, n)) {
    ^bb0(%acc: f32, %bias: bf16):
      %b32 = arith.extf %bias : bf16 to f32
      %s = arith.addf %acc, %b32 : f32
      %r = cutl.relu %s : f32
      %o = arith.truncf %r : f32 to bf16
      cutl.yield %o : bf16
    } : (tensor<?x4096xbf16>, tensor<14336x4096xbf16>, tensor<14336xbf16>, tensor<?x14336xbf16>)
        -> tensor<?x14336xbf16>
    ```

    Clauses, in this order, all but `ins` and `outs` optional:

    | clause | meaning |
    |---|---|
    | `ins(%a : map, %b : map, …)` | A, then one or more B |
    | `split(halves)`, `split(interleaved)` | the one B has `2n` rows: accumulator 0 takes rows `0…n−1` (even rows), accumulator 1 rows `n…2n−1` (odd rows) |
    | `scales(%s of a : map, %t of b : map)` | factor of an operand; `of b[1]` names the second B; map results may be `d floordiv c` |
    | `zeros(%z of b : map)` | zero point of an operand, likewise |
    | `aux(%c : map, %alpha : ())` | epilogue inputs: full matrices, vectors, rank-0 tensors, or numbers by value |
    | `outs(%d : map, %s : map combiner)` | destinations |
    | `compute(…)` | see above |
    | `promises(k divisible_by 8, a aligned 16, outs[0] aligned 16)` | what the producer guarantees: divisors of extents, byte alignment of base addresses |
    | `execution(…)` | what the caller demands of the way it is computed, see below |
    | `config(…)`, `variants(…)`, `schedule(…)` | decisions, see `cutl-select-config` and below |

    **What the caller demands.** `execution(deterministic = false, batch_invariant, sm_budget = 64)`, each optional, limits
    or widens the choice of configuration and schedule; a decision that breaks a demand is refused by
    `cutl-verify-config`. Lowerings for CPUs add in one order and use no SMs, so that they need to heed none of them.

    * `deterministic` (default true): the same operands give the same bits in every run on a chip. `= false` lets a
      schedule add partial sums in the order in which they arrive.
    * `batch_invariant`: a row of an output that `m` addresses has the same bits whatever the extent of `m`, and wherever
      the row stands. How k is divided and in which order it is summed then depends on neither; no configuration swaps
      operands, and a stage holds one 128-byte row of k. Columns reduced over `m` are of course another sum.
    * `sm_budget = n`: at most `n` CTAs run at once, thus on at most `n` SMs; a cluster counts as all its CTAs.

    **Several configurations.** `variants(…)` has a configuration for some of the extents that are known at run time.
    A call has that of the first variant whose bounds its extents keep to, and `config` if there is none. A lowering is
    free to have `config` in all calls, as those for CPUs are.

    **Constraints.**

    * C1: there are one A, at least one B and at least one output, and one map per operand, without symbols, all over
      one domain `(b…, m, n, k)`. It has at most six batch dimensions, each used by some operand.
    * C2: a map has as many results as its operand has dimensions (none for a number); each result is a dimension of the
      domain, in `scales` and `zeros` also `d floordiv c` with `c > 0`; no dimension occurs twice.
    * C3: A's map uses `m` and `k` and not `n`; every B's map uses `n` and `k` and not `m`.
    * C4: maps of `aux` and `outs` do not use `k`.
    * C5: an output's map uses every batch dimension, `m` and `n`, or else it names a combiner; an output that uses them
      all names none. A reduced output has f16, bf16, f32, f64 or integer elements.
    * C6: extents that one dimension has in different operands are equal where static (rows of a split B are `2n`;
      `d floordiv c` has `⌈d/c⌉` entries).
    * C7: all B have one element type; A, B and accumulator form a triple of the data-type table.
    * C8: the region's arguments are one accumulator per B (two for a split B), all of one type, then the element type of
      each auxiliary operand, in order.
    * C9: the region yields one value per output, of that output's element type.
    * C10: in tensor form there is one result per output, of its type; in memref form there is none; forms are not mixed.
      Tensors have no encoding.
    * C11: `split` goes with exactly one B, whose static row count is even.
    * C12: each scale and zero names an operand that exists, and no operand has two; a scale is floating-point and needs a
      floating-point accumulator; an integer zero has its operand's element type; neither is wider than a
      floating-point accumulator. Its map uses only dimensions that the operand's map uses. With `split`, the block of rows
      `c` in `n floordiv c` is even (interleaved) or divides the known divisor of n (halves).
    * C13: ops of the region are admitted (`EpilogueOpInterface`) and work on floats and signless integers of up to 64
      bits.
    * C14: `math` other than `exact` needs f32 operands without zeros; `saturate` an integer accumulator; `promote` 8-bit floating-point
      operands and a positive interval; `unsigned` an integer operand.
    * C15: a promised divisor is at least 1 and divides a static extent; a promised alignment is a power of two and at
      least the element's size.
    * C16: memref layouts are strided, and static strides of an output give each of its elements a place of its own.
    * C17: `sm_budget` is at least 1, and `batch_invariant` does not go with `deterministic = false`.
    * C18: `variants` go with a `config`.

    In memref form an output must not share memory with A, B, a scale, a zero or another output; it may be an auxiliary
    operand exactly when their maps are equal and it is not reduced. Passes that lower the memref form report what they
    can see of it; in tensor form bufferization takes care.
  }];

  let arguments = (ins
    Cutl_Shaped:$a,
    Variadic<Cutl_Shaped>:$bs,
    Variadic<Cutl_ShapedOrScalar>:$scales,
    Variadic<Cutl_ShapedOrScalar>:$zeros,
    Variadic<Cutl_ShapedOrScalar>:$aux,
    Variadic<Cutl_Shaped>:$outs,
    AffineMapArrayAttr:$indexing_maps,
    Cutl_CombinerArrayAttr:$combiners,
    DenseI64ArrayAttr:$scale_targets,
    DenseI64ArrayAttr:$zero_targets,
    DefaultValuedAttr<Cutl_SplitAttr, "::mlir::cutl::Split::None">:$split,
    DefaultValuedAttr<Cutl_MathModeAttr, "::mlir::cutl::MathMode::Exact">:$math,
    DefaultValuedAttr<Cutl_SignednessAttr, "::mlir::cutl::Signedness::Signed">:$a_signedness,
    DefaultValuedAttr<Cutl_SignednessAttr, "::mlir::cutl::Signedness::Signed">:$b_signedness,
    UnitAttr:$saturate,
    OptionalAttr<I64Attr>:$promote,
    OptionalAttr<DenseI64ArrayAttr>:$dim_divisors,
    OptionalAttr<DenseI64ArrayAttr>:$operand_alignments,
    DefaultValuedAttr<BoolAttr, "true">:$deterministic,
    UnitAttr:$batch_invariant,
    OptionalAttr<I64Attr>:$sm_budget,
    OptionalAttr<Cutl_TileConfigAttr>:$config,
    OptionalAttr<Cutl_VariantArrayAttr>:$variants,
    OptionalAttr<Cutl_ScheduleAttrInterface>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$epilogue);

  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "const ::mlir::cutl::GemmOperands &":$operands, "const ::mlir::cutl::GemmCompute &":$compute,
                   "::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>":$epilogue)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;

  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }

    /// Tensor form; the other is memref form.
    bool hasTensorForm() { return ::mlir::isa<::mlir::RankedTensorType>(getA().getType()); }

    /// The domain `(b…, m, n, k)` that the maps are over.
    ::mlir::cutl::GemmDomain getDomain();
    ::mlir::AffineMap getMap(unsigned operandIndex);
    ::mlir::AffineMap getMap(::mlir::OpOperand &operand) { return getMap(operand.getOperandNumber()); }
    ::mlir::cutl::Combiner getCombiner(unsigned output);

    /// Two for a split B, otherwise one per B.
    unsigned getNumAccumulators();
    /// Whether output number `output` is a sum over k, as it is or rounded.
    bool isSum(unsigned output);
    ::mlir::Type getAccumulatorType();
    ::mlir::Block *getBody() { return &getEpilogue().front(); }

    /// Operands with their maps and targets, in the form that rewrites work on.
    ::mlir::cutl::GemmOperands getGemmOperands();
    ::mlir::cutl::GemmCompute getGemmCompute();

    /// Static extent of a domain dimension, or ShapedType::kDynamic.
    int64_t getStaticExtent(unsigned dim);
    /// Extent of a domain dimension as a constant or an SSA value.
    ::mlir::OpFoldResult getExtent(::mlir::OpBuilder &builder, ::mlir::Location loc, unsigned dim);
    /// Name of an operand as diagnostics print it: `a`, `b[1]`, `aux[0]`, `outs[0]`, …
    ::std::string getOperandName(unsigned operandIndex);
    /// Guaranteed divisor of a domain dimension: from its static extent or a promise.
    int64_t getDivisor(unsigned dim);
    /// Whether the op would still verify if an operand gave a domain dimension this static extent. It would not where
    /// another operand or a promise says otherwise: such a program is wrong, but to say so is not for a rewrite.
    bool canHaveExtent(unsigned dim, int64_t size);

    /// ProblemOpInterface.
    ::cutl::heuristics::Problem getProblem();
  }];
}

def Cutl_YieldOp : Cutl_Op<"yield", "0.1", "problems",
    [Pure, ReturnLike, Terminator, ParentOneOf<["::mlir::cutl::GemmOp"]>]> {
  let summary = "ends an epilogue region";
  let description = [{
    Yields one value per output of the enclosing op.

    ```mlir
    cutl.yield %o, %rowsum : bf16, f32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

#endif // CUTL_DIALECT_CUTL_IR_CUTLGEMMOPS_TD
