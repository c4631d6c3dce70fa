#include "targets/vta/compiler/stages/indices.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/strides.h"
#include "engine/ir/text.h"

namespace tw::vta {
namespace {

using namespace ir;

int64_t floor_quotient(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

std::optional<int64_t> apply(BinaryOp op, int64_t a, int64_t b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kMin:
      return std::min(a, b);
    case BinaryOp::kMax:
      return std::max(a, b);
    case BinaryOp::kLt:
      return a < b;
    case BinaryOp::kLe:
      return a <= b;
    case BinaryOp::kEq:
      return a == b;
    case BinaryOp::kNe:
      return a != b;
    case BinaryOp::kAnd:
      return a && b;
    case BinaryOp::kOr:
      return a || b;
    case BinaryOp::kFloorDiv:
      if (b == 0) return {};
      return floor_quotient(a, b);
    case BinaryOp::kFloorMod:
      if (b == 0) return {};
      return a - b * floor_quotient(a, b);
    default:
      return {};
  }
}

}  // namespace

std::optional<int64_t> value_of(Expr const& e, Standing const& standing) {
  if (auto constant = as_int(e)) return constant;
  if (auto const* variable = e.as<Variable>()) {
    auto found = standing.find(variable->name);
    return found == standing.end() ? std::nullopt : std::optional(found->second);
  }
  if (auto const* node = e.as<Binary>()) {
    auto a = value_of(node->a, standing), b = a ? value_of(node->b, standing) : std::nullopt;
    return b ? apply(node->op, *a, *b) : std::nullopt;
  }
  if (auto const* node = e.as<Select>()) {
    auto condition = value_of(node->condition, standing);
    if (!condition) return {};
    return value_of(*condition ? node->a : node->b, standing);
  }
  if (auto const* node = e.as<Unary>(); node && node->op == UnaryOp::kNot) {
    auto a = value_of(node->a, standing);
    return a ? std::optional<int64_t>(!*a) : std::nullopt;
  }
  return {};
}

int64_t Form::of(std::vector<RunningLoop> const& loops, std::string const& name) const {
  for (size_t i = 0; i < loops.size(); ++i)
    if (loops[i].name == name) return factors[i];
  return 0;
}

Result<Form> Indices::form_of(arith::Linear const& linear, std::vector<RunningLoop> const& running,
                              Standing const& standing) const {
  Form form{linear.constant, std::vector<int64_t>(running.size())};
  for (auto const& [term, factor] : linear.terms) {
    if (auto value = value_of(term, standing)) {
      form.base += factor * *value;
      continue;
    }
    auto const* variable = term.as<Variable>();
    auto loop = std::ranges::find(running, variable ? variable->name : "", &RunningLoop::name);
    if (loop == running.end())
      return refused("vta_index",
                     fmt::format("'{}' is no sum of loops with constant factors", to_text(term)));
    form.factors[size_t(loop - running.begin())] = factor;
  }
  return form;
}

Result<Form> Indices::form(Expr const& e, std::vector<RunningLoop> const& running,
                           Standing const& standing) {
  auto found = known_.find(e.get());
  if (found == known_.end()) found = known_.emplace(e.get(), arith::to_linear(e)).first;
  return form_of(found->second, running, standing);
}

Result<Form> Indices::flat(void const* node, Buffer const& buffer, std::vector<Expr> const& indices,
                           std::vector<RunningLoop> const& running, Standing const& standing) {
  auto found = known_.find(node);
  if (found == known_.end()) {
    auto strides = strides_of(*buffer);
    if (buffer->map)
      return refused("mapped_tensor", buffer->name +
                                          " has a layout by an index map, and the accelerator "
                                          "steps through memory in rows");
    if (!strides)
      return refused("unknown_size", buffer->name +
                                         " has a size that is known when it is called "
                                         "only, which this target does not have");
    arith::Linear sum;
    for (size_t d = indices.size(); d-- > 0;)
      sum = arith::add(sum, arith::to_linear(indices[d]), (*strides)[d]);
    found = known_.emplace(node, std::move(sum)).first;
  }
  asked_.push_back({&found->second, buffer->name});
  TRY_ASSIGN(Form form, form_of(found->second, running, standing));
  form.index = &found->second;
  return form;
}

Result<Form> Indices::form(Load const& read, std::vector<RunningLoop> const& running,
                           Standing const& standing) {
  return flat(&read, read.buffer, read.indices, running, standing);
}
Result<Form> Indices::form(Store const& store, std::vector<RunningLoop> const& running,
                           Standing const& standing) {
  return flat(&store, store.buffer, store.indices, running, standing);
}

}  // namespace tw::vta
