// RUN: cutl-opt %s --split-input-file --verify-diagnostics --cutl-apply-schedule

cutl.bundle @bundle {
  cutl.entry @f(%a: memref<?x?xf16>, %d: memref<?x?xf32>, %workspace: memref<?xi8>) {
    cutl.launch_kernel @kernels::@f_0(%a, %d) : (memref<?x?xf16>, memref<?x?xf32>)
    cutl.end_entry
  }
  gpu.module @kernels {
    gpu.func @f_0(%a: memref<?x?xf16>, %d: memref<?x?xf32>) kernel {
      %x = gpu.grid_dim x
      %y = func.call @unknown(%x) : (index) -> index
      // expected-error @below {{expected extents that follow from the kernel's arguments in cutl-apply-schedule}}
      cutl_tile.work_loop extents(%y, %y, %y) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
          schedule(#cutl.stream_k) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
        %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
            : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) outs(%d : (m, n)) {
        ^bb0(%z: f32):
          cutl_tile.yield %z : f32
        } : (memref<?x?xf32>) -> ()
      }
      gpu.return
    }
    func.func private @unknown(index) -> index
  }
}

// -----

cutl.bundle @bundle {
  gpu.module @kernels {
    gpu.func @f_0(%a: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index, %y: i1) kernel {
      cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
          schedule(#cutl.stream_k) {
      ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
        %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
            : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
        // expected-error @below {{expected no condition before cutl-apply-schedule}}
        cutl_tile.epilogue at(%m0, %n0) accumulators(%acc : !cutl_tile.acc<64x8xf32>) if(%y) outs(%d : (m, n)) {
        ^bb0(%z: f32):
          cutl_tile.yield %z : f32
        } : (memref<?x?xf32>) -> ()
      }
      gpu.return
    }
  }
}
