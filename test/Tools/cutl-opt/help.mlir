// Every pass, pipeline and option of the project, with its one line.
// RUN: cutl-opt --help | FileCheck %s
// RUN: cutl-opt --help | grep -cE '^ +--(cutl-|convert-(cutl|linalg-contraction-to-vector))' | FileCheck %s --check-prefix=COUNT
// RUN: cutl-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS

// COUNT: {{^}}37{{$}}
// DIALECTS: cutl

// CHECK:      --convert-cutl-launch-to-llvm {{ *}}- Turn launches into calls of the runtime and bundles into bytes
// CHECK-NEXT: --convert-cutl-math-to-nvvm {{ *}}- Expand the math of epilogues without a library
// CHECK-NEXT: --convert-cutl-tile-to-nvvm {{ *}}- Lower staged kernels to NVVM operations
// CHECK-NEXT:   --programmatic-launch {{ *}}- Let kernels start up before those ahead have ended
// CHECK-NEXT: --convert-cutl-tile-to-scf {{ *}}- Run kernels of phase `tiled` on the host, CTA by CTA
// CHECK-NEXT:   --cta-order=<string> {{ *}}- In what order they run: forward, reverse, or seed:N
// CHECK-NEXT:   --grid=<long> {{ *}}- CTAs, or clusters, that share the units of work
// CHECK-NEXT: --convert-cutl-to-cutl-tile {{ *}}- State what each CTA of a kernel does
// CHECK-NEXT: --convert-cutl-to-linalg {{ *}}- Define problem ops by linalg operations
// CHECK-NEXT: --convert-linalg-contraction-to-vector {{ *}}- Lower contractions on memrefs to packed, register-blocked loops
// CHECK-NEXT:   --block-k=<long> {{ *}}- Extent of k packed at a time
// CHECK-NEXT:   --block-m=<long> {{ *}}- Rows packed at a time
// CHECK-NEXT:   --block-n=<long> {{ *}}- Columns packed at a time
// CHECK-NEXT:   --vector-bits=<uint> {{ *}}- Width of a vector register in bits: 128, 256 or 512
// CHECK:      --cutl-apply-schedule {{ *}}- Give kernels the form that their schedule asks for
// CHECK-NEXT: --cutl-attach-target {{ *}}- Record the chip that code is compiled for
// CHECK-NEXT:   --chip=<string> {{ *}}- Chip name as in the chip table
// CHECK-NEXT: --cutl-canonicalize-epilogue {{ *}}- Simplify the epilogues of gemms
// CHECK-NEXT: --cutl-cpu-allow-negative-strides {{ *}}- Drop the promise that addresses are computed without sign
// CHECK-NEXT: --cutl-cpu-convert-math {{ *}}- Convert math operations without an instruction to libm calls
// CHECK-NEXT: --cutl-cpu-expand-float8 {{ *}}- Convert 8-bit floats by arithmetic on bits
// CHECK-NEXT: --cutl-cpu-mark-entry-points {{ *}}- Record the signatures of functions callable from the host
// CHECK-NEXT: --cutl-drop-returned-destinations {{ *}}- Remove results that are one of the function's own memrefs
// CHECK-NEXT: --cutl-fuse-epilogue {{ *}}- Move elementwise ops and reductions beside gemms into their epilogues
// CHECK-NEXT:   --max-outputs=<uint> {{ *}}- Outputs that a gemm may get to keep results that others use too
// CHECK-NEXT: --cutl-outline-kernels {{ *}}- Move problem ops on memrefs into the entries and kernels of a bundle
// CHECK-NEXT: --cutl-plan-workspace {{ *}}- Give the intermediates of entries places in the workspace
// CHECK-NEXT: --cutl-print-schedule {{ *}}- Print which CTA does which tile, and when
// CHECK-NEXT:   --svg {{ *}}- Draw it as SVG
// CHECK-NEXT: --cutl-record-host-rules {{ *}}- Record which sizes must agree and which arguments are written
// CHECK-NEXT: --cutl-select-config {{ *}}- Choose the tile configuration and schedule of problem ops
// CHECK-NEXT:   --variants=<long> {{ *}}- How many configurations a problem may have whose extents are known only at run time
// CHECK-NEXT: --cutl-serialize-kernels {{ *}}- Compile kernel modules to PTX or cubins
// CHECK-NEXT:   --format=<value> {{ *}}- What to compile to: ptx or cubin
// CHECK-NEXT:     =ptx {{ *}}- text that the driver compiles
// CHECK-NEXT:     =cubin {{ *}}- code for one chip, by ptxas
// CHECK-NEXT:   --ptxas=<string> {{ *}}- Path of ptxas; by default CUTL_PTXAS or the one on PATH
// CHECK-NEXT: --cutl-tile-allocate-smem {{ *}}- Give rings and staging buffers their place in shared memory
// CHECK-NEXT: --cutl-tile-for-cpu {{ *}}- Cut gemms on memrefs into loops over blocks of rows and columns
// CHECK-NEXT:   --tile-m=<long> {{ *}}- Rows per tile
// CHECK-NEXT:   --tile-n=<long> {{ *}}- Columns per tile
// CHECK-NEXT: --cutl-tile-pipeline {{ *}}- Split mainloops into a producer and a consumer of ring buffers
// CHECK-NEXT: --cutl-tile-repack-operands {{ *}}- Copy operands into aligned rows ahead of the kernels that ask for it
// CHECK-NEXT: --cutl-tile-select-transfers {{ *}}- Decide how outputs are written and auxiliary operands read
// CHECK-NEXT: --cutl-tile-specialize-warps {{ *}}- Split kernels into a producer and consumers
// CHECK-NEXT: --cutl-tile-split-reductions {{ *}}- Combine what several tiles reduce in a kernel of its own
// CHECK-NEXT: --cutl-verify-config {{ *}}- Reject configurations and schedules that cannot run
// CHECK-NEXT: --cutl-verify-cpu {{ *}}- Reject gemms that the CPU target cannot run
// CHECK:      Pass Pipelines:
// CHECK:      --cutl-bufferize {{ *}}- Bufferize functions so that results become their destinations
// CHECK-NEXT: --cutl-configure {{ *}}- Attach the target, choose configurations and schedules, verify them
// CHECK-NEXT:   --canonicalize-epilogue {{ *}}- Simplify the epilogues of gemms
// CHECK-NEXT:   --chip=<string> {{ *}}- Chip to compile for, for example sm_90a; kept if the module names one
// CHECK-NEXT:   --fuse-epilogue {{ *}}- Move elementwise ops beside gemms into their epilogues
// CHECK-NEXT:   --max-outputs=<uint> {{ *}}- Outputs that fusion may give a gemm to keep results that others use too
// CHECK-NEXT:   --programmatic-launch {{ *}}- Let kernels start up before those ahead have ended (programmatic dependent launch)
// CHECK-NEXT:   --tile-m=<long> {{ *}}- Rows per tile on the CPU
// CHECK-NEXT:   --tile-n=<long> {{ *}}- Columns per tile on the CPU
// CHECK-NEXT:   --variants=<long> {{ *}}- How many kernels a problem may have whose extents are known only at run time
// CHECK-NEXT:   --vector-bits=<uint> {{ *}}- Width of the CPU's vector registers: 128, 256 or 512
// CHECK-NEXT: --cutl-lower-to-nvvm {{ *}}- Lower kernels of phase tiled to the LLVM and NVVM dialects
// CHECK-NEXT:   --canonicalize-epilogue {{ *}}- Simplify the epilogues of gemms
// CHECK-NEXT:   --chip=<string> {{ *}}- Chip to compile for, for example sm_90a; kept if the module names one
// CHECK-NEXT:   --fuse-epilogue {{ *}}- Move elementwise ops beside gemms into their epilogues
// CHECK-NEXT:   --max-outputs=<uint> {{ *}}- Outputs that fusion may give a gemm to keep results that others use too
// CHECK-NEXT:   --programmatic-launch {{ *}}- Let kernels start up before those ahead have ended (programmatic dependent launch)
// CHECK-NEXT:   --tile-m=<long> {{ *}}- Rows per tile on the CPU
// CHECK-NEXT:   --tile-n=<long> {{ *}}- Columns per tile on the CPU
// CHECK-NEXT:   --variants=<long> {{ *}}- How many kernels a problem may have whose extents are known only at run time
// CHECK-NEXT:   --vector-bits=<uint> {{ *}}- Width of the CPU's vector registers: 128, 256 or 512
// CHECK-NEXT: --cutl-to-cpu {{ *}}- Lower to the LLVM dialect for the host processor
// CHECK-NEXT:   --canonicalize-epilogue {{ *}}- Simplify the epilogues of gemms
// CHECK-NEXT:   --chip=<string> {{ *}}- Chip to compile for, for example sm_90a; kept if the module names one
// CHECK-NEXT:   --fuse-epilogue {{ *}}- Move elementwise ops beside gemms into their epilogues
// CHECK-NEXT:   --max-outputs=<uint> {{ *}}- Outputs that fusion may give a gemm to keep results that others use too
// CHECK-NEXT:   --programmatic-launch {{ *}}- Let kernels start up before those ahead have ended (programmatic dependent launch)
// CHECK-NEXT:   --tile-m=<long> {{ *}}- Rows per tile on the CPU
// CHECK-NEXT:   --tile-n=<long> {{ *}}- Columns per tile on the CPU
// CHECK-NEXT:   --variants=<long> {{ *}}- How many kernels a problem may have whose extents are known only at run time
// CHECK-NEXT:   --vector-bits=<uint> {{ *}}- Width of the CPU's vector registers: 128, 256 or 512
// CHECK-NEXT: --cutl-to-ptx {{ *}}- Compile problems to bundles of kernels in PTX
// CHECK-NEXT:   --canonicalize-epilogue {{ *}}- Simplify the epilogues of gemms
// CHECK-NEXT:   --chip=<string> {{ *}}- Chip to compile for, for example sm_90a; kept if the module names one
// CHECK-NEXT:   --fuse-epilogue {{ *}}- Move elementwise ops beside gemms into their epilogues
// CHECK-NEXT:   --max-outputs=<uint> {{ *}}- Outputs that fusion may give a gemm to keep results that others use too
// CHECK-NEXT:   --programmatic-launch {{ *}}- Let kernels start up before those ahead have ended (programmatic dependent launch)
// CHECK-NEXT:   --tile-m=<long> {{ *}}- Rows per tile on the CPU
// CHECK-NEXT:   --tile-n=<long> {{ *}}- Columns per tile on the CPU
// CHECK-NEXT:   --variants=<long> {{ *}}- How many kernels a problem may have whose extents are known only at run time
// CHECK-NEXT:   --vector-bits=<uint> {{ *}}- Width of the CPU's vector registers: 128, 256 or 512
// CHECK-NEXT: --cutl-to-tiled {{ *}}- Lower problems to kernels that say what each CTA does
// CHECK-NEXT:   --canonicalize-epilogue {{ *}}- Simplify the epilogues of gemms
// CHECK-NEXT:   --chip=<string> {{ *}}- Chip to compile for, for example sm_90a; kept if the module names one
// CHECK-NEXT:   --fuse-epilogue {{ *}}- Move elementwise ops beside gemms into their epilogues
// CHECK-NEXT:   --max-outputs=<uint> {{ *}}- Outputs that fusion may give a gemm to keep results that others use too
// CHECK-NEXT:   --programmatic-launch {{ *}}- Let kernels start up before those ahead have ended (programmatic dependent launch)
// CHECK-NEXT:   --tile-m=<long> {{ *}}- Rows per tile on the CPU
// CHECK-NEXT:   --tile-n=<long> {{ *}}- Columns per tile on the CPU
// CHECK-NEXT:   --variants=<long> {{ *}}- How many kernels a problem may have whose extents are known only at run time
// CHECK-NEXT:   --vector-bits=<uint> {{ *}}- Width of the CPU's vector registers: 128, 256 or 512
