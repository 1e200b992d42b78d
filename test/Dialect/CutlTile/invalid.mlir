// What the verifiers of the types and of the ops of phase `tiled` refuse, each
// message once; invalid-staged.mlir has those of phase `staged`.
// RUN: cutl-opt %s --split-input-file --verify-diagnostics

// An accumulator type.
// expected-error @below {{expected accumulators to have 2 extents, m and n, got 3}}
func.func private @three_extents(!cutl_tile.acc<8x8x8xf32>)

// -----

// expected-error @below {{expected extent n of accumulators to be at least 1, got 0}}
func.func private @no_columns(!cutl_tile.acc<8x0xf32>)

// -----

// expected-error @below {{expected extent m of accumulators to be at least 1, got 0}}
func.func private @no_rows(!cutl_tile.acc<0x8xf32>)

// -----

// expected-error @below {{expected accumulators of floats or signless integers, got 'index'}}
func.func private @index_elements(!cutl_tile.acc<8x8xindex>)

// -----

//===----------------------------------------------------------------------===//
// work_loop
//===----------------------------------------------------------------------===//

func.func @two_extents(%x: index) {
  // expected-error @below {{expected extents of m, n and k, after at most 6 batch extents, got 2 extents}}
  cutl_tile.work_loop extents(%x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %k0: index, %k1: index):
  }
  return
}

// -----

func.func @ten_extents(%x: index) {
  // expected-error @below {{expected extents of m, n and k, after at most 6 batch extents, got 10 extents}}
  cutl_tile.work_loop extents(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x)
      config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
  ^bb0(%0: index, %1: index, %2: index, %3: index, %4: index, %5: index, %6: index, %m0: index, %n0: index, %k0: index,
       %k1: index):
  }
  return
}

// -----

func.func @missing_argument(%x: index) {
  // expected-error @below {{expected 5 region arguments, the offsets of b, m, n and the two ends of k, got 4}}
  cutl_tile.work_loop extents(%x, %x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
  }
  return
}

// -----

func.func @argument_type(%x: index) {
  // expected-error @below {{expected region argument 1 to be of type index, got 'i64'}}
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: i64, %k0: index, %k1: index):
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// mainloop
//===----------------------------------------------------------------------===//

func.func @offsets(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%b0: index, %m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected one offset for each of the work loop's extents but k, 3, got 2}}
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @no_b(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected at least one B, got none}}
    "cutl_tile.mainloop"(%m0, %n0, %k0, %k1, %a)
        <{indexing_maps = [affine_map<(m, n, k) -> (m, k)>], operandSegmentSizes = array<i32: 2, 1, 1, 1, 0>}>
        : (index, index, index, index, memref<?x?xf16>) -> ()
  }
  return
}

// -----

func.func @maps_of_mainloop(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected one map per operand, 2, got 1}}
    %acc = "cutl_tile.mainloop"(%m0, %n0, %k0, %k1, %a, %a)
        <{indexing_maps = [affine_map<(m, n, k) -> (m, k)>], operandSegmentSizes = array<i32: 2, 1, 1, 1, 1>}>
        : (index, index, index, index, memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @accumulators_of_mainloop(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected one accumulator per B, 2, got 1}}
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @map_dims(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected the map of a to have 3 dimensions and no symbols, got 2 and 0}}
    %acc = "cutl_tile.mainloop"(%m0, %n0, %k0, %k1, %a, %a)
        <{indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>],
          operandSegmentSizes = array<i32: 2, 1, 1, 1, 1>}>
        : (index, index, index, index, memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @map_symbols(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected the map of b[0] to have 3 dimensions and no symbols, got 3 and 1}}
    %acc = "cutl_tile.mainloop"(%m0, %n0, %k0, %k1, %a, %a)
        <{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k)[s] -> (n, s)>],
          operandSegmentSizes = array<i32: 2, 1, 1, 1, 1>}>
        : (index, index, index, index, memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @map_rank(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected the map of b[0] to have as many results as its rank, 2, got 1 in (k)}}
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @map_repeats(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected the map of a to name dimensions of the domain, each at most once, got (k, k)}}
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (k, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @layout(%x: index, %a: memref<?x?xf16, affine_map<(i, j) -> (i floordiv 8, j)>>, %b: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected a to have a strided layout, got 'memref<?x?xf16, affine_map<(d0, d1) -> (d0 floordiv 8, d1)>>'}}
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
        : (memref<?x?xf16, affine_map<(i, j) -> (i floordiv 8, j)>>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @a_without_m(%x: index, %a: memref<?xf16>, %b: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected the map of a to use m, got (k)}}
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (k), %b : (n, k))
        : (memref<?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @b_with_m(%x: index, %a: memref<?x?xf16>, %b: memref<?x?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected the map of b[0] not to use m, got (m, n, k)}}
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (m, n, k))
        : (memref<?x?xf16>, memref<?x?x?xf16>) -> !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @b_types(%x: index, %a: memref<?x?xf16>, %b: memref<?x?xbf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected b[1] to have elements of type 'f16' like b[0], got 'bf16'}}
    %acc:2 = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k), %b : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xbf16>) -> (!cutl_tile.acc<64x8xf32>, !cutl_tile.acc<64x8xf32>)
  }
  return
}

