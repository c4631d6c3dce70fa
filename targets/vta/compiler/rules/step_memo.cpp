#include "targets/vta/compiler/rules/step_memo.h"

namespace tw::vta {
namespace {

constexpr size_t kMostTaken = 4096;
constexpr size_t kMostPlain = 64;

/// Bodies that are one node; everything else equal, numbers for what steps will make, too.
bool same_beside_body(ir::Program const& a, ir::Program const& b) {
  return a.name == b.name && a.inputs == b.inputs && a.outputs == b.outputs && a.sizes.empty() &&
         b.sizes.empty() && a.next_id == b.next_id;
}

}  // namespace

Schedule StepMemo::plain(ir::Program const& program, std::shared_ptr<Target const> const& target) {
  std::scoped_lock lock(mutex_);
  auto found = plain_.find(program.body.get());
  if (found != plain_.end() && &found->second.target() == target.get() &&
      same_beside_body(found->second.program(), program))
    return found->second;
  make_room();
  return plain_.insert_or_assign(program.body.get(), Schedule(program, target)).first->second;
}

std::optional<Schedule> StepMemo::after(Schedule const& from, std::string const& line,
                                        ProofBudget budget) {
  std::scoped_lock lock(mutex_);
  auto found = taken_.find({&from.trace(), budget, line});
  return found == taken_.end() ? std::nullopt : std::optional(found->second.to);
}

void StepMemo::put(Schedule const& from, std::string const& line, ProofBudget budget,
                   Schedule const& to) {
  std::scoped_lock lock(mutex_);
  make_room();
  taken_.insert_or_assign(Key{&from.trace(), budget, line}, Taken{from, to});
}

std::optional<std::optional<Tiles>> StepMemo::known_tiles(Schedule const& schedule) {
  std::scoped_lock lock(mutex_);
  auto found = tiles_.find(&schedule.trace());
  if (found == tiles_.end()) return {};
  return std::optional<std::optional<Tiles>>(found->second.second);
}

/// Schedules hold on to one another, so that there is no use in forgetting some of them.
void StepMemo::make_room() {
  if (taken_.size() < kMostTaken && plain_.size() < kMostPlain) return;
  plain_.clear();
  taken_.clear();
  tiles_.clear();
}

}  // namespace tw::vta
