// Threads of a block that take sides of a condition below which they wait for phases: two roles.
// Each runs together until it waits for what only the other one can bring; then that one goes on.
// Who goes first makes no difference, as phases never begin again: what could differ is a race, and
// is found by what each thread has seen of the others.
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/ir/intrinsic.h"
#include "engine/ir/statement_interpreter.h"

namespace tw::ir {

/// Whose turn it is. Each role has a stack of its own, a thread of the process; one runs at a time.
class RoleTurns {
public:
  /// From now on it is the role's turn, which may be over at once.
  void begin(int role) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == role; });
  }
  void end(int role) {
    std::lock_guard lock(mutex_);
    ended_[size_t(role)] = true;
    turn_ = 1 - role;
    changed_.notify_all();
  }
  /// The other one goes on until it waits or ends. False: neither has got anywhere since the last
  /// time.
  bool pass() {
    std::unique_lock lock(mutex_);
    int role = turn_;
    if (++idle_ > 2) return false;
    if (ended_[size_t(1 - role)]) return true;
    turn_ = 1 - role;
    changed_.notify_all();
    changed_.wait(lock, [&] { return turn_ == role; });
    return true;
  }
  /// Somebody has arrived, or has got past a wait.
  void moved() { idle_ = 0; }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int turn_ = 0, idle_ = 0;
  std::array<bool, 2> ended_{};
};

void Roles::run(Code const& code, std::array<Threads, 2> const& roles) {
  if (turns_) return machine_.fail("divergent_barrier", "a role is split by another condition");
  int32_t first = INT32_MAX, last = 0;
  for (Threads const& threads : roles)
    for (Thread const* thread : threads) {
      first = std::min(first, thread->number);
      last = std::max(last, thread->number);
    }
  for (Threads const& threads : roles)
    for (Thread* thread : threads) {
      thread->seen = {first, std::vector<int32_t>(size_t(last - first + 1), 0)};
      thread->seen.arrivals[size_t(thread->number - first)] = 1;
    }
  RoleTurns turns;
  turns_ = &turns;
  auto const around = machine_.around_;
  auto run = [&](int role) {
    turns.begin(role);
    machine_.around_ = around;
    if (size_t(role) < code.children.size())
      machine_.run_together(*code.children[size_t(role)], roles[size_t(role)]);
    turns.end(role);
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  turns_ = nullptr;
  machine_.around_ = around;
  for (Threads const& threads : roles)
    for (Thread* thread : threads) thread->seen = {};
}

Phases* Roles::phases_of(Code const& code) {
  Passed const& passed = code.callee->passed[0];
  for (int axis : passed.axes) machine_.evaluator_.set(axis, 0);
  int64_t element = machine_.evaluator_.offset(passed.buffer, passed.exprs, 0);
  if (machine_.evaluator_.failed()) return nullptr;
  Phases& phases =
      phases_[{machine_.evaluator_.state().buffers[size_t(passed.buffer)].data(), element}];
  bool opens = code.source.to<IntrinsicCall>().intrinsic->completion == Completion::kOpens;
  if (opens || (phases.arrivals > 0 && phases.epoch != machine_.epoch_)) return &phases;
  machine_.fail("phase_not_open",
                fmt::format("iteration {} uses {}[{}], which {}", machine_.iteration_text(),
                            machine_.evaluator_.buffer_name(passed.buffer), element,
                            phases.arrivals > 0 ? "may not be open yet: no barrier is between"
                                                : "nobody has opened"));
  return nullptr;
}

void Roles::forget(NDArray const& tensor) {
  std::erase_if(phases_, [&](auto const& at) { return at.first.first == tensor.data(); });
}

void Roles::use(IntrinsicNode const& intrinsic, Code const& code) {
  if (!machine_.current_) return machine_.refuse_call(intrinsic, "it is in no thread");
  Phases* phases = phases_of(code);
  if (!phases) return;
  if (intrinsic.completion == Completion::kOpens) {
    *phases = {.arrivals = machine_.evaluator_.integer(code.callee->passed[1].exprs[0], 0),
               .epoch = machine_.epoch_};
    return;
  }
  if (intrinsic.completion == Completion::kDelivers)
    for (CopyQueue& queue = machine_.current_->queues[""]; !queue.open.flights.empty();
         queue.open = {})
      phases->coming.push_back(std::move(queue.open));
  arrive(*phases);
}

/// Whoever waits for the phase knows all that its threads have done until now.
void Roles::arrive(Phases& phases) {
  Seen& seen = machine_.current_->seen;
  phases.arriving.add(seen);
  if (!seen.arrivals.empty()) ++seen.arrivals[size_t(machine_.current_->number - seen.first)];
  if (turns_) turns_->moved();
  if (++phases.arrived < phases.arrivals) return;
  phases.arrived = 0;
  ++phases.over;
  phases.arrived_before.add(phases.arriving);
}

bool Roles::passes(Code const& code, std::string& waits) {
  Phases* phases = phases_of(code);
  if (!phases) return true;
  int64_t phase = machine_.evaluator_.integer(code.callee->passed[1].exprs[0], 0);
  bool goes_on = ((phases->over ^ phase) & 1) != 0;  // as parities tell
  waits = fmt::format("iteration {} waits for phase {}, and phase {} has {} of {} arrivals",
                      machine_.iteration_text(), phase, phases->over, phases->arrived,
                      phases->arrivals);
  if (phases->over > phase + 1 || (goes_on && phases->over <= phase)) {
    machine_.fail("mistaken_phase", waits + ": by parity these are taken for one another");
    return true;
  }
  if (!goes_on) return false;
  machine_.current_->seen.add(phases->arrived_before);
  for (CopyGroup const& group : phases->coming) machine_.land(group, nullptr);
  phases->coming.clear();
  return true;
}

void Roles::await(Code const& code, Threads const& threads) {
  Threads waiting = threads;
  while (!machine_.evaluator_.failed()) {
    std::string waits;
    std::erase_if(waiting, [&](Thread* thread) {
      return machine_.as_one(*thread, [&] { return passes(code, waits); });
    });
    if (waiting.empty()) {
      if (turns_) turns_->moved();
      return;
    }
    auto const around = machine_.around_;
    if (!turns_ || !turns_->pass())
      if (!machine_.evaluator_.failed())
        machine_.fail("roles_stuck", waits + ": nobody else goes on");
    machine_.around_ = around;
  }
}

}  // namespace tw::ir
