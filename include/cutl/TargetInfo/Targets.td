//===- Targets.td - chips as facts --------------------------*- tablegen -*-===//
//
// One record per chip. Limits are what the architecture guarantees; counts and
// rates are those of the part named beside the record and only feed the cost
// model, never a legality rule.
//
//===----------------------------------------------------------------------===//

#ifndef CUTL_TARGETINFO_TARGETS
#define CUTL_TARGETINFO_TARGETS

include "llvm/TableGen/SearchableTable.td"

class Target<int sm, bit archSpecific> {
  string Name = "sm_" # sm # !if(archSpecific, "a", "");
  /// Compute capability times ten.
  bits<16> Sm = sm;
  bit ArchSpecific = archSpecific;

  /// Largest dynamic shared memory a CTA may opt in to, and what an SM has.
  bits<32> SharedMemoryPerCta = ?;
  bits<32> SharedMemoryPerSm = ?;
  bits<32> RegistersPerSm = 65536;
  bits<32> MaxThreadsPerCta = 1024;
  /// Largest portable cluster; 1 where CTAs cannot share a multicast.
  bits<16> MaxClusterSize = 1;
  bit Tma = false;
  /// Instruction families, the preferred one first.
  list<string> Families = ["MmaSync", "Simt"];
  /// First PTX ISA version that knows the chip, times ten.
  bits<16> MinPtx = ?;

  bits<32> SmCount = ?;
  /// SMs that clusters of four or more CTAs can occupy.
  bits<32> ClusteredSmCount = SmCount;
  bits<32> L2Bytes = ?;
  /// Dense bf16 TFLOP/s and DRAM GB/s on paper.
  bits<32> PeakTflops = ?;
  bits<32> DramGbps = ?;

  string FamilyCode = "{" # !interleave(
      !foreach(f, Families, "MmaFamily::" # f), ", ") # "}";
  bits<8> FamilyCount = !size(Families);
}

defvar KiB = 1024;
defvar MiB = 1048576;

// A100.
def : Target<80, false> {
  let SharedMemoryPerCta = !mul(163, KiB);
  let SharedMemoryPerSm = !mul(164, KiB);
  let MinPtx = 70;
  let SmCount = 108;
  let L2Bytes = !mul(40, MiB);
  let PeakTflops = 312;
  let DramGbps = 2039;
}

// A40.
def : Target<86, false> {
  let SharedMemoryPerCta = !mul(99, KiB);
  let SharedMemoryPerSm = !mul(100, KiB);
  let MinPtx = 71;
  let SmCount = 84;
  let L2Bytes = !mul(6, MiB);
  let PeakTflops = 150;
  let DramGbps = 696;
}

// Jetson AGX Orin.
def : Target<87, false> {
  let SharedMemoryPerCta = !mul(163, KiB);
  let SharedMemoryPerSm = !mul(164, KiB);
  let MinPtx = 74;
  let SmCount = 16;
  let L2Bytes = !mul(4, MiB);
  let PeakTflops = 42;
  let DramGbps = 205;
}

// L40S.
def : Target<89, false> {
  let SharedMemoryPerCta = !mul(99, KiB);
  let SharedMemoryPerSm = !mul(100, KiB);
  let MinPtx = 78;
  let SmCount = 142;
  let L2Bytes = !mul(96, MiB);
  let PeakTflops = 362;
  let DramGbps = 864;
}

// H200 SXM.
def : Target<90, true> {
  let SharedMemoryPerCta = !mul(227, KiB);
  let SharedMemoryPerSm = !mul(228, KiB);
  let MaxClusterSize = 8;
  let Tma = true;
  let Families = ["Wgmma", "MmaSync", "Simt"];
  let MinPtx = 80;
  let SmCount = 132;
  let ClusteredSmCount = 120;
  let L2Bytes = !mul(50, MiB);
  let PeakTflops = 989;
  let DramGbps = 4800;
}

// B200.
def : Target<100, true> {
  let SharedMemoryPerCta = !mul(227, KiB);
  let SharedMemoryPerSm = !mul(228, KiB);
  let MaxClusterSize = 8;
  let Tma = true;
  let Families = ["Tcgen05", "MmaSync", "Simt"];
  let MinPtx = 86;
  let SmCount = 148;
  let L2Bytes = !mul(126, MiB);
  let PeakTflops = 2250;
  let DramGbps = 8000;
}

// RTX PRO 6000 Blackwell.
def : Target<120, true> {
  let SharedMemoryPerCta = !mul(99, KiB);
  let SharedMemoryPerSm = !mul(100, KiB);
  let Tma = true;
  let MinPtx = 87;
  let SmCount = 188;
  let L2Bytes = !mul(128, MiB);
  let PeakTflops = 503;
  let DramGbps = 1792;
}

def TargetTable : GenericTable {
  let FilterClass = "Target";
  let Fields = ["Name", "Sm", "ArchSpecific", "SharedMemoryPerCta",
                "SharedMemoryPerSm", "RegistersPerSm", "MaxThreadsPerCta",
                "MaxClusterSize", "Tma", "FamilyCode", "FamilyCount", "MinPtx",
                "SmCount", "ClusteredSmCount", "L2Bytes", "PeakTflops",
                "DramGbps"];
  string TypeOf_FamilyCode = "code";
}

#endif // CUTL_TARGETINFO_TARGETS
