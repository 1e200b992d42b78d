// RUN: cutl-opt %s | cutl-opt | FileCheck %s
// RUN: cutl-opt %s --mlir-print-op-generic | cutl-opt | FileCheck %s
// RUN: cutl-opt %s --emit-bytecode | cutl-opt | FileCheck %s
// RUN: cutl-opt %s --verify-roundtrip -o /dev/null

// CHECK-LABEL: func.func private @targets
// CHECK-SAME:    sm_80 = #cutl.target<chip = "sm_80">
// CHECK-SAME:    sm_86 = #cutl.target<chip = "sm_86">
// CHECK-SAME:    sm_87 = #cutl.target<chip = "sm_87">
// CHECK-SAME:    sm_89 = #cutl.target<chip = "sm_89">
// CHECK-SAME:    sm_90a = #cutl.target<chip = "sm_90a">
// CHECK-SAME:    sm_100a = #cutl.target<chip = "sm_100a">
// CHECK-SAME:    sm_120a = #cutl.target<chip = "sm_120a">
func.func private @targets() attributes {
  a.sm_80 = #cutl.target<chip = "sm_80">,
  b.sm_86 = #cutl.target<chip = "sm_86">,
  c.sm_87 = #cutl.target<chip = "sm_87">,
  d.sm_89 = #cutl.target<chip = "sm_89">,
  e.sm_90a = #cutl.target<chip = "sm_90a">,
  f.sm_100a = #cutl.target<chip = "sm_100a">,
  g.sm_120a = #cutl.target<chip = "sm_120a">
}

// CHECK-LABEL: func @target_on_function() attributes {cutl.target = #cutl.target<chip = "sm_90a">}
func.func @target_on_function() attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  return
}

// CHECK-LABEL: func.func private @variants
// CHECK-SAME:    all = #cutl.variant<m at_most 64, n at_most 512, k at_most 0, batch at_most 3, results at_most 4096, config = <cta = [64, 64, 64], stages = 2, kernel = single, swap_operands = true>>
// CHECK-SAME:    one = #cutl.variant<m at_most 16, config = <cta = [64, 16, 128], stages = 9, kernel = single>>
func.func private @variants() attributes {
  a.all = #cutl.variant<m at_most 64, n at_most 512, k at_most 0, batch at_most 3, results at_most 4096,
                        config = <cta = [64, 64, 64], stages = 2, kernel = single, swap_operands = true>>,
  b.one = #cutl.variant<m at_most 16, config = <cta = [64, 16, 128], stages = 9, kernel = single>>
}

// Fields with defaults are left out where they hold them.
// CHECK-LABEL: func.func private @tile_configs
// CHECK-SAME:    all = #cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = cooperative, cluster = [2, 1], raster = n, raster_group = 4, epilogue_buffers = 2, swap_operands = true, repack = [a, b]>
// CHECK-SAME:    defaults = #cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>
// CHECK-SAME:    least = #cutl.tile_config<cta = [1, 1, 1], stages = 1, kernel = single, epilogue_buffers = 0>
// CHECK-SAME:    order = #cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single, raster = n>
// CHECK-SAME:    spelt = #cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>
func.func private @tile_configs() attributes {
  a.all = #cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = cooperative, cluster = [2, 1], raster = n,
                            raster_group = 4, epilogue_buffers = 2, swap_operands = true, repack = [b, a]>,
  b.defaults = #cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>,
  c.least = #cutl.tile_config<cta = [1, 1, 1], stages = 1, kernel = single, epilogue_buffers = 0>,
  d.order = #cutl.tile_config<raster = n, kernel = single, stages = 2, cta = [64, 64, 64]>,
  e.spelt = #cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong, cluster = [1, 1], raster = m,
                              raster_group = 8, epilogue_buffers = 1, swap_operands = false, repack = []>
}

// CHECK-LABEL: func.func private @schedules
// CHECK-SAME:    data_parallel = #cutl.data_parallel
// CHECK-SAME:    split_k = #cutl.split_k<8>
// CHECK-SAME:    stream_k = #cutl.stream_k, a.stream_k_of = #cutl.stream_k<tiles = 40>
// Where parts are added up is printed where it is not the default.
// CHECK-SAME:    b.split_k = #cutl.split_k<8>, b.split_k_last = #cutl.split_k<8, reduction = last_arriver>
// CHECK-SAME:    b.split_k_order = #cutl.split_k<8, reduction = arrival_order>
// CHECK-SAME:    b.split_k_turns = #cutl.split_k<8, reduction = turnstile>
// CHECK-SAME:    b.stream_k = #cutl.stream_k, b.stream_k_both = #cutl.stream_k<tiles = 0, reduction = arrival_order>
// CHECK-SAME:    b.stream_k_order = #cutl.stream_k<reduction = arrival_order>
func.func private @schedules() attributes {a.data_parallel = #cutl.data_parallel, a.split_k = #cutl.split_k<8>, a.stream_k = #cutl.stream_k,
                                           a.stream_k_of = #cutl.stream_k<tiles = 40>,
                                           b.split_k = #cutl.split_k<8, reduction = separate>,
                                           b.split_k_last = #cutl.split_k<8, reduction = last_arriver>,
                                           b.split_k_order = #cutl.split_k<8, reduction = arrival_order>,
                                           b.split_k_turns = #cutl.split_k<8, reduction = turnstile>,
                                           b.stream_k = #cutl.stream_k<reduction = last_arriver>,
                                           b.stream_k_both = #cutl.stream_k<tiles = 0, reduction = arrival_order>,
                                           b.stream_k_order = #cutl.stream_k<reduction = arrival_order>}

// Enumerations have attributes of their own in the generic form.
// CHECK-LABEL: func.func private @enums
// CHECK-SAME:    combiners = [#cutl<combiner none>, #cutl<combiner add>, #cutl<combiner max>, #cutl<combiner min>, #cutl<combiner amax>]
// CHECK-SAME:    gelu = [#cutl<gelu_form erf>, #cutl<gelu_form tanh>]
// CHECK-SAME:    math = [#cutl<math_mode exact>, #cutl<math_mode tf32>, #cutl<math_mode tf32x3>, #cutl<math_mode bf16>, #cutl<math_mode f16>]
// CHECK-SAME:    sign = [#cutl<signedness signed>, #cutl<signedness unsigned>]
// CHECK-SAME:    split = [#cutl<split none>, #cutl<split halves>, #cutl<split interleaved>]
func.func private @enums() attributes {
  a.combiners = [#cutl<combiner none>, #cutl<combiner add>, #cutl<combiner max>, #cutl<combiner min>,
                 #cutl<combiner amax>],
  b.gelu = [#cutl<gelu_form erf>, #cutl<gelu_form tanh>],
  c.math = [#cutl<math_mode exact>, #cutl<math_mode tf32>, #cutl<math_mode tf32x3>, #cutl<math_mode bf16>,
            #cutl<math_mode f16>],
  d.sign = [#cutl<signedness signed>, #cutl<signedness unsigned>],
  e.split = [#cutl<split none>, #cutl<split halves>, #cutl<split interleaved>]
}
