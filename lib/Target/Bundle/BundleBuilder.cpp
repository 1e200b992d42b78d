//===- BundleBuilder.cpp - Bundles from IR --------------------------------===//

#include "cutl/Target/Bundle/BundleBuilder.h"
#include "EntryBuilder.h"
#include "cutl/Runtime/Loader.h"
#include "cutl/Target/Bundle/BundleWriter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::cutl;

BuiltBundle::BuiltBundle() : storage(std::make_unique<Storage>()) {}
BuiltBundle::~BuiltBundle() = default;
BuiltBundle::BuiltBundle(BuiltBundle &&) = default;

/// The code of one object, as the runtime takes it.
static FailureOr<CutlImage>
makeImage(gpu::BinaryOp binary, gpu::ObjectAttr object, Storage &storage) {
  StringRef code = object.getObject().getValue();
  CutlImage image = {};
  switch (object.getFormat()) {
  case gpu::CompilationTarget::Assembly:
    image.kind = CUTL_IMAGE_PTX;
    image.data = storage.copyText(code);
    image.size = code.size() + 1;
    break;
  case gpu::CompilationTarget::Binary:
    image.kind = CUTL_IMAGE_CUBIN;
    image.data = storage.copy(ArrayRef(code.data(), code.size()));
    image.size = code.size();
    break;
  default:
    return binary.emitOpError("expected objects of PTX (assembly) or cubins "
                              "(bin), got ")
           << gpu::stringifyCompilationTarget(object.getFormat());
  }
  auto bundle = cast<BundleOp>(binary->getParentOp());
  image.name =
      storage.copyText((bundle.getSymName() + "." + binary.getName() +
                        (image.kind == CUTL_IMAGE_PTX ? ".ptx" : ".cubin"))
                           .str());
  return image;
}

static LogicalResult collectImages(BundleOp bundle, KernelImages &images,
                                   Storage &storage) {
  for (auto binary : bundle.getBody().getOps<gpu::BinaryOp>()) {
    SmallVector<KernelImage, 1> &list = images[binary];
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
      auto target = dyn_cast<NVVM::NVVMTargetAttr>(object.getTarget());
      if (!target)
        return binary.emitOpError("expected objects for #nvvm.target, got ")
               << object.getTarget();
      FailureOr<CutlImage> image = makeImage(binary, object, storage);
      if (failed(image))
        return failure();
      list.push_back(
          {target.getChip().str(), object.getKernels(), storage.copy(*image)});
    }
  }
  return success();
}

FailureOr<BuiltBundle> mlir::cutl::buildBundle(ModuleOp module) {
  SmallVector<BundleOp> bundles;
  module.walk([&](BundleOp bundle) { bundles.push_back(bundle); });
  if (bundles.empty())
    return module.emitError("expected a cutl.bundle in the module, got none; "
                            "run cutl-outline-kernels first");
  BuiltBundle result;
  SmallVector<CutlEntry> entries;
  llvm::StringMap<Location> names;
  for (BundleOp bundle : bundles) {
    KernelImages images;
    if (failed(collectImages(bundle, images, *result.storage)))
      return failure();
    for (auto entry : bundle.getBody().getOps<EntryOp>()) {
      auto [place, isNew] =
          names.try_emplace(entry.getSymName(), entry.getLoc());
      if (!isNew) {
        InFlightDiagnostic error = entry.emitOpError(
            "expected a name that no other entry of the file has");
        error.attachNote(place->second) << "the other entry is here";
        return error;
      }
      FailureOr<CutlEntry> built = buildEntry(entry, images, *result.storage);
      if (failed(built))
        return failure();
      entries.push_back(*built);
    }
  }
  result.bundle.abiVersion = CUTL_RUNTIME_ABI_VERSION;
  result.bundle.entries = result.storage->copy(ArrayRef(entries));
  result.bundle.entryCount = entries.size();
  return result;
}

FailureOr<std::string> mlir::cutl::exportBundle(ModuleOp module) {
  FailureOr<BuiltBundle> built = buildBundle(module);
  if (failed(built))
    return failure();
  std::string bytes = ::cutl::writeBundle(built->get());
  // What the structs cannot hold, as too deep an expression, is found here and
  // not by whoever loads the file.
  const CutlBundle *loaded = nullptr;
  CutlRuntimeError error;
  if (cutlBundleLoad(bytes.data(), bytes.size(), &loaded, &error))
    return module.emitError("expected a bundle that can be loaded: ")
           << error.text;
  cutlBundleFree(loaded);
  return bytes;
}
