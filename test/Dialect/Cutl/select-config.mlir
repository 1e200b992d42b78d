// RUN: cutl-opt %s --split-input-file --cutl-select-config | FileCheck %s
// RUN: cutl-opt %s --split-input-file --cutl-select-config --remark-format=emitRemark \
// RUN:   --remarks-filter=cutl-select-config 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// The reason names both the choice and the runner-up with the figures compared.
// CHECK-LABEL:  func @chosen
// CHECK:          outs(%{{.*}} : (m, n)) config(#cutl.tile_config<cta = [128, {{[0-9]+}}, 64], stages = {{[0-9]+}}, kernel = {{[a-z]+}}{{.*}}>) schedule(#cutl.data_parallel) {
// REMARK:       [[#@LINE+7]]:8: remark: {{.*}}cutl-select-config{{.*}}Function=chosen
// REMARK-SAME:    chose 128x{{[0-9]+}}x64 {{[a-z]+}}, {{[0-9]+}} stages
// REMARK-SAME:    (predicted {{[0-9.]+}} us, {{[0-9]+}} CTA tiles in {{[0-9]+}} waves, {{[0-9]+}} bytes of shared memory, {{[0-9.]+}} MB moved at least, limited by tensor, which takes {{[0-9.]+}} us)
// REMARK-SAME:    ; runner-up{{(, equal within the model's accuracy,)?}} {{[0-9]+}}x{{[0-9]+}}x64 {{[a-z]+}}, {{[0-9]+}} stages
// REMARK-SAME:    (predicted {{[0-9.]+}} us
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @chosen(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>, %d: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to f16
    cutl.yield %o : f16
  } : (tensor<4096x4096xf16>, tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}
}

// -----

// What the user wrote stays, beside what would have been chosen; the missing half is added.
// CHECK-LABEL:  func @kept
// CHECK:          config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
// REMARK:         Function=kept
// REMARK-SAME:      kept 64x64x64 single, 2 stages (predicted {{[0-9.]+}} us, 1 CTA tiles in 1 waves, {{[0-9]+}} bytes of shared memory, {{[0-9.]+}} MB moved at least, limited by launch, which takes {{[0-9.]+}} us)
// REMARK-SAME:      ; the choice would be {{[^;]*}} stages{{[^;]*}} (predicted {{[0-9.]+}} us, {{[^;]*}}, limited by launch, which takes {{[0-9.]+}} us){{"?$}}
// REMARK:         Function=kept
// REMARK-SAME:      kept 64x32x64 single, 2 stages (predicted
// CHECK:          config(#cutl.tile_config<cta = [64, 32, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @kept(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%0 : (m, n))
      config(#cutl.tile_config<cta = [64, 32, 64], stages = 2, kernel = single>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
}

// -----

// The remark names the demands, the schedule that its times do not know, the variants and the extents that were guessed,
// and says where nothing else would have been chosen. There are no times of what cannot run.
// CHECK-LABEL:  func @kept_otherwise
// REMARK:         Function=kept_otherwise
// REMARK-SAME:      kept 64x64x64 single, 2 stages (predicted {{[^;]*}}), on at most 3 SMs; the choice would be {{[^;]*}} (predicted {{[^;]*}}); times are those of whole tiles{{"?$}}
// REMARK:         Function=kept_otherwise
// REMARK-SAME:      kept 64x64x64 single, 2 stages (predicted {{[^;]*}}); the choice would be 8 parts of k with 64x128x64 single, 8 stages{{.*}} (predicted {{[0-9.]+}} us, of which {{[0-9.]+}} us to add the parts){{"?$}}
// REMARK:         Function=kept_otherwise
// REMARK-SAME:      kept 64x64x64 single, 2 stages (predicted {{[^;]*}}), but 64x8x64 single, 3 stages, swapped if m <= 16, 64x16x64 single, 3 stages, swapped if m <= 64 and n <= 512; the choice would be {{[^;]*}}; extents that are not known count as 4096{{"?$}}
// REMARK-NOT:     Function=kept_otherwise
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @kept_otherwise(%a: memref<512x20480xbf16>, %b: memref<256x20480xbf16>, %d: memref<512x256xbf16>,
                          %e: memref<?x64xbf16>, %f: memref<?x64xbf16>, %g: memref<?x?xbf16>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = 3)
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) schedule(#cutl.stream_k) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<512x20480xbf16>, memref<256x20480xbf16>, memref<512x256xbf16>) -> ()
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<512x20480xbf16>, memref<256x20480xbf16>, memref<512x256xbf16>) -> ()
  cutl.gemm ins(%e : (m, k), %f : (n, k)) outs(%g : (m, n))
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>)
      variants(#cutl.variant<m at_most 16, config = <cta = [64, 8, 64], stages = 3, kernel = single, swap_operands = true>>,
               #cutl.variant<m at_most 64, n at_most 512, config = <cta = [64, 16, 64], stages = 3, kernel = single, swap_operands = true>>) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<?x64xbf16>, memref<?x64xbf16>, memref<?x?xbf16>) -> ()
  cutl.gemm ins(%e : (m, k), %f : (n, k)) outs(%g : (m, n))
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 200, kernel = single>) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<?x64xbf16>, memref<?x64xbf16>, memref<?x?xbf16>) -> ()
  return
}
}

