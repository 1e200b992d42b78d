// RUN: cutl-opt %s --split-input-file --cutl-attach-target=chip=sm_90a | FileCheck %s
// RUN: cutl-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(cutl-attach-target{chip=sm_80}))' \
// RUN:   | FileCheck %s --check-prefix=FUNC

// CHECK:      module attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
// CHECK-NEXT:   func.func @plain() {
// FUNC:       module {
// FUNC-NEXT:    func.func @plain() attributes {cutl.target = #cutl.target<chip = "sm_80">} {
module {
  func.func @plain() {
    return
  }
}

// -----

// What is there stays, on the op itself and below it.
// CHECK:      module attributes {cutl.target = #cutl.target<chip = "sm_100a">} {
// CHECK-NEXT:   func.func @kept() attributes {cutl.target = #cutl.target<chip = "sm_89">} {
// FUNC:       module attributes {cutl.target = #cutl.target<chip = "sm_100a">} {
// FUNC-NEXT:    func.func @kept() attributes {cutl.target = #cutl.target<chip = "sm_89">} {
module attributes {cutl.target = #cutl.target<chip = "sm_100a">} {
  func.func @kept() attributes {cutl.target = #cutl.target<chip = "sm_89">} {
    return
  }
}
