#include "targets/vta/simulator/events.h"

#include <limits>

#include "engine/support/base/random.h"
#include "targets/vta/simulator/module_queues.h"

namespace tw::vta {
namespace {

constexpr Module kAllModules[] = {Module::kLoad, Module::kCompute, Module::kStore};
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// Fetch and the modules, each busy until a time. What an instruction does is done when it begins:
/// the order of begins decides all.
class EventSimulator {
public:
  EventSimulator(Configuration const& configuration, std::span<Instruction const> stream, Dram dram,
                 ModuleQueues queues, EventOptions const& options)
      : machine_(configuration),
        stream_(stream),
        dram_(dram),
        queues_(std::move(queues)),
        before_each_(options.before_each),
        rng_(options.seed) {
    // Some runs have a module that is far slower than others: queues fill up behind it.
    for (int64_t& slowness : slowness_) slowness = int64_t(1) << 2 * rng_.below(5);
    fetched_at_ = random_duration(kModules);
  }

  Result<EventRun> run() {
    while (!queues_.all_done()) {
      TRY_ASSIGN(bool moved, settle());
      if (moved) continue;
      int64_t next = next_time();
      if (next == kNever) return std::unexpected(queues_.deadlock(now_));
      now_ = next;
    }
    EventRun run{.machine = std::move(machine_), .order = std::move(order_)};
    for (size_t q = 0; q < size_t(kTokenQueues); ++q)
      run.tokens_left[q] = queues_.waiting(TokenQueue(q));
    return run;
  }

private:
  int64_t random_duration(size_t who) { return 1 + rng_.below(slowness_[who]); }

  /// Everything that can happen now. False: nothing did.
  Result<bool> settle() {
    bool moved = false;
    for (Module module : kAllModules) {
      if (busy_until_[size_t(module)] > now_) continue;
      moved |= queues_.finish(module);
      if (queues_.held(module) < 0) busy_until_[size_t(module)] = kNever;
    }
    if (queues_.next_fetched() >= 0 && fetched_at_ <= now_ && queues_.has_room()) {
      queues_.hand_out();
      fetched_at_ = now_ + random_duration(kModules);
      moved = true;
    }
    for (Module module : kAllModules) {
      moved |= queues_.take(module);
      TRY_ASSIGN(bool began, begin(module));
      moved |= began;
    }
    return moved;
  }

  Result<bool> begin(Module module) {
    int32_t i = queues_.held(module);
    if (i < 0 || busy_until_[size_t(module)] != kNever || queues_.missing(module)) return false;
    queues_.pop(module);
    if (before_each_) TRY(before_each_(i));
    if (auto done = machine_.execute(stream_[size_t(i)], dram_); !done)
      return std::unexpected(
          at_instruction(machine_.configuration(), stream_[size_t(i)], i, done.error()));
    order_.push_back(i);
    busy_until_[size_t(module)] = now_ + random_duration(size_t(module));
    return true;
  }

  int64_t next_time() const {
    int64_t next = queues_.next_fetched() >= 0 && fetched_at_ > now_ ? fetched_at_ : kNever;
    for (int64_t until : busy_until_)
      if (until > now_) next = std::min(next, until);  // the others wait for room for a token
    return next;
  }

  Machine machine_;
  std::span<Instruction const> stream_;
  Dram dram_;
  ModuleQueues queues_;
  BeforeEach before_each_;
  Rng rng_;
  int64_t now_ = 0, fetched_at_ = 0;
  std::array<int64_t, kModules> busy_until_{kNever, kNever, kNever};
  std::array<int64_t, kModules + 1> slowness_{};
  std::vector<int32_t> order_;
};

}  // namespace

Result<EventRun> run_events(Configuration const& configuration, std::span<Instruction const> stream,
                            Dram dram, EventOptions const& options) {
  TRY_ASSIGN(ModuleQueues queues, ModuleQueues::create(configuration, stream));
  return EventSimulator(configuration, stream, dram, std::move(queues), options).run();
}

}  // namespace tw::vta
