// What the parsers and verifiers of the staged ops, their types and attributes
// refuse, each message once.
// RUN: cutl-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected a stage to have 2 extents, rows and k, got 3}}
func.func private @three_extents(!cutl_tile.stage<8x8x64xf16, k_major>)

// -----

// expected-error @below {{expected k_major or mn_major, got m_major}}
func.func private @other_major(!cutl_tile.stage<8x64xf16, m_major>)

// -----

// expected-error @below {{expected ','}}
func.func private @no_major(!cutl_tile.stage<8x64xf16>)

// -----

// expected-error @below {{expected elements of 1, 2, 4 or 8 bytes in a stage, got 'i4'}}
func.func private @narrow_elements(!cutl_tile.stage<8x1024xi4, k_major>)

// -----

// expected-error @below {{expected elements of 1, 2, 4 or 8 bytes in a stage, got 'f128'}}
func.func private @wide_elements(!cutl_tile.stage<8x1024xf128, k_major>)

// -----

// expected-error @below {{expected elements of 1, 2, 4 or 8 bytes in a stage, got 'i24'}}
func.func private @odd_elements(!cutl_tile.stage<8x1024xi24, k_major>)

// -----

// expected-error @below {{expected elements of 1, 2, 4 or 8 bytes in a stage, got 'index'}}
func.func private @index_elements(!cutl_tile.stage<8x1024xindex, k_major>)

// -----

// expected-error @below {{expected rows of a stage to be a multiple of 8 from 8 to 256, got 0}}
func.func private @no_rows(!cutl_tile.stage<0x64xf16, k_major>)

// -----

// expected-error @below {{expected rows of a stage to be a multiple of 8 from 8 to 256, got 12}}
func.func private @uneven_rows(!cutl_tile.stage<12x64xf16, k_major>)

// -----

// expected-error @below {{expected rows of a stage to be a multiple of 8 from 8 to 256, got 264}}
func.func private @many_rows(!cutl_tile.stage<264x64xf16, k_major>)

// -----

// expected-error @below {{expected k of a stage to be a multiple of 64 (128 bytes) up to 256, got 32}}
func.func private @short_k(!cutl_tile.stage<8x32xf16, mn_major>)

// -----

// expected-error @below {{expected k of a stage to be a multiple of 64 (128 bytes) up to 256, got 96}}
func.func private @uneven_k(!cutl_tile.stage<8x96xf16, mn_major>)

// -----

// expected-error @below {{expected k of a stage to be a multiple of 64 (128 bytes) up to 256, got 320}}
func.func private @long_k(!cutl_tile.stage<8x320xf16, mn_major>)

// -----

// expected-error @below {{expected k of a stage to be a multiple of 32 (128 bytes) up to 256, got 48}}
func.func private @k_of_f32(!cutl_tile.stage<8x48xf32, mn_major>)

// -----

// expected-error @below {{expected a ring of at least 2 stages, got 1}}
func.func private @one_stage(!cutl_tile.ring<1, <8x64xf16, k_major>, <8x64xf16, k_major>>)

// -----

// expected-error @below {{expected a ring to hold A and at least one B, got 1 operand}}
func.func private @a_alone(!cutl_tile.ring<2, <8x64xf16, k_major>>)

// -----

// expected-error @below {{expected operand 1 of a ring to have the k of the first, 64, got 128}}
func.func private @different_k(!cutl_tile.ring<2, <8x64xf16, k_major>, <8x128xf16, k_major>>)

// -----

//===----------------------------------------------------------------------===//
// ring
//===----------------------------------------------------------------------===//

func.func @no_readers() {
  // expected-error @below {{expected readers to be at least 1, got 0}}
  %ring = cutl_tile.ring readers(0) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  return
}

// -----

func.func @layout_of_one_operand() {
  // expected-error @below {{expected the layout to place each operand of the ring, 2, got 1}}
  %ring = cutl_tile.ring layout(<operands = [0], full = 32768, empty = 32784>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  return
}

// -----

func.func @layout_without_full() {
  // expected-error @below {{expected 'full'}}
  %ring = cutl_tile.ring layout(<operands = [0, 0], empty = 32784>) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  return
}

// -----

//===----------------------------------------------------------------------===//
// load
//===----------------------------------------------------------------------===//

func.func @offsets_of_load(%x: index, %a: memref<?x?xf16>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected one offset for each of the work loop's extents but k, 2, got 3}}
    cutl_tile.load %ring at(%m0, %m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
  }
  return
}

// -----

func.func @no_offsets(%x: index, %a: memref<?x?xf16>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected at to hold m and n, after at most 6 batch offsets, got 1 offsets}}
    cutl_tile.load %ring at(%m0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
  }
  return
}

// -----

func.func @inputs_of_load(%x: index, %a: memref<?x?xf16>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected one input for each operand of the ring, 2, got 1}}
    cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k))
        : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>, memref<?x?xf16>
  }
  return
}

