/// Instructions of processors that kernels use by name: one file of `intrinsics/` each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/hardware/hardware.h"
#include "engine/target/target.h"
#include "targets/shared/llvm/instruction_code.h"

namespace tw {

struct CpuIntrinsic {
  std::string declaration;   ///< its text: name, operands, behaviour
  std::vector<int> dense;    ///< as in TensorIntrinsic
  std::string architecture;  ///< "x86_64"
  /// Of LLVM's names, sets each of which is enough to have it.
  std::vector<std::vector<std::string>> features;
  InstructionCode code = nullptr;
  double operations = 0;        ///< of one, an addition and a product being two
  std::string products;         ///< what is multiplied, for people and for roofs: "u8*i8"
  std::string unit = "vector";  ///< what computes, as in ComputeRoof: "vector", "matrix"
};

/// Written by CMake from the files in `intrinsics/`.
std::span<CpuIntrinsic const* const> cpu_intrinsic_table();

/// Whether the processor has the instruction.
bool has_intrinsic(CpuIntrinsic const& intrinsic, Hardware const& hardware);
/// Those that the processor has, the ones that do more at once first.
std::vector<CpuIntrinsic const*> intrinsics_of(Hardware const& hardware);
TensorIntrinsic tensor_intrinsic(CpuIntrinsic const& intrinsic);

}  // namespace tw
