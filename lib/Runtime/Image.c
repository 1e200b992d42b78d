/*===- Image.c - checks an image before the driver sees it ----------------===*\
|*                                                                            *|
|* The driver is given the address of an image and no size. It stops at the   *|
|* null of a text, and follows the offsets in an ELF file: those must not     *|
|* lead out of it.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "RuntimeImpl.h"

#include <inttypes.h>
#include <string.h>

/** Where things are in a 64-bit little-endian ELF file. */
enum {
  ELF_HEADER_BYTES = 64,
  ELF_CLASS = 4,
  ELF_CLASS_64 = 2,
  ELF_DATA = 5,
  ELF_DATA_LITTLE = 1,
  ELF_MACHINE = 18,
  ELF_MACHINE_CUDA = 190,
  ELF_SEGMENTS = 32,
  ELF_SECTIONS = 40,
  ELF_SEGMENT_BYTES = 54,
  ELF_SEGMENT_COUNT = 56,
  ELF_SECTION_BYTES = 58,
  ELF_SECTION_COUNT = 60,
  SEGMENT_BYTES = 56,
  SEGMENT_OFFSET = 8,
  SEGMENT_SIZE = 32,
  SECTION_BYTES = 64,
  SECTION_TYPE = 4,
  SECTION_NO_BITS = 8,
  SECTION_OFFSET = 24,
  SECTION_SIZE = 32
};

/** A little-endian number of `bytes` bytes. */
static uint64_t readNumber(const unsigned char *data, int bytes) {
  uint64_t value = 0;
  for (int i = bytes; i-- > 0;)
    value = value << 8 | data[i];
  return value;
}

static int isInside(uint64_t offset, uint64_t bytes, uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

static CutlRuntimeStatus notElf(const CutlImage *image,
                                CutlRuntimeError *error) {
  return cutlFail(error, CUTL_RUNTIME_BAD_IMAGE,
                  "image '%s': expected an ELF file for CUDA devices, got "
                  "something else",
                  image->name);
}

/** One table of the file: that it and all that its records name lie inside. */
static CutlRuntimeStatus checkTable(const CutlImage *image, const char *what,
                                    uint64_t table, uint64_t count,
                                    uint64_t recordBytes,
                                    uint64_t expectedBytes, uint64_t offsetAt,
                                    uint64_t sizeAt, CutlRuntimeError *error) {
  const unsigned char *data = image->data;
  if (count == 0)
    return CUTL_RUNTIME_OK;
  if (recordBytes != expectedBytes)
    return notElf(image, error);
  if (!isInside(table, count * recordBytes, image->size))
    return cutlFail(error, CUTL_RUNTIME_BAD_IMAGE,
                    "image '%s': expected %" PRIu64 " %ss inside its %" PRIu64
                    " bytes, got offset %" PRIu64,
                    image->name, count, what, image->size, table);
  for (uint64_t i = 0; i < count; ++i) {
    const unsigned char *record = data + table + i * recordBytes;
    if (expectedBytes == SECTION_BYTES &&
        readNumber(record + SECTION_TYPE, 4) == SECTION_NO_BITS)
      continue;
    uint64_t offset = readNumber(record + offsetAt, 8);
    uint64_t bytes = readNumber(record + sizeAt, 8);
    if (!isInside(offset, bytes, image->size))
      return cutlFail(error, CUTL_RUNTIME_BAD_IMAGE,
                      "image '%s': expected %s %" PRIu64 " inside its %" PRIu64
                      " bytes, got %" PRIu64 " bytes at offset %" PRIu64,
                      image->name, what, i, image->size, bytes, offset);
  }
  return CUTL_RUNTIME_OK;
}

static CutlRuntimeStatus checkElf(const CutlImage *image,
                                  CutlRuntimeError *error) {
  const unsigned char *data = image->data;
  if (!data || image->size < ELF_HEADER_BYTES ||
      memcmp(data, "\177ELF", 4) != 0 || data[ELF_CLASS] != ELF_CLASS_64 ||
      data[ELF_DATA] != ELF_DATA_LITTLE ||
      readNumber(data + ELF_MACHINE, 2) != ELF_MACHINE_CUDA)
    return notElf(image, error);
  CutlRuntimeStatus status =
      checkTable(image, "section", readNumber(data + ELF_SECTIONS, 8),
                 readNumber(data + ELF_SECTION_COUNT, 2),
                 readNumber(data + ELF_SECTION_BYTES, 2), SECTION_BYTES,
                 SECTION_OFFSET, SECTION_SIZE, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  return checkTable(image, "segment", readNumber(data + ELF_SEGMENTS, 8),
                    readNumber(data + ELF_SEGMENT_COUNT, 2),
                    readNumber(data + ELF_SEGMENT_BYTES, 2), SEGMENT_BYTES,
                    SEGMENT_OFFSET, SEGMENT_SIZE, error);
}

CutlRuntimeStatus cutlCheckImage(const CutlImage *image,
                                 CutlRuntimeError *error) {
  const char *data = image->data;
  switch (image->kind) {
  case CUTL_IMAGE_PTX:
    if (data && image->size > 0 && data[image->size - 1] == '\0')
      return CUTL_RUNTIME_OK;
    return cutlFail(error, CUTL_RUNTIME_BAD_IMAGE,
                    "image '%s': expected PTX that ends with a null",
                    image->name);
  case CUTL_IMAGE_CUBIN:
    return checkElf(image, error);
  default:
    return cutlFail(error, CUTL_RUNTIME_INVALID_ENTRY,
                    "image '%s': expected a cubin (%d) or PTX (%d), got kind "
                    "%d",
                    image->name, CUTL_IMAGE_CUBIN, CUTL_IMAGE_PTX, image->kind);
  }
}
