// RUN: cutl-opt %s --split-input-file --verify-diagnostics --cutl-print-schedule=svg -o /dev/null | count 0

func.func @raw(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  // expected-error @below {{expected phase 'configured' or later in cutl-print-schedule, got 'raw'; run cutl-attach-target, then cutl-select-config first}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xf32>) -> ()
  return
}

// -----

// A drawing of some products would look like one of all of them.
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @dynamic(%a: memref<64x?xbf16>, %b: memref<64x?xbf16>, %d: memref<64x64xf32>, %e: memref<64x64xbf16>) {
  cutl.gemm ins(%e : (m, k), %e : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xf32>) -> ()
  // expected-error @below {{expected static extents in cutl-print-schedule, got a dynamic k; give the operands types of static sizes first}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<64x?xbf16>, memref<64x?xbf16>, memref<64x64xf32>) -> ()
  return
}
}

// -----

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @illegal(%a: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  // expected-error @below {{has a schedule that cannot run on sm_90a: expected stream_k tiles to be from 0 to the 1 tiles there are, got 2; nearest legal value is 1}}
  cutl.gemm ins(%a : (m, k), %a : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.stream_k<tiles = 2>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xf32>) -> ()
  return
}
}

// -----

module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @large(%a: memref<65536x64xbf16>, %d: memref<65536x65536xf32>) {
  // expected-error @below {{has a schedule that is too large for cutl-print-schedule: expected at most 20000 units of work to draw, got 1048576}}
  cutl.gemm ins(%a : (m, k), %a : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<65536x64xbf16>, memref<65536x64xbf16>, memref<65536x65536xf32>) -> ()
  return
}
}

// -----

// What cannot run is not drawn.
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @cluster(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  // expected-error @below {{has a configuration that cannot run on sm_90a (cluster): expected cluster m to be a power of two from 1 to 8 on sm_90a, got 256; nearest legal value is 8}}
  // expected-note @below {{nearest that can}}
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single, cluster = [256, 1]>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xf32>) -> ()
  return
}
}
