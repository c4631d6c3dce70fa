#include "targets/vta/compiler/stages/stepped_calls.h"

#include <algorithm>

#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"

namespace tw::vta {
namespace {

using namespace ir;

/// Sets of iterations that one nest has, at borders and within.
constexpr size_t kMostMade = 32;
constexpr size_t kMostElements = 16;

int64_t rounded_up(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

bool speaks_of(Expr const& e, std::vector<std::string> const& names) {
  return std::ranges::any_of(names, [&](auto const& name) { return uses_variable(e, name); });
}

/// A call with its operands' elements moved; false where one would lie before its tensor.
bool move(StageCall& stage, std::array<int64_t, 3> const& by) {
  Call& call = stage.call;
  if (call.kind == CallKind::kLoad || call.kind == CallKind::kStore) {
    int64_t sram = int64_t(call.transfer.sram) + by[0], dram = int64_t(call.transfer.dram) + by[1];
    if (sram < 0 || dram < 0) return false;
    call.transfer.sram = uint32_t(sram);
    call.transfer.dram = uint64_t(dram);
  } else {
    call.dst += by[0], call.src += by[1], call.wgt += by[2];
  }
  for (Touched& one : stage.touched) one.begin += by[one.operand], one.end += by[one.operand];
  return true;
}

}  // namespace

std::optional<SteppedForm> SteppedForm::create(arith::Linear const& linear, Arounds const& around,
                                               std::vector<std::string> const& running) {
  SteppedForm form;
  form.constant_ = linear.constant;
  form.running_.resize(running.size());
  for (auto const& [term, factor] : linear.terms) {
    auto const* variable = term.as<Variable>();
    if (!variable) {
      if (speaks_of(term, running)) return {};
      form.others_.push_back({term, factor});
      continue;
    }
    auto found = std::ranges::find(
        around, variable->name, [](Around const& one) -> auto const& { return *one.name; });
    if (found != around.end()) {
      form.around_.emplace_back(size_t(found - around.begin()), factor);
      continue;
    }
    auto runs = std::ranges::find(running, variable->name);
    if (runs == running.end()) return {};
    form.running_[size_t(runs - running.begin())] = factor;
  }
  return form;
}

std::optional<int64_t> SteppedForm::at(Position const& position) const {
  int64_t sum = constant_;
  for (auto const& [number, factor] : around_) sum += factor * position.around[number].value;
  for (auto const& [term, factor] : others_) {
    auto value = value_of(term, position.standing);
    if (!value) return {};
    sum += factor * *value;
  }
  return sum;
}

SteppedCalls::SteppedCalls(Chain const& chain, Arounds const& around) {
  for (Around const& one : around) around_.push_back(one.node);
  for (For const* loop : chain.loops) {
    auto extent = as_int(loop->extent);
    steps_ = steps_ && extent;
    running_.push_back(loop->name());
    extents_.push_back(extent.value_or(1));
  }
  if (auto const* call = chain.leaf.as<IntrinsicCall>())
    for (Operand const& operand : call->operands)
      for (OperandAxis const& axis : operand.axes) {
        steps_ = steps_ && as_int(axis.extent);
        running_.push_back(axis.name());
      }
  for (Expr const& guard : chain.guards) add_condition(guard, around);
  auto const* store = chain.leaf.as<Store>();
  // Zeros around what is loaded.
  if (auto const* select = store ? store->value.as<Select>() : nullptr)
    add_condition(select->condition, around);
}

/// As `shorten` understands it.
void SteppedCalls::add_condition(Expr const& condition, Arounds const& around) {
  for (Expr const& one : conjuncts(condition)) {
    auto const* compared = one.as<Binary>();
    BinaryOp op = compared ? compared->op : BinaryOp::kAdd;
    if (op != BinaryOp::kLt && op != BinaryOp::kLe && op != BinaryOp::kEq) {
      conditions_.push_back({{}, one});
      continue;
    }
    arith::Linear a = arith::to_linear(compared->a), b = arith::to_linear(compared->b);
    arith::Linear difference = arith::add(b, a, -1);
    difference.constant -= op == BinaryOp::kLt;
    add_difference(difference, around);
    if (op == BinaryOp::kEq) add_difference(arith::add(a, b, -1), around);
  }
}

void SteppedCalls::add_difference(arith::Linear const& difference, Arounds const& around) {
  auto form = SteppedForm::create(difference, around, running_);
  bool one_loop =
      form && std::ranges::count_if(form->running(), [](int64_t f) { return f != 0; }) <= 1;
  steps_ = steps_ && one_loop;
  if (form) conditions_.push_back({std::move(form), nullptr});
}

/// Whether all conditions have an answer.
bool SteppedCalls::iterations_at(Position const& position) {
  iterations_.clear();
  for (Condition const& condition : conditions_) {
    auto base = condition.form ? condition.form->at(position)
                               : value_of(condition.value, position.standing);
    if (!base) return false;
    std::vector<int64_t> none;
    std::vector<int64_t> const& factors = condition.form ? condition.form->running() : none;
    auto moving = std::ranges::find_if(factors, [](int64_t factor) { return factor != 0; });
    if (moving == factors.end()) {
      iterations_.push_back(condition.form ? *base >= 0 : *base != 0);
      continue;
    }
    size_t loop = size_t(moving - factors.begin());
    iterations_.push_back(*moving > 0 ? std::max<int64_t>(0, rounded_up(-*base, *moving))
                                      : std::min(loop < extents_.size() ? extents_[loop] : 1,
                                                 -rounded_up(-*base, -*moving) + 1));
  }
  return true;
}

bool SteppedCalls::stands_in(Arounds const& around) const {
  return std::ranges::equal(around, around_, {}, &Around::node);
}

bool SteppedCalls::append(Position const& position, int64_t places, std::vector<StageCall>& calls) {
  iterations_.clear();
  steps_ = steps_ && stands_in(position.around);
  if (!steps_ || !iterations_at(position)) return false;
  for (Made const& made : made_)
    if (made.places == places && made.iterations == iterations_)
      return append(made, position, calls);
  return false;
}

bool SteppedCalls::append(Made const& made, Position const& position,
                          std::vector<StageCall>& calls) const {
  std::array<int64_t, kMostElements> steps{}, by{};
  for (size_t i = 0; i < made.elements.size(); ++i) {
    Element const& element = made.elements[i];
    auto now = element.form.at(position);
    if (!now) return false;
    by[i] = *now - element.begin;
    steps[i] = by[i] / element.scalars;
    if (by[i] != by[element.with] || steps[i] * element.scalars != by[i]) return false;
  }
  size_t before = calls.size();
  calls.insert(calls.end(), made.calls.begin(), made.calls.end());
  for (size_t i = 0; i < made.calls.size(); ++i) {
    std::array<int64_t, 3> operands{};
    for (size_t k = 0; k < 3; ++k)
      if (int number = made.reached[i][k]; number >= 0) operands[k] = steps[size_t(number)];
    if (move(calls[before + i], operands)) continue;
    calls.resize(before);
    return false;
  }
  return true;
}

void SteppedCalls::note(std::span<StageCall const> calls, std::vector<AskedElement> const& asked,
                        std::array<int64_t, 3> const& scalars, Position const& position,
                        int64_t places) {
  if (!steps_ || iterations_.size() != conditions_.size() || made_.size() == kMostMade) return;
  Made made{iterations_, places, {}, {calls.begin(), calls.end()}, {}};
  std::vector<arith::Linear const*> indices;
  std::vector<std::string> tensors;
  for (AskedElement const& one : asked) {
    if (std::ranges::find(indices, one.index) != indices.end()) continue;
    auto form = SteppedForm::create(*one.index, position.around, running_);
    auto begin = form ? form->at(position) : std::nullopt;
    steps_ = begin && indices.size() < kMostElements;
    if (!steps_) return;
    indices.push_back(one.index);
    tensors.push_back(one.tensor);
    size_t with = size_t(std::ranges::find(tensors, one.tensor) - tensors.begin());
    made.elements.push_back({*std::move(form), scalars[0], *begin, with});
  }
  for (StageCall const& call : calls) {
    std::array<int, 3> reached{-1, -1, -1};
    for (size_t k = 0; k < 3; ++k) {
      if (!call.indices[k]) continue;
      size_t number = size_t(std::ranges::find(indices, call.indices[k]) - indices.begin());
      if (number == indices.size()) return;
      reached[k] = int(number);
      made.elements[number].scalars = scalars[k];
    }
    made.reached.push_back(reached);
  }
  made_.push_back(std::move(made));
}

}  // namespace tw::vta
