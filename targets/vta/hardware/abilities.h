/// Whether a design has what an instruction asks for, where published implementations of the
/// instruction set have it or not: the simulators, the prover, lint and the runtime ask here.
#pragma once

#include "targets/vta/hardware/instruction.h"

namespace tw::vta {

/// One setting of what a design can do, for people: "acc8", "no", "a load of bytes into acc loads
/// nothing".
struct Ability {
  std::string setting, value, sentence;
};
std::vector<Ability> abilities_of(Configuration const& configuration);

/// Errors: not_in_design, with the setting that says so and what the hardware would do.
Status check_abilities(Configuration const& configuration, Instruction const& instruction);

}  // namespace tw::vta
