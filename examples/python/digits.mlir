// A classifier of handwritten digits: two linear layers in one function, with f16 operands and any number of images.
func.func @classify(%images: tensor<?x64xf16>, %w1: tensor<48x64xf16>, %b1: tensor<48xf32>, %w2: tensor<10x48xf16>,
                    %b2: tensor<10xf32>, %scores: tensor<?x10xf32>) -> tensor<?x10xf32> {
  %c0 = arith.constant 0 : index
  %count = tensor.dim %images, %c0 : tensor<?x64xf16>
  %hidden = tensor.empty(%count) : tensor<?x48xf16>

  // hidden = relu(images · w1ᵀ + b1)
  %h = cutl.gemm ins(%images : (m, k), %w1 : (n, k)) aux(%b1 : (n)) outs(%hidden : (m, n)) {
  ^bb0(%acc: f32, %bias: f32):
    %sum = arith.addf %acc, %bias : f32
    %relu = cutl.relu %sum : f32
    %rounded = arith.truncf %relu : f32 to f16
    cutl.yield %rounded : f16
  } : (tensor<?x64xf16>, tensor<48x64xf16>, tensor<48xf32>, tensor<?x48xf16>) -> tensor<?x48xf16>

  // scores = hidden · w2ᵀ + b2
  %s = cutl.gemm ins(%h : (m, k), %w2 : (n, k)) aux(%b2 : (n)) outs(%scores : (m, n)) {
  ^bb0(%acc: f32, %bias: f32):
    %sum = arith.addf %acc, %bias : f32
    cutl.yield %sum : f32
  } : (tensor<?x48xf16>, tensor<10x48xf16>, tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  return %s : tensor<?x10xf32>
}