// -----

func.func @types_of_load(%x: index, %a: memref<?x?xf16>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        // expected-error @below {{expected one type per operand, got 1 for 2 operands}}
        : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>, memref<?x?xf16>
  }
  return
}

// -----

func.func @maps_of_load(%x: index, %a: memref<?x?xf16>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected one map per input, 2, got 1}}
    "cutl_tile.load"(%ring, %m0, %n0, %k0, %k1, %a, %a)
        <{indexing_maps = [affine_map<(m, n, k) -> (m, k)>], operandSegmentSizes = array<i32: 1, 2, 1, 1, 2>}>
        : (!cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>, index, index, index, index, memref<?x?xf16>, memref<?x?xf16>) -> ()
  }
  return
}

// -----

func.func @map_as_attribute(%x: index, %a: memref<?x?xf16>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected 'indexing_maps' to be written as a clause of the op, not among its attributes}}
    cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k)) attributes {indexing_maps = []}
        : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
  }
  return
}

// -----

func.func @unknown_dimension(%x: index, %a: memref<?x?xf16>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{unknown dimension 'q', expected one of m, n, k}}
    cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, q), %a : (n, k))
        : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
  }
  return
}

// -----

func.func @a_without_m(%x: index, %a: memref<?x?xf16>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected the map of a to use m, got (n, k)}}
    cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (n, k), %a : (n, k))
        : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
  }
  return
}

// -----

func.func @b_with_m(%x: index, %a: memref<?x?xf16>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected the map of b[0] not to use m, got (m, k)}}
    cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (m, k))
        : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
  }
  return
}

// -----

func.func @elements_of_load(%x: index, %a: memref<?x?xf16>, %b: memref<?x?xbf16>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected input 1 to have the ring's elements, 'f16', got 'bf16'}}
    cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
        : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xbf16>
  }
  return
}

// -----

func.func @rows_of_load(%x: index, %a: memref<?x?xf16>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected operand 1 of the ring to be of the work loop's tile, 8x64, got 16x64}}
    cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : !cutl_tile.ring<2, <64x64xf16, k_major>, <16x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
  }
  return
}

// -----

func.func @k_of_load(%x: index, %a: memref<?x?xf16>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x128xf16, k_major>, <8x128xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected operand 0 of the ring to be of the work loop's tile, 64x64, got 64x128}}
    cutl_tile.load %ring at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
        : !cutl_tile.ring<2, <64x128xf16, k_major>, <8x128xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
  }
  return
}

// -----

func.func @load_alone(%x: index, %a: memref<?x?xf16>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  // expected-error @below {{'cutl_tile.load' op expects parent op 'cutl_tile.work_loop'}}
  cutl_tile.load %ring at(%x, %x) k(%x to %x) ins(%a : (m, k), %a : (n, k))
      : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>, memref<?x?xf16>, memref<?x?xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// multiply
//===----------------------------------------------------------------------===//

func.func @products(%x: index) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected one accumulator per B of the ring, 1, got 2}}
    %acc:2 = cutl_tile.multiply %ring k(%k0 to %k1)
        : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>, !cutl_tile.acc<64x8xf32>
  }
  return
}

// -----

func.func @extents_of_multiply(%x: index) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected accumulator 0 to have the extents of the work loop's tile, 64x8, got 8x64}}
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<8x64xf32>
  }
  return
}

// -----

func.func @types_of_multiply(%x: index) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    // expected-error @below {{expected accumulator 1 to be of type '!cutl_tile.acc<64x8xf32>' like the first, got '!cutl_tile.acc<64x8xf16>'}}
    %acc:2 = cutl_tile.multiply %ring k(%k0 to %k1)
        : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>, <8x64xf16, k_major>>
        -> !cutl_tile.acc<64x8xf32>, !cutl_tile.acc<64x8xf16>
  }
  return
}

// -----

func.func @multiply_alone(%x: index) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  // expected-error @below {{'cutl_tile.multiply' op expects parent op 'cutl_tile.work_loop'}}
  %acc = cutl_tile.multiply %ring k(%x to %x) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// warpgroups
//===----------------------------------------------------------------------===//

func.func @no_warpgroups() {
  // expected-error @below {{expected count to be at least 1, got 0}}
  cutl_tile.warpgroups consumer count(0) registers(240) {
  }
  return
}

// -----

func.func @few_registers() {
  // expected-error @below {{expected registers to be a multiple of 8 from 24 to 256, got 16}}
  cutl_tile.warpgroups producer count(1) registers(16) {
  }
  return
}

// -----

func.func @many_registers() {
  // expected-error @below {{expected registers to be a multiple of 8 from 24 to 256, got 264}}
  cutl_tile.warpgroups consumer count(1) registers(264) {
  }
  return
}