// -----

func.func @accumulator_extents(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x)
      config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single, swap_operands = true>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected accumulator 0 to have the extents of the work loop's tile, 8x64, got 64x8}}
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @accumulator_types(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected accumulator 1 to be of type '!cutl_tile.acc<64x8xf32>' like the first, got '!cutl_tile.acc<64x8xf16>'}}
    %acc:2 = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>) -> (!cutl_tile.acc<64x8xf32>, !cutl_tile.acc<64x8xf16>)
  }
  return
}

// -----

func.func @ins_without_b(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected ins to hold A and at least one B, got 1 operand}}
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k)) : (memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @mainloop_alone(%x: index, %a: memref<?x?xf16>) {
  // expected-error @below {{'cutl_tile.mainloop' op expects parent op 'cutl_tile.work_loop'}}
  %acc = cutl_tile.mainloop at(%x, %x) k(%x to %x) ins(%a : (m, k), %a : (n, k))
      : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// cluster_sum
//===----------------------------------------------------------------------===//

func.func @cluster_of_whole_k(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x)
      config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, cluster = [1, 2]>) schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
    // expected-error @below {{expected a work loop with a cluster along k, got #cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, cluster = [1, 2]>}}
    %sum, %n1 = cutl_tile.cluster_sum %acc from %n0 : !cutl_tile.acc<64x16xf32> -> !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @other_share(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x)
      config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, cluster = [1, 1, 2]>) schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
    // expected-error @below {{expected accumulator 0 to have the extents of a CTA's share of the work loop's tile, 64x8, got 64x16}}
    %sum, %n1 = cutl_tile.cluster_sum %acc from %n0 : !cutl_tile.acc<64x16xf32> -> !cutl_tile.acc<64x16xf32>
  }
  return
}

// -----

func.func @sums_of_nothing(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x)
      config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, cluster = [1, 1, 2]>) schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
    // expected-error @below {{expected a sum for each accumulator, at least one, got 2 for 1}}
    %sum:2, %n1 = cutl_tile.cluster_sum %acc from %n0
        : !cutl_tile.acc<64x16xf32> -> !cutl_tile.acc<64x8xf32>, !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @epilogue_of_whole_tile(%x: index, %a: memref<?x?xf16>, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x)
      config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, cluster = [1, 1, 2]>) schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
    // expected-error @below {{expected accumulator 0 to have the extents of a CTA's share of the work loop's tile, 64x8, got 64x16}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x16xf32>) outs(%d : (m, n)) {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @cluster_and_fixup(%x: index, %a: memref<?x?xf16>, %p: memref<?x1024xf32>, %c: memref<?xi32>) {
  cutl_tile.work_loop extents(%x, %x, %x)
      config(#cutl.tile_config<cta = [64, 16, 64], stages = 2, kernel = single, cluster = [1, 1, 2]>) schedule(#cutl.stream_k) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x16xf32>
    // expected-error @below {{expected a work loop without a cluster along k, got #cutl.tile_config<}}
    %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c)
        : (!cutl_tile.acc<64x16xf32>), memref<?x1024xf32>, memref<?xi32>
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// fixup
//===----------------------------------------------------------------------===//

func.func @fixup_of_whole_tiles(%x: index, %a: memref<?x?xf16>, %p: memref<?x512xf32>, %c: memref<?xi32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected a work loop whose schedule splits k, got #cutl.data_parallel}}
    %sum, %last = cutl_tile.fixup %acc slot(%x) of(%x, %x) partials(%p) arrivals(%c)
        : (!cutl_tile.acc<64x8xf32>), memref<?x512xf32>, memref<?xi32>
  }
  return
}

// -----

func.func @order_of_a_deterministic_schedule(%x: index, %a: memref<?x?xf16>, %p: memref<?x512xf32>, %c: memref<?xi32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.stream_k) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected no arrival_order with schedule #cutl.stream_k}}
    %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c) arrival_order
        : (!cutl_tile.acc<64x8xf32>), memref<?x512xf32>, memref<?xi32>
  }
  return
}

