//===- Loader.cpp - bundle files to structs -------------------------------===//
//
// The bytes are copied, verified as a FlatBuffer, and read into structs. Texts,
// numbers, instructions and images stay in the copy; structs lie in an arena
// beside it. A file without sharing has at least 8 bytes for each table, so a
// table that is used more often than that bound allows is refused, and loading
// takes time and memory in proportion to the file.
//
// No exceptions and nothing of the C++ library, so that a program in C can link
// it.
//
//===----------------------------------------------------------------------===//

#include "cutl/Runtime/Loader.h"

#include "RuntimeImpl.h"
#include "cutl/Runtime/Bundle_generated.h"

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace schema = cutl::bundle;

// Read in place.
static_assert(FLATBUFFERS_LITTLEENDIAN, "bundles are little-endian");
static_assert(sizeof(schema::Instruction) == sizeof(CutlInstruction) &&
                  offsetof(CutlInstruction, index) == 4 &&
                  offsetof(CutlInstruction, value) == 8,
              "the structs of schema and header agree");

/// Tests set it to 1, so that a sanitizer sees each array on its own.
#ifndef CUTL_LOADER_CHUNK_BYTES
#define CUTL_LOADER_CHUNK_BYTES 16384
#endif

namespace {

/// Memory that is freed at once.
class Arena {
public:
  ~Arena() {
    while (chunks) {
      Chunk *next = chunks->next;
      std::free(chunks);
      chunks = next;
    }
  }

  /// Zeroed memory for `count` values; null if there is none.
  template <typename T> T *allocate(size_t count) {
    static_assert(alignof(T) <= alignof(std::max_align_t), "aligned by malloc");
    size_t bytes = (count * sizeof(T) + kAlignment - 1) & ~(kAlignment - 1);
    if (bytes > left && !grow(bytes))
      return nullptr;
    void *result = next;
    next += bytes;
    left -= bytes;
    return static_cast<T *>(std::memset(result, 0, bytes));
  }

private:
  static constexpr size_t kAlignment = alignof(std::max_align_t);
  static constexpr size_t kChunkBytes = CUTL_LOADER_CHUNK_BYTES;
  struct alignas(kAlignment) Chunk {
    Chunk *next;
  };

  bool grow(size_t bytes) {
    size_t size = bytes > kChunkBytes ? bytes : kChunkBytes;
    auto *chunk = static_cast<Chunk *>(std::malloc(sizeof(Chunk) + size));
    if (!chunk)
      return false;
    chunk->next = chunks;
    chunks = chunk;
    next = reinterpret_cast<char *>(chunk + 1);
    left = size;
    return true;
  }

  Chunk *chunks = nullptr;
  char *next = nullptr;
  size_t left = 0;
};

/// What a pointer to its first member is given out for.
struct LoadedBundle {
  CutlBundle bundle = {};
  unsigned char *file = nullptr;
  Arena arena;

  ~LoadedBundle() { std::free(file); }
};

/// Reads verified tables into structs. After the first failure the rest is left
/// zero.
class Reader {
public:
  Reader(LoadedBundle &loaded, CutlRuntimeError *error)
      : loaded(loaded), error(error) {}

  CutlRuntimeStatus read(const schema::Bundle &bundle) {
    loaded.bundle.abiVersion = bundle.abi_version();
    images = readAll<CutlImage>(bundle.images(), imageCount);
    loaded.bundle.entries =
        readAll<CutlEntry>(bundle.entries(), loaded.bundle.entryCount);
    return status;
  }

private:
  template <typename Table>
  using Tables = flatbuffers::Vector<flatbuffers::Offset<Table>>;

  __attribute__((format(printf, 3, 4))) void fail(CutlRuntimeStatus why,
                                                  const char *format, ...) {
    if (status != CUTL_RUNTIME_OK)
      return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    status = cutlFail(error, why, "%s", text);
  }

  template <typename T> T *allocate(size_t count) {
    T *result = count && !status ? loaded.arena.allocate<T>(count) : nullptr;
    if (count && !status && !result)
      fail(CUTL_RUNTIME_OUT_OF_MEMORY, "out of host memory for a bundle");
    return result;
  }

  /// An array of structs from a vector of tables.
  template <typename T, typename Table>
  const T *readAll(const Tables<Table> *tables, uint32_t &count) {
    size_t size = tables ? tables->size() : 0;
    T *result = allocate<T>(size);
    count = result ? static_cast<uint32_t>(size) : 0;
    for (uint32_t i = 0; i < count && !status; ++i)
      readInto(result[i], *tables->Get(i));
    return result;
  }

  /// One struct from a table that may be absent.
  template <typename T, typename Table> const T *readOne(const Table *table) {
    T *result = table ? allocate<T>(1) : nullptr;
    if (result)
      readInto(*result, *table);
    return result;
  }

