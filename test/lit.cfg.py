"""Configuration of the lit suite: what is a test, and what its RUN lines may name.

Environment:
  CUTL_VERIFY_ROUNDTRIP=1  every cutl-opt also checks that its input survives
                           printing and parsing, as text and as bytecode
                           (feature `verify-roundtrip`).
  CUTL_PYTHON              the interpreter behind %python.
"""

import os
import shutil
import sys

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "cutl"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# Tests of other kinds, and the pieces of tests.
config.excludes = ["unit", "lib", "python", "Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.cutl_obj_root

llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
# A variable without a $ lives until the next LABEL; every prefix must be used.
llvm_config.with_environment(
    "FILECHECK_OPTS", "--enable-var-scope --allow-unused-prefixes=false"
)

opt_args = []
if os.environ.get("CUTL_VERIFY_ROUNDTRIP", "0") not in ("", "0"):
    opt_args.append("--verify-roundtrip")
    config.available_features.add("verify-roundtrip")

# cutl-opt is what the suite is about; a test that needs another tool says
# `REQUIRES: <tool>`.
tools = [ToolSubst("cutl-opt", extra_args=opt_args, unresolved="fatal")]
for name in ("cutl-run", "cutl-compile", "cutl-test-opt"):
    args = opt_args if name.endswith("-opt") else []
    tools.append(ToolSubst(name, extra_args=args, unresolved="ignore"))
    if os.path.exists(os.path.join(config.cutl_tools_dir, name)):
        config.available_features.add(name)
llvm_config.add_tool_substitutions(tools, [config.cutl_tools_dir])

for name in ("ptxas",):
    if shutil.which(name, path=config.environment["PATH"]):
        config.available_features.add(name)

# A CUDA driver that computes nothing, for what can be tested without a GPU.
fake_cuda = os.path.join(
    config.cutl_obj_root, "unit", "Runtime", "whole", "libcuda.so.1"
)
if os.path.exists(fake_cuda):
    config.available_features.add("fake-cuda")
    config.substitutions.append(("%fake_cuda", fake_cuda))

python = os.environ.get("CUTL_PYTHON") or config.python or sys.executable
config.substitutions.append(("%python", f'"{python}"'))
config.substitutions.append(
    ("%cutl_src", os.path.dirname(config.test_source_root))
)
config.substitutions.append(("%cutl_version", config.cutl_version))
