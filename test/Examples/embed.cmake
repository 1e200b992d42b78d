# The test embed-example. Run with -D for SOURCE_DIR, BUILD_TREE, WORK_DIR, MLIR_TBLGEN, C_COMPILER, CXX_COMPILER.

function(run output)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE errors RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${text}${errors}\nexit status ${status}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

function(expect text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "expected '${pattern}' in:\n${text}")
  endif()
endfunction()

function(configure source package build)
  run(text ${CMAKE_COMMAND} -S ${source} -B ${build} -G Ninja -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
      -DCMAKE_PREFIX_PATH=${package} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
  # An older cache, or a package found elsewhere, must not stand in for this one.
  load_cache(${build} READ_WITH_PREFIX found_ cutl_DIR)
  if(NOT found_cutl_DIR STREQUAL "${package}/lib/cmake/cutl")
    message(FATAL_ERROR "expected the package in ${package}, got ${found_cutl_DIR}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR}/prefix ${WORK_DIR}/installed ${WORK_DIR}/in-tree)
run(text ${CMAKE_COMMAND} --install ${BUILD_TREE} --component cutl-development --prefix ${WORK_DIR}/prefix)

# The install tree: both programs say the same.
configure(${SOURCE_DIR} ${WORK_DIR}/prefix ${WORK_DIR}/installed)
run(text ${CMAKE_COMMAND} --build ${WORK_DIR}/installed)
set(input ${SOURCE_DIR}/linear.mlir)
run(cpp ${WORK_DIR}/installed/embed-cpp ${input} "chip=sm_90a vector-bits=128")
expect("${errors}" "chose .*, but .* if m <= ")
run(c ${WORK_DIR}/installed/embed-c ${input} "chip=sm_90a vector-bits=128")
expect("${errors}" "chose .*, but .* if m <= ")
expect("${cpp}" "#cutl.tile_config<")
expect("${cpp}" "gpu.binary @kernels.*visible .entry linear_0")
expect("${cpp}" "llvm.func @linear")
string(REGEX REPLACE "\n+" "\n" cpp "${cpp}")
string(REGEX REPLACE "\n+" "\n" c "${c}")
if(NOT cpp STREQUAL c)
  message(FATAL_ERROR "expected C and C++ to print the same, got from C++:\n${cpp}\nfrom C:\n${c}")
endif()

# Neither runs on what it cannot read, and both say why.
foreach(program embed-cpp embed-c)
  execute_process(COMMAND ${WORK_DIR}/installed/${program} ${input} chip=sm_00 OUTPUT_QUIET ERROR_VARIABLE errors
                  RESULT_VARIABLE status)
  expect("${status}" "^1$")
  expect("${errors}" "unknown chip 'sm_00'")
endforeach()

# What else is installed: a tool that runs, and TableGen sources that stand on their own.
run(text ${WORK_DIR}/prefix/bin/cutl-opt ${input} --cutl-attach-target=chip=sm_90a)
expect("${text}" "#cutl.target<chip = \"sm_90a\"")
cmake_path(GET MLIR_TBLGEN PARENT_PATH llvm)
cmake_path(GET llvm PARENT_PATH llvm)
run(text ${MLIR_TBLGEN} -gen-op-decls -I ${WORK_DIR}/prefix/include -I ${llvm}/include
    ${WORK_DIR}/prefix/include/cutl/Dialect/Cutl/IR/CutlOps.td)
expect("${text}" "class GemmOp")

# The build tree, from a project in C alone.
file(WRITE ${WORK_DIR}/in-tree/CMakeLists.txt "
cmake_minimum_required(VERSION 3.25)
project(embed LANGUAGES C)
find_package(cutl REQUIRED CONFIG)
add_executable(embed-c ${SOURCE_DIR}/embed.c)
target_link_libraries(embed-c PRIVATE CutlCAPI)
")
configure(${WORK_DIR}/in-tree ${BUILD_TREE} ${WORK_DIR}/in-tree/build)
run(text ${CMAKE_COMMAND} --build ${WORK_DIR}/in-tree/build)
run(text ${WORK_DIR}/in-tree/build/embed-c ${input})
expect("${text}" "llvm.func @linear")
