// RUN: split-file %s %t
// RUN: cutl-opt %t/no-chip.mlir --verify-diagnostics --cutl-attach-target
// RUN: cutl-opt %t/unknown-chip.mlir --verify-diagnostics --cutl-attach-target=chip=sm_91a

//--- no-chip.mlir
// expected-error @below {{expected option 'chip' of cutl-attach-target to name a chip, for example chip=sm_90a}}
module {
}

//--- unknown-chip.mlir
// expected-error @below {{in option 'chip': unknown chip 'sm_91a'; nearest known is 'sm_90a'}}
module {
}
