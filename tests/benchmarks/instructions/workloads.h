/// Kernels of products of bytes, with scripts that use the processor's instruction for them.
#pragma once

#include <string>
#include <vector>

namespace tw::bench {

struct InstructionWorkload {
  std::string name;
  std::string what;       ///< for people
  std::string intrinsic;  ///< that the script asks for
  std::string kernel;
  std::string small_kernel;  ///< the same for the interpreter
  std::string script;        ///< of both
  double operations = 0;     ///< of `kernel`, a product and a sum being two
};

/// For each of several processors' instructions a product and a convolution. Weights lie as the
/// instruction reads them: blocks of as many outputs as it has lanes, of each four bytes in a row.
std::vector<InstructionWorkload> instruction_workloads();

}  // namespace tw::bench
