/// A loop of instructions as LLVM's machine code analyzer runs it on the processor's model.
#pragma once

#include <span>

#include "engine/target/code_report.h"
#include "targets/shared/llvm/assembler.h"

namespace tw {

/// `loop` is one iteration, whose branches are taken as they stand: one after the other. Where the
/// processor has no model, or the model does not know an instruction, `failure` says so.
LoopModel model_loop(std::span<ReadInstruction const> loop, ProcessorTables const& tables);

/// Registers of vectors that instructions of a loop name, each once.
int count_vector_registers(std::span<ReadInstruction const> loop, ProcessorTables const& tables);

}  // namespace tw
