/// Random schedules leave tensors outside of the blocks or threads that have them for themselves,
/// where there is no instance of them.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/rewrite.h"
#include "engine/schedule/names.h"
#include "engine/schedule/schedule.h"
#include "engine/support/base/random.h"

namespace tw::testing {

/// The block that writes a tensor, and the loops of all others, as a script calls them.
struct TensorUsers {
  std::string writer;
  std::vector<std::string> loops;
};

inline TensorUsers users_of(ir::Program const& program, std::string const& tensor) {
  TensorUsers users;
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) {
    bool writes = false;
    ir::walk_writes(site.block->body,
                    [&](ir::Touched const& at) { writes = writes || at.buffer->name == tensor; });
    if (writes) users.writer = site.block->name;
    for (ir::For const* loop : site.loops)
      if (!writes) users.loops.push_back(reference_of(program, loop->id));
  }
  return users;
}

/// As a person would go on: what `lowered` refuses so is computed in a loop of those that use it,
/// or kept in main memory.
template <typename Lowered>
void place_tensors_left_outside(Schedule& schedule, Rng& rng, Lowered const& lowered) {
  auto take = [&](Step const& step) {
    auto next = schedule.apply(step);
    if (next) schedule = std::move(*next);
    return bool(next);
  };
  for (int tries = 0; tries < 12; ++tries) {
    auto code = lowered(schedule);
    if (code || code.error().code != "instance_outside") return;
    std::string tensor = to_sentence(code.error());
    tensor = tensor.substr(0, tensor.find(' '));
    TensorUsers users = users_of(schedule.program(), tensor);
    bool moved = false;
    for (int places = 0; places < 4 && !moved && !users.loops.empty(); ++places) {
      std::string loop = users.loops[size_t(rng.below(int64_t(users.loops.size())))];
      moved = take({"compute_at", {users.writer, loop}, {}, {}});
    }
    if (!moved && !take({"set_scope", {users.writer}, {{"scope", "global"}}, {}})) return;
  }
}

}  // namespace tw::testing