// -----

func.func @rows_of_a_schedule_that_adds(%x: index, %a: memref<?x?xf16>, %p: memref<?x512xf32>, %c: memref<?xi32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.split_k<2, reduction = arrival_order>) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected arrival_order with schedule #cutl.split_k<2, reduction = arrival_order>}}
    %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c)
        : (!cutl_tile.acc<64x8xf32>), memref<?x512xf32>, memref<?xi32>
  }
  return
}

// -----

func.func @turns_of_a_schedule_without(%x: index, %a: memref<?x?xf16>, %p: memref<?x512xf32>, %c: memref<?xi32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.stream_k) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected no turnstile with schedule #cutl.stream_k}}
    %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c) turnstile
        : (!cutl_tile.acc<64x8xf32>), memref<?x512xf32>, memref<?xi32>
  }
  return
}

// -----

func.func @arrivals_of_a_schedule_with_turns(%x: index, %a: memref<?x?xf16>, %p: memref<?x512xf32>, %c: memref<?xi32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.split_k<2, reduction = turnstile>) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected turnstile with schedule #cutl.split_k<2, reduction = turnstile>}}
    %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c)
        : (!cutl_tile.acc<64x8xf32>), memref<?x512xf32>, memref<?xi32>
  }
  return
}

// -----

func.func @turns_in_clusters(%x: index, %a: memref<?x?xf16>, %p: memref<?x512xf32>, %c: memref<?xi32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single, cluster = [2, 1]>)
      schedule(#cutl.split_k<2, reduction = turnstile>) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected a work loop without clusters with turnstile, got #cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single, cluster = [2, 1]>}}
    %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c) turnstile
        : (!cutl_tile.acc<64x8xf32>), memref<?x512xf32>, memref<?xi32>
  }
  return
}

// -----

func.func @ticket_without_turns(%x: index, %a: memref<?x?xf16>, %p: memref<?x512xf32>, %c: memref<?xi32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.stream_k) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected no ticket without turnstile, got 8}}
    %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c) ticket(8)
        : (!cutl_tile.acc<64x8xf32>), memref<?x512xf32>, memref<?xi32>
  }
  return
}

// -----

func.func @slots(%x: index) {
  // expected-error @below {{expected 7 region arguments, the offsets of m, n, the two ends of k, the slot, the first slot of the tile and how many it has, got 4}}
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.stream_k) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
  }
  return
}

// -----

func.func @partials_of_other_type(%x: index, %a: memref<?x?xf16>, %p: memref<?x512xf64>, %c: memref<?xi32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.stream_k) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected partial results of 'f32' like the accumulators, got 'f64'}}
    %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c)
        : (!cutl_tile.acc<64x8xf32>), memref<?x512xf64>, memref<?xi32>
  }
  return
}

// -----

func.func @short_rows(%x: index, %a: memref<?x?xf16>, %p: memref<?x511xf32>, %c: memref<?xi32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.stream_k) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected partial results with rows of 512 elements, those of all accumulators, got 'memref<?x511xf32>'}}
    %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c)
        : (!cutl_tile.acc<64x8xf32>), memref<?x511xf32>, memref<?xi32>
  }
  return
}

// -----

func.func @gaps(%x: index, %a: memref<?x?xf16>, %p: memref<?x512xf32>, %c: memref<?xi32, strided<[2]>>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.stream_k) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected arrivals in row-major order and in no memory space, got 'memref<?xi32, strided<[2]>>'}}
    %sum, %last = cutl_tile.fixup %acc slot(%slot) of(%first, %count) partials(%p) arrivals(%c)
        : (!cutl_tile.acc<64x8xf32>), memref<?x512xf32>, memref<?xi32, strided<[2]>>
  }
  return
}

// -----

func.func @fixup_of_nothing(%x: index, %p: memref<?x512xf32>, %c: memref<?xi32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected at least one accumulator, got none}}
    %last = "cutl_tile.fixup"(%x, %x, %x, %p, %c) : (index, index, index, memref<?x512xf32>, memref<?xi32>) -> i1
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// epilogue
//===----------------------------------------------------------------------===//

func.func @offsets_of_epilogue(%x: index, %a: memref<?x?xf16>, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected one offset for each of the work loop's extents but k, 2, got 3}}
    cutl_tile.epilogue at(%m0, %m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n)) {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @nothing_to_write(%x: index, %a: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected at least one accumulator and one output, got 1 and 0}}
    "cutl_tile.epilogue"(%m0, %n0, %acc) <{combiners = [], indexing_maps = [], operandSegmentSizes = array<i32: 2, 1, 0, 0, 0>}> ({
    ^bb0(%y: f32):
      cutl_tile.yield
    }) : (index, index, !cutl_tile.acc<64x8xf32>) -> ()
  }
  return
}