// -----

func.func @uneven_registers() {
  // expected-error @below {{expected registers to be a multiple of 8 from 24 to 256, got 100}}
  cutl_tile.warpgroups consumer count(1) registers(100) {
  }
  return
}

// -----

func.func @other_role() {
  // expected-error @+1 {{expected role of a warpgroup to be one of producer, consumer, got scheduler}}
  cutl_tile.warpgroups scheduler count(1) registers(24) {
  }
  return
}

// -----

// expected-error @below {{expected store of an output to be one of tensor, elements, got rows}}
func.func private @other_store() attributes {x = #cutl_tile<store rows>}

// -----

//===----------------------------------------------------------------------===//
// epilogue, once it is decided how outputs are written
//===----------------------------------------------------------------------===//

func.func @two_stores(%x: index, %d: memref<?x?xf32>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected one of stores for each output, 1, got 2}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n)) stores(tensor, elements) {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @no_stores(%x: index, %d: memref<?x?xf32>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected one of stores for each output, 1, got 0}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n)) stores() {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @other_store(%x: index, %d: memref<?x?xf32>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n))
        // expected-error @below {{expected tensor or elements, got bulk}}
        stores(bulk) {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @stores_as_attribute(%x: index, %d: memref<?x?xf32>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n))
        // expected-error @below {{expected 'stores' to be written as a clause of the op, not among its attributes}}
        attributes {stores = []} {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @staging_as_attribute(%x: index, %d: memref<?x?xf32>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n))
        // expected-error @below {{expected 'staging' to be written as a clause of the op, not among its attributes}}
        attributes {staging = 1} {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @staging_without_bytes(%x: index, %d: memref<?x?xf32>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n))
        // expected-error @below {{struct is missing required parameter: bytes}}
        staging(<offset = 0, buffers = 1>) {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @results(%x: index, %d: memref<?x?xf32>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n)) {
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    // expected-error @below {{expected no results, got 1}}
    } : (memref<?x?xf32>) -> f32
  }
  return
}

// -----

func.func @store_types(%x: index, %d: memref<?x?xf32>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{attribute 'stores' failed to satisfy constraint: a list of tensor and elements}}
    "cutl_tile.epilogue"(%m0, %n0, %acc, %d)
        <{combiners = [#cutl<combiner none>], indexing_maps = [affine_map<(m, n, k) -> (m, n)>],
          operandSegmentSizes = array<i32: 2, 1, 0, 0, 1>, stores = [1]}> ({
    ^bb0(%y: f32):
      cutl_tile.yield %y : f32
    }) : (index, index, !cutl_tile.acc<64x8xf32>, memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @too_few_loads(%x: index, %c: memref<?x?xf32>, %d: memref<?x?xf32>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{'cutl_tile.epilogue' op expected one of loads for each auxiliary operand, 2, got 1}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) aux(%c : (m, n), %c : (m, n)) outs(%d : (m, n)) loads(elements) {
    ^bb0(%y: f32, %z: f32, %z1: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @loads_of_no_output(%x: index, %c: memref<?x?xf32>, %d: memref<?x?xf32>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{'cutl_tile.epilogue' op expected loads to name one of 1 outputs, got outs[1] for aux[0]}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) aux(%c : (m, n), %c : (m, n)) outs(%d : (m, n)) loads(outs[1], elements) {
    ^bb0(%y: f32, %z: f32, %z1: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @buffers_taken(%x: index, %c: memref<?x?xf32>, %d: memref<?x?xf32>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{'cutl_tile.epilogue' op expected loads to name an output once, got outs[0] again for aux[1]}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) aux(%c : (m, n), %c : (m, n)) outs(%d : (m, n)) loads(outs[0], outs[0]) {
    ^bb0(%y: f32, %z: f32, %z1: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @negative_load(%x: index, %c: memref<?x?xf32>, %d: memref<?x?xf32>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected the number of an output, got -1}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) aux(%c : (m, n), %c : (m, n)) outs(%d : (m, n)) loads(outs[-1], elements) {
    ^bb0(%y: f32, %z: f32, %z1: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
  }
  return
}

// -----

func.func @unknown_load(%x: index, %c: memref<?x?xf32>, %d: memref<?x?xf32>) {
  %ring = cutl_tile.ring : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>>
  cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
    %acc = cutl_tile.multiply %ring k(%k0 to %k1) : !cutl_tile.ring<2, <64x64xf16, k_major>, <8x64xf16, k_major>> -> !cutl_tile.acc<64x8xf32>
    // expected-error @below {{expected elements or outs[<number>]}}
    cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) aux(%c : (m, n), %c : (m, n)) outs(%d : (m, n)) loads(tensor, elements) {
    ^bb0(%y: f32, %z: f32, %z1: f32):
      cutl_tile.yield %y : f32
    } : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
  }
  return
}
