// RUN: cutl-opt %s --cutl-configure=chip=sm_90a | FileCheck %s
// RUN: cutl-opt %s --cutl-attach-target=chip=sm_90a --cutl-select-config --cutl-verify-config | FileCheck %s
// RUN: cutl-opt %s --cutl-configure=chip=sm_90a --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PASSES
// Configuring twice changes nothing, and needs no chip the second time.
// RUN: cutl-opt %s --cutl-configure=chip=sm_90a | cutl-opt --cutl-configure | FileCheck %s
// The chip is checked, even where it is not needed.
// RUN: not cutl-opt %s --cutl-configure 2>&1 | FileCheck %s --check-prefix=NOCHIP
// RUN: not cutl-opt %s --cutl-configure=chip=sm_91 2>&1 | FileCheck %s --check-prefix=BADCHIP

// PASSES: cutl-attach-target{chip=sm_90a}
// PASSES-NEXT: cutl-fuse-epilogue{max-outputs=0}
// PASSES-NEXT: cutl-canonicalize-epilogue
// PASSES-NEXT: cutl-select-config
// PASSES-NEXT: cutl-verify-config
// NOCHIP: expected option 'chip' of cutl-attach-target to name a chip
// BADCHIP: unknown chip 'sm_91'; nearest known is 'sm_90a'

// CHECK: module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {

// CHECK-LABEL: func @linear
// CHECK:         cutl.gemm ins(%{{.*}} : (m, k), %{{.*}} : (n, k)) aux(%{{.*}} : (n)) outs(%{{.*}} : (m, n)) config(#cutl.tile_config<cta = [128, {{[0-9]+}}, 64], {{.*}}>) schedule(#cutl.data_parallel) {
func.func @linear(%x: tensor<?x4096xbf16>, %w: tensor<14336x4096xbf16>, %b: tensor<14336xbf16>,
                  %d: tensor<?x14336xbf16>) -> tensor<?x14336xbf16> {
  %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) aux(%b : (n)) outs(%d : (m, n)) {
  ^bb0(%acc: f32, %bias: bf16):
    %b32 = arith.extf %bias : bf16 to f32
    %s = arith.addf %acc, %b32 : f32
    %g = cutl.gelu %s : f32
    %o = arith.truncf %g : f32 to bf16
    cutl.yield %o : bf16
  } : (tensor<?x4096xbf16>, tensor<14336x4096xbf16>, tensor<14336xbf16>, tensor<?x14336xbf16>) -> tensor<?x14336xbf16>
  return %y : tensor<?x14336xbf16>
}

// CHECK-LABEL: func @users_choice
// CHECK:         config(#cutl.tile_config<cta = [64, 64, 64], stages = 3, kernel = single>) schedule(#cutl.data_parallel) {
func.func @users_choice(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 64, 64], stages = 3, kernel = single>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// A function without a gemm is left alone.
// CHECK-LABEL: func @unrelated
// CHECK-NEXT:    return
func.func @unrelated(%x: f32) -> f32 {
  return %x : f32
}
