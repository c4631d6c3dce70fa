/// A few steps that are tried one after the other, on trust: what they make is proved by whoever
/// offers them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/schedule/schedule.h"

namespace tw::moves {

class Draft {
public:
  explicit Draft(Schedule schedule) : schedule_(std::move(schedule)) {}

  /// False from the first step on that is refused.
  bool possible() const { return possible_; }
  Schedule const& schedule() const { return schedule_; }
  std::vector<Step> const& steps() const { return steps_; }

  Draft& step(std::string primitive, std::vector<std::string> targets,
              std::map<std::string, ArgumentValue> arguments = {});
  /// A primitive of one loop and no argument: a mark, a partial sum.
  Draft& at(std::string primitive, ir::LoopId loop);
  /// The outer and the inner part; the loop itself, twice, where it has no more iterations.
  std::pair<ir::LoopId, ir::LoopId> split(ir::LoopId loop, int64_t factor);
  /// Outermost first; nothing where they stand so.
  Draft& reorder(std::vector<ir::LoopId> const& loops);

private:
  Schedule schedule_;
  std::vector<Step> steps_;
  bool possible_ = true;
};

}  // namespace tw::moves
