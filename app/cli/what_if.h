/// "--what-if CHANGES": the machine with other roofs or caches.
#pragma once

#include "app/cli/output.h"
#include "engine/session/what_if.h"

namespace tw::cli {

void add_what_if_option(Command command, std::string& changes);

struct SupposedMachine {
  session::HypotheticalMachine machine;
  std::string words;  ///< what is otherwise
};
/// Errors: those of `session::parse_what_if` and `session::machine_if`.
Result<SupposedMachine> machine_if(Context const& context, std::string const& changes,
                                   session::MachineView const& machine);

}  // namespace tw::cli
