// Selects a kernel of the table.
#include <fmt/format.h>

#include "engine/session/commands/command_row.h"

namespace tw::session::command_select_kernel {

Status run(Parts& parts, SelectKernel const& c) {
  TRY(parts.cell.commit([&](State& now) -> Status {
    if (!now.model) return bad_input("no_model", "no model is open");
    if (c.row < 0 || size_t(c.row) >= now.model->plan.kernels.size())
      return bad_input("unknown_kernel", fmt::format("there is no kernel {}", c.row));
    now.refusal = nullptr;
    if (!now.kernels.contains(c.row)) {
      TRY_ASSIGN(KernelWork work, begin_kernel(*now.model, c.row, *now.backend));
      now.kernels.emplace(c.row, std::move(work));
    }
    now.kernel = c.row;
    return {};
  }));
  parts.measuring.start();
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_select_kernel
