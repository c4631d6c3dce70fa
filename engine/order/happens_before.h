/// What is done before what, in every run of a course.
#pragma once

#include "engine/order/course.h"

namespace tw::order {

class HappensBefore {
public:
  /// Exact: of two events that happen neither is before the other if and only if there are runs in
  /// which either is done when the other one begins. Takes steps in the number of agents times
  /// that of events.
  explicit HappensBefore(Course const& course);

  /// The events of an agent that happen, in order: all of them where nobody is stuck.
  std::vector<int32_t> const& ran(int32_t agent) const { return ran_[size_t(agent)]; }
  bool happens(int32_t event) const { return index(event) < int32_t(ran(agent(event)).size()); }
  bool all_happen() const { return all_happen_; }

  int32_t size() const { return int32_t(agent_.size()); }  ///< events
  int32_t agents() const { return int32_t(ran_.size()); }
  int32_t agent(int32_t event) const { return agent_[size_t(event)]; }
  /// Its place among those of its agent.
  int32_t index(int32_t event) const { return index_[size_t(event)]; }
  /// How many events of `agent` are done whenever `event`, which happens, begins.
  int32_t before(int32_t event, int32_t agent) const {
    return before_[size_t(event) * ran_.size() + size_t(agent)];
  }
  /// Whether `a` is done whenever `b` begins; both happen.
  bool is_before(int64_t a, int64_t b) const {
    return before(int32_t(b), agent(int32_t(a))) > index(int32_t(a));
  }

private:
  bool all_happen_ = true;
  std::vector<int32_t> agent_, index_, before_;
  std::vector<std::vector<int32_t>> ran_;
};

/// After which of `pushers` more than `most` can wait in some run, and how many: the k-th of
/// `poppers` takes the k-th, and all of either are events of one agent, in order. For a queue that
/// does not let its pusher wait, and for an mbarrier whose waiters can miss a phase.
struct Crowd {
  int32_t event = -1;  ///< -1: never
  int64_t waiting = 0;
};
Crowd first_crowd(HappensBefore const& order, std::vector<int32_t> const& pushers,
                  std::vector<int32_t> const& poppers, int32_t popping_agent, int64_t most);

}  // namespace tw::order
