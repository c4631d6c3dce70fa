#include "targets/vta/prover/happens_before.h"

#include <algorithm>

#include "engine/order/run.h"
#include "targets/vta/simulator/module_queues.h"

namespace tw::vta {
namespace {

constexpr Module kAll[] = {Module::kLoad, Module::kCompute, Module::kStore};

/// Writes streams down as order courses.
class Courses {
public:
  explicit Courses(std::span<Instruction const> stream) : stream_(stream) {}

  /// Every instruction is one event; those of a module from its place `runs` on never happen. That
  /// fetch and the queues of commands order anything is no promise of the hardware.
  TokenOrder order(std::array<int32_t, kModules> const& runs) {
    begin(order::Queue::kUnbounded);
    int32_t never = course_.add_counter("nothing");
    std::array<int32_t, kModules> count{};
    std::array<std::vector<int32_t>, kTokenQueues> pushers, poppers;
    for (size_t i = 0; i < stream_.size(); ++i) {
      Module module = module_of(stream_[i]);
      bool happens = count[size_t(module)]++ < runs[size_t(module)];
      if (!happens) waits_.push_back({never});
      for (TokenQueue queue : pops_of(stream_[i])) {
        tokens_[size_t(queue)].pop(waits_, given_);
        if (happens) poppers[size_t(queue)].push_back(int32_t(i));
      }
      for (TokenQueue queue : pushes_of(stream_[i])) {
        tokens_[size_t(queue)].push(waits_, given_);
        if (happens) pushers[size_t(queue)].push_back(int32_t(i));
      }
      add(int32_t(module));
    }
    return {order::HappensBefore(course_), std::move(pushers), std::move(poppers), {}};
  }

  /// How many instructions of each module begin, where each is fetched into a queue of `commands`,
  /// taken from there when the one before it is done, and done when its tokens had room.
  std::array<int32_t, kModules> run(int64_t commands, int64_t tokens) {
    begin(tokens);
    int32_t fetch = course_.add_agent("fetch");
    std::vector<order::Queue> queues;
    for (Module module : kAll) queues.emplace_back(course_, std::string(to_text(module)), commands);
    std::vector<bool> begins;  // of each event, whether an instruction begins with it
    for (Instruction const& instruction : stream_) {
      auto module = int32_t(module_of(instruction));
      queues[size_t(module)].push(waits_, given_);
      add(fetch);
      queues[size_t(module)].pop(waits_, given_);
      QueueList pops = pops_of(instruction);
      if (pops.count > 0) add(module);  // it is out of the queue while it waits for its tokens
      begins.resize(size_t(course_.events()) + 1);
      begins.back() = true;
      for (TokenQueue queue : pops) tokens_[size_t(queue)].pop(waits_, given_);
      if (tokens != order::Queue::kUnbounded) add(module);
      for (TokenQueue queue : pushes_of(instruction)) {
        tokens_[size_t(queue)].push(waits_, given_);
        if (tokens != order::Queue::kUnbounded) add(module);
      }
      if (tokens == order::Queue::kUnbounded) add(module);
    }
    begins.resize(size_t(course_.events()));
    order::Run run(course_);
    std::array<int32_t, kModules> begun{};
    run.go([&](int32_t event) {
      if (begins[size_t(event)]) ++begun[size_t(course_.agent(event))];
    });
    for (int32_t agent = 0; agent < course_.agents(); ++agent)
      all_done_ = all_done_ && !run.lacks(agent);
    return begun;
  }
  bool all_done() const { return all_done_; }

private:
  void begin(int64_t tokens) {
    for (Module module : kAll) course_.add_agent(std::string(to_text(module)));
    for (int q = 0; q < kTokenQueues; ++q)
      tokens_.emplace_back(course_, std::string(to_text(TokenQueue(q))), tokens);
  }
  void add(int32_t agent) {
    course_.add_event(agent, waits_, given_);
    waits_.clear();
    given_.clear();
  }

  std::span<Instruction const> stream_;
  order::Course course_;
  std::vector<order::Queue> tokens_;
  std::vector<order::Wait> waits_;
  std::vector<order::Signal> given_;
  bool all_done_ = true;
};

bool go_on(ModuleQueues& queues, Module module) {
  bool any = false;
  while (queues.held(module) >= 0 || queues.take(module)) {
    if (!queues.begun(module)) {
      if (queues.missing(module)) break;
      queues.pop(module);
      any = true;
    }
    any |= queues.finish(module);
    if (queues.held(module) >= 0) break;  // its tokens have no room
  }
  return any;
}

/// Who waits for whom where modules stand still, in the simulator's words.
std::string told(ModuleQueues queues) {
  for (bool moved = true; moved;) {
    moved = false;
    for (; queues.next_fetched() >= 0 && queues.has_room(); moved = true) queues.hand_out();
    for (Module module : kAll) moved |= go_on(queues, module);
  }
  std::string said = queues.deadlock(0).message;  // of time nothing is known here
  std::string_view cycle = "deadlock in cycle 0: ";
  return said.starts_with(cycle) ? said.substr(cycle.size()) : said;
}

/// Every token is pushed by an instruction that stands before the one that pops it: then all run,
/// since they can in the order of the stream, which needs no room anywhere.
bool runs_in_its_order(std::span<Instruction const> stream) {
  std::array<int64_t, kTokenQueues> waiting{};
  for (Instruction const& instruction : stream) {
    for (TokenQueue queue : pops_of(instruction))
      if (--waiting[size_t(queue)] < 0) return false;
    for (TokenQueue queue : pushes_of(instruction)) ++waiting[size_t(queue)];
  }
  return true;
}

bool may_fill_a_queue(Configuration const& configuration, TokenOrder const& order) {
  return std::ranges::any_of(order.pushers, [&](std::vector<int32_t> const& pushers) {
    return int64_t(pushers.size()) > configuration.token_queue;
  });
}

}  // namespace

Result<TokenOrder> happens_before(Configuration const& configuration,
                                  std::span<Instruction const> stream) {
  // How many tokens can wait is asked of all runs, not of one: find_token_hazards.
  TRY_ASSIGN(ModuleQueues queues,
             ModuleQueues::create(configuration, stream, TokenRoom::kUnbounded));
  std::array<int32_t, kModules> runs;
  runs.fill(INT32_MAX);
  Courses unbounded(stream);
  if (!runs_in_its_order(stream))
    runs = unbounded.run(configuration.command_queue, order::Queue::kUnbounded);
  TokenOrder order = Courses(stream).order(runs);
  if (!unbounded.all_done()) order.deadlock = told(std::move(queues));
  if (!order.deadlock.empty() || !configuration.tokens_stall ||
      !may_fill_a_queue(configuration, order))
    return order;
  // Who waits for room in a full queue waits in every run.
  Courses bounded(stream);
  bounded.run(configuration.command_queue, configuration.token_queue);
  if (bounded.all_done()) return order;
  TRY_ASSIGN(ModuleQueues full, ModuleQueues::create(configuration, stream));
  order.deadlock = told(std::move(full));
  return order;
}

}  // namespace tw::vta
