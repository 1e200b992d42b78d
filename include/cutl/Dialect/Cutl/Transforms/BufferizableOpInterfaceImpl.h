//===- BufferizableOpInterfaceImpl.h - Bufferization of cutl ops ---------===//

#ifndef CUTL_DIALECT_CUTL_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define CUTL_DIALECT_CUTL_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
namespace cutl {

/// Lets one-shot bufferization handle the ops of the dialect.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace cutl
} // namespace mlir

#endif // CUTL_DIALECT_CUTL_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
