#include "targets/vta/simulator/timed_machine.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tw::vta {
namespace {

constexpr Module kAllModules[] = {Module::kLoad, Module::kCompute, Module::kStore};
constexpr double kNever = std::numeric_limits<double>::infinity();
/// Less of a cycle than this is nothing: shares of the port are quotients.
constexpr double kNothing = 1e-6;
/// Instructions that fetch reads at once: a burst of sixteen beats of sixteen bytes.
constexpr int32_t kGroup = 16;
/// Of an instruction that is here until it stands in a queue: one leaves fetch in each cycle.
constexpr double kFetchCycles = 1;

bool is_buffer_free_token(TokenQueue queue) {
  return queue == TokenQueue::kComputeToLoad || queue == TokenQueue::kStoreToCompute;
}

}  // namespace

TimedMachine::TimedMachine(Configuration const& configuration, std::span<Instruction const> stream,
                           TimingOptions const& options, ModuleQueues queues)
    : machine_(configuration),
      stream_(stream),
      options_(options),
      missed_(std::make_shared<std::vector<int64_t>>(
          missed_bytes(configuration, stream, options.constants.cache_bytes))),
      queues_(std::move(queues)) {
  if (options_.timeline) recorder_.emplace(configuration, stream);
  read_group();
}

Result<TimedMachine> TimedMachine::create(Configuration const& configuration,
                                          std::span<Instruction const> stream,
                                          TimingOptions const& options) {
  TRY_ASSIGN(ModuleQueues queues, ModuleQueues::create(configuration, stream));
  return TimedMachine(configuration, stream, options, std::move(queues));
}

Status TimedMachine::step(Dram dram) {
  while (!done()) {
    TRY_ASSIGN(bool moved, settle(dram));
    if (moved) continue;
    double next = next_change();
    if (next == kNever) return std::unexpected(queues_.deadlock(int64_t(now_)));
    advance(next - now_);
    return {};
  }
  return {};
}

bool TimedMachine::ended(Agent const& agent) const {
  return agent.running && agent.port <= 0 && agent.until <= now_;
}

/// Everything that happens now. False: nothing did.
Result<bool> TimedMachine::settle(Dram dram) {
  bool moved = false;
  for (Module module : kAllModules) {
    if (ended(agents_[size_t(module)])) moved |= end(module);
  }
  moved |= fetch();
  for (Module module : kAllModules) {
    moved |= queues_.take(module);
    TRY_ASSIGN(bool began, begin(module, dram));
    moved |= began;
  }
  return moved;
}

/// What the instruction does is done; it is over when its tokens are in their queues.
bool TimedMachine::end(Module module) {
  Agent& agent = agents_[size_t(module)];
  int32_t i = queues_.held(module);
  bool ends_now = agent.done_at < 0;
  if (ends_now) end_work(module);
  bool pushed = push_tokens(module);
  if (queues_.held(module) >= 0) return ends_now || pushed;
  if (module == Module::kCompute) busy_.stall_buffer += now_ - agent.done_at;
  if (recorder_) recorder_->waited_for_room(module, i, agent.done_at, now_);
  agent.running = false;
  return true;
}

void TimedMachine::end_work(Module module) {
  Agent& agent = agents_[size_t(module)];
  int32_t i = queues_.held(module);
  Instruction const& instruction = stream_[size_t(i)];
  InstructionCost needs = cost(i);
  double alone = needs.port + needs.own;
  account(instruction, alone, now_ - agent.begin);
  if (recorder_) recorder_->done(module, i, agent.begin, alone, now_);
  if (instruction.opcode == Opcode::kFinish) finished_ = now_;
  agent.done_at = now_;
}

bool TimedMachine::push_tokens(Module module) {
  int32_t i = queues_.held(module);
  std::array<int64_t, kTokenQueues> before{};
  for (size_t q = 0; q < before.size(); ++q) before[q] = queues_.pushed(TokenQueue(q));
  bool changed = queues_.finish(module);
  for (TokenQueue queue : pushes_of(stream_[size_t(i)]))
    if (recorder_ && queues_.pushed(queue) > before[size_t(queue)])
      recorder_->pushed(i, queue, now_);
  return changed;
}

void TimedMachine::account(Instruction const& instruction, double alone, double taken) {
  switch (instruction.opcode) {
    case Opcode::kGemm:
      (instruction.nest.reset ? busy_.reset : busy_.gemm) += taken;
      break;
    case Opcode::kAlu:
      busy_.alu += taken;
      break;
    case Opcode::kStore:
      busy_.store += taken;
      break;
    case Opcode::kFinish:
      break;
    case Opcode::kLoad:
      if (module_of(instruction) == Module::kLoad) {
        busy_.load += taken;
      } else {
        busy_.compute_load += alone;
        busy_.stall_dram += std::max(0.0, taken - alone);
      }
  }
}

Result<bool> TimedMachine::begin(Module module, Dram dram) {
  Agent& agent = agents_[size_t(module)];
  int32_t i = queues_.held(module);
  if (i < 0 || agent.running || wait(module)) return false;
  queues_.pop(module);
  if (recorder_) recorder_->popped(i, now_);
  TRY(run_instruction(i, dram));
  InstructionCost needs = cost(i);
  agent = {.running = true, .begin = now_, .port = needs.port, .until = now_ + needs.own};
  return true;
}

