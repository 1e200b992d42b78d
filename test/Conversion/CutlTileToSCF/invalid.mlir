// RUN: cutl-opt %s --split-input-file --verify-diagnostics --convert-cutl-tile-to-scf

gpu.module @kernels attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  gpu.func @untiled(%a: memref<4x8xf16>, %b: memref<6x8xf16>, %d: memref<4x6xf32>) kernel {
    // expected-error @below {{expected phase 'tiled' or later in convert-cutl-tile-to-scf, got 'configured'; run convert-cutl-to-cutl-tile first}}
    cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
        config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
    ^bb0(%acc: f32):
      cutl.yield %acc : f32
    } : (memref<4x8xf16>, memref<6x8xf16>, memref<4x6xf32>) -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @no_fixup(%a: memref<?x?xf16>, %d: memref<?x?xf32>, %x: index) kernel {
    // expected-error @below {{expected a fixup with schedule #cutl.stream_k in convert-cutl-tile-to-scf; run cutl-apply-schedule first}}
    cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
        schedule(#cutl.stream_k) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index, %slot: index, %first: index, %count: index):
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %a : (n, k))
          : (memref<?x?xf16>, memref<?x?xf16>) -> !cutl_tile.acc<64x8xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @threads() kernel {
    // expected-error @below {{'gpu.thread_id' op does not occur in phase 'tiled', which convert-cutl-tile-to-scf expects}}
    %x = gpu.thread_id x
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @narrow(%a: memref<?x?xf16>, %b: memref<?x?xbf16>, %x: index) kernel {
    cutl_tile.work_loop extents(%x, %x, %x) config(#cutl.tile_config<cta = [64, 8, 64], stages = 2, kernel = single>)
        schedule(#cutl.data_parallel) {
    ^bb0(%m0: index, %n0: index, %k0: index, %k1: index):
      // expected-error @below {{expected accumulators that hold elements exactly in convert-cutl-tile-to-scf, got 'bf16' and 'f16'}}
      %acc = cutl_tile.mainloop at(%m0, %n0) k(%k0 to %k1) ins(%a : (m, k), %b : (n, k))
          : (memref<?x?xf16>, memref<?x?xbf16>) -> !cutl_tile.acc<64x8xf16>
    }
    gpu.return
  }
}

// -----

cutl.bundle @bundle {
  cutl.entry @lowered(%workspace: memref<?xi8>) {
    // expected-error @below {{'cutl.launch_kernel' op expected a kernel of phase 'tiled' in convert-cutl-tile-to-scf, got one that was lowered further}}
    cutl.launch_kernel @kernels::@k()
  }
  gpu.module @kernels {
    llvm.func @k() {
      llvm.return
    }
  }
}
