/// What may be promised of kernel IR at a stage of lowering, on top of what every kernel meets
/// (ir::verify): each promise has a name, a sentence and a check. A pass names those it needs,
/// those it establishes and those it gives up.
#pragma once

#include <set>
#include <string_view>

#include "engine/ir/program.h"
#include "engine/support/base/error.h"

namespace tw {

enum class Invariant : uint8_t {
  kLoopsOnce,
  kScalarCode,
  kNoInits,
  kNoBlocks,
  kFlatBuffers,
  kNoVectorLoops,
  kNoUnrolledLoops,
  kWholeRegisters,
  kPlacedBuffers,
  kSetRegisters,
};
using Invariants = std::set<Invariant>;

/// "flat_buffers"
std::string_view name_of(Invariant invariant);
/// "every tensor has one dimension"
std::string_view sentence_of(Invariant invariant);

/// What holds of a program that was not lowered yet.
Invariants const& program_invariants();
/// What generating code relies on, where the target's passes give it at all.
Invariants const& code_invariants();

/// ir::verify, then each invariant. Errors: invalid_kernel; invariant_broken with the invariant's
/// name and the first statement that breaks it.
Status verify_kernel(ir::KernelIr const& kernel, Invariants const& hold);

}  // namespace tw