// -----

// A schedule of the user's is kept while the configuration is chosen.
// CHECK-LABEL:  func @schedule_kept
// CHECK:          config(#cutl.tile_config<{{.*}}>) schedule(#cutl.data_parallel) {
// REMARK:         Function=schedule_kept
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @schedule_kept(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}

// -----

// What the caller demands narrows the choice. Few rows take swapped operands and stages of two rows of k, batch
// invariant ones do not; pitches that straddle lines take clusters, a budget of one SM does not.
// CHECK-LABEL:  func @demanded
// CHECK:          outs(%{{.*}} : (m, n)) config(#cutl.tile_config<cta = [64, {{[0-9]+}}, 128], {{.*}}swap_operands{{.*}}>)
// CHECK:          execution(batch_invariant) config(#cutl.tile_config<cta = [{{[0-9]+}}, {{[0-9]+}}, 64], stages = {{[0-9]+}}, kernel = {{[a-z]+}}{{(, raster_group = [0-9]+)?(, epilogue_buffers = [0-9]+)?}}>) schedule(#cutl.data_parallel) {
// CHECK:          outs(%{{.*}} : (m, n)) config(#cutl.tile_config<{{.*}}cluster = [{{.*}}>)
// CHECK:          execution(sm_budget = 1)
// CHECK-NOT:      cluster
// CHECK:          schedule(#cutl.data_parallel) {
// REMARK:         Function=demanded
// REMARK-NOT:       invariant
// REMARK:         Function=demanded
// REMARK-SAME:      chose {{[^;]*}}), batch invariant; runner-up
// REMARK:         Function=demanded
// REMARK:         Function=demanded
// REMARK-SAME:      chose {{[^;]*}}), on at most 1 SMs; runner-up
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @demanded(%a: memref<16x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<16x4096xbf16>,
                    %e: memref<4096x4104xbf16>, %f: memref<4096x4104xbf16>, %g: memref<4096x4096xbf16>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<16x4096xbf16>, memref<4096x4096xbf16>, memref<16x4096xbf16>) -> ()
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(batch_invariant) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<16x4096xbf16>, memref<4096x4096xbf16>, memref<16x4096xbf16>) -> ()
  cutl.gemm ins(%e : (m, k), %f : (n, k)) outs(%g : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<4096x4104xbf16>, memref<4096x4104xbf16>, memref<4096x4096xbf16>) -> ()
  cutl.gemm ins(%e : (m, k), %f : (n, k)) outs(%g : (m, n)) execution(sm_budget = 1) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<4096x4104xbf16>, memref<4096x4104xbf16>, memref<4096x4096xbf16>) -> ()
  return
}
}

// -----

// Dynamic sizes, memrefs, several B: a configuration all the same.
// CHECK-LABEL:  func @dynamic
// CHECK:          config(#cutl.tile_config<{{.*}}>) schedule(#cutl.data_parallel) {
// CHECK:          config(#cutl.tile_config<{{.*}}>) schedule(#cutl.data_parallel) {
// REMARK:         Function=dynamic
// REMARK:         Function=dynamic
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @dynamic(%x: memref<?x4096xbf16>, %w: memref<4096x?xbf16, strided<[1, ?]>>, %d: memref<?x?xbf16>,
                   %a: tensor<?x?x?xbf16>, %b: tensor<?x?xbf16>, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  cutl.gemm ins(%x : (m, k), %w : (k, n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<?x4096xbf16>, memref<4096x?xbf16, strided<[1, ?]>>, memref<?x?xbf16>) -> ()
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (n, k), %b : (n, k)) outs(%e : (b, m, n)) {
  ^bb0(%acc: f32, %acc1: f32):
    %p = arith.mulf %acc, %acc1 : f32
    cutl.yield %p : f32
  } : (tensor<?x?x?xbf16>, tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
}

// -----

// Every extent may be zero.
// CHECK-LABEL:  func @empty
// CHECK-COUNT-3:  config(#cutl.tile_config<{{.*}}>) schedule(#cutl.data_parallel) {
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @empty(%a: tensor<0x64xf16>, %b: tensor<64x64xf16>, %d: tensor<0x64xf32>, %e: tensor<64x0xf16>,
                 %f: tensor<64x64xf32>) -> (tensor<0x64xf32>, tensor<0x0xf32>, tensor<64x64xf32>) {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<0x64xf16>, tensor<64x64xf16>, tensor<0x64xf32>) -> tensor<0x64xf32>
  %g = tensor.empty() : tensor<0x0xf32>
  %1 = cutl.gemm ins(%a : (m, k), %a : (n, k)) outs(%g : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<0x64xf16>, tensor<0x64xf16>, tensor<0x0xf32>) -> tensor<0x0xf32>
  %2 = cutl.gemm ins(%e : (m, k), %e : (n, k)) outs(%f : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<64x0xf16>, tensor<64x0xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1, %2 : tensor<0x64xf32>, tensor<0x0xf32>, tensor<64x64xf32>
}
}

