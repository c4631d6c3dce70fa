/// A schedule under construction.
#pragma once

#include <set>
#include <string>

#include <fmt/format.h>

#include "engine/ir/op.h"
#include "engine/schedule/names.h"
#include "engine/schedule/schedule.h"
#include "engine/schedule/trace.h"
#include "targets/vta/compiler/rules/step_memo.h"

namespace tw::vta {

/// Steps that are taken one after another; the first that is refused ends it.
class Steps {
public:
  Steps(Schedule schedule, ProofBudget budget, StepMemo& memo)
      : schedule_(std::move(schedule)), effort_(budget), memo_(memo) {}

  bool take(std::string const& line) {
    if (failed_) return false;
    if (auto known = shared_ ? memo_.after(schedule_, line, effort_) : std::nullopt) {
      schedule_ = *std::move(known);
      return true;
    }
    auto parsed = parse_step(line);
    auto next = parsed ? schedule_.apply(*parsed, effort_) : std::unexpected(Refusal{});
    failed_ = !next;
    if (failed_) return false;
    if (shared_) memo_.put(schedule_, line, effort_, *next);
    schedule_ = *std::move(next);
    return true;
  }
  /// The last choice is made: no other point takes the steps from here on.
  void are_of_one_point() { shared_ = false; }
  bool failed() const { return failed_; }
  Schedule const& schedule() const { return schedule_; }
  ir::Program const& program() const { return schedule_.program(); }
  /// A copy of a tensor for one reader in a memory of the accelerator; the block that makes it, ""
  /// where that is refused.
  std::string copy(std::string const& reader, std::string const& tensor, char const* scope) {
    std::set<std::string> before;
    for (auto const& one : ir::blocks_of(program().body)) before.insert(one.block->name);
    if (!take(fmt::format("cache_read({}, tensor={}, scope={})", reader, tensor, scope))) return {};
    for (auto const& one : ir::blocks_of(program().body))
      if (!before.contains(one.block->name)) return one.block->name;
    return {};
  }
  ir::BlockSite site(std::string const& block) const {
    return find_block(program(), block).value();
  }

private:
  Schedule schedule_;
  ProofBudget effort_;
  StepMemo& memo_;
  bool failed_ = false, shared_ = true;
};

}  // namespace tw::vta
