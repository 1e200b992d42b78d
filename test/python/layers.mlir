func.func @layers(%x: tensor<?x64xf16>, %w1: tensor<48x64xf16>, %w2: tensor<16x48xf16>, %out: tensor<?x16xf32>)
    -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf16>
  %e = tensor.empty(%m) : tensor<?x48xf16>
  %h = cutl.gemm ins(%x : (m, k), %w1 : (n, k)) outs(%e : (m, n)) {
  ^bb0(%acc: f32):
    %r = cutl.relu %acc : f32
    %o = arith.truncf %r : f32 to f16
    cutl.yield %o : f16
  } : (tensor<?x64xf16>, tensor<48x64xf16>, tensor<?x48xf16>) -> tensor<?x48xf16>
  %y = cutl.gemm ins(%h : (m, k), %w2 : (n, k)) outs(%out : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x48xf16>, tensor<16x48xf16>, tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
