// RUN: cutl-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{unknown chip 'sm_91'; nearest known is 'sm_90a'}}
func.func private @target_unknown_chip() attributes {x = #cutl.target<chip = "sm_91">}

// -----

// expected-error @below {{unknown chip 'sm_90'; nearest known is 'sm_90a'}}
func.func private @target_unknown_suffix() attributes {x = #cutl.target<chip = "sm_90">}

// -----

// expected-error @below {{unknown chip ''; nearest known is 'sm_80'}}
func.func private @target_empty_chip() attributes {x = #cutl.target<chip = "">}

// -----

// expected-error @below {{expected valid keyword}}
// expected-error @below {{expected a parameter name in struct}}
func.func private @target_no_chip() attributes {x = #cutl.target<>}

// -----

// expected-error @below {{duplicate or unknown struct parameter name: arch}}
func.func private @target_unknown_field() attributes {x = #cutl.target<arch = "sm_90a">}

// -----

// expected-error @below {{expected 'cutl.target' to be a #cutl.target attribute, got "sm_90a"}}
func.func private @target_not_a_target() attributes {cutl.target = "sm_90a"}

// -----

// expected-error @below {{expected 'cutl.host_signature' to be an array of types, got [1 : i32]}}
func.func private @host_signature_not_types() attributes {cutl.host_signature = [1 : i32]}

// -----

// expected-error @below {{unknown attribute 'cutl.chip' of the cutl dialect, expected 'cutl.target' or 'cutl.host_signature'}}
func.func private @unknown_attribute() attributes {cutl.chip = "sm_90a"}

// -----

//===----------------------------------------------------------------------===//
// Tile configurations
//===----------------------------------------------------------------------===//

// expected-error @below {{expected cta to have 3 extents (m, n, k), got 2}}
func.func private @tile_config_two_cta_extents() attributes {x = #cutl.tile_config<cta = [128, 64], stages = 4, kernel = single>}

// -----

// expected-error @below {{expected cta to have 3 extents (m, n, k), got 4}}
func.func private @tile_config_four_cta_extents() attributes {x = #cutl.tile_config<cta = [128, 64, 64, 1], stages = 4, kernel = single>}

// -----

// expected-error @below {{expected cta to have 3 extents (m, n, k), got 0}}
func.func private @tile_config_no_cta_extents() attributes {x = #cutl.tile_config<cta = [], stages = 4, kernel = single>}

// -----

// expected-error @below {{expected every extent of cta to be between 1 and 1048576, got 0}}
func.func private @tile_config_cta_extent_zero() attributes {x = #cutl.tile_config<cta = [128, 0, 64], stages = 4, kernel = single>}

// -----

// expected-error @below {{expected every extent of cta to be between 1 and 1048576, got -64}}
func.func private @tile_config_cta_extent_negative() attributes {x = #cutl.tile_config<cta = [128, -64, 64], stages = 4, kernel = single>}

// -----

// expected-error @below {{expected every extent of cta to be between 1 and 1048576, got 9223372036854775807}}
func.func private @tile_config_cta_extent_huge() attributes {x = #cutl.tile_config<cta = [128, 64, 9223372036854775807], stages = 4, kernel = single>}

// -----

// expected-error @below {{integer value too large}}
func.func private @tile_config_cta_extent_beyond_64_bits() attributes {x = #cutl.tile_config<cta = [128, 64, 99999999999999999999], stages = 4, kernel = single>}

// -----

// expected-error @below {{expected stages to be between 1 and 1048576, got 0}}
func.func private @tile_config_stages_zero() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 0, kernel = single>}

// -----

// expected-error @below {{expected kernel to be one of cooperative, pingpong, single, got warp}}
func.func private @tile_config_kernel_unknown() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = warp>}

// -----

// expected-error @below {{expected kernel to be one of cooperative, pingpong, single}}
func.func private @tile_config_kernel_number() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = 3>}

// -----

// expected-error @below {{expected field 'cta' in a tile configuration}}
func.func private @tile_config_missing_cta() attributes {x = #cutl.tile_config<stages = 4, kernel = single>}

// -----

// expected-error @below {{expected field 'stages' in a tile configuration}}
func.func private @tile_config_missing_stages() attributes {x = #cutl.tile_config<cta = [128, 64, 64], kernel = single>}

// -----

// expected-error @below {{expected field 'kernel' in a tile configuration}}
func.func private @tile_config_missing_kernel() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4>}

// -----

// expected-error @below {{expected field 'cta' in a tile configuration}}
func.func private @tile_config_empty() attributes {x = #cutl.tile_config<>}

// -----

// expected-error @below {{field 'stages' is given twice}}
func.func private @tile_config_field_twice() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, stages = 4, kernel = single>}

// -----

// expected-error @below {{unknown field 'warps' of a tile configuration, expected one of cta, stages, kernel, cluster, raster, raster_group, epilogue_buffers, swap_operands, repack}}
func.func private @tile_config_field_unknown() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = single, warps = 4>}

// -----

// expected-error @below {{expected cluster to have 2 or 3 extents (m, n and perhaps k), got 1}}
func.func private @tile_config_cluster_one_extent() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = single, cluster = [2]>}

// -----

// expected-error @below {{expected every extent of cluster to be between 1 and 1048576, got 0}}
func.func private @tile_config_cluster_extent_zero() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = single, cluster = [0, 1]>}

// -----

// expected-error @below {{expected raster to be one of m, n, got k}}
func.func private @tile_config_raster_unknown() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = single, raster = k>}

// -----

// expected-error @below {{expected raster_group to be between 1 and 1048576, got 0}}
func.func private @tile_config_raster_group_zero() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = single, raster_group = 0>}

// -----

// expected-error @below {{expected epilogue_buffers to be between 0 and 1048576, got -1}}
func.func private @tile_config_epilogue_buffers_negative() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = single, epilogue_buffers = -1>}

// -----

// expected-error @below {{expected epilogue_buffers to be between 0 and 1048576, got 9223372036854775807}}
func.func private @tile_config_epilogue_buffers_huge() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = single, epilogue_buffers = 9223372036854775807>}

// -----

// expected-error @below {{expected swap_operands to be true or false, got maybe}}
func.func private @tile_config_swap_operands_other() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = single, swap_operands = maybe>}

// -----

// expected-error @below {{expected '='}}
func.func private @tile_config_swap_operands_alone() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = single, swap_operands>}

// -----

//===----------------------------------------------------------------------===//
// Schedules and enumerations
//===----------------------------------------------------------------------===//

// expected-error @below {{unknown attribute `round_robin` in dialect `cutl`}}
func.func private @schedule_unknown() attributes {x = #cutl.round_robin}

// -----

// expected-error @below {{expected from 0 to 2147483647 tiles of stream_k, got -1; nearest legal value is 0}}
func.func private @stream_k_tiles() attributes {x = #cutl.stream_k<tiles = -1>}

// -----

// expected-error @below {{expected from 0 to 2147483647 tiles of stream_k, got 2147483648; nearest legal value is 2147483647}}
func.func private @stream_k_many_tiles() attributes {x = #cutl.stream_k<tiles = 2147483648>}

// -----

// expected-error @below {{expected from 1 to 65536 parts of k, got 0; nearest legal value is 1}}
func.func private @split_k_nothing() attributes {x = #cutl.split_k<0>}

// -----

// expected-error @below {{expected from 1 to 65536 parts of k, got 65537; nearest legal value is 65536}}
func.func private @split_k_many() attributes {x = #cutl.split_k<65537>}

// -----

// expected-error @below {{expected from 1 to 65536 parts of k, got 0; nearest legal value is 1}}
func.func private @split_k_nothing_meets() attributes {x = #cutl.split_k<0, reduction = last_arriver>}

// -----

// expected-error @below {{expected reduction to be one of separate, last_arriver, arrival_order, turnstile, got sloth}}
func.func private @split_k_unknown_reduction() attributes {x = #cutl.split_k<2, reduction = sloth>}

// -----

// expected-error @below {{expected reduction to be one of separate, last_arriver, arrival_order, turnstile, got sloth}}
func.func private @stream_k_unknown_reduction() attributes {x = #cutl.stream_k<tiles = 2, reduction = sloth>}

// -----

// expected-error @below {{expected a reduction of stream_k by last_arriver or in arrival_order, got separate; nearest legal value is last_arriver}}
func.func private @stream_k_separate() attributes {x = #cutl.stream_k<tiles = 4, reduction = separate>}

// -----

// expected-error @below {{expected a reduction of stream_k by last_arriver or in arrival_order, got turnstile; nearest legal value is last_arriver}}
func.func private @stream_k_turnstile() attributes {x = #cutl.stream_k<reduction = turnstile>}

// -----

// expected-error @below {{expected no parameters of #cutl.data_parallel}}
func.func private @schedule_stray_parameter() attributes {x = #cutl.data_parallel<2>}

// -----

// expected-error @below {{expected combiner to be one of none, add, max, min, amax, got mul}}
func.func private @combiner_unknown() attributes {x = #cutl<combiner mul>}

// -----

// A number is no keyword.
// expected-error @below {{expected combiner to be one of none, add, max, min, amax}}
func.func private @combiner_number() attributes {x = #cutl<combiner 3>}

// -----

// expected-error @below {{expected math mode to be one of exact, tf32, tf32x3, bf16, f16, got tf64}}
func.func private @math_mode_unknown() attributes {x = #cutl<math_mode tf64>}

// -----

// expected-error @below {{expected split to be one of none, halves, interleaved, got thirds}}
func.func private @split_unknown() attributes {x = #cutl<split thirds>}

// -----

// expected-error @below {{expected signedness to be one of signed, unsigned, got odd}}
func.func private @signedness_unknown() attributes {x = #cutl<signedness odd>}

// -----

// expected-error @below {{expected form of gelu to be one of erf, tanh, got sin}}
func.func private @gelu_form_unknown() attributes {x = #cutl<gelu_form sin>}

// -----

// expected-error @below {{expected rounding to be one of to_nearest_even, toward_zero, downward, upward, got up}}
func.func private @rounding_unknown() attributes {x = #cutl<rounding up>}

// -----

// expected-error @below {{expected a variant to bound some extent}}
func.func private @variant_without_bounds() attributes {x = #cutl.variant<config = <cta = [64, 64, 64], stages = 2, kernel = single>>}

// -----

// expected-error @below {{expected field 'config' in a variant}}
func.func private @variant_without_config() attributes {x = #cutl.variant<m at_most 16>}

// -----

// expected-error @below {{expected nothing after config}}
func.func private @variant_bound_after_config() attributes {x = #cutl.variant<m at_most 16, config = <cta = [64, 64, 64], stages = 2, kernel = single>, n at_most 2>}

// -----

// expected-error @below {{unknown field 'rows' of a variant, expected one of m, n, k, batch, results, config}}
func.func private @variant_unknown_extent() attributes {x = #cutl.variant<rows at_most 16, config = <cta = [64, 64, 64], stages = 2, kernel = single>>}

// -----

// expected-error @below {{expected 'at_most'}}
func.func private @variant_other_comparison() attributes {x = #cutl.variant<m below 16, config = <cta = [64, 64, 64], stages = 2, kernel = single>>}

// -----

// expected-error @below {{expected a bound of n of at least 0, got -1}}
func.func private @variant_negative_bound() attributes {x = #cutl.variant<n at_most -1, config = <cta = [64, 64, 64], stages = 2, kernel = single>>}

// -----

// expected-error @below {{field 'm' is given twice}}
func.func private @variant_bound_twice() attributes {x = #cutl.variant<m at_most 64, m at_most 3, config = <cta = [64, 64, 64], stages = 2, kernel = single>>}

// -----

// expected-error @below {{expected repack to list a, b or both, got d}}
func.func private @tile_config_repack_other() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = single, repack = [a, d]>}

// -----

// expected-error @below {{expected each operand once in repack, got a twice}}
func.func private @tile_config_repack_twice() attributes {x = #cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = single, repack = [a, b, a]>}
