//===- TestPasses.td - Passes for tests of the tile level --*- tablegen -*-===//

include "mlir/Pass/PassBase.td"

def TestCutlSeedFault : Pass<"test-cutl-seed-fault"> {
  let summary = "Make kernels of phase `tiled` wrong";
  let description = [{
    Gives every work loop, or its entry, one fault that a schedule may have, for tests that
    faults show as wrong numbers. The fault is in the IR that every lowering of
    the tile level reads; the lowering itself stays as it is.

    * `drop-last-k-tile`: products leave out the last k step of their range.
    * `repeat-tile`: the unit of each tile computes and writes the one before it
      along m, so that the first is done twice and the last not at all.
    * `tail-mask`: the extent of `dim` is off by `by`.
    * `skip-fixup`: each of the units that share a tile takes itself for the only
      one.
    * `keep-arrivals`: nothing sets the counters of arrivals to zero.
    * `keep-sums`: nothing sets to zero what units add to as they arrive.

    ```mlir
    cutl_tile.work_loop extents(%m, %n, %k) … {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) …
    // after repeat-tile
    cutl_tile.work_loop extents(%m, %n, %k) … {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      %d = arith.subi %m0, %c64 : index
      %w = arith.maxsi %d, %c0 : index
      %acc = cutl_tile.mainloop at(%w, %n0) …
    ```
  }];
  let options = [
    Option<"fault", "fault", "std::string", /*default=*/"",
           "drop-last-k-tile, repeat-tile, tail-mask, skip-fixup, keep-arrivals or keep-sums">,
    Option<"dim", "dim", "std::string", /*default=*/"\"m\"",
           "Whose tail mask: m, n or k">,
    Option<"by", "by", "int64_t", /*default=*/"-1",
           "How far a tail mask is off">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}
