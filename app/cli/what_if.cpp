#include "app/cli/what_if.h"

namespace tw::cli {

void add_what_if_option(Command command, std::string& changes) {
  command
      .add_option("--what-if", changes,
                  "model a machine with other roofs or caches, too: L2=2MB, DRAM=40GB/s, "
                  "\"FMA f32=800GFLOP/s\"; several with commas between them")
      .type_name("CHANGES");
}

Result<SupposedMachine> machine_if(Context const& context, std::string const& changes,
                                   session::MachineView const& machine) {
  TRY_ASSIGN(session::WhatIf what, session::parse_what_if(changes, machine));
  TRY_ASSIGN(session::HypotheticalMachine there,
             session::machine_if(machine, context.backend, what));
  std::string words = session::words_of(what, machine);
  return SupposedMachine{std::move(there), words.empty() ? "nothing is changed" : words};
}

}  // namespace tw::cli
