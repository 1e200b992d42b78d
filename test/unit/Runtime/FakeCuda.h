/*===- FakeCuda.h - what tests set and read in the fake driver ----*- C -*-===*\
|*                                                                            *|
|* The fake is a shared library that stands in for libcuda.so.1. Tests in C   *|
|* reach this struct through its function fakeCuda; others set and read its   *|
|* numbers by name with fakeSet and fakeGet, or before the start with the     *|
|* environment variable FAKE_CUDA="deviceCount=0 driverVersion=11080".        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUTL_TEST_UNIT_RUNTIME_FAKECUDA_H
#define CUTL_TEST_UNIT_RUNTIME_FAKECUDA_H

#include "DriverTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FakeContext {
  unsigned long long id;
  int device;
} FakeContext;

/** A stream handle is the address of one of these, or null. */
typedef struct FakeStream {
  FakeContext *context;
} FakeStream;

/** The upper half of an address says what memory it is; all others are host. */
#define FAKE_DEVICE_0 0x100000000000ull
#define FAKE_DEVICE_1 0x200000000000ull
#define FAKE_PINNED 0x300000000000ull
#define FAKE_MANAGED 0x400000000000ull

typedef struct FakeCuda {
  /* Set by tests. A fresh library has two Hopper devices and a new driver. */
  int driverVersion, initResult, deviceCount, major, minor, smCount;
  int loadResult, functionResult, encodeResult, launchResult, attributeResult;
  const char *jitLog;
  /** A function that fails, by its exported name, and with what. */
  const char *failing;
  int failingResult;
  /** What memory a device has for allocations; 0: any. */
  uint64_t memoryBytes;
  int blocksPerSm, clusters;
  /** How many words of each kernel parameter to keep, 0 after the last. */
  unsigned parameterWords[8];

  /* Recorded. */
  int loads, unloads, pushes, pops, functions, attributes, encodes, launches;
  int memsets, copies, occupancies;
  int retains, releases, allocations, frees, copiesIn, copiesOut;
  int streams, streamsGone, events, eventsGone, records, synchronisations;
  /** What reached the stream, in order: L, M or C. */
  char order[64];
  int sharedLimit, captureMode;
  unsigned grid[3], block[3], cluster[3], sharedBytes, programmatic;
  CuStream stream;
  uint64_t parameters[8][16];
  uint64_t mapSizes[5], mapStrides[4], mapAddress;
  uint32_t mapBox[5], mapRank;
  int mapType, mapSwizzle, mapPromotion, mapOutOfBounds;
  uint64_t memory[3];
} FakeCuda;

typedef FakeCuda *(*FakeCudaFunction)(void);
typedef int (*FakeSetFunction)(const char *name, long long value);
typedef long long (*FakeGetFunction)(const char *name);
typedef void (*FakeSetCurrentFunction)(FakeContext *context);

#ifdef __cplusplus
}
#endif

#endif /* CUTL_TEST_UNIT_RUNTIME_FAKECUDA_H */
