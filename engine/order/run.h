/// Runs a course as far as it goes.
#pragma once

#include <optional>

#include "engine/order/course.h"

namespace tw::order {

/// Since counters never fall, who goes first does not matter. Agents may be held back, and be let
/// on later.
class Run {
public:
  explicit Run(Course const& course);

  /// The agent stops before its event of place `count`, until it may go further.
  void hold(int32_t agent, int32_t count) { most_[size_t(agent)] = count; }
  /// Calls `happened(event)` for each event that happens now, of whatever agent.
  template <typename F>
  void go(F const& happened) {
    for (int32_t a = 0; a < course_.agents(); ++a) ready_.push_back(a);
    settle(happened);
  }
  /// The same where nothing else has changed since the last one: `agent` may go further.
  template <typename F>
  void let_on(int32_t agent, int32_t count, F const& happened) {
    hold(agent, count);
    ready_.push_back(agent);
    settle(happened);
  }

  int32_t done(int32_t agent) const { return done_[size_t(agent)]; }
  /// The first wait that the agent's next event still lacks; none: there is no next event, or it
  /// is only held.
  std::optional<Wait> lacks(int32_t agent) const;
  int64_t counted(int32_t counter) const { return counts_[size_t(counter)]; }

private:
  template <typename F>
  void settle(F const& happened) {
    while (!ready_.empty()) {
      int32_t agent = ready_.back();
      ready_.pop_back();
      std::vector<int32_t> const& events = course_.events_of(agent);
      for (int32_t& at = done_[size_t(agent)]; at < limit(agent); ++at) {
        if (!begins(agent, events[size_t(at)])) break;
        happened(events[size_t(at)]);
        signal(events[size_t(at)]);
      }
    }
  }
  int32_t limit(int32_t agent) const;
  /// If not, the agent is woken by the counter that it waits for.
  bool begins(int32_t agent, int32_t event);
  void signal(int32_t event);

  Course const& course_;
  std::vector<int32_t> done_, most_;
  std::vector<int64_t> counts_;
  struct Sleeper {
    int32_t agent;
    int64_t at_least;
  };
  std::vector<std::vector<Sleeper>> sleepers_;  ///< of each counter
  std::vector<int32_t> ready_;
};

}  // namespace tw::order
