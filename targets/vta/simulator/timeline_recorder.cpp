#include "targets/vta/simulator/timeline_recorder.h"

#include <algorithm>
#include <cmath>

#include "targets/vta/hardware/assembly.h"

namespace tw::vta {
namespace {

enum Lane : int32_t { kFetchLane, kLoadLane, kComputeLane, kStoreLane, kDramLane };
enum Kind : int32_t {
  kFetchKind,
  kLoadInputs,
  kLoadWeights,
  kLoadAccumulators,
  kLoadUops,
  kGemmKind,
  kResetKind,
  kAluKind,
  kStoreKind,
  kTokensOnly,
  kDramRead,
  kDramWrite,
  kNoData,
  kBufferInUse,
  kDramBusy,
  kQueueFull,
};

std::vector<Timeline::Kind> all_kinds() {
  return {
      {.name = "fetch", .hue = "grey"},
      {.name = "load input", .hue = "sky"},
      {.name = "load weights", .hue = "sky", .hatched = true},
      {.name = "load accumulators", .hue = "amber", .hatched = true},
      {.name = "load micro-ops", .hue = "grey", .hatched = true},
      {.name = "GEMM", .hue = "amber"},
      {.name = "reset", .hue = "olive"},
      {.name = "ALU", .hue = "olive", .hatched = true},
      {.name = "store", .hue = "violet"},
      {.name = "tokens only", .hue = "grey"},
      {.name = "DRAM read", .hue = "mint"},
      {.name = "DRAM write", .hue = "mint", .hatched = true},
      // What virtual threads are there to take away stands out.
      {"stall R", "amber", true, true, "R", "data not there"},
      {"stall W", "grey", true, true, "W", "buffer in use"},
      {"stall D", "grey", true, true, "D", "DRAM busy"},
      {"stall Q", "grey", true, true, "Q", "queue full"},
  };
}

Kind kind_of_load(Memory memory) {
  switch (memory) {
    case Memory::kInp:
      return kLoadInputs;
    case Memory::kWgt:
      return kLoadWeights;
    case Memory::kUop:
      return kLoadUops;
    default:
      return kLoadAccumulators;
  }
}

Kind kind_of(Instruction const& instruction) {
  switch (instruction.opcode) {
    case Opcode::kLoad:
      return instruction.transfer.nothing() ? kTokensOnly
                                            : kind_of_load(instruction.transfer.memory);
    case Opcode::kStore:
      return instruction.transfer.nothing() ? kTokensOnly : kStoreKind;
    case Opcode::kGemm:
      return instruction.nest.reset ? kResetKind : kGemmKind;
    case Opcode::kAlu:
      return kAluKind;
    case Opcode::kFinish:
      return kTokensOnly;
  }
  return kTokensOnly;
}

int32_t lane_of(Module module) { return kLoadLane + int32_t(module); }

struct ShownMemory {
  Memory memory;
  char const* name;
};
constexpr ShownMemory kShownMemories[] = {{Memory::kInp, "inputs"},
                                          {Memory::kWgt, "weights"},
                                          {Memory::kAcc, "accumulators"},
                                          {Memory::kUop, "micro-ops"}};

int32_t counter_of(Memory memory) {
  auto found = std::ranges::find(kShownMemories, memory, &ShownMemory::memory);
  return kTokenQueues + int32_t(found - std::ranges::begin(kShownMemories));
}

}  // namespace

TimelineRecorder::TimelineRecorder(Configuration const& configuration,
                                   std::span<Instruction const> stream)
    : configuration_(configuration), stream_(stream), done_(stream.size()) {
  timeline_.clock_mhz = configuration.clock_mhz;
  timeline_.lanes = {{"Fetch", 0}, {"Load", 2}, {"Compute", 3}, {"Store"}, {"DRAM"}};
  timeline_.kinds = all_kinds();
  for (int q = 0; q < kTokenQueues; ++q)
    timeline_.counters.push_back({.name = std::string(to_text(TokenQueue(q))),
                                  .unit = "tokens",
                                  .capacity = configuration.token_queue,
                                  .steps = {{0, 0}}});
  for (Instruction const& instruction : stream)
    timeline_.instructions.push_back(
        {.text = to_line(instruction), .lane = lane_of(module_of(instruction))});
}

void TimelineRecorder::add_span(int32_t lane, int32_t kind, double begin, double end,
                                int32_t instruction) {
  int64_t first = std::llround(begin), last = std::llround(end);
  if (first >= last) return;
  size_t& at = last_span_[size_t(lane)];
  if (at > 0) {
    // The port's shares of one transfer follow each other, mostly.
    Timeline::Span& before = timeline_.spans[at - 1];
    if (before.kind == kind && before.instruction == instruction && before.end == first) {
      before.end = last;
      return;
    }
  }
  timeline_.spans.push_back({lane, kind, first, last, instruction});
  at = timeline_.spans.size();
}

void TimelineRecorder::fetched(int32_t instruction, double begin, double full_since, double now) {
  add_span(kFetchLane, kFetchKind, begin, full_since < 0 ? now : full_since, instruction);
  if (full_since >= 0) add_span(kFetchLane, kQueueFull, full_since, now, instruction);
}

void TimelineRecorder::stalled(Module module, int32_t instruction, bool buffer, double begin,
                               double end) {
  add_span(lane_of(module), buffer ? kBufferInUse : kNoData, begin, end, instruction);
}

void TimelineRecorder::count(TokenQueue queue, int change, double now) {
  auto& steps = timeline_.counters[size_t(queue)].steps;
  int64_t cycle = std::llround(now), value = steps.back().second + change;
  if (steps.back().first == cycle && steps.size() > 1) steps.pop_back();
  if (steps.back().second != value) steps.push_back({cycle, value});
}

void TimelineRecorder::popped(int32_t instruction, double now) {
  for (TokenQueue queue : pops_of(stream_[size_t(instruction)])) {
    auto q = size_t(queue);
    auto const& [pushed, from] = pushes_[q][pops_[q]++];
    timeline_.tokens.push_back({int32_t(queue), pushed, std::llround(now), from, instruction});
    count(queue, -1, now);
  }
}

void TimelineRecorder::began(int32_t instruction, Machine const& machine, double now) {
  for (SramTouch const& touch : touches_of(stream_[size_t(instruction)], instruction, machine)) {
    touches_.push_back({touch, std::llround(now), 0});
    timeline_.touches.push_back(
        {counter_of(touch.memory), instruction, touch.begin, touch.end, touch.write});
  }
}

void TimelineRecorder::done(Module module, int32_t instruction, double begin, double alone,
                            double end) {
  double undisturbed = std::min(end, begin + alone);
  add_span(lane_of(module), kind_of(stream_[size_t(instruction)]), begin, undisturbed, instruction);
  add_span(lane_of(module), kDramBusy, undisturbed, end, instruction);
  done_[size_t(instruction)] = std::llround(end);
}

void TimelineRecorder::pushed(int32_t instruction, TokenQueue queue, double now) {
  pushes_[size_t(queue)].push_back({std::llround(now), instruction});
  count(queue, +1, now);
}

void TimelineRecorder::waited_for_room(Module module, int32_t instruction, double begin,
                                       double end) {
  add_span(lane_of(module), kQueueFull, begin, end, instruction);
}

void TimelineRecorder::port(int32_t instruction, bool write, double begin, double end) {
  add_span(kDramLane, write ? kDramWrite : kDramRead, begin, end, instruction);
}

void TimelineRecorder::add_memories() {
  for (TimedTouch& timed : touches_) timed.done = done_[size_t(timed.touch.instruction)];
  for (auto const& [memory, name] : kShownMemories)
    timeline_.counters.push_back({.name = name,
                                  .unit = "bytes",
                                  .capacity = configuration_.buffer_bytes(memory),
                                  .of_memory = true,
                                  .steps = bytes_in_use(configuration_, memory, touches_)});
}

Timeline TimelineRecorder::take(double end) {
  timeline_.cycles = std::llround(end);
  std::ranges::stable_sort(timeline_.spans, {}, [](Timeline::Span const& span) {
    return std::pair(span.lane, span.begin);
  });
  add_memories();
  return std::move(timeline_);
}

}  // namespace tw::vta
