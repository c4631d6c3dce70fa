#include "engine/order/happens_before.h"

#include "engine/order/run.h"

namespace tw::order {

// While an agent is held back before its event n, all that happens does not need that event: it
// may happen before. What happens only when the agent is let on by one comes after it.
HappensBefore::HappensBefore(Course const& course) : ran_(size_t(course.agents())) {
  agent_.reserve(size_t(course.events()));
  index_.reserve(size_t(course.events()));
  for (int32_t event = 0; event < course.events(); ++event) {
    agent_.push_back(course.agent(event));
    index_.push_back(course.index(event));
  }
  before_.resize(size_t(course.events()) * ran_.size());
  for (int32_t agent = 0; agent < course.agents(); ++agent) {
    Run run(course);
    int32_t let_on = 0;
    auto stamp = [&](int32_t event) {
      if (agent_[size_t(event)] == agent)
        before_[size_t(event) * ran_.size() + size_t(agent)] = index_[size_t(event)];
      else
        before_[size_t(event) * ran_.size() + size_t(agent)] = let_on;
    };
    run.hold(agent, 0);
    run.go(stamp);
    auto const& events = course.events_of(agent);
    while (let_on < int32_t(events.size())) {
      run.let_on(agent, ++let_on, stamp);
      if (run.done(agent) < let_on) break;
    }
    ran_[size_t(agent)].assign(events.begin(), events.begin() + run.done(agent));
    all_happen_ = all_happen_ && run.done(agent) == int32_t(events.size());
  }
}

Crowd first_crowd(HappensBefore const& order, std::vector<int32_t> const& pushers,
                  std::vector<int32_t> const& poppers, int32_t popping_agent, int64_t most) {
  size_t popped = 0;
  for (size_t k = 0; k < pushers.size(); ++k) {
    // Pops that are before the k-th push whatever happens.
    int32_t done = order.before(pushers[k], popping_agent);
    while (popped < poppers.size() && order.index(poppers[popped]) < done) ++popped;
    int64_t waiting = int64_t(k + 1 - popped);
    if (waiting > most) return {pushers[k], waiting};
  }
  return {};
}

}  // namespace tw::order
