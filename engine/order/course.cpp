#include "engine/order/course.h"

namespace tw::order {

int32_t Course::add_agent(std::string name) {
  agent_names_.push_back(std::move(name));
  events_of_.emplace_back();
  return agents() - 1;
}

int32_t Course::add_counter(std::string name) {
  counter_names_.push_back(std::move(name));
  return counters() - 1;
}

int32_t Course::add_event(int32_t agent, std::span<Wait const> waits,
                          std::span<Signal const> given) {
  int32_t event = events();
  std::vector<int32_t>& own = events_of_[size_t(agent)];
  agent_.push_back(agent);
  index_.push_back(int32_t(own.size()));
  own.push_back(event);
  waits_.insert(waits_.end(), waits.begin(), waits.end());
  signals_.insert(signals_.end(), given.begin(), given.end());
  waits_end_.push_back(waits_.size());
  signals_end_.push_back(signals_.size());
  return event;
}

Queue::Queue(Course& course, std::string const& name, int64_t capacity)
    : pushes_(course.add_counter(name)),
      pops_(course.add_counter("room in " + name)),
      capacity_(capacity) {}

void Queue::push(std::vector<Wait>& waits, std::vector<Signal>& given) {
  if (++pushed_ > capacity_) waits.push_back({pops_, pushed_ - capacity_});
  given.push_back({pushes_});
}

void Queue::pop(std::vector<Wait>& waits, std::vector<Signal>& given) {
  waits.push_back({pushes_, ++popped_});
  if (capacity_ != kUnbounded) given.push_back({pops_});
}

}  // namespace tw::order
