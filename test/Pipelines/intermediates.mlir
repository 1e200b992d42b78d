// REQUIRES: cutl-compile
// RUN: cutl-compile %s --chip sm_90a --emit=bundle-text | FileCheck %s

// Three layers: two intermediates that live at once, of which the first has rows of any length, padded to 16 bytes for
// its tensor maps; the last layer's B is one operand and two arrays of the kernel.
// CHECK:      entry pad
// CHECK:      workspace ((((2 * size(arg0, 0)) * ((size(arg1, 0) ceildiv 8) * 8)) ceildiv 256) * 256) + (((48 * size(arg0, 0)) ceildiv 256) * 256)
// CHECK:      step 0 launch pad_0
// CHECK:        tensor_map 2 workspace : float16 sizes [size(arg1, 0), size(arg0, 0)] strides [((size(arg1, 0) ceildiv 8) * 8) * 2]
// CHECK:      step 1 launch pad_1
// CHECK:        tensor_map 0 workspace : float16 sizes [size(arg1, 0), size(arg0, 0)] strides [((size(arg1, 0) ceildiv 8) * 8) * 2]
// CHECK:        parameter address workspace[(((2 * size(arg0, 0)) * ((size(arg1, 0) ceildiv 8) * 8)) ceildiv 256) * 256]
// CHECK:      step 2 launch pad_2
// CHECK:        tensor_map 0 workspace[(((2 * size(arg0, 0)) * ((size(arg1, 0) ceildiv 8) * 8)) ceildiv 256) * 256] : float16 sizes [24, size(arg0, 0)] strides [48]
// CHECK:        tensor_map 1 arg3 : float16 sizes [24, 20]
// CHECK:        tensor_map 2 arg3[(20 * stride(arg3, 0)) * 2] : float16 sizes [24, 20]
func.func @pad(%x: tensor<?x64xf16>, %w: tensor<?x64xf16>, %v: tensor<24x?xf16>, %u: tensor<40x24xf16>, %d: tensor<?x20xf16>) -> tensor<?x20xf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf16>
  %n = tensor.dim %w, %c0 : tensor<?x64xf16>
  %h0 = tensor.empty(%m, %n) : tensor<?x?xf16>
  %h = cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%h0 : (m, n)) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to f16
    cutl.yield %r : f16
  } : (tensor<?x64xf16>, tensor<?x64xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>
  %g0 = tensor.empty(%m) : tensor<?x24xf16>
  %g = cutl.gemm ins(%h : (m, k), %v : (n, k)) outs(%g0 : (m, n)) {
  ^bb0(%acc: f32):
    %r = arith.truncf %acc : f32 to f16
    cutl.yield %r : f16
  } : (tensor<?x?xf16>, tensor<24x?xf16>, tensor<?x24xf16>) -> tensor<?x24xf16>
  %y = cutl.gemm ins(%g : (m, k), %u : (n, k)) split(halves) outs(%d : (m, n)) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.truncf %p : f32 to f16
    cutl.yield %r : f16
  } : (tensor<?x24xf16>, tensor<40x24xf16>, tensor<?x20xf16>) -> tensor<?x20xf16>
  return %y : tensor<?x20xf16>
}