  /// The elements of a vector, where they are. The verifier has seen that they
  /// are inside, not that they are aligned.
  template <typename T, typename Element>
  const T *inPlace(const flatbuffers::Vector<Element> *vector) {
    if (!vector || vector->size() == 0)
      return nullptr;
    const uint8_t *data = vector->Data();
    if (reinterpret_cast<uintptr_t>(data) % alignof(T) != 0) {
      fail(CUTL_RUNTIME_BAD_BUNDLE,
           "expected numbers of a bundle at multiples of %zu bytes, got a "
           "damaged file",
           alignof(T));
      return nullptr;
    }
    return reinterpret_cast<const T *>(data);
  }

  const char *readText(const flatbuffers::String *text) {
    if (text->size() > CUTL_MAX_TEXT_BYTES)
      fail(CUTL_RUNTIME_BAD_BUNDLE,
           "expected texts of at most %d bytes in a bundle, got %u",
           CUTL_MAX_TEXT_BYTES, text->size());
    else if (std::memchr(text->c_str(), 0, text->size()))
      fail(CUTL_RUNTIME_BAD_BUNDLE,
           "expected texts without nulls in a bundle, got one with a null in "
           "%u bytes",
           text->size());
    return text->c_str();
  }

  using Code = flatbuffers::Vector<const schema::Instruction *>;

  CutlExpression readExpression(const Code *code) {
    CutlExpression result = {inPlace<CutlInstruction>(code), 0};
    if (result.instructions)
      result.count = code->size();
    if (result.count > CUTL_MAX_EXPRESSION_INSTRUCTIONS)
      fail(
          CUTL_RUNTIME_BAD_BUNDLE,
          "expected expressions of at most %d instructions in a bundle, got %u",
          CUTL_MAX_EXPRESSION_INSTRUCTIONS, result.count);
    return result;
  }

  /// Extents along x, y and z.
  void readExtents(CutlExpression (&extents)[3],
                   const Tables<schema::Expression> *tables) {
    uint32_t count = tables ? tables->size() : 0;
    if (count > 3)
      return fail(CUTL_RUNTIME_BAD_BUNDLE,
                  "expected at most 3 extents of a launch in a bundle, got %u",
                  count);
    for (uint32_t i = 0; i < count; ++i)
      readInto(extents[i], *tables->Get(i));
  }

  void readInto(CutlExpression &to, const schema::Expression &from) {
    to = readExpression(from.instructions());
  }

  void readInto(CutlOperandSignature &to, const schema::Operand &from) {
    to.name = readText(from.name());
    to.type = from.type();
    to.access = from.access();
    to.rank = from.rank();
    to.sizes = inPlace<int64_t>(from.sizes());
    if (to.sizes && from.sizes()->size() != to.rank)
      fail(CUTL_RUNTIME_BAD_BUNDLE,
           "expected as many sizes as the rank of an operand of a bundle, got "
           "%u",
           from.sizes()->size());
  }

  void readInto(CutlScalarSignature &to, const schema::Scalar &from) {
    to.name = readText(from.name());
    to.type = from.type();
  }

  void readInto(CutlGuard &to, const schema::Guard &from) {
    to.kind = from.kind();
    to.operand = from.operand();
    to.dimension = from.dimension();
    to.low = from.low();
    to.high = from.high();
    to.divisor = from.divisor();
    to.expression = readExpression(from.expression());
    to.text = readText(from.text());
  }

  void readInto(CutlImage &to, const schema::Image &from) {
    to.name = readText(from.name());
    to.kind = from.kind();
    to.data = from.data()->Data();
    to.size = from.data()->size();
  }

  void readInto(CutlAddress &to, const schema::Address &from) {
    to.kind = from.kind();
    to.operand = from.operand();
    to.offset = readExpression(from.offset());
  }

  void readInto(CutlTensorMap &to, const schema::TensorMap &from) {
    readInto(to.address, *from.address());
    to.type = from.type();
    uint32_t strides;
    to.sizes = readAll<CutlExpression>(from.sizes(), to.rank);
    to.strides = readAll<CutlExpression>(from.strides(), strides);
    to.box = inPlace<uint32_t>(from.box());
    if (!status && (to.rank == 0 || strides != to.rank - 1 ||
                    from.box()->size() != to.rank))
      fail(CUTL_RUNTIME_BAD_BUNDLE,
           "expected a tensor map of a bundle to have sizes, one stride less "
           "and as many extents of its box, got %u sizes",
           to.rank);
    to.swizzle = from.swizzle();
    to.l2Promotion = from.l2_promotion();
    to.outOfBounds = from.out_of_bounds();
  }

