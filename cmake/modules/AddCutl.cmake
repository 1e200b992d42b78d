# The few functions that every CMakeLists.txt of the project uses.

define_property(GLOBAL PROPERTY CUTL_LIBS BRIEF_DOCS "Installed libraries" FULL_DOCS "Installed libraries")
define_property(GLOBAL PROPERTY CUTL_HEADER_TARGETS BRIEF_DOCS "TableGen targets" FULL_DOCS "TableGen targets")
add_custom_target(cutl-doc)
set_property(GLOBAL PROPERTY CUTL_LIBS "")
set_property(GLOBAL PROPERTY CUTL_HEADER_TARGETS "")

# cutl_mlir_tablegen(<file.td> <target> <output> <args...> [<output> <args...>]...)
# is spelt as one mlir_tablegen call per output followed by cutl_tablegen_target.
function(cutl_tablegen_target name)
  add_public_tablegen_target(${name})
  set_property(GLOBAL APPEND PROPERTY CUTL_HEADER_TARGETS ${name})
endfunction()

# cutl_add_doc(<file.td> <output.md> <mlir-tblgen arguments...>): a page of the reference, built by the target cutl-doc
# into <build>/docs.
function(cutl_add_doc td output)
  set(page ${CMAKE_BINARY_DIR}/docs/${output})
  get_filename_component(folder ${page} DIRECTORY)
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} -I ${CMAKE_SOURCE_DIR}/include
            -I ${LLVM_INCLUDE_DIRS} ${CMAKE_CURRENT_SOURCE_DIR}/${td} -o ${page}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${td}
    COMMENT "Writing docs/${output}")
  string(MAKE_C_IDENTIFIER "cutl-doc-${output}" target)
  add_custom_target(${target} DEPENDS ${page})
  add_dependencies(cutl-doc ${target})
endfunction()

# cutl_fact_table(<file.td> <output.inc>): TableGen records to constexpr tables, with the stock llvm-tblgen.
function(cutl_fact_table td output)
  file(GLOB facts ${CMAKE_CURRENT_SOURCE_DIR}/*.td)
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${output}
    COMMAND ${CUTL_LLVM_TBLGEN} -gen-searchable-tables
            -I ${CMAKE_SOURCE_DIR}/include -I ${CMAKE_CURRENT_SOURCE_DIR} -I ${LLVM_MAIN_INCLUDE_DIR}
            -I ${LLVM_INCLUDE_DIRS}
            ${CMAKE_CURRENT_SOURCE_DIR}/${td} -o ${CMAKE_CURRENT_BINARY_DIR}/${output}
    DEPENDS ${facts}
    COMMENT "Tabulating ${td}")
endfunction()

# cutl_add_library(<name> <sources...> [DEPENDS <tablegen targets>] [LINK_LIBS <Cutl libs>] [MLIR_LIBS <MLIR libs>]
#                  [LLVM_COMPONENTS <components>])
#
# MLIR_LIBS and LLVM_COMPONENTS are what the sources use; in the shared link mode they become libMLIR and libLLVM.
# A library with neither links no LLVM at all.
function(cutl_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS;MLIR_LIBS;LLVM_COMPONENTS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  cutl_link_llvm(${name} PUBLIC MLIR_LIBS ${ARG_MLIR_LIBS} LLVM_COMPONENTS ${ARG_LLVM_COMPONENTS})
  set_property(GLOBAL APPEND PROPERTY CUTL_LIBS ${name})
  install(TARGETS ${name} EXPORT cutlTargets ARCHIVE DESTINATION lib COMPONENT cutl-development)
endfunction()

function(cutl_link_llvm name scope)
  cmake_parse_arguments(ARG "" "" "MLIR_LIBS;LLVM_COMPONENTS" ${ARGN})
  if(NOT ARG_MLIR_LIBS AND NOT ARG_LLVM_COMPONENTS)
    return()
  endif()
  if(CUTL_LLVM_LINKAGE STREQUAL "shared")
    if(ARG_MLIR_LIBS)
      target_link_libraries(${name} ${scope} MLIR)
    endif()
    target_link_libraries(${name} ${scope} LLVM)
  else()
    llvm_map_components_to_libnames(components ${ARG_LLVM_COMPONENTS})
    target_link_libraries(${name} ${scope} ${ARG_MLIR_LIBS} ${components})
  endif()
endfunction()

# cutl_add_tool(<name> <sources...> [LINK_LIBS ...] [MLIR_LIBS ...] [LLVM_COMPONENTS ...])
function(cutl_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS;LLVM_COMPONENTS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # Debian keeps libMLIR.so where no loader looks by itself.
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin INSTALL_RPATH_USE_LINK_PATH ON)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  cutl_link_llvm(${name} PRIVATE MLIR_LIBS ${ARG_MLIR_LIBS} LLVM_COMPONENTS ${ARG_LLVM_COMPONENTS})
  install(TARGETS ${name} RUNTIME DESTINATION bin COMPONENT cutl-development)
endfunction()

# cutl_add_unittest(<name> <sources...> [LINK_LIBS ...]): a GoogleTest binary that ctest runs.
function(cutl_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/unit)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY CUTL_UNITTESTS ${name})
endfunction()
