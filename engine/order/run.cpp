#include "engine/order/run.h"

#include <algorithm>

namespace tw::order {

Run::Run(Course const& course)
    : course_(course),
      done_(size_t(course.agents())),
      most_(size_t(course.agents()), INT32_MAX),
      counts_(size_t(course.counters())),
      sleepers_(size_t(course.counters())) {}

int32_t Run::limit(int32_t agent) const {
  return std::min(most_[size_t(agent)], int32_t(course_.events_of(agent).size()));
}

std::optional<Wait> Run::lacks(int32_t agent) const {
  std::vector<int32_t> const& events = course_.events_of(agent);
  auto at = size_t(done(agent));
  if (at == events.size()) return std::nullopt;
  for (Wait const& wait : course_.waits_of(events[at]))
    if (counted(wait.counter) < wait.at_least) return wait;
  return std::nullopt;
}

bool Run::begins(int32_t agent, int32_t event) {
  for (Wait const& wait : course_.waits_of(event)) {
    if (counted(wait.counter) >= wait.at_least) continue;
    sleepers_[size_t(wait.counter)].push_back({agent, wait.at_least});
    return false;
  }
  return true;
}

void Run::signal(int32_t event) {
  for (Signal const& signal : course_.signals_of(event)) {
    int64_t& count = counts_[size_t(signal.counter)];
    count += signal.amount;
    std::erase_if(sleepers_[size_t(signal.counter)], [&](Sleeper const& sleeper) {
      if (sleeper.at_least > count) return false;
      ready_.push_back(sleeper.agent);
      return true;
    });
  }
}

// While an agent is held back before an event, the others go as far as they can without it.
std::vector<MistakenPhase> mistaken_phases(Course const& course,
                                           std::span<PhaseBarrier const> barriers) {
  std::vector<int64_t> arrivals(size_t(course.counters()));
  for (PhaseBarrier const& one : barriers) arrivals[size_t(one.counter())] = one.arrivals();
  std::vector<MistakenPhase> mistaken;
  auto nothing = [](int32_t) {};
  for (int32_t agent = 0; agent < course.agents(); ++agent) {
    Run run(course);
    run.hold(agent, 0);
    run.go(nothing);
    std::vector<int64_t> waited_for(size_t(course.counters()));
    for (int32_t event : course.events_of(agent)) {
      if (run.done(agent) < course.index(event)) break;  // it never begins
      for (auto const& [counter, at_least] : course.waits_of(event)) {
        int64_t of_phase = arrivals[size_t(counter)];
        if (of_phase == 0) continue;
        int64_t& before = waited_for[size_t(counter)];
        bool too_late = run.counted(counter) >= at_least + of_phase;
        if (too_late || at_least - of_phase > before)
          mistaken.push_back({event, counter, too_late});
        before = std::max(before, at_least);
      }
      run.let_on(agent, course.index(event) + 1, nothing);
    }
  }
  std::ranges::sort(mistaken, {}, &MistakenPhase::event);
  return mistaken;
}

std::vector<Stuck> stuck(Course const& course) {
  Run run(course);
  run.go([](int32_t) {});
  std::vector<Stuck> all;
  for (int32_t agent = 0; agent < course.agents(); ++agent)
    if (auto wait = run.lacks(agent))
      all.push_back(
          {course.events_of(agent)[size_t(run.done(agent))], *wait, run.counted(wait->counter)});
  return all;
}

std::string to_sentence(std::vector<Stuck> const& all, Course const& course) {
  std::string sentence;
  for (Stuck const& one : all) {
    sentence += sentence.empty() ? "" : "; ";
    sentence += course.agent_name(course.agent(one.event));
    sentence += " waits for " + std::to_string(one.wait.at_least) + " of ";
    sentence += course.counter_name(one.wait.counter);
    sentence += ", which stays at " + std::to_string(one.counted);
  }
  return sentence;
}

}  // namespace tw::order
