//===- CutlInterfaces.td - Interfaces of the cutl dialect ----*- tablegen -*-===//

#ifndef CUTL_DIALECT_CUTL_IR_CUTLINTERFACES_TD
#define CUTL_DIALECT_CUTL_IR_CUTLINTERFACES_TD

include "mlir/IR/OpBase.td"

def Cutl_EpilogueOpInterface : OpInterface<"EpilogueOpInterface"> {
  let cppNamespace = "::mlir::cutl";
  let description = [{
    An op that may stand in an epilogue region: scalar in, scalar out, no side effect, with a reference value and a
    cost. Ops of the dialect implement it themselves; the admitted `arith` and `math` ops get it from
    `EpilogueExternalModels.cpp`, which is the list of what is admitted.
  }];
  let methods = [
    InterfaceMethod<"Arithmetic cost per element, in floating-point operations; a transcendental counts as its expansion.",
      "::mlir::cutl::EpilogueCost", "getEpilogueCost", (ins)>,
    InterfaceMethod<[{Evaluates the op in double precision. `operands` carry a value and a bound on its error; the
      result carries the exact value of the formula on the operands' values, and a bound on what rounding in the
      op's own type and the operands' errors can add.}],
      "::mlir::cutl::RefValue", "evaluateReference", (ins "::llvm::ArrayRef<::mlir::cutl::RefValue>":$operands)>,
    InterfaceMethod<[{Emits the op's formula with `arith` and `math` ops on `operands`; null if the op already is one of
      those and is cloned as it stands.}],
      "::mlir::Value", "expandToArith",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands), [{}], [{
        return ::mlir::Value();
      }]>
  ];
}

def Cutl_ProblemOpInterface : OpInterface<"ProblemOpInterface"> {
  let cppNamespace = "::mlir::cutl";
  let description = [{
    An op that states a contraction problem. Selection, scheduling and tiling see problems only through this interface
    (the rationale page writes GEMM, gated pairs, block scales, grouped GEMM and convolutions in its terms).
  }];
  let methods = [
    InterfaceMethod<[{The problem as the heuristics library sees it: extents (dynamic ones as -1), element types,
      majorness and alignment of operands, accumulators, and the cost of the epilogue.}],
      "::cutl::heuristics::Problem", "getProblem", (ins)>,
    InterfaceMethod<"The tile configuration, null if none has been chosen.",
      "::mlir::cutl::TileConfigAttr", "getConfigAttr", (ins)>,
    InterfaceMethod<"Records the tile configuration.", "void", "setConfigAttr",
      (ins "::mlir::cutl::TileConfigAttr":$config)>,
    InterfaceMethod<"Configurations for some extents, in the order in which they are tried; null if there are none.",
      "::mlir::ArrayAttr", "getVariantsAttr", (ins)>,
    InterfaceMethod<"Records them.", "void", "setVariantsAttr", (ins "::mlir::ArrayAttr":$variants)>,
    InterfaceMethod<"The schedule, null if none has been chosen.",
      "::mlir::cutl::ScheduleAttrInterface", "getScheduleAttr", (ins)>,
    InterfaceMethod<"Records the schedule.", "void", "setScheduleAttr",
      (ins "::mlir::cutl::ScheduleAttrInterface":$schedule)>
  ];
}

def Cutl_ScheduleAttrInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::mlir::cutl";
  let description = [{
    A division of a problem's tiles and k iterations into units of work. Arithmetic only: grid, workspace bytes, which
    unit does which tile and k range, and who reduces. Emitting the work loop and the fixup is an external model that
    the conversion registers.
  }];
  let methods = [
    InterfaceMethod<[{The schedule's arithmetic for one problem, for which `::cutl::schedule::check` has passed, on a
      number of CTAs or clusters that run at once.}],
      "::std::unique_ptr<::cutl::schedule::TileScheduler>", "makeScheduler",
      (ins "const ::cutl::schedule::TileSpace &":$space, "const ::cutl::schedule::Raster &":$raster,
           "int64_t":$workers)>,
    InterfaceMethod<[{How many partial results of every element kernels leave to one that follows. If it is not one, the
      parts of k are the outermost batch dimension of the work loop once `cutl-apply-schedule` has run.}],
      "int64_t", "getNumParts", (ins), [{}], [{ return 1; }]>,
    InterfaceMethod<[{Why the schedule cannot serve this problem, configuration and target, with the nearest that can;
      an empty string if it can.}],
      "::std::string", "checkSchedule",
      (ins "const ::cutl::heuristics::Problem &":$problem, "const ::cutl::heuristics::TileConfig &":$config,
           "const ::cutl::targetinfo::Target &":$target)>,
    InterfaceMethod<[{Whether partial sums are added in the order in which units arrive: such a schedule is not
      deterministic.}],
      "bool", "addsAsUnitsArrive", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<[{Whether the units of a tile add in the order of their parts, each waiting for the one before it.
      Workers then take their numbers in the order in which they start.}],
      "bool", "takesTurns", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<[{Whether where it divides the k of a tile depends on how many tiles there are, and so on m and n:
      such a schedule is not batch invariant.}],
      "bool", "dividesByTiles", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<[{Whether a unit may have a part of a tile's k iterations and meet the others in a workspace while
      the kernel runs.}],
      "bool", "splitsK", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return false;">
  ];
}

#endif // CUTL_DIALECT_CUTL_IR_CUTLINTERFACES_TD
