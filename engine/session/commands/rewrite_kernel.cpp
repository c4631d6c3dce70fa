// Gives one of the user's own kernels another text.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"
#include "engine/session/use_cases.h"
#include "engine/te/te.h"

namespace tw::session::command_rewrite_kernel {

Status run(Parts& parts, RewriteKernel const& c) {
  StateCell::Pointer state = parts.cell.read();
  if (!state->model) return bad_input("no_model", "no model is open");
  TRY_ASSIGN(int row, find_kernel(*state->model, c.kernel));
  if (!state->model->own.contains(row))
    return bad_input("not_your_kernel", "only kernels that you wrote can be edited");
  TRY(te::parse_kernel(c.text));
  if (state->model->own.at(row) != c.text) write_kernel(parts, c.text, row);
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_rewrite_kernel
