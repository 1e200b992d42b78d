//===- BundleWriter.cpp - structs to a bundle file ------------------------===//

#include "cutl/Target/Bundle/BundleWriter.h"
#include "cutl/Runtime/Bundle_generated.h"
#include <cstring>
#include <map>
#include <vector>

namespace schema = cutl::bundle;
using flatbuffers::Offset;
using flatbuffers::Vector;

namespace {

class Writer {
public:
  std::string write(const CutlBundle &bundle) {
    auto entries = writeAll<schema::Entry>(bundle.entries, bundle.entryCount);
    // Entries have found the images.
    auto offset = schema::CreateBundle(b, bundle.abiVersion, entries,
                                       b.CreateVector(images));
    b.FinishSizePrefixed(offset, schema::BundleIdentifier());
    return std::string(reinterpret_cast<const char *>(b.GetBufferPointer()),
                       b.GetSize());
  }

private:
  using Code = Offset<Vector<const schema::Instruction *>>;
  template <typename Table> using Tables = Offset<Vector<Offset<Table>>>;

  /// Absent where there is nothing.
  template <typename Table, typename T>
  Tables<Table> writeAll(const T *values, size_t count) {
    if (count == 0)
      return 0;
    std::vector<Offset<Table>> offsets;
    for (size_t i = 0; i < count; ++i)
      offsets.push_back(write(values[i]));
    return b.CreateVector(offsets);
  }

  Code writeCode(const CutlExpression &expression) {
    if (expression.count == 0)
      return 0;
    std::vector<schema::Instruction> code;
    for (uint32_t i = 0; i < expression.count; ++i) {
      const CutlInstruction &each = expression.instructions[i];
      code.emplace_back(each.opcode, each.index, each.value);
    }
    return b.CreateVectorOfStructs(code);
  }

  /// Names and chips recur.
  Offset<flatbuffers::String> text(const char *text) {
    return b.CreateSharedString(text);
  }

  Offset<schema::Expression> write(const CutlExpression &expression) {
    return schema::CreateExpression(b, writeCode(expression));
  }

  Offset<schema::Operand> write(const CutlOperandSignature &operand) {
    Offset<Vector<int64_t>> sizes;
    if (operand.sizes && operand.rank)
      sizes = b.CreateVector(operand.sizes, operand.rank);
    return schema::CreateOperand(b, text(operand.name), operand.type,
                                 operand.access, operand.rank, sizes);
  }

  Offset<schema::Scalar> write(const CutlScalarSignature &scalar) {
    return schema::CreateScalar(b, text(scalar.name), scalar.type);
  }

  Offset<schema::Guard> write(const CutlGuard &guard) {
    return schema::CreateGuard(b, guard.kind, guard.operand, guard.dimension,
                               guard.low, guard.high, guard.divisor,
                               writeCode(guard.expression), text(guard.text));
  }

  Offset<schema::Address> write(const CutlAddress &address) {
    return schema::CreateAddress(b, address.kind, address.operand,
                                 writeCode(address.offset));
  }

  Offset<schema::TensorMap> write(const CutlTensorMap &map) {
    auto address = write(map.address);
    auto sizes = writeAll<schema::Expression>(map.sizes, map.rank);
    auto strides =
        writeAll<schema::Expression>(map.strides, map.rank ? map.rank - 1 : 0);
    return schema::CreateTensorMap(
        b, address, map.type, sizes, strides, b.CreateVector(map.box, map.rank),
        map.swizzle, map.l2Promotion, map.outOfBounds);
  }

  Offset<schema::Parameter> write(const CutlParameter &parameter) {
    auto code = writeCode(parameter.expression);
    Offset<schema::Address> address;
    if (parameter.kind == CUTL_PARAMETER_ADDRESS)
      address = write(parameter.address);
    return schema::CreateParameter(b, parameter.kind, parameter.index,
                                   parameter.bytes, code, address);
  }

  /// Images are known by their address, as in the runtime.
  uint32_t numberOf(const CutlImage *image) {
    auto [place, isNew] = imageNumbers.try_emplace(image, images.size());
    if (isNew) {
      b.ForceVectorAlignment(image->size, 1, 16);
      auto data = b.CreateVector(static_cast<const uint8_t *>(image->data),
                                 image->size);
      images.push_back(
          schema::CreateImage(b, text(image->name), image->kind, data));
    }
    return place->second;
  }

  /// None where all three are the default.
  Tables<schema::Expression> writeExtents(const CutlExpression (&extents)[3]) {
    size_t count = 3;
    while (count && extents[count - 1].count == 0)
      --count;
    return writeAll<schema::Expression>(extents, count);
  }

  Offset<schema::Launch> write(const CutlLaunch &launch) {
    uint32_t image = numberOf(launch.image);
    auto kernel = text(launch.kernel);
    auto grid = writeExtents(launch.grid);
    auto cluster = writeExtents(launch.cluster);
    auto block = writeExtents(launch.block);
    auto shared = writeCode(launch.sharedBytes);
    auto maps =
        writeAll<schema::TensorMap>(launch.tensorMaps, launch.tensorMapCount);
    auto parameters =
        writeAll<schema::Parameter>(launch.parameters, launch.parameterCount);
    return schema::CreateLaunch(b, image, kernel, grid, cluster, block, shared,
                                maps, parameters, launch.programmatic != 0);
  }

  Offset<schema::Step> write(const CutlStep &step) {
    Offset<schema::Launch> launch;
    Offset<schema::Memset> memset;
    Offset<schema::Copy> copy;
    if (step.kind == CUTL_STEP_LAUNCH) {
      launch = write(*step.launch);
    } else if (step.kind == CUTL_STEP_MEMSET) {
      auto to = write(step.memset->destination);
      memset =
          schema::CreateMemset(b, to, writeCode(step.memset->count),
                               step.memset->elementBytes, step.memset->value);
    } else {
      auto to = write(step.copy->destination);
      auto from = write(step.copy->source);
      copy = schema::CreateCopy(b, to, from, writeCode(step.copy->bytes));
    }
    return schema::CreateStep(b, launch, memset, copy);
  }

  Offset<schema::Variant> write(const CutlVariant &variant) {
    auto name = text(variant.name);
    auto chip = text(variant.chip);
    auto guards = writeAll<schema::Guard>(variant.guards, variant.guardCount);
    auto workspace = writeCode(variant.workspaceBytes);
    auto steps = writeAll<schema::Step>(variant.steps, variant.stepCount);
    return schema::CreateVariant(b, name, chip, guards, workspace, steps);
  }

  Offset<schema::Entry> write(const CutlEntry &entry) {
    auto name = text(entry.name);
    auto operands =
        writeAll<schema::Operand>(entry.operands, entry.operandCount);
    auto scalars = writeAll<schema::Scalar>(entry.scalars, entry.scalarCount);
    auto requirements =
        writeAll<schema::Guard>(entry.requirements, entry.requirementCount);
    auto variants =
        writeAll<schema::Variant>(entry.variants, entry.variantCount);
    return schema::CreateEntry(b, name, operands, scalars, requirements,
                               variants);
  }

  flatbuffers::FlatBufferBuilder b;
  std::vector<Offset<schema::Image>> images;
  std::map<const CutlImage *, uint32_t> imageNumbers;
};

} // namespace

std::string cutl::writeBundle(const CutlBundle &bundle) {
  return Writer().write(bundle);
}