// -----

func.func @maps_of_epilogue(%x: index, %a: memref<?x?xf16>, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected one map per operand, 1, got 0}}
    "cutl_tile.epilogue"(%m0, %n0, %acc, %d) <{combiners = [#cutl<combiner none>], indexing_maps = [], operandSegmentSizes = array<i32: 2, 1, 0, 0, 1>}> ({
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    }) : (index, index, !cutl_tile.acc<64x8xf32>, memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @number_with_map(%x: index, %a: memref<?x?xf16>, %s: f32, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected the map of aux[0] to have as many results as its rank, 0, got 1 in (n)}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) aux(%s : (n)) outs(%d : (m, n)) {
    ^bb0(%y: f32, %z: f32):
      cutl_tile.yield %y : f32
    } : (f32, memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @aux_with_k(%x: index, %a: memref<?x?xf16>, %s: memref<?xf32>, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected the map of aux[0] not to use k, got (k)}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) aux(%s : (k)) outs(%d : (m, n)) {
    ^bb0(%y: f32, %z: f32):
      cutl_tile.yield %y : f32
    } : (memref<?xf32>, memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @partial_output(%x: index, %a: memref<?x?xf16>, %d: memref<?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected the map of outs[0] to use m, got (n)}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (n)) {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (memref<?xf32>) -> ()
  }
  return
}

// -----

func.func @region_arguments(%x: index, %a: memref<?x?xf16>, %s: f32, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected one region argument for each accumulator and auxiliary operand, 2, got 1}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) aux(%s : ()) outs(%d : (m, n)) {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (f32, memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @region_argument_type(%x: index, %a: memref<?x?xf16>, %s: memref<?xf16>, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected region argument 1 to be of type 'f16', got 'f32'}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) aux(%s : (n)) outs(%d : (m, n)) {
    ^bb0(%y: f32, %z: f32):
      cutl_tile.yield %y : f32
    } : (memref<?xf16>, memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @no_yield(%x: index, %a: memref<?x?xf16>, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected the region to end with 'cutl_tile.yield'}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n)) {
    ^bb0(%y: f32):
      ub.unreachable
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @yields_too_much(%x: index, %a: memref<?x?xf16>, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n)) {
    ^bb0(%y: f32):
      // expected-error @below {{expected one value per output, 1, got 2}}
      cutl_tile.yield %y, %y : f32, f32
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @yields_other_type(%x: index, %a: memref<?x?xf16>, %d: memref<?x?xf16>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n)) {
    ^bb0(%y: f32):
      // expected-error @below {{expected value 0 to be of the element type of outs[0], 'f16', got 'f32'}}
      cutl_tile.yield %y : f32
    } : (memref<?x?xf16>) -> ()
  }
  return
}

// -----

func.func @inadmissible(%x: index, %a: memref<?x?xf16>, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n)) {
    ^bb0(%y: f32):
      // expected-error @below {{'memref.alloca' op is not admitted in an epilogue: expected an op with EpilogueOpInterface}}
      %s = memref.alloca() : memref<f32>
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @combiners(%x: index, %a: memref<?x?xf16>, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected one combiner per output, 1, got 0}}
    "cutl_tile.epilogue"(%m0, %n0, %acc, %d) <{combiners = [], indexing_maps = [affine_map<(m, n, k) -> (m, n)>],
        operandSegmentSizes = array<i32: 2, 1, 0, 0, 1>}> ({
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    }) : (index, index, !cutl_tile.acc<64x8xf32>, memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @blocks_of_a_full_output(%x: index, %a: memref<?x?xf16>, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected the map of outs[0] to name dimensions of the domain, each at most once, got (m floordiv 16, n)}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m floordiv 16, n)) {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @twice_reduced(%x: index, %a: memref<?x?xf16>, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected the map of outs[0] to name dimensions of the domain, or blocks of them, each at most once, got (m floordiv 16, m)}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m floordiv 16, m) add) {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @blocks_across_tiles(%x: index, %a: memref<?x?xf16>, %d: memref<?x?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected the blocks of outs[0] along m to divide the tile's extent 64, got 48}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m floordiv 48, n) add) {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @unknown_combiner(%x: index, %a: memref<?x?xf16>, %d: memref<?xf32>) {
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{unknown combiner 'mean', expected one of add, max, min, amax}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m) mean) {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (memref<?xf32>) -> ()
  }
  return
}

