// D = relu(X W^T + bias) with a dynamic batch.
func.func @linear(%x: tensor<?x512xf16>, %w: tensor<256x512xf16>,
                  %b: tensor<256xf16>, %d: tensor<?x256xf16>)
    -> tensor<?x256xf16> {
  %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) aux(%b : (n))
      outs(%d : (m, n)) {
  ^bb0(%acc: f32, %bias: f16):
    %b32 = arith.extf %bias : f16 to f32
    %s = arith.addf %acc, %b32 : f32
    %r = cutl.relu %s : f32
    %o = arith.truncf %r : f32 to f16
    cutl.yield %o : f16
  } : (tensor<?x512xf16>, tensor<256x512xf16>, tensor<256xf16>,
       tensor<?x256xf16>) -> tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}
