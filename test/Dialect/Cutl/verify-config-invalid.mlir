// RUN: cutl-opt %s --split-input-file --verify-diagnostics --cutl-verify-config

// Each rule: the value found, the value required, and a configuration that can
// run, as the attribute to write.

func.func @cta_m(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (cta_m): expected cta m to be 64, 128, 192 or 256, got 100; nearest legal value is 128}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [100, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @kernel_rows(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (kernel_rows): expected cta m to be 64 or 128 with a pingpong kernel, got 256; nearest legal value is 128}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = pingpong>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @cta_n(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (cta_n): expected cta n to be a multiple of 8 from 8 to 256, got 201; nearest legal value is 200}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 201, 64], stages = 4, kernel = pingpong>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @cta_k(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (cta_k): expected cta k to be a multiple of 64 (128 bytes of K), got 32; nearest legal value is 64}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 32], stages = 4, kernel = pingpong>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @stages(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (stages): expected stages to be at least 2, got 1; nearest legal value is 2}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 1, kernel = pingpong>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @epilogue_buffers(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (epilogue_buffers): expected epilogue buffers to be at least 1, got 0; nearest legal value is 1}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong, epilogue_buffers = 0>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @shared_memory(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (shared_memory): expected at most 232448 bytes of shared memory on sm_90a}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 256, 64], stages = 5, kernel = cooperative>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @accumulator_registers(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (accumulator_registers): expected at most 208 accumulator registers per thread, got 216 with cta n 216; nearest legal cta n is 208}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 216, 64], stages = 3, kernel = pingpong>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @cluster(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (cluster): expected cluster m to be a power of two from 1 to 8 on sm_90a, got 3; nearest legal value is 2}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong, cluster = [3, 1]>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @cluster_size(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (cluster): expected a cluster of at most 8 ctas on sm_90a, got 4x4 = 16; nearest legal cluster is 4x2}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong, cluster = [4, 4]>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @cluster_size_along_k(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (cluster): expected a cluster of at most 8 ctas on sm_90a, got 2x2x4 = 16; nearest legal cluster is 2x2x2}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative, cluster = [2, 2, 4]>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @cluster_of_pingpong(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (cluster_kernel): expected cluster k to be 1 with a pingpong kernel, got 2; nearest legal value is 1}}
  // expected-note @below {{nearest that can: #cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong, cluster = [1, 1, 2]>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @cluster_shares(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (cluster_shares): expected cluster k to divide 22, the blocks of eight columns that its ctas share, got 4; nearest legal value is 2}}
  // expected-note @below {{nearest that can: #cutl.tile_config<cta = [64, 176, 64], stages = 4, kernel = single, cluster = [1, 1, 2]>}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 176, 64], stages = 4, kernel = single, cluster = [1, 1, 4]>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @cluster_sums(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (cluster_sums): expected stages to have room for the tile's sums, which its cluster adds up in their place, got 2; nearest legal value is 3}}
  // expected-note @below {{nearest that can: #cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = cooperative, cluster = [1, 1, 2]>}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [256, 128, 64], stages = 2, kernel = cooperative, cluster = [1, 1, 2]>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @cluster_invariance(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (batch_invariant): expected cluster k to be 1, as for every m with batch_invariant, got 2; nearest legal value is 1}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(batch_invariant)
      config(#cutl.tile_config<cta = [64, 128, 64], stages = 4, kernel = single, cluster = [1, 1, 2]>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @cluster_and_workspace(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a schedule that cannot run on sm_90a: expected a cluster of 1 along k, whose CTAs meet in the workspace instead, got 2; nearest legal value is 1}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 128, 64], stages = 4, kernel = single, cluster = [1, 1, 2]>)
      schedule(#cutl.stream_k) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @budget_below_cluster(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (sm_budget): expected a cluster of at most 3 ctas with sm_budget = 3, got 2x2 = 4; nearest legal cluster is 2x1}}
  // expected-note @below {{nearest that can: #cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong, cluster = [2, 1]>}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = 3)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong, cluster = [2, 2]>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @budget_beyond_chip(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (sm_budget): expected sm_budget to be 1 to 132 on sm_90a, got 133; nearest legal value is 132}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = 133)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @invariant_swapped(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (batch_invariant): expected operands in the roles that they have for every m with batch_invariant, got swap_operands = true; nearest legal value is false}}
  // expected-note @below {{nearest that can: #cutl.tile_config<cta = [64, 16, 64], stages = 4, kernel = single>}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(batch_invariant)
      config(#cutl.tile_config<cta = [64, 16, 64], stages = 4, kernel = single, swap_operands = true>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @invariant_deep_stage(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (batch_invariant): expected cta k to be 64, as for every m with batch_invariant, got 128; nearest legal value is 64}}
  // expected-note @below {{nearest that can: #cutl.tile_config<cta = [64, 64, 64], stages = 4, kernel = single>}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(batch_invariant)
      config(#cutl.tile_config<cta = [64, 64, 128], stages = 4, kernel = single>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @all_at_once(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (cta_m): expected cta m to be}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [1048576, 1048576, 1048576], stages = 1048576, kernel = single, cluster = [1048576, 1048576], raster_group = 1048576, epilogue_buffers = 1048576>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

// No configuration can serve these types here, so none is offered.
func.func @family(%a: tensor<512x512xf64>, %b: tensor<512x512xf64>, %d: tensor<512x512xf64>) -> tensor<512x512xf64>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (family): f64 has no wgmma atom on sm_90a; its family is mma_sync, which has no configurations yet}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f64):
    cutl.yield %acc : f64
  } : (tensor<512x512xf64>, tensor<512x512xf64>, tensor<512x512xf64>) -> tensor<512x512xf64>
  return %0 : tensor<512x512xf64>
}