// -----

func.func @combine_none(%p: memref<?x?xf32>, %s: memref<?xf32>) {
  // expected-error @below {{expected a combiner, got none}}
  cutl_tile.combine none %p into %s : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

func.func @combine_rank(%p: memref<?xf32>, %s: memref<?x?xf32>) {
  // expected-error @below {{expected an input of the output's rank, 2, or more, got 1}}
  cutl_tile.combine add %p into %s : memref<?xf32> into memref<?x?xf32>
  return
}

// -----

func.func @combine_type(%p: memref<?x?xbf16>, %s: memref<?xbf16>) {
  // expected-error @below {{expected an input of 'f32', in which add combines 'bf16', got 'bf16'}}
  cutl_tile.combine add %p into %s : memref<?x?xbf16> into memref<?xbf16>
  return
}

// -----

func.func @combine_shape(%p: memref<?x8xf32>, %s: memref<6xf32>) {
  // expected-error @below {{expected the input's last extents to be the output's, got 'memref<?x8xf32>' and 'memref<6xf32>'}}
  cutl_tile.combine max %p into %s : memref<?x8xf32> into memref<6xf32>
  return
}

// -----

func.func @combine_layout(%p: memref<?x?xf32, strided<[?, ?]>>, %s: memref<?xf32>) {
  // expected-error @below {{expected an input in row-major order, got 'memref<?x?xf32, strided<[?, ?]>>'}}
  cutl_tile.combine max %p into %s : memref<?x?xf32, strided<[?, ?]>> into memref<?xf32>
  return
}

// -----

func.func @repack_type(%a: memref<?x?xf16>, %t: memref<?x?xbf16>) {
  // expected-error @below {{expected a target of 'f16' like the source, got 'bf16'}}
  cutl_tile.repack %a permuted [0, 1] into %t : memref<?x?xf16> into memref<?x?xbf16>
  return
}

// -----

func.func @repack_width(%a: memref<?x?xi4>, %t: memref<?x?xi4>) {
  // expected-error @below {{expected elements that fill 16 bytes evenly, got 'i4'}}
  cutl_tile.repack %a permuted [0, 1] into %t : memref<?x?xi4> into memref<?x?xi4>
  return
}

// -----

func.func @repack_rank(%a: memref<?xf16>, %t: memref<?xf16>) {
  // expected-error @below {{expected a target of rank 2 or more, got 'memref<?xf16>'}}
  cutl_tile.repack %a permuted [0] into %t : memref<?xf16> into memref<?xf16>
  return
}

// -----

func.func @repack_permuted(%a: memref<?x?xf16>, %t: memref<?x?xf16>) {
  // expected-error @below {{expected permuted to name each of the 2 dimensions of the source once, got [0, 0]}}
  cutl_tile.repack %a permuted [0, 0] into %t : memref<?x?xf16> into memref<?x?xf16>
  return
}

// -----

func.func @repack_shape(%a: memref<4x8xf16>, %t: memref<4x8xf16>) {
  // expected-error @below {{expected a target of the source's extents in the order of permuted, got 'memref<4x8xf16>' and 'memref<4x8xf16>'}}
  cutl_tile.repack %a permuted [1, 0] into %t : memref<4x8xf16> into memref<4x8xf16>
  return
}

// -----

func.func @repack_columns(%a: memref<?x?xf16>, %t: memref<?x?xf16, strided<[1, ?]>>) {
  // expected-error @below {{expected a target whose last dimension has stride 1, got 'memref<?x?xf16, strided<[1, ?]>>'}}
  cutl_tile.repack %a permuted [0, 1] into %t : memref<?x?xf16> into memref<?x?xf16, strided<[1, ?]>>
  return
}

// -----

func.func @repack_pitch(%a: memref<4x9xf16>, %t: memref<4x9xf16, strided<[9, 1]>>) {
  // expected-error @below {{expected the stride of dimension 0 of the target to be a multiple of 16 bytes, got 18}}
  cutl_tile.repack %a permuted [0, 1] into %t : memref<4x9xf16> into memref<4x9xf16, strided<[9, 1]>>
  return
}

// -----

func.func @repack_batches(%a: memref<?x?x?xi8>, %t: memref<?x?x?xi8, strided<[40, ?, 1]>>) {
  // expected-error @below {{expected the stride of dimension 0 of the target to be a multiple of 16 bytes, got 40}}
  cutl_tile.repack %a permuted [2, 1, 0] into %t : memref<?x?x?xi8> into memref<?x?x?xi8, strided<[40, ?, 1]>>
  return
}
