// Copies that were started and are under way: until the one who started them has waited for their
// group, nobody may use what they write or overwrite what they read. The interpreter copies at
// once; what makes the difference is refused.
#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/intrinsic.h"
#include "engine/ir/statement_interpreter.h"

namespace tw::ir {

void StatementInterpreter::start_copy(IntrinsicNode const& intrinsic) {
  if (!current_ || intrinsic.completion != Completion::kStarted) return;
  starting_queue_ = intrinsic.queue;
  current_->queues[starting_queue_].open.call = intrinsic.name;
  starting_ = std::make_shared<std::string const>(iteration_text());
}

void StatementInterpreter::started_copy() {
  if (!starting_) return;
  CopyGroup& open = current_->queues[starting_queue_].open;
  for (Flight& flight : starting_flights_) {
    InFlight& there = in_flight_[flight.tensor.data()][flight.element];
    ++(flight.writes ? there.writers : there.readers);
    there.updated_in = flight.updates ? starting_queue_ : "";
    there.iteration = starting_;
    there.call = open.call;
    open.flights.push_back(std::move(flight));
  }
  starting_flights_.clear();
  updates_ = false;
  starting_.reset();
}

bool StatementInterpreter::disturbs_flight(int buffer, NDArray const& tensor, int64_t element,
                                           bool writes) {
  if (in_flight_.empty()) return false;
  auto there = in_flight_.find(tensor.data());
  if (there == in_flight_.end()) return false;
  auto at = there->second.find(element);
  if (at == there->second.end()) return false;
  InFlight const& copy = at->second;
  if (copy.writers == 0 && !writes) return false;
  if (updates_ && !starting_queue_.empty() && copy.updated_in == starting_queue_) return false;
  fail(copy.writers > 0 ? "used_in_flight" : "overwritten_in_flight",
       fmt::format("iteration {} {} {}, which the {} that iteration {} started {}: it was not "
                   "waited for",
                   iteration_text(), writes ? "writes" : "reads",
                   element_text(buffer, tensor, element), copy.call, *copy.iteration,
                   copy.writers > 0 ? "still fills" : "still reads"));
  return true;
}

void StatementInterpreter::land(CopyGroup const& group, std::string const* queue) {
  for (Flight const& flight : group.flights) {
    auto there = in_flight_.find(flight.tensor.data());
    InFlight& copy = there->second[flight.element];
    --(flight.writes ? copy.writers : copy.readers);
    if (copy.writers == 0 && copy.readers == 0) there->second.erase(flight.element);
    if (there->second.empty()) in_flight_.erase(there);
  }
  if (!queue) return;
  // Who waits has written it now, whatever stood between the start and here.
  starting_queue_ = *queue;
  for (Flight const& flight : group.flights) {
    updates_ = flight.updates;
    touched(flight.buffer, flight.tensor, flight.element, flight.writes);
  }
  updates_ = false;
}

void StatementInterpreter::complete(IntrinsicNode const& intrinsic, int64_t groups) {
  if (!current_) return;
  CopyQueue& queue = current_->queues[intrinsic.queue];
  if (intrinsic.completion == Completion::kCommits) {
    queue.groups.push_back(std::move(queue.open));
    queue.open = {};
  }
  if (intrinsic.completion != Completion::kWaits) return;
  std::vector<CopyGroup>& under_way = queue.groups;
  int64_t done = std::max<int64_t>(int64_t(under_way.size()) - std::max<int64_t>(groups, 0), 0);
  for (int64_t i = 0; i < done; ++i) land(under_way[size_t(i)], &intrinsic.queue);
  under_way.erase(under_way.begin(), under_way.begin() + done);
}

void StatementInterpreter::check_landed(Thread const& thread) {
  for (auto const& [name, queue] : thread.queues) {
    if (evaluator_.failed()) return;
    auto flying = std::ranges::find_if(
        queue.groups, [](CopyGroup const& group) { return !group.flights.empty(); });
    bool committed = flying != queue.groups.end();
    CopyGroup const& group = committed ? *flying : queue.open;
    if (group.flights.empty()) continue;
    Flight const& first = group.flights.front();
    InFlight const& copy = in_flight_.at(first.tensor.data()).at(first.element);
    fail("never_waited_for",
         fmt::format("the {} that iteration {} started is {} at the end", group.call,
                     *copy.iteration, committed ? "not waited for" : "in no group"));
  }
}

/// Who comes next gets its memory.
void StatementInterpreter::check_released(BufferNode const& buffer, NDArray const& tensor) {
  if (in_flight_.empty() || evaluator_.failed()) return;
  auto there = in_flight_.find(tensor.data());
  if (there == in_flight_.end()) return;
  InFlight const& copy = there->second.begin()->second;
  fail("released_in_flight",
       fmt::format("{} goes away in iteration {}, but the {} that iteration {} started {} it: it "
                   "was not waited for",
                   buffer.name, iteration_text(), copy.call, *copy.iteration,
                   copy.writers > 0 ? "still fills" : "still reads"));
}

}  // namespace tw::ir
