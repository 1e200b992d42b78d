//===- MmaAtoms.td - matrix multiply instructions as facts --*- tablegen -*-===//
//
// One record per instruction shape and type combination. The family of an atom
// decides which heuristics and which lowering serve it.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGETINFO_MMAATOMS
#define CUTL_TARGETINFO_MMAATOMS

include "llvm/TableGen/SearchableTable.td"

class MmaAtom<string family, int minSm, string a, string b, string acc,
              int m, int k> {
  string Family = family;
  /// First compute capability that has the instruction, times ten.
  bits<16> MinSm = minSm;
  /// Whether only that generation's architecture-specific target ("a") has it.
  bit ArchSpecific = false;
  /// Element types as short names of the data type table.
  string A = a;
  string B = b;
  string Acc = acc;
  bits<16> M = m;
  bits<16> NMin = 8;
  bits<16> NMax = 8;
  bits<16> NStep = 8;
  /// From here on n goes in steps of 16; 0 when the step never changes.
  bits<16> NCoarseFrom = 0;
  bits<16> K = k;
  /// Whether the operand must lie K-major in shared memory.
  bit AKMajor = false;
  bit BKMajor = false;

  string FamilyCode = "MmaFamily::" # family;
}

//===----------------------------------------------------------------------===//
// wgmma: one warpgroup, operands in shared memory, m64nNk32B.
//===----------------------------------------------------------------------===//

class Wgmma<string a, string b, string acc, int k, bit kMajor>
    : MmaAtom<"Wgmma", 90, a, b, acc, 64, k> {
  let ArchSpecific = true;
  let NMax = 256;
  let AKMajor = kMajor;
  let BKMajor = kMajor;
}

foreach acc = ["f32", "f16"] in {
  def : Wgmma<"f16", "f16", acc, 16, false>;
  foreach a = ["e4m3", "e5m2"] in
    foreach b = ["e4m3", "e5m2"] in
      def : Wgmma<a, b, acc, 32, true>;
}
def : Wgmma<"bf16", "bf16", "f32", 16, false>;
def : Wgmma<"tf32", "tf32", "f32", 8, true>;
foreach a = ["s8", "u8"] in
  foreach b = ["s8", "u8"] in
    let NCoarseFrom = 32 in
      def : Wgmma<a, b, "s32", 32, true>;

//===----------------------------------------------------------------------===//
// mma.sync: one warp, operands in registers. Byte-sized and smaller elements
// have no transposing shared-memory load, hence K-major.
//===----------------------------------------------------------------------===//

class MmaSync<int minSm, string a, string b, string acc, int m, int k, bit kMajor>
    : MmaAtom<"MmaSync", minSm, a, b, acc, m, k> {
  let AKMajor = kMajor;
  let BKMajor = kMajor;
}

foreach acc = ["f32", "f16"] in {
  def : MmaSync<80, "f16", "f16", acc, 16, 16, false>;
  foreach a = ["e4m3", "e5m2"] in
    foreach b = ["e4m3", "e5m2"] in
      def : MmaSync<89, a, b, acc, 16, 32, true>;
}
def : MmaSync<80, "bf16", "bf16", "f32", 16, 16, false>;
def : MmaSync<80, "tf32", "tf32", "f32", 16, 8, false>;
def : MmaSync<80, "f64", "f64", "f64", 8, 4, false>;
def : MmaSync<90, "f64", "f64", "f64", 16, 16, false>;
foreach a = ["s8", "u8"] in
  foreach b = ["s8", "u8"] in
    def : MmaSync<80, a, b, "s32", 16, 32, true>;
foreach a = ["s4", "u4"] in
  foreach b = ["s4", "u4"] in
    def : MmaSync<80, a, b, "s32", 16, 64, true>;

//===----------------------------------------------------------------------===//
// tcgen05: one thread issues for the CTA, accumulators in tensor memory.
//===----------------------------------------------------------------------===//

class Tcgen05<string a, string b, string acc, int k>
    : MmaAtom<"Tcgen05", 100, a, b, acc, 128, k> {
  let ArchSpecific = true;
  let NMin = 16;
  let NMax = 256;
  let NStep = 16;
}

foreach acc = ["f32", "f16"] in {
  def : Tcgen05<"f16", "f16", acc, 16>;
  foreach a = ["e4m3", "e5m2"] in
    foreach b = ["e4m3", "e5m2"] in
      def : Tcgen05<a, b, acc, 32>;
}
def : Tcgen05<"bf16", "bf16", "f32", 16>;
def : Tcgen05<"tf32", "tf32", "f32", 8>;
foreach a = ["s8", "u8"] in
  foreach b = ["s8", "u8"] in
    def : Tcgen05<a, b, "s32", 32>;
// Types below a byte are stored one to a byte and may meet any of the others.
foreach a = ["e2m3", "e3m2", "e2m1"] in {
  foreach b = ["e2m3", "e3m2", "e2m1"] in
    def : Tcgen05<a, b, "f32", 32>;
  foreach b = ["e4m3", "e5m2"] in {
    def : Tcgen05<a, b, "f32", 32>;
    def : Tcgen05<b, a, "f32", 32>;
  }
}

//===----------------------------------------------------------------------===//
// simt: scalar fused multiply-add, for exact f32 and for anything without a
// tensor instruction.
//===----------------------------------------------------------------------===//

class Simt<string type> : MmaAtom<"Simt", 50, type, type, type, 1, 1> {
  let NMin = 1;
  let NMax = 1;
  let NStep = 1;
}

def : Simt<"f32">;
def : Simt<"f64">;

def MmaAtomTable : GenericTable {
  let FilterClass = "MmaAtom";
  let Fields = ["FamilyCode", "MinSm", "ArchSpecific", "A", "B", "Acc", "M",
                "NMin", "NMax", "NStep", "NCoarseFrom", "K", "AKMajor",
                "BKMajor"];
  string TypeOf_FamilyCode = "code";
}

#endif // CUTL_TARGETINFO_MMAATOMS