// -----

func.func @other_chip(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_120a">} {
  // expected-error @below {{has a configuration that cannot run on sm_120a (family): the family of f16 on sm_120a is mma_sync, which has no configurations yet}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

// What kernels have no code for, whatever the configuration.

func.func @interleaved_rows(%a: tensor<512x512xf16>, %b: tensor<512x1024xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{expected b[0] of split(interleaved) to be contiguous along 'k' on GPUs, got 'n' contiguous; bring b in as (n, k), or use split(halves)}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (k, n)) split(interleaved) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32, %gate: f32):
    %p = arith.mulf %acc, %gate : f32
    cutl.yield %p : f32
  } : (tensor<512x512xf16>, tensor<512x1024xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @batches_reduced(%a: tensor<4x512x512xf16>, %b: tensor<4x512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has no lowering yet for outs[0] on GPUs, which reduces batches alone; expected a reduction to drop 'm', 'n' or both}}
  %0 = cutl.gemm ins(%a : (b, m, k), %b : (b, n, k)) outs(%d : (m, n) add)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<4x512x512xf16>, tensor<4x512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @number_of_float8(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %s: f8E4M3FN, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has no lowering yet for the number aux[0] of 'f8E4M3FN' on GPUs; expected f16, bf16 or f32, or a tensor of rank 0}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%s : ()) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32, %x: f8E4M3FN):
    %y = arith.extf %x : f8E4M3FN to f32
    %p = arith.mulf %acc, %y : f32
    cutl.yield %p : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, f8E4M3FN, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @stream_k_of_more_tiles(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a schedule that cannot run on sm_90a: expected stream_k tiles to be from 0 to the 16 tiles there are, got 17; nearest legal value is 16}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.stream_k<tiles = 17>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @split_k_of_fewer_iterations(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a schedule that cannot run on sm_90a: expected at most 8 parts, the k iterations of a tile of 64, got 9; nearest legal value is 8}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<9>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @split_k_of_more_than_sums(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a schedule that it does not allow (parts): expected outs[0] to be a sum over k or that rounded with #cutl.split_k<4>; nearest legal schedule is #cutl.split_k<4, reduction = last_arriver>}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<4>) {
  ^bb0(%acc: f32):
    %relu = cutl.relu %acc : f32
    cutl.yield %relu : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @meeting_parts_of_fewer_iterations(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a schedule that cannot run on sm_90a: expected at most 8 parts, the k iterations of a tile of 64, got 9; nearest legal value is 8}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<9, reduction = last_arriver>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @meeting_parts_and_cluster(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a schedule that cannot run on sm_90a: expected a cluster of 1 along k, whose CTAs meet in the workspace instead, got 2; nearest legal value is 1}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 128, 64], stages = 4, kernel = single, cluster = [1, 1, 2]>)
      schedule(#cutl.split_k<4, reduction = last_arriver>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @more_than_sums_and_cluster(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a schedule that it does not allow (parts): expected outs[0] to be a sum over k or that rounded with #cutl.split_k<4>; nearest legal schedule is #cutl.data_parallel}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 128, 64], stages = 4, kernel = single, cluster = [1, 1, 2]>)
      schedule(#cutl.split_k<4>) {
  ^bb0(%acc: f32):
    %relu = cutl.relu %acc : f32
    cutl.yield %relu : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @deterministic_parts(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a schedule that it does not allow (deterministic): expected sums in a fixed order, got #cutl.split_k<4, reduction = arrival_order>; nearest legal schedule is #cutl.split_k<4, reduction = last_arriver>}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<4, reduction = arrival_order>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @deterministic_shares(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a schedule that it does not allow (deterministic): expected sums in a fixed order, got #cutl.stream_k<tiles = 3, reduction = arrival_order>; nearest legal schedule is #cutl.stream_k<tiles = 3>}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.stream_k<tiles = 3, reduction = arrival_order>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @variant_cta_m(%a: tensor<?x512xf16>, %b: tensor<512x512xf16>, %d: tensor<?x512xf32>) -> tensor<?x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a configuration that cannot run on sm_90a (cta_m): expected cta m to be 64, 128, 192 or 256, got 100; nearest legal value is 128}}
  // expected-note @below {{nearest that can: #cutl.tile_config<}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>)
      variants(#cutl.variant<m at_most 16, config = <cta = [100, 16, 64], stages = 2, kernel = single>>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x512xf16>, tensor<512x512xf16>, tensor<?x512xf32>) -> tensor<?x512xf32>
  return %0 : tensor<?x512xf32>
}

// -----

func.func @variants_schedule(%a: tensor<?x512xf16>, %b: tensor<512x512xf16>, %d: tensor<?x512xf32>) -> tensor<?x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has variants that it does not allow (schedule): expected #cutl.data_parallel with variants, got #cutl.stream_k}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>)
      variants(#cutl.variant<m at_most 16, config = <cta = [64, 16, 64], stages = 2, kernel = single>>)
      schedule(#cutl.stream_k) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x512xf16>, tensor<512x512xf16>, tensor<?x512xf32>) -> tensor<?x512xf32>
  return %0 : tensor<?x512xf32>
}

// -----

func.func @variants_reduction(%a: tensor<?x512xf16>, %b: tensor<512x512xf16>, %d: tensor<?xf32>) -> tensor<?xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has variants that it does not allow (reductions): expected one configuration where results are reduced}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m) add)
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>)
      variants(#cutl.variant<m at_most 16, config = <cta = [64, 16, 64], stages = 2, kernel = single>>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x512xf16>, tensor<512x512xf16>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @turns_in_clusters(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a schedule that cannot run on sm_90a: expected a cluster of 1 CTA, which takes its turn by itself, got 2; nearest legal value is 1}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative, cluster = [2, 1]>)
      schedule(#cutl.split_k<4, reduction = turnstile>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @turns_of_fewer_iterations(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{has a schedule that cannot run on sm_90a: expected at most 8 parts, the k iterations of a tile of 64, got 9; nearest legal value is 8}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<9, reduction = turnstile>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

// A form that adds in a fixed order has one part too many as well.
func.func @any_order_of_many_parts(%a: tensor<512x64xf16>, %b: tensor<512x64xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  // expected-error @below {{(deterministic): expected sums in a fixed order, got #cutl.split_k<100, reduction = arrival_order>; nearest legal schedule is #cutl.data_parallel}}
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<100, reduction = arrival_order>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x64xf16>, tensor<512x64xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
