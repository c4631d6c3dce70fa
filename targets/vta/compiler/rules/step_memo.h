/// What points of a template share: schedules by the steps that made them, and tiles by rule.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/schedule/schedule.h"
#include "targets/vta/compiler/rules/tiles.h"

namespace tw::vta {

/// Safe with several threads. It forgets all when it is full, so that it takes some dozen MB at
/// most.
class StepMemo {
public:
  /// The program without steps: one schedule for all that ask with the same program. Others are
  /// known by their places in memory, so that only what comes from here is found again.
  Schedule plain(ir::Program const& program, std::shared_ptr<Target const> const& target);

  std::optional<Schedule> after(Schedule const& from, std::string const& line, ProofBudget budget);
  void put(Schedule const& from, std::string const& line, ProofBudget budget, Schedule const& to);

  /// The tiles by rule of the product in `schedule`, made by `make` where they are not known.
  template <typename Make>
  std::optional<Tiles> tiles(Schedule const& schedule, Make make) {
    if (auto known = known_tiles(schedule)) return *known;
    std::optional<Tiles> best = make();
    std::scoped_lock lock(mutex_);
    tiles_.insert_or_assign(&schedule.trace(), std::pair(schedule, best));
    return best;
  }

private:
  struct Key {
    void const* from;
    ProofBudget budget;
    std::string line;
    auto operator<=>(Key const&) const = default;
  };
  struct Taken {
    Schedule from;  ///< stays, so that nothing else comes to lie at its place
    Schedule to;
  };
  std::optional<std::optional<Tiles>> known_tiles(Schedule const& schedule);
  void make_room();

  std::mutex mutex_;
  std::map<void const*, Schedule> plain_;  ///< by the bodies of their programs
  std::map<Key, Taken> taken_;
  std::map<void const*, std::pair<Schedule, std::optional<Tiles>>> tiles_;
};

}  // namespace tw::vta
