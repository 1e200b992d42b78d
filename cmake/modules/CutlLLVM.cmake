# Finds LLVM and MLIR and decides how binaries link them.
#
# CUTL_LLVM_LINKAGE = shared: every binary links libMLIR.so and libLLVM.so (fast links, for development).
# CUTL_LLVM_LINKAGE = static: binaries link the component archives (self-contained, for the wheel).
# The two are never mixed in one binary: LLVM's command-line registry would exist twice.

set(CUTL_LLVM_MAJOR 22)
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-${CUTL_LLVM_MAJOR})
if(NOT LLVM_VERSION_MAJOR EQUAL CUTL_LLVM_MAJOR)
  message(FATAL_ERROR "cutl needs LLVM ${CUTL_LLVM_MAJOR}, found ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
endif()
message(STATUS "cutl: LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}, linked ${CUTL_LLVM_LINKAGE}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# The Debian package leaves these unset; they live beside the other LLVM tools.
find_program(CUTL_LLVM_TBLGEN llvm-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH REQUIRED)
find_program(CUTL_FILECHECK FileCheck HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)
find_program(CUTL_LIT NAMES lit llvm-lit HINTS ${LLVM_TOOLS_BINARY_DIR} ${LLVM_BUILD_MAIN_SRC_DIR}/utils/lit)

separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${LLVM_DEFINITIONS_LIST})

# In the packaged build every MLIR archive names the shared LLVM in its link interface, and some LLVM
# archives name shared third-party libraries. Replace these by archives, so that a static binary needs none
# of them. Only archive members that something refers to are linked: the list below costs no size, and the
# code generators come in only where their initialisers are called.
function(cutl_use_llvm_archives)
  llvm_map_components_to_libnames(archives
    analysis asmparser bitreader bitwriter codegen core executionengine frontendopenmp ipo jitlink linker mc
    nvptxcodegen nvptxdesc nvptxinfo object orcjit passes perfjitevents support target targetparser transformutils
    x86asmparser x86codegen x86desc x86info)
  add_library(CutlLLVMArchives INTERFACE)
  target_link_libraries(CutlLLVMArchives INTERFACE ${archives})

  find_library(CUTL_LIBZ_ARCHIVE libz.a REQUIRED)
  find_library(CUTL_LIBZSTD_ARCHIVE libzstd.a REQUIRED)
  mark_as_advanced(CUTL_LIBZ_ARCHIVE CUTL_LIBZSTD_ARCHIVE)

  foreach(target IN LISTS MLIR_EXPORTED_TARGETS LLVM_AVAILABLE_LIBS)
    if(NOT TARGET ${target})
      continue()
    endif()
    get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
    if(NOT libs)
      continue()
    endif()
    # Archives are found by the linker in any order, so `LLVM` stands for all the components listed above.
    list(TRANSFORM libs REPLACE "^(\\$<LINK_ONLY:)?LLVM>?$" "CutlLLVMArchives")
    list(TRANSFORM libs REPLACE "^ZLIB::ZLIB$" "${CUTL_LIBZ_ARCHIVE}")
    list(TRANSFORM libs REPLACE "^zstd::libzstd_shared$" "${CUTL_LIBZSTD_ARCHIVE}")
    # libMLIR is named by the execution engine only, for the libraries named here. libz3 serves a solver, and
    # libxml2, libedit, libcurl and libpfm serve tools, that nothing here calls.
    if("MLIR" IN_LIST libs)
      list(APPEND libs MLIRExecutionEngineUtils MLIRLLVMDialect MLIRBuiltinToLLVMIRTranslation
           MLIRLLVMToLLVMIRTranslation MLIROpenMPToLLVMIRTranslation MLIRTargetLLVMIRExport)
    endif()
    list(FILTER libs EXCLUDE REGEX "^(MLIR|\\$<LINK_ONLY:MLIR>)$")
    list(FILTER libs EXCLUDE REGEX "libz3|LibXml2::|LibEdit::|CURL::|^pfm$")
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libs}")
  endforeach()
endfunction()

if(CUTL_LLVM_LINKAGE STREQUAL "static")
  cutl_use_llvm_archives()
elseif(NOT CUTL_LLVM_LINKAGE STREQUAL "shared")
  message(FATAL_ERROR "CUTL_LLVM_LINKAGE must be shared or static, got '${CUTL_LLVM_LINKAGE}'")
endif()
