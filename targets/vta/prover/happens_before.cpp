#include "targets/vta/prover/happens_before.h"

#include <algorithm>

#include "targets/vta/simulator/module_queues.h"

namespace tw::vta {
namespace {

constexpr Module kAll[] = {Module::kLoad, Module::kCompute, Module::kStore};

/// Runs the tokens alone. Whichever module goes first, the same instructions run in the end, and
/// each after the same ones: a queue has one module that pushes and one that pops.
class TokenRun {
public:
  TokenRun(ModuleQueues queues, std::span<Instruction const> stream)
      : queues_(std::move(queues)), stream_(stream) {
    made_.before.resize(stream.size());
    for (Instruction const& instruction : stream) {
      Module module = module_of(instruction);
      made_.module.push_back(module);
      made_.index.push_back(count_[size_t(module)]++);
    }
  }

  HappensBefore all() && {
    for (bool moved = true; moved;) {
      moved = false;
      for (; queues_.next_fetched() >= 0 && queues_.has_room(); moved = true) queues_.hand_out();
      for (Module module : kAll) moved |= run(module);
    }
    if (!queues_.all_done()) {
      std::string said = queues_.deadlock(0).message;  // of time nothing is known here
      std::string_view cycle = "deadlock in cycle 0: ";
      made_.deadlock = said.starts_with(cycle) ? said.substr(cycle.size()) : said;
    }
    return std::move(made_);
  }

private:
  bool run(Module module) {
    bool any = false;
    while (queues_.held(module) >= 0 || queues_.take(module)) {
      if (!queues_.begun(module)) {
        if (queues_.missing(module)) break;
        int32_t i = queues_.held(module);
        queues_.pop(module);
        begin(module, i);
        any = true;
      }
      any |= queues_.finish(module);
      if (queues_.held(module) >= 0) break;  // its tokens have no room
    }
    return any;
  }

  void begin(Module module, int32_t i) {
    HappensBefore::Clock& clock = now_[size_t(module)];
    for (TokenQueue queue : pops_of(stream_[size_t(i)])) {
      auto& poppers = made_.poppers[size_t(queue)];
      HappensBefore::Clock const& given = given_[size_t(queue)][poppers.size()];
      for (size_t m = 0; m < size_t(kModules); ++m) clock[m] = std::max(clock[m], given[m]);
      poppers.push_back(i);
    }
    made_.before[size_t(i)] = clock;
    made_.ran[size_t(module)].push_back(i);
    ++clock[size_t(module)];
    for (TokenQueue queue : pushes_of(stream_[size_t(i)])) {
      made_.pushers[size_t(queue)].push_back(i);
      given_[size_t(queue)].push_back(clock);
    }
  }

  ModuleQueues queues_;
  std::span<Instruction const> stream_;
  HappensBefore made_;
  std::array<int32_t, kModules> count_{};
  std::array<HappensBefore::Clock, kModules> now_{};
  std::array<std::vector<HappensBefore::Clock>, kTokenQueues> given_;
};

bool may_fill_a_queue(Configuration const& configuration, HappensBefore const& order) {
  return std::ranges::any_of(order.pushers, [&](std::vector<int32_t> const& pushers) {
    return int64_t(pushers.size()) > configuration.token_queue;
  });
}

}  // namespace

Result<HappensBefore> happens_before(Configuration const& configuration,
                                     std::span<Instruction const> stream) {
  // How many tokens can wait is asked of all runs, not of this one: find_token_hazards.
  TRY_ASSIGN(ModuleQueues queues,
             ModuleQueues::create(configuration, stream, TokenRoom::kUnbounded));
  HappensBefore order = TokenRun(std::move(queues), stream).all();
  if (!order.deadlock.empty() || !configuration.tokens_stall ||
      !may_fill_a_queue(configuration, order))
    return order;
  // Who waits for room in a full queue waits in every run.
  TRY_ASSIGN(ModuleQueues bounded, ModuleQueues::create(configuration, stream));
  order.deadlock = TokenRun(std::move(bounded), stream).all().deadlock;
  return order;
}

}  // namespace tw::vta