// -----

// The nearest target wins: the function's, not the module's; the op's, not the
// function's.
// CHECK-LABEL:  func @nearest_target
// CHECK:          config(
module attributes {cutl.target = #cutl.target<chip = "sm_80">} {
func.func @nearest_target(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_89">} {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}

// -----

// Few tiles and a long k: another kernel adds parts of it.
// CHECK-LABEL:  func @parts_of_k
// CHECK:          config(#cutl.tile_config<cta = [64, 128, 64], stages = 8, kernel = single, {{.*}}>) schedule(#cutl.split_k<8>) {
// REMARK:         Function=parts_of_k
// REMARK-SAME:    chose 8 parts of k with 64x128x64 single, 8 stages{{.*}} (predicted {{[0-9.]+}} us, of which {{[0-9.]+}} us to add the parts), rather than
// Where more is done to the sums than rounding them, CTAs of a cluster add the parts.
// CHECK:          config(#cutl.tile_config<cta = [64, {{[0-9]+}}, {{[0-9]+}}], {{.*}} kernel = single, cluster = [{{[0-9]}}, {{[0-9]}}, {{[248]}}], {{.*}}>) schedule(#cutl.data_parallel) {
// A schedule that was given narrows the choice.
// CHECK-LABEL:  func @schedule_narrows
// CHECK:          config(#cutl.tile_config<
// CHECK-NOT:      cluster = [{{[0-9]}}, {{[0-9]}}, {{[0-9]}}]
// CHECK-SAME:     schedule(#cutl.stream_k) {
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @parts_of_k(%a: tensor<512x20480xbf16>, %b: tensor<256x20480xbf16>, %d: tensor<512x256xbf16>) -> tensor<512x256xbf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (tensor<512x20480xbf16>, tensor<256x20480xbf16>, tensor<512x256xbf16>) -> tensor<512x256xbf16>
  %1 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%0 : (m, n)) {
  ^bb0(%acc: f32):
    %r = cutl.relu %acc : f32
    %o = arith.truncf %r : f32 to bf16
    cutl.yield %o : bf16
  } : (tensor<512x20480xbf16>, tensor<256x20480xbf16>, tensor<512x256xbf16>) -> tensor<512x256xbf16>
  return %1 : tensor<512x256xbf16>
}
func.func @schedule_narrows(%a: tensor<512x20480xbf16>, %b: tensor<256x20480xbf16>, %d: tensor<512x256xbf16>) -> tensor<512x256xbf16> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) schedule(#cutl.stream_k) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (tensor<512x20480xbf16>, tensor<256x20480xbf16>, tensor<512x256xbf16>) -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}
}

// -----

// With parts of k that another kernel adds, times are those of both kernels, and
// what is chosen without a schedule is what is chosen with the same one.
// CHECK-LABEL:  func @parts_are_chosen
// CHECK:          config([[$CONFIG:#cutl.tile_config<.*>]]) schedule([[$SCHEDULE:#cutl.split_k<[0-9]+>]]) {
// CHECK-LABEL:  func @parts_are_given
// CHECK:          config([[$CONFIG]]) schedule([[$SCHEDULE]]) {
// REMARK:       Function=parts_are_chosen
// REMARK-SAME:    chose 4 parts of k with [[TILE:[^(]*]] (predicted [[US:[0-9.]+]] us,
// REMARK:       Function=parts_are_given
// REMARK-SAME:    chose [[TILE]] (predicted [[US]] us, {{[0-9]+}} CTA tiles
// REMARK:       Function=parts_are_kept
// REMARK-SAME:    kept 128x128x64 cooperative, 4 stages (predicted {{[^;]*}}); the choice would be [[TILE]] (predicted [[US]] us, {{[^;]*}}"
// REMARK:       Function=stream_k_is_given
// REMARK-SAME:    chose {{.*}}; runner-up{{.*}}; times are those of whole tiles"
module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
func.func @parts_are_chosen(%a: tensor<512x16384xf16>, %b: tensor<512x16384xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x16384xf16>, tensor<512x16384xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
func.func @parts_are_given(%a: tensor<512x16384xf16>, %b: tensor<512x16384xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) schedule(#cutl.split_k<4>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x16384xf16>, tensor<512x16384xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
func.func @parts_are_kept(%a: tensor<512x16384xf16>, %b: tensor<512x16384xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<4>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x16384xf16>, tensor<512x16384xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
func.func @stream_k_is_given(%a: tensor<512x16384xf16>, %b: tensor<512x16384xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) schedule(#cutl.stream_k) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x16384xf16>, tensor<512x16384xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
}