  void readInto(CutlParameter &to, const schema::Parameter &from) {
    to.kind = from.kind();
    to.index = from.index();
    to.bytes = from.bytes();
    to.expression = readExpression(from.expression());
    if (from.address())
      readInto(to.address, *from.address());
    else if (to.kind == CUTL_PARAMETER_ADDRESS)
      fail(CUTL_RUNTIME_BAD_BUNDLE,
           "expected a parameter of a bundle with its address, got none");
  }

  void readInto(CutlLaunch &to, const schema::Launch &from) {
    if (from.image() >= imageCount)
      return fail(CUTL_RUNTIME_BAD_BUNDLE,
                  "expected an image that a bundle has, got number %u",
                  from.image());
    to.image = &images[from.image()];
    to.kernel = readText(from.kernel());
    readExtents(to.grid, from.grid());
    readExtents(to.cluster, from.cluster());
    readExtents(to.block, from.block());
    to.sharedBytes = readExpression(from.shared_bytes());
    to.tensorMaps =
        readAll<CutlTensorMap>(from.tensor_maps(), to.tensorMapCount);
    to.parameters =
        readAll<CutlParameter>(from.parameters(), to.parameterCount);
    to.programmatic = from.programmatic();
  }

  void readInto(CutlMemset &to, const schema::Memset &from) {
    readInto(to.destination, *from.destination());
    to.count = readExpression(from.count());
    to.elementBytes = from.element_bytes();
    to.value = from.value();
  }

  void readInto(CutlCopy &to, const schema::Copy &from) {
    readInto(to.destination, *from.destination());
    readInto(to.source, *from.source());
    to.bytes = readExpression(from.bytes());
  }

  void readInto(CutlStep &to, const schema::Step &from) {
    to.launch = readOne<CutlLaunch>(from.launch());
    to.memset = readOne<CutlMemset>(from.memset());
    to.copy = readOne<CutlCopy>(from.copy());
    uint32_t kinds = (from.launch() != nullptr) + (from.memset() != nullptr) +
                     (from.copy() != nullptr);
    if (kinds != 1)
      fail(CUTL_RUNTIME_BAD_BUNDLE,
           "expected a step of a bundle to be one of launch, memset and copy, "
           "got %u of them",
           kinds);
    to.kind = from.launch()   ? CUTL_STEP_LAUNCH
              : from.memset() ? CUTL_STEP_MEMSET
                              : CUTL_STEP_COPY;
  }

  void readInto(CutlVariant &to, const schema::Variant &from) {
    to.name = readText(from.name());
    to.chip = readText(from.chip());
    to.guards = readAll<CutlGuard>(from.guards(), to.guardCount);
    to.workspaceBytes = readExpression(from.workspace_bytes());
    to.steps = readAll<CutlStep>(from.steps(), to.stepCount);
  }

  void readInto(CutlEntry &to, const schema::Entry &from) {
    to.name = readText(from.name());
    to.operands =
        readAll<CutlOperandSignature>(from.operands(), to.operandCount);
    to.scalars = readAll<CutlScalarSignature>(from.scalars(), to.scalarCount);
    to.requirements =
        readAll<CutlGuard>(from.requirements(), to.requirementCount);
    to.variants = readAll<CutlVariant>(from.variants(), to.variantCount);
  }

  LoadedBundle &loaded;
  CutlRuntimeError *error;
  CutlRuntimeStatus status = CUTL_RUNTIME_OK;
  const CutlImage *images = nullptr;
  uint32_t imageCount = 0;
};

} // namespace

/// Size, identifier, root offset.
static constexpr size_t kHeaderBytes = 12;

/// Checks that the file is a bundle, whole, and of this version.
static CutlRuntimeStatus checkHeader(const unsigned char *file, size_t size,
                                     CutlRuntimeError *error) {
  if (size < kHeaderBytes ||
      std::memcmp(file + 8, schema::BundleIdentifier(), 4) != 0)
    return cutlFail(error, CUTL_RUNTIME_BAD_BUNDLE,
                    "expected a bundle, which has \"%s\" at byte 8, got %zu "
                    "bytes of something else",
                    schema::BundleIdentifier(), size);
  size_t expected = size_t(flatbuffers::ReadScalar<uint32_t>(file)) + 4;
  if (size != expected)
    return cutlFail(error, CUTL_RUNTIME_BAD_BUNDLE,
                    "expected a bundle of %zu bytes, as its start says, got "
                    "%zu; it was %s",
                    expected, size, size < expected ? "cut short" : "added to");
  return CUTL_RUNTIME_OK;
}

static CutlRuntimeStatus damaged(CutlRuntimeError *error) {
  return cutlFail(error, CUTL_RUNTIME_BAD_BUNDLE,
                  "expected a bundle as a compiler wrote it, got a damaged "
                  "one");
}

