/// Values that the threads of a warp hand each other (shfl.sync.bfly, PTX ISA).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/lowering/pipeline.h"
#include "engine/target/target.h"

namespace tw {
struct DeviceShell;
}

namespace tw::cuda {

inline constexpr DType kShuffledTypes[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBF16,
                                           DType::kI8,  DType::kU8,  DType::kI16, DType::kU16,
                                           DType::kI32, DType::kU32, DType::kI64, DType::kU64};
/// "shuffle_xor_f32"
std::string shuffle_name(DType type);

/// One for each type of a value.
void add_warp_shuffles(Target& target);
/// Puts what shuffles leave to registers among the passes of all GPUs.
void add_shuffle_passes(std::vector<Pass>& passes);
void add_shuffle_calls(DeviceShell& shell);
void add_shuffle_texts(std::map<std::string, std::string, std::less<>>& calls);

/// Errors: divergent_shuffle, with the threads of a warp that do not all run one.
Status check_shuffles(ir::KernelIr const& kernel);

}  // namespace tw::cuda
