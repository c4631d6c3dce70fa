// Adds a kernel from the text of a tensor expression, beside those of the open model or alone.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"
#include "engine/te/te.h"

namespace tw::session::command_add_kernel {

Status run(Parts& parts, AddKernel const& c) {
  TRY(te::parse_kernel(c.text));
  if (!parts.cell.read()->model) return parts.opening.open("te:" + c.text);
  write_kernel(parts, c.text, -1);
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_add_kernel
