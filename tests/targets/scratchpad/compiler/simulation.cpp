#include "tests/targets/scratchpad/compiler/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/stmt.h"
#include "engine/ir/text.h"
#include "tests/targets/scratchpad/scratchpad.h"

namespace tw::scratchpad {
namespace {

constexpr int64_t kElementsPerCycle = 4;
constexpr size_t kMostInstructions = 400000;

enum SimulatedLane { kUnitLane, kPortLane };
enum SimulatedKind { kProduct, kClearing, kCopying, kElementwise, kLoading, kStoring, kWaiting };

Timeline named() {
  Timeline t;
  t.clock_mhz = 50;
  t.lanes = {{"Unit"}, {"Port"}};
  t.kinds = {{"product", "amber", false, false, "", "the matrix unit adds up products"},
             {"clear", "grey", false, false, "", "elements become 0"},
             {"copy", "olive", true, false, "", "from one memory to another"},
             {"element", "pink", false, false, "", "one element is computed"},
             {"load", "sky", false, false, "", "the port reads main memory"},
             {"store", "violet", false, false, "", "the port writes main memory"},
             {"stall R", "amber", true, true, "R", "data not there"}};
  t.counters = {{"port -> unit", "groups", 0, false, {{0, 0}}},
                {kPad, "bytes", kPadBytes, true, {{0, 0}}},
                {kInputs, "bytes", kOperandBytes, true, {{0, 0}}},
                {kWeights, "bytes", kOperandBytes, true, {{0, 0}}}};
  return t;
}

int64_t elements_of(ir::BufferNode const& buffer) {
  int64_t count = 1;
  for (ir::Expr const& size : buffer.shape) count *= ir::as_int(size).value_or(1);
  return count;
}

class Simulation {
public:
  Simulation(ir::KernelIr const& kernel, StopToken stop)
      : kernel_(kernel), printed_(ir::print(kernel)), stop_(std::move(stop)), t_(named()) {}

  Result<Timeline> run() {
    ir::for_each_function(kernel_, [&](ir::Function const& one) { run(one.body); });
    if (stop_.stop_requested()) return environment_failed("cancelled", "the simulation is stopped");
    if (evaluator_.failed())
      return refused("not_simulated", "the simulation needs data: " + evaluator_.error().message);
    if (too_long())
      return refused("not_simulated",
                     fmt::format("the kernel has more than {} instructions", kMostInstructions));
    t_.cycles = std::max(now_, port_free_);
    t_.verdict = fmt::format("{} instructions, one after the other", t_.instructions.size());
    for (Timeline::Counter& counter : t_.counters)
      std::ranges::stable_sort(counter.steps, {}, [](auto const& step) { return step.first; });
    return std::move(t_);
  }

private:
  bool too_long() const { return t_.instructions.size() > kMostInstructions; }
  bool over() const { return evaluator_.failed() || too_long() || stop_.stop_requested(); }

  int64_t number(ir::Expr const& e) {
    auto [at, added] = compiled_.try_emplace(e.get());
    if (added) at->second = evaluator_.compile(e);
    return evaluator_.integer(at->second, 0);
  }
  void set(ir::Expr const& var, int64_t value) {
    evaluator_.set(evaluator_.slot(var.to<ir::Variable>().name), value);
  }

  void run(ir::Stmt const& s) {
    if (!s || over()) return;
    if (auto const* seq = s.as<ir::Seq>())
      for (ir::Stmt const& one : seq->stmts) run(one);
    else if (auto const* loop = s.as<ir::For>())
      run(*loop);
    else if (auto const* branch = s.as<ir::If>())
      run(number(branch->condition) ? branch->then_body : branch->else_body);
    else if (auto const* let = s.as<ir::Let>())
      set(let->var, number(let->value)), run(let->body);
    else if (auto const* alloc = s.as<ir::Alloc>())
      run(*alloc);
    else if (auto const* store = s.as<ir::Store>())
      on_unit(kElementwise, 1, instruction(store->buffer->name + "[]", kUnitLane, s));
    else if (auto const* call = s.as<ir::IntrinsicCall>())
      run(*call, s);
  }
  void run(ir::For const& loop) {
    int64_t extent = number(loop.extent);
    for (int64_t i = 0; i < extent && !over(); ++i) set(loop.var, i), run(loop.body);
  }
  void run(ir::Alloc const& alloc) {
    int memory = memory_of(alloc.buffer->scope);
    if (memory < 0) return run(alloc.body);
    int64_t bytes = elements_of(*alloc.buffer) * 4;
    begins_[alloc.buffer.get()] = used_[memory] / 4;
    use(memory, bytes);
    run(alloc.body);
    use(memory, -bytes);
  }
  void use(int memory, int64_t bytes) {
    used_[memory] += bytes;
    t_.counters[size_t(memory)].steps.emplace_back(std::max(now_, port_free_), used_[memory]);
  }
  int memory_of(std::string const& scope) const {
    for (size_t i = 1; i < t_.counters.size(); ++i)
      if (t_.counters[i].name == scope) return int(i);
    return -1;
  }

