/// What queries are most often made of: the current program, the open model, the branch of the
/// history that one stands on. A query that inherits one of these has only `make` of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/state/query.h"

namespace tw::session {

/// A query of which nothing is asked but the view.
struct AskedNothing {
  bool operator==(AskedNothing const&) const = default;
};

/// A program on a target, told from others by its hash.
struct ProgramKey {
  uint64_t hash = 0;
  std::shared_ptr<Schedule const> schedule;
  std::shared_ptr<Backend const> backend;
  ir::Program const& program() const { return schedule->program(); }
  Target const& target() const { return backend->target(); }
  bool operator==(ProgramKey const& other) const {
    return hash == other.hash && backend == other.backend;
  }
};
inline ProgramKey program_key(Schedule const& schedule, std::shared_ptr<Backend const> backend) {
  return {ir::hash(schedule.program()), std::make_shared<Schedule const>(schedule),
          std::move(backend)};
}
/// Of the kernel that is looked at; null: there is none.
inline History const* current_history(Seen const& seen) {
  return seen.state.has_kernel() ? &seen.state.kernels.at(seen.state.kernel).history : nullptr;
}
/// Of the current state of the current kernel.
inline std::optional<ProgramKey> current_program(Seen const& seen) {
  History const* history = current_history(seen);
  return history ? std::optional(program_key(history->schedule(), seen.backend)) : std::nullopt;
}
/// Of a state of the current kernel; empty: there is none of that number.
inline std::optional<ProgramKey> program_of(Seen const& seen, int node) {
  History const* history = current_history(seen);
  if (!history || !history->has(node)) return std::nullopt;
  return program_key(history->node(node).schedule, seen.backend);
}

/// The roofs of the device in use; null: they are not known.
inline std::shared_ptr<Roofs const> known_rates(Seen const& seen) {
  return seen.state.machine ? seen.state.machine->rates : nullptr;
}

/// A query of the current program; `AskedOf` is what is asked of it.
template <typename AskedOf, typename ViewOf>
struct OfProgram {
  using Asked = AskedOf;
  using View = ViewOf;
  struct Key : ProgramKey {
    Asked asked;
    bool operator==(Key const&) const = default;
  };
  static std::optional<Key> key(Seen const& seen, Asked const& asked) {
    auto now = current_program(seen);
    return now ? std::optional(Key{*std::move(now), asked}) : std::nullopt;
  }
};

/// A query of the open model.
template <typename AskedOf, typename ViewOf>
struct OfModel {
  using Asked = AskedOf;
  using View = ViewOf;
  struct Key {
    Model model;
    Asked asked;
    bool operator==(Key const&) const = default;
  };
  static std::optional<Key> key(Seen const& seen, Asked const& asked) {
    return seen.state.model ? std::optional(Key{seen.state.model, asked}) : std::nullopt;
  }
};

/// The branch that one stands on: what a text of steps is compared with.
struct BranchKey {
  ProgramKey now;
  std::string script;      ///< of all its steps
  std::vector<int> nodes;  ///< of the history, from the current one back to the plain nest
  std::shared_ptr<History const> history;
  std::shared_ptr<MacroSet const> macros;
  bool operator==(BranchKey const& other) const {
    return now == other.now && script == other.script && nodes == other.nodes &&
           macros == other.macros;
  }
};
inline std::optional<BranchKey> current_branch(Seen const& seen) {
  History const* history = current_history(seen);
  if (!history) return std::nullopt;
  BranchKey key{program_key(history->schedule(), seen.backend),
                history->schedule().script(),
                {},
                std::make_shared<History const>(*history),
                seen.options.macros};
  for (int id = history->current(); id >= 0; id = history->node(id).parent) key.nodes.push_back(id);
  return key;
}

}  // namespace tw::session
