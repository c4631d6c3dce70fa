#include "targets/vta/simulator/sram_use.h"

#include <algorithm>
#include <map>

#include "targets/vta/simulator/checks.h"

namespace tw::vta {
namespace {

/// Adds what one operand of a nest touches.
void add_operand(std::vector<SramTouch>& touches, SramTouch touch, Nest const& nest,
                 std::span<MicroOp const> uops, uint32_t MicroOp::*index, Factors const& factors) {
  auto [least, most] = std::ranges::minmax(uops, {}, index);
  touch.begin = least.*index;
  touch.end = int64_t(most.*index) + reach(nest, factors) + 1;
  touches.push_back(touch);
}

std::vector<SramTouch> touches_of_nest(Instruction const& instruction, int32_t index,
                                       Machine const& machine) {
  Nest const& nest = instruction.nest;
  std::vector<SramTouch> touches;
  if (nest.steps() == 0 || machine.uops().empty()) return touches;
  auto uops = std::span(machine.uops()).subspan(nest.uop_begin, size_t(nest.uops()));
  bool gemm = instruction.opcode == Opcode::kGemm;
  touches.push_back({Memory::kUop, index, nest.uop_begin, nest.uop_end});
  add_operand(touches, {Memory::kAcc, index, 0, 0, true, nest.reset}, nest, uops, &MicroOp::dst,
              nest.dst);
  if (!gemm && !instruction.use_immediate)
    add_operand(touches, {Memory::kAcc, index}, nest, uops, &MicroOp::src, nest.src);
  if (!gemm || nest.reset) return touches;
  add_operand(touches, {Memory::kInp, index}, nest, uops, &MicroOp::src, nest.src);
  add_operand(touches, {Memory::kWgt, index}, nest, uops, &MicroOp::wgt, nest.wgt);
  return touches;
}

/// Elements that are in use, as changes of their number by cycle.
class UseCounter {
public:
  explicit UseCounter(int64_t depth) : born_(size_t(depth), -1), last_(size_t(depth)) {}

  void add(TimedTouch const& timed) {
    for (int64_t i = timed.touch.begin; i < std::min(timed.touch.end, int64_t(born_.size())); ++i) {
      auto e = size_t(i);
      if (timed.touch.fresh) end_life(e);
      if (born_[e] < 0) born_[e] = timed.begun, last_[e] = timed.begun;
      last_[e] = std::max(last_[e], timed.done);
    }
  }
  std::vector<std::pair<int64_t, int64_t>> steps(int64_t element_bytes) {
    for (size_t e = 0; e < born_.size(); ++e) end_life(e);
    std::vector<std::pair<int64_t, int64_t>> steps{{0, 0}};
    int64_t count = 0;
    for (auto const& [cycle, change] : changes_) {
      if (change == 0) continue;
      count += change;
      if (cycle == 0) steps.pop_back();
      steps.push_back({cycle, count * element_bytes});
    }
    return steps;
  }

private:
  void end_life(size_t element) {
    if (born_[element] < 0) return;
    ++changes_[born_[element]];
    --changes_[last_[element]];
    born_[element] = -1;
  }
  std::vector<int64_t> born_, last_;  ///< cycles; -1: not in use
  std::map<int64_t, int64_t> changes_;
};

}  // namespace

std::vector<SramTouch> touches_of(Instruction const& instruction, int32_t index,
                                  Machine const& machine) {
  Transfer const& t = instruction.transfer;
  switch (instruction.opcode) {
    case Opcode::kLoad: {
      if (fills_nothing(machine.configuration(), t)) return {};
      Memory memory = t.memory == Memory::kAccByte ? Memory::kAcc : t.memory;
      return {{memory, index, t.sram, t.sram + t.rows() * t.columns(), true, true}};
    }
    case Opcode::kStore:
      if (t.nothing()) return {};
      return {{Memory::kAcc, index, t.sram, t.sram + int64_t(t.y_size) * t.x_size}};
    case Opcode::kGemm:
    case Opcode::kAlu:
      return touches_of_nest(instruction, index, machine);
    case Opcode::kFinish:
      return {};
  }
  return {};
}

std::vector<std::pair<int64_t, int64_t>> bytes_in_use(Configuration const& configuration,
                                                      Memory memory,
                                                      std::span<TimedTouch const> touches) {
  UseCounter counter(configuration.depth(memory));
  for (TimedTouch const& timed : touches)
    if (timed.touch.memory == memory) counter.add(timed);
  return counter.steps(configuration.element_bytes(memory));
}

}  // namespace tw::vta