/// The ABI number, in whatever version it is written: the root's first field.
static CutlRuntimeStatus checkVersion(const unsigned char *file, size_t size,
                                      const flatbuffers::Verifier::Options &how,
                                      CutlRuntimeError *error) {
  flatbuffers::Verifier verifier(file, size, how);
  flatbuffers::uoffset_t root = verifier.VerifyOffset(4);
  if (!root)
    return damaged(error);
  auto *table = reinterpret_cast<const flatbuffers::Table *>(file + 4 + root);
  if (!table->VerifyTableStart(verifier) ||
      !table->VerifyField<uint32_t>(verifier, schema::Bundle::VT_ABI_VERSION,
                                    4))
    return damaged(error);
  return cutlCheckAbiVersion(
      table->GetField<uint32_t>(schema::Bundle::VT_ABI_VERSION, 0), error);
}

static CutlRuntimeStatus load(LoadedBundle &loaded, const void *data,
                              size_t size, CutlRuntimeError *error) {
  auto *given = static_cast<const unsigned char *>(data);
  CutlRuntimeStatus status = checkHeader(given, size, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  if (size >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return damaged(error);
  loaded.file = static_cast<unsigned char *>(std::malloc(size));
  if (!loaded.file)
    return cutlFail(error, CUTL_RUNTIME_OUT_OF_MEMORY,
                    "out of host memory for a bundle of %zu bytes", size);
  std::memcpy(loaded.file, data, size);
  flatbuffers::Verifier::Options how;
  how.max_tables = static_cast<flatbuffers::uoffset_t>(size / 8);
  status = checkVersion(loaded.file, size, how, error);
  if (status != CUTL_RUNTIME_OK)
    return status;
  flatbuffers::Verifier verifier(loaded.file, size, how);
  if (!schema::VerifySizePrefixedBundleBuffer(verifier))
    return damaged(error);
  status =
      Reader(loaded, error).read(*schema::GetSizePrefixedBundle(loaded.file));
  return status ? status : cutlBundleVerify(&loaded.bundle, error);
}

CutlRuntimeStatus cutlBundleLoad(const void *data, size_t size,
                                 const CutlBundle **bundle,
                                 CutlRuntimeError *error) {
  if (!data || !bundle)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected the bytes of a bundle and a place for it, got "
                    "null");
  void *memory = std::malloc(sizeof(LoadedBundle));
  if (!memory)
    return cutlFail(error, CUTL_RUNTIME_OUT_OF_MEMORY,
                    "out of host memory for a bundle");
  auto *loaded = new (memory) LoadedBundle;
  CutlRuntimeStatus status = load(*loaded, data, size, error);
  if (status != CUTL_RUNTIME_OK) {
    cutlBundleFree(&loaded->bundle);
    return status;
  }
  *bundle = &loaded->bundle;
  return cutlSucceed(error);
}

void cutlBundleFree(const CutlBundle *bundle) {
  if (!bundle)
    return;
  auto *loaded =
      reinterpret_cast<LoadedBundle *>(const_cast<CutlBundle *>(bundle));
  loaded->~LoadedBundle();
  std::free(loaded);
}

/// All bytes of `file`, malloc'ed; null with `errno` set if that fails.
static void *readWhole(std::FILE *file, size_t &size) {
  // A directory opens, and has the greatest of sizes.
  if ((std::fgetc(file) == EOF && std::ferror(file)) ||
      std::fseek(file, 0, SEEK_END) != 0)
    return nullptr;
  long length = std::ftell(file);
  if (length < 0 || std::fseek(file, 0, SEEK_SET) != 0)
    return nullptr;
  size = static_cast<size_t>(length);
  if (size >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    errno = EFBIG;
    return nullptr;
  }
  void *data = std::malloc(size ? size : 1);
  if (!data)
    return nullptr;
  if (std::fread(data, 1, size, file) == size)
    return data;
  std::free(data);
  errno = EIO;
  return nullptr;
}

CutlRuntimeStatus cutlBundleLoadFile(const char *path,
                                     const CutlBundle **bundle,
                                     CutlRuntimeError *error) {
  if (!path || !bundle)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "expected the path of a bundle and a place for it, got "
                    "null");
  std::FILE *file = std::fopen(path, "rb");
  size_t size = 0;
  void *data = file ? readWhole(file, size) : nullptr;
  int why = errno;
  if (file)
    std::fclose(file);
  if (!data)
    return cutlFail(error, CUTL_RUNTIME_INVALID_ARGUMENT,
                    "cannot read bundle '%s': %s", path, std::strerror(why));
  CutlRuntimeStatus status = cutlBundleLoad(data, size, bundle, error);
  std::free(data);
  return status;
}
