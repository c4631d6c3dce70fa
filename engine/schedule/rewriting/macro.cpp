#include "engine/schedule/rewriting/macro.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "engine/ir/stmt.h"
#include "engine/schedule/legality/iteration_rows.h"
#include "engine/schedule/names.h"
#include "engine/schedule/schedule.h"

namespace tw {
namespace {

bool stands_in(ir::Program const& program, ir::LoopId id) {
  return std::ranges::any_of(ir::loops_of(program.body),
                             [&](ir::LoopSite const& site) { return site.loop->id == id; });
}

/// Tells of loops that were made on the way as of the loops of the program before it.
class Retelling {
public:
  Retelling(ir::Program const& before, ir::Program const& after, CursorMap const& cursors)
      : before_(before), after_(after), cursors_(cursors) {}

  Refusal of(Refusal refusal) const {
    if (refusal.conflict) retell_conflict(refusal);
    for (auto const& [from, now] : cursors_) {
      if (!is_old(from)) continue;
      std::string whole = reference_of(before_, from), name = site_of(before_, from).loop->name();
      for (ir::LoopId made : now) {
        if (!stands_in(after_, made)) continue;  // it went with its nest
        std::string part = site_of(after_, made).loop->name();
        refusal.message = with_name(refusal.message, reference_of(after_, made), whole);
        refusal.message = with_name(refusal.message, part, name);
        if (refusal.conflict && refusal.conflict->differs == part) refusal.conflict->differs = name;
      }
    }
    refusal.culprits = old_loops(refusal.culprits);
    refusal.repairs.clear();  // they are steps of the program on the way
    return refusal;
  }

private:
  bool is_old(ir::LoopId id) const { return stands_in(before_, id); }

  std::vector<ir::LoopId> old_loops(std::vector<ir::LoopId> const& loops) const {
    std::vector<ir::LoopId> old;
    auto add = [&](ir::LoopId id) {
      if (is_old(id) && std::ranges::find(old, id) == old.end()) old.push_back(id);
    };
    for (ir::LoopId id : loops) {
      add(id);
      for (auto const& [from, now] : cursors_)
        if (std::ranges::find(now, id) != now.end()) add(from);
    }
    return old;
  }

  void retell_conflict(Refusal& refusal) const {
    auto first = iteration(refusal.conflict->first, refusal.conflict->block),
         second = iteration(refusal.conflict->second, refusal.conflict->block);
    if (!first || !second) {
      refusal.conflict.reset();
      return;
    }
    for (auto [was, now] : {std::pair{&refusal.conflict->first, &*first},
                            std::pair{&refusal.conflict->second, &*second}}) {
      refusal.message = with_name(refusal.message, to_text(*was), to_text(*now));
      *was = *now;
    }
  }

  /// The same iteration by the loops that were around the block.
  std::optional<Iteration> iteration(Iteration const& made, std::string const& block) const {
    std::map<std::string, int64_t> values(made.loops.begin(), made.loops.end());
    for (ir::BlockSite const& site : ir::blocks_of(before_.body)) {
      if (site.block->name != block) continue;
      Iteration told;
      for (ir::For const* loop : site.loops) {
        auto parts = cursors_.find(loop->id);
        int64_t value = 0;
        if (parts == cursors_.end())
          value = values[loop->name()];
        else
          for (ir::LoopId id : parts->second) {
            if (!stands_in(after_, id)) return std::nullopt;
            ir::For const& part = *site_of(after_, id).loop;
            value = value * ir::as_int(part.extent).value_or(1) + values[part.name()];
          }
        told.loops.push_back({loop->name(), value});
      }
      return told;
    }
    return std::nullopt;
  }

  ir::Program const &before_, &after_;
  CursorMap const& cursors_;
};

}  // namespace

void follow(CursorMap& cursors, CursorMap const& step) {
  for (auto& [from, now] : cursors) {
    std::vector<ir::LoopId> next;
    auto add = [&](ir::LoopId id) {  // parts that were fused lead to one loop
      if (std::ranges::find(next, id) == next.end()) next.push_back(id);
    };
    for (ir::LoopId id : now) {
      auto moved = step.find(id);
      if (moved == step.end())
        add(id);
      else
        std::ranges::for_each(moved->second, add);
    }
    now = std::move(next);
  }
  for (auto const& [from, to] : step) cursors.try_emplace(from, to);
}

Refusal retold(Refusal refusal, ir::Program const& before, ir::Program const& on_the_way,
               CursorMap const& cursors) {
  return Retelling(before, on_the_way, cursors).of(std::move(refusal));
}

std::expected<Applied, Refusal> run_steps(StepRequest const& request,
                                          std::vector<Step> const& steps) {
  Applied applied{request.program, {}, {}};
  // The schedule lives no longer than the move, which knows that the target lives.
  Schedule schedule(request.program, {std::shared_ptr<void>(), &request.target});
  for (Step const& step : steps) {
    auto next = schedule.apply(step, request.budget);
    if (!next)
      return std::unexpected(
          retold(next.error(), request.program, schedule.program(), applied.cursors));
    schedule = std::move(*next);
    follow(applied.cursors, schedule.last_cursors());
  }
  applied.program = schedule.program();
  return applied;
}

}  // namespace tw
