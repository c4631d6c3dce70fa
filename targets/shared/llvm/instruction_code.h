/// Code for values of instructions, by the instruction's name: what a target gives to the emitter.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace tw {

/// Makes the result of the operands of an `ir::IntrinsicValue`, in their order: vectors of as many
/// lanes, integers of their width, bf16 as f32 lanes that are bf16 numbers.
using InstructionCode = llvm::Value* (*)(llvm::IRBuilderBase& builder,
                                         std::vector<llvm::Value*> const& operands);
using InstructionCodes = std::map<std::string, InstructionCode>;

}  // namespace tw
