/// A command is a file of `commands/`, which checks it and carries it out.
#pragma once

#include <functional>
#include <span>
#include <typeindex>

#include "engine/session/command.h"
#include "engine/session/parts/parts.h"

namespace tw::session {

struct CommandRow {
  std::type_index kind;
  /// On the front's thread, in milliseconds: what takes longer is a job. Errors: it cannot be done;
  /// then nothing has changed.
  std::function<Status(Parts&, Command const&)> run;
};
std::span<CommandRow const* const> command_table();
/// Null: there is none of this kind.
CommandRow const* find_command(std::type_index kind);

template <typename T>
CommandRow command_row(Status (*run)(Parts&, T const&)) {
  return {typeid(T),
          [run](Parts& parts, Command const& command) { return run(parts, *command.as<T>()); }};
}

}  // namespace tw::session
