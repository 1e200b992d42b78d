// Every activation and derivative on the CPU, against its reference value.
// REQUIRES: cutl-run

// RUN: cutl-run %s --shape m=40 --verify --function activations | FileCheck %s --check-prefix=FIVE
// RUN: cutl-run %s --shape m=40 --verify --function derivatives | FileCheck %s --check-prefix=NINE
// RUN: cutl-run %s --shape m=40 --verify --function functions | FileCheck %s --check-prefix=FIVE

// FIVE-COUNT-5: verified result {{[0-4]}}: 1280 of 1280 elements
// NINE-COUNT-9: verified result {{[0-8]}}: 1280 of 1280 elements

!m = tensor<?x32xf32>

func.func @activations(%a: tensor<?x16xf32>, %b: tensor<32x16xf32>, %d0: !m, %d1: !m, %d2: !m, %d3: !m, %d4: !m)
    -> (!m, !m, !m, !m, !m) {
  %r:5 = cutl.gemm ins(%a : (m, k), %b : (n, k))
      outs(%d0 : (m, n), %d1 : (m, n), %d2 : (m, n), %d3 : (m, n), %d4 : (m, n)) {
  ^bb0(%x: f32):
    %0 = cutl.leaky_relu %x slope 0.01 : f32
    %1 = cutl.hardswish %x : f32
    %2 = cutl.softplus %x : f32
    %3 = cutl.clamp %x low -1.0 high 0.5 : f32
    %4 = cutl.leaky_relu %x slope -0.3 : f32
    cutl.yield %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
  } : (tensor<?x16xf32>, tensor<32x16xf32>, !m, !m, !m, !m, !m) -> (!m, !m, !m, !m, !m)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : !m, !m, !m, !m, !m
}

func.func @derivatives(%a: tensor<?x16xf32>, %b: tensor<32x16xf32>, %d0: !m, %d1: !m, %d2: !m, %d3: !m, %d4: !m,
                       %d5: !m, %d6: !m, %d7: !m, %d8: !m) -> (!m, !m, !m, !m, !m, !m, !m, !m, !m) {
  %r:9 = cutl.gemm ins(%a : (m, k), %b : (n, k))
      outs(%d0 : (m, n), %d1 : (m, n), %d2 : (m, n), %d3 : (m, n), %d4 : (m, n), %d5 : (m, n), %d6 : (m, n),
           %d7 : (m, n), %d8 : (m, n)) {
  ^bb0(%x: f32):
    %0 = cutl.relu_grad %x : f32
    %1 = cutl.leaky_relu_grad %x slope 0.01 : f32
    %2 = cutl.gelu_grad %x : f32
    %3 = cutl.gelu_grad tanh %x : f32
    %4 = cutl.silu_grad %x : f32
    %5 = cutl.sigmoid_grad %x : f32
    %6 = cutl.tanh_grad %x : f32
    %7 = cutl.hardswish_grad %x : f32
    %8 = cutl.softplus_grad %x : f32
    cutl.yield %0, %1, %2, %3, %4, %5, %6, %7, %8 : f32, f32, f32, f32, f32, f32, f32, f32, f32
  } : (tensor<?x16xf32>, tensor<32x16xf32>, !m, !m, !m, !m, !m, !m, !m, !m, !m)
      -> (!m, !m, !m, !m, !m, !m, !m, !m, !m)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8 : !m, !m, !m, !m, !m, !m, !m, !m, !m
}

// Upstream ops.
func.func @functions(%a: tensor<?x16xf32>, %b: tensor<32x16xf32>, %d0: !m, %d1: !m, %d2: !m, %d3: !m, %d4: !m)
    -> (!m, !m, !m, !m, !m) {
  %r:5 = cutl.gemm ins(%a : (m, k), %b : (n, k))
      outs(%d0 : (m, n), %d1 : (m, n), %d2 : (m, n), %d3 : (m, n), %d4 : (m, n)) {
  ^bb0(%x: f32):
    %0 = math.expm1 %x : f32
    %abs = math.absf %x : f32
    %1 = math.log1p %abs : f32
    %2 = math.trunc %x : f32
    %c = arith.constant 0.75 : f32
    %3 = arith.remf %x, %c : f32
    %i = arith.fptosi %abs : f32 to i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %s = arith.shli %i, %two : i32
    %t = arith.remsi %s, %three : i32
    %u = arith.shrui %t, %two : i32
    %v = arith.ori %u, %t : i32
    %4 = arith.sitofp %v : i32 to f32
    cutl.yield %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
  } : (tensor<?x16xf32>, tensor<32x16xf32>, !m, !m, !m, !m, !m) -> (!m, !m, !m, !m, !m)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : !m, !m, !m, !m, !m
}