InstructionCost TimedMachine::cost(int32_t index) const {
  return cost_of(machine_.configuration(), options_.constants, stream_[size_t(index)],
                 (*missed_)[size_t(index)]);
}

/// Whether the held instruction lacks a token; what it waited for is counted when it no longer
/// does.
bool TimedMachine::wait(Module module) {
  Agent& agent = agents_[size_t(module)];
  if (auto missing = queues_.missing(module)) {
    if (agent.waits_since < 0) agent.waits_since = now_;
    agent.waits_for = *missing;
    return true;
  }
  if (agent.waits_since < 0) return false;
  bool buffer = is_buffer_free_token(agent.waits_for);
  double waited = now_ - agent.waits_since;
  if (module == Module::kCompute) (buffer ? busy_.stall_buffer : busy_.stall_data) += waited;
  if (recorder_) recorder_->stalled(module, queues_.held(module), buffer, agent.waits_since, now_);
  agent.waits_since = -1;
  return false;
}

Status TimedMachine::run_instruction(int32_t index, Dram dram) {
  Instruction const& instruction = stream_[size_t(index)];
  // Which elements a nest touches depends on micro-ops.
  bool uops = instruction.opcode == Opcode::kLoad && instruction.transfer.memory == Memory::kUop;
  if (options_.before_each) TRY(options_.before_each(index));
  if (options_.execute || (recorder_ && uops && !dram.empty()))
    if (auto run = machine_.execute(instruction, dram); !run)
      return std::unexpected(
          at_instruction(machine_.configuration(), instruction, index, run.error()));
  bool nest = instruction.opcode == Opcode::kGemm || instruction.opcode == Opcode::kAlu;
  if (recorder_ && (options_.execute || !dram.empty() || !nest))
    recorder_->began(index, machine_, now_);
  return {};
}

/// Hands out the next instruction when it is here and its module has room.
bool TimedMachine::fetch() {
  Agent& agent = agents_[kFetch];
  if (queues_.next_fetched() < 0 || !ended(agent)) return false;
  if (!queues_.has_room()) {
    if (agent.waits_since < 0) agent.waits_since = now_;
    return false;
  }
  int32_t handed = queues_.next_fetched();
  if (recorder_) recorder_->fetched(handed, agent.begin, agent.waits_since, now_);
  queues_.hand_out();
  agent.waits_since = -1;
  agent.begin = now_;
  agent.until = now_ + kFetchCycles;
  if (handed + 1 == group_end_) read_group();
  return true;
}

void TimedMachine::read_group() {
  Configuration const& c = machine_.configuration();
  int32_t count = std::min(kGroup, int32_t(stream_.size()) - group_end_);
  if (count == 0) return;
  group_end_ += count;
  agents_[kFetch] = {
      .running = true,
      .begin = now_,
      .port = port_cycles(c, options_.constants, Memory::kUop, 1, count * c.instruction_bytes()),
      .until = now_ + kFetchCycles};
}

int TimedMachine::users() const {
  return int(std::ranges::count_if(agents_, [](Agent const& agent) { return agent.port > 0; }));
}

double TimedMachine::next_change() const {
  double next = kNever, users_now = users();
  for (Agent const& agent : agents_) {
    if (!agent.running) continue;
    if (agent.port > 0) next = std::min(next, now_ + agent.port * users_now);
    if (agent.port <= 0 && agent.until > now_) next = std::min(next, agent.until);
  }
  return next;
}

/// Every user of the port gets the same share of it.
void TimedMachine::advance(double cycles) {
  int users_now = users();
  double share = cycles / std::max(1, users_now), at = now_;
  now_ += cycles;
  if (users_now > 0) busy_.dram += cycles;
  for (size_t a = 0, left = size_t(users_now); a < kAgents; ++a) {
    Agent& agent = agents_[a];
    if (agent.port <= 0) continue;
    // The last share ends now, whatever sums of shares are rounded to.
    double end = --left == 0 ? now_ : at + share;
    int32_t i = a == kFetch ? queues_.next_fetched() : queues_.held(Module(a));
    if (recorder_) recorder_->port(i, a == size_t(Module::kStore), at, end);
    at = end;
    agent.port -= share;
    if (agent.port < kNothing) agent.port = 0;
  }
}

TimedRun TimedMachine::take() {
  TimedRun run{.machine = std::move(machine_)};
  run.cycles = std::llround(std::ceil(finished_ - kNothing) + options_.constants.launch_cycles);
  run.milliseconds = double(run.cycles) / run.machine.configuration().clock_mhz * 1e-3;
  run.busy = busy_;
  run.gemm_busy = std::llround(busy_.gemm);
  run.alu_busy = std::llround(busy_.alu);
  run.load_busy = std::llround(busy_.load);
  run.store_busy = std::llround(busy_.store);
  run.dram_busy = std::llround(busy_.dram);
  for (size_t q = 0; q < size_t(kTokenQueues); ++q)
    run.tokens_left[q] = queues_.waiting(TokenQueue(q));
  if (recorder_) run.timeline = recorder_->take(now_);
  return run;
}

}  // namespace tw::vta
