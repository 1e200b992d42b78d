func.func @gemm(%a: memref<1152x1024xbf16>, %b: memref<768x1024xbf16>, %d: memref<1152x768xbf16>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = 12)
      config(#cutl.tile_config<cta = [128, 256, 64], stages = 4, kernel = cooperative>) schedule(#cutl.stream_k) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<1152x1024xbf16>, memref<768x1024xbf16>, memref<1152x768xbf16>) -> ()
  return
}