  int32_t instruction(std::string text, int lane, ir::Stmt const& s) {
    auto line = printed_.line_of.find(s.get());
    t_.instructions.push_back(
        {std::move(text), lane, line == printed_.line_of.end() ? 0 : line->second});
    return int32_t(t_.instructions.size()) - 1;
  }
  void on_unit(int kind, int64_t cycles, int32_t number) {
    t_.spans.push_back({kUnitLane, kind, now_, now_ + cycles, number});
    now_ += cycles;
  }

  void run(ir::IntrinsicCall const& call, ir::Stmt const& s) {
    ir::IntrinsicNode const& intrinsic = *call.intrinsic;
    if (!intrinsic.sets.empty()) return;
    if (intrinsic.completion == ir::Completion::kCommits) return commit();
    if (intrinsic.completion == ir::Completion::kWaits)
      return wait(size_t(number(call.operands[0].value)), s);
    bool loads = intrinsic.completion == ir::Completion::kStarted;
    bool stores = intrinsic.name == "store";
    int32_t one = instruction(intrinsic.name, loads ? kPortLane : kUnitLane, s);
    int64_t cycles = std::max<int64_t>(1, touch(call, one) / kElementsPerCycle);
    if (loads || stores) {
      int64_t begin = std::max(now_, port_free_);
      port_free_ = begin + cycles;
      t_.spans.push_back({kPortLane, loads ? kLoading : kStoring, begin, port_free_, one});
      open_group_ = one;
      if (stores) hold(kUnitLane, port_free_, one);
      return;
    }
    bool product = intrinsic.name == "gemm" || intrinsic.name == "mma";
    on_unit(product ? kProduct : intrinsic.name == "clear" ? kClearing : kCopying, cycles, one);
  }
  /// The unit stands still.
  void hold(int lane, int64_t until, int32_t one) {
    if (until > now_) t_.spans.push_back({lane, kWaiting, now_, until, one});
    now_ = std::max(now_, until);
  }
  void commit() {
    if (open_group_ < 0) return;
    groups_.push_back({port_free_, std::exchange(open_group_, -1)});
  }
  void wait(size_t left, ir::Stmt const& s) {
    int32_t one = instruction("wait", kUnitLane, s);
    while (groups_.size() > left) {
      auto [done, from] = groups_.front();
      groups_.pop_front();
      hold(kUnitLane, done, one);
      t_.tokens.push_back({0, done, now_, from, one});
      auto& steps = t_.counters[0].steps;
      steps.emplace_back(done, 1);
      steps.emplace_back(now_, 0);
    }
  }

  /// Remembers what a call reads and writes; the elements of its largest operand.
  int64_t touch(ir::IntrinsicCall const& call, int32_t one) {
    int64_t most = 1;
    for (size_t i = 0; i < call.operands.size(); ++i) {
      ir::IntrinsicParam const& param = call.intrinsic->params[i];
      auto const* element = call.operands[i].value.as<ir::Load>();
      if (!param.buffer || !element) continue;
      int64_t count = 1;
      for (ir::OperandAxis const& axis : call.operands[i].axes) count *= number(axis.extent);
      most = std::max(most, count);
      int memory = memory_of(element->buffer->scope);
      auto begin = begins_.find(element->buffer.get());
      if (memory < 0 || begin == begins_.end() || count == 0) continue;
      int64_t first = begin->second + flat(*element, call.operands[i], false);
      int64_t last = begin->second + flat(*element, call.operands[i], true);
      t_.touches.push_back({memory, one, first, last + 1, param.writes()});
    }
    return most;
  }
  int64_t flat(ir::Load const& element, ir::Operand const& operand, bool at_end) {
    for (ir::OperandAxis const& axis : operand.axes)
      set(axis.var, at_end ? number(axis.extent) - 1 : 0);
    int64_t place = 0;
    for (size_t d = 0; d < element.indices.size(); ++d)
      place = place * ir::as_int(element.buffer->shape[d]).value_or(1) + number(element.indices[d]);
    return place;
  }

  ir::KernelIr const& kernel_;
  ir::PrintedProgram printed_;
  StopToken stop_;
  Timeline t_;
  ir::ExprEvaluator evaluator_;
  std::map<ir::ExprNode const*, ir::Compiled> compiled_;
  std::map<ir::BufferNode const*, int64_t> begins_;  ///< first element, in its memory
  std::map<int, int64_t> used_;
  std::deque<std::pair<int64_t, int32_t>> groups_;  ///< when each is done, and its last load
  int32_t open_group_ = -1;
  int64_t now_ = 0, port_free_ = 0;
};

}  // namespace

Result<Timeline> simulate(ir::KernelIr const& kernel, StopToken stop) {
  return Simulation(kernel, std::move(stop)).run();
}

}  // namespace tw::scratchpad
