#include "targets/vta/prover/reuse_distance.h"

#include <algorithm>

namespace tw::vta {
namespace {

struct Step {
  int64_t outer = 0, inner = 0, uop = 0;
};

class Search {
public:
  Search(Instruction const& instruction, std::span<MicroOp const> uops, int latency,
         NestSteps steps)
      : nest_(instruction.nest),
        uops_(uops),
        latency_(latency),
        steps_(steps),
        reads_src_(instruction.opcode == Opcode::kAlu && !instruction.use_immediate) {}

  /// Where steps lie to one another repeats with the loops: the first iteration of the inner loop
  /// stands for all that have another behind them, the last ones of the first outer iteration for
  /// those where the outer loop goes on.
  std::optional<Reuse> first() const {
    if (reads_src_ && nest_.src != nest_.dst) return first_of_all();
    if (steps_ == NestSteps::kOfOneIteration) return first_of_iteration({0, 0, 0});
    int64_t last = std::max<int64_t>(1, int64_t(nest_.inner) - latency_);
    for (int64_t inner = 0; inner < nest_.inner; inner = inner == 0 ? last : inner + 1)
      if (auto found = first_of_iteration({0, inner, 0})) return found;
    return std::nullopt;
  }

private:
  std::optional<Reuse> first_of_iteration(Step step) const {
    for (; step.uop < int64_t(uops_.size()); ++step.uop)
      if (auto found = from(step)) return found;
    return std::nullopt;
  }
  /// Of an ALU whose source goes its own way: each iteration is another one.
  std::optional<Reuse> first_of_all() const {
    constexpr int64_t kMostSteps = 1 << 24;  // a second; published memories have 2^11 elements
    Step step;
    for (int64_t steps = 0; steps < kMostSteps; ++steps) {
      if (auto found = from(step)) return found;
      if (!advance(step)) break;
    }
    return std::nullopt;
  }
  bool advance(Step& step) const {
    if (++step.uop < int64_t(uops_.size())) return true;
    step.uop = 0;
    if (++step.inner < nest_.inner) return true;
    step.inner = 0;
    return ++step.outer < nest_.outer;
  }
  int64_t dst(Step const& s) const {
    return uops_[size_t(s.uop)].dst + s.outer * nest_.dst.outer + s.inner * nest_.dst.inner;
  }
  int64_t src(Step const& s) const {
    return uops_[size_t(s.uop)].src + s.outer * nest_.src.outer + s.inner * nest_.src.inner;
  }
  std::optional<Reuse> from(Step const& start) const {
    Step step = start;
    int64_t written = dst(start);
    for (int64_t distance = 1; distance < latency_ && advance(step); ++distance) {
      if (steps_ == NestSteps::kOfOneIteration && step.uop == 0) return std::nullopt;  // it drained
      if (dst(step) == written || (reads_src_ && src(step) == written))
        return Reuse{distance, nest_.uop_begin + uint32_t(start.uop),
                     nest_.uop_begin + uint32_t(step.uop), written};
    }
    return std::nullopt;
  }

  Nest const& nest_;
  std::span<MicroOp const> uops_;
  int latency_;
  NestSteps steps_;
  bool reads_src_;
};

}  // namespace

std::optional<Reuse> close_reuse(Instruction const& instruction, std::span<MicroOp const> uops,
                                 int latency, NestSteps steps) {
  // A reset reads nothing.
  if (instruction.nest.reset || instruction.nest.steps() == 0) return std::nullopt;
  return Search(instruction, uops, latency, steps).first();
}

}  // namespace tw::vta
