/// What single instructions are and cost, by LLVM's tables.
#pragma once

#include "engine/target/code_report.h"
#include "targets/shared/llvm/assembler.h"

namespace tw {

InstructionFacts facts_of(ReadInstruction const& read, ProcessorTables const& tables);

/// Of a whole listing, and the loop that these lines are, modelled. Errors: those of
/// `ProcessorTables::create` and `AssemblyText::read`.
Result<CodeReport> report_of(std::string const& assembly, std::span<int32_t const> loop,
                             MachineOptions const& options);

}  // namespace tw
