#include "tests/benchmarks/gpu/pack/sampled.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "engine/ir/expr.h"
#include "engine/ir/program.h"
#include "engine/support/base/random.h"
#include "tests/benchmarks/gpu/values.h"

namespace tw::gpu_bench {
namespace {

using ir::BinaryOp, ir::UnaryOp;
using Values = std::vector<std::pair<std::string, int64_t>>;  // of axes

int64_t flat(std::vector<int64_t> const& shape, std::vector<int64_t> const& at) {
  int64_t index = 0;
  for (size_t d = 0; d < shape.size(); ++d) index = index * shape[d] + at[d];
  return index;
}

double combined(te::Combiner combiner, double a, double b) {
  switch (combiner) {
    case te::Combiner::kProd:
      return a * b;
    case te::Combiner::kMax:
      return std::max(a, b);
    case te::Combiner::kMin:
      return std::min(a, b);
    default:
      return a + b;
  }
}

double start_of(te::Combiner combiner) {
  switch (combiner) {
    case te::Combiner::kProd:
      return 1;
    case te::Combiner::kMax:
      return -INFINITY;
    case te::Combiner::kMin:
      return INFINITY;
    default:
      return 0;
  }
}

/// Integers of indices are exact in double, too.
class Evaluator {
public:
  explicit Evaluator(te::Kernel const& kernel) {
    for (size_t i = 0; i < kernel.inputs.size(); ++i)
      inputs_[kernel.inputs[i]->name] = {i + 1, *ir::constant_shape(*kernel.inputs[i])};
    for (te::Stage const& stage : kernel.stages) {
      Made& made = stages_[stage.output->name];
      made.stage = &stage;
      made.shape = *ir::constant_shape(*stage.output);
    }
  }

  double element(std::string const& tensor, std::vector<int64_t> const& at) {
    if (auto input = inputs_.find(tensor); input != inputs_.end())
      return seeded_value(input->second.first, uint64_t(flat(input->second.second, at)));
    Made& made = stages_.at(tensor);
    auto known = made.values.find(flat(made.shape, at));
    if (known != made.values.end()) return known->second;
    Values values;
    for (size_t d = 0; d < at.size(); ++d) values.emplace_back(made.stage->axes[d].name, at[d]);
    double value =
        made.stage->reduce.empty() ? of(made.stage->body, values) : reduced(*made.stage, values);
    made.values.emplace(flat(made.shape, at), value);
    return value;
  }

  std::string const& unknown() const { return unknown_; }

private:
  struct Made {
    te::Stage const* stage = nullptr;
    std::vector<int64_t> shape;
    std::unordered_map<int64_t, double> values;
  };

  double reduced(te::Stage const& stage, Values values) {
    size_t first = values.size();
    int64_t turns = 1;
    for (te::Axis const& axis : stage.reduce) {
      values.emplace_back(axis.name, 0);
      turns *= axis.extent;
    }
    double made = start_of(stage.combiner);
    for (int64_t turn = 0; turn < turns; ++turn) {
      int64_t rest = turn;
      for (size_t r = stage.reduce.size(); r-- > 0; rest /= stage.reduce[r].extent)
        values[first + r].second = rest % stage.reduce[r].extent;
      made = combined(stage.combiner, made, of(stage.body, values));
    }
    return made;
  }

  double of(ir::Expr const& e, Values const& values) {
    if (auto const* node = e.as<ir::IntImm>()) return double(node->value);
    if (auto const* node = e.as<ir::FloatImm>()) return node->value;
    if (auto const* node = e.as<ir::Cast>()) return of(node->a, values);
    if (auto const* node = e.as<ir::Variable>()) {
      auto found = std::ranges::find(values, node->name, &Values::value_type::first);
      return found == values.end() ? not_known("a variable") : double(found->second);
    }
    if (auto const* node = e.as<ir::Select>())
      return of(of(node->condition, values) != 0 ? node->a : node->b, values);
    if (auto const* node = e.as<ir::Load>()) {
      std::vector<int64_t> at;
      for (ir::Expr const& index : node->indices) at.push_back(int64_t(of(index, values)));
      return element(node->buffer->name, at);
    }
    if (auto const* node = e.as<ir::Unary>()) return unary(node->op, of(node->a, values));
    if (auto const* node = e.as<ir::Binary>())
      return binary(node->op, of(node->a, values), of(node->b, values));
    return not_known("an expression");
  }

  double unary(UnaryOp op, double a) {
    switch (op) {
      case UnaryOp::kNeg:
        return -a;
      case UnaryOp::kAbs:
        return std::fabs(a);
      case UnaryOp::kExp:
        return std::exp(a);
      case UnaryOp::kSqrt:
        return std::sqrt(a);
      case UnaryOp::kTanh:
        return std::tanh(a);
      default:
        return not_known("a function");
    }
  }

  double binary(BinaryOp op, double a, double b) {
    switch (op) {
      case BinaryOp::kAdd:
        return a + b;
      case BinaryOp::kSub:
        return a - b;
      case BinaryOp::kMul:
        return a * b;
      case BinaryOp::kDiv:
        return a / b;
      case BinaryOp::kMin:
        return std::min(a, b);
      case BinaryOp::kMax:
        return std::max(a, b);
      case BinaryOp::kLt:
        return a < b;
      case BinaryOp::kLe:
        return a <= b;
      case BinaryOp::kAnd:
        return a != 0 && b != 0;
      default:
        return not_known("an operator");
    }
  }

  double not_known(char const* what) {
    unknown_ = what;
    return NAN;
  }

  std::map<std::string, std::pair<size_t, std::vector<int64_t>>> inputs_;  // seed, shape
  std::map<std::string, Made> stages_;
  std::string unknown_;
};

std::vector<int64_t> place(std::vector<int64_t> const& shape, int64_t index) {
  std::vector<int64_t> at(shape.size());
  for (size_t d = shape.size(); d-- > 0; index /= shape[d]) at[d] = index % shape[d];
  return at;
}

}  // namespace

Result<Samples> sampled_reference(te::Kernel const& kernel, int count, uint64_t seed) {
  std::vector<int64_t> shape = *ir::constant_shape(*kernel.outputs[0]);
  int64_t elements = 1;
  for (int64_t extent : shape) elements *= extent;
  Rng rng(seed);
  Samples samples;
  samples.index = {0, elements - 1};
  while (int(samples.index.size()) < count) samples.index.push_back(rng.below(elements));
  Evaluator evaluator(kernel);
  for (int64_t index : samples.index)
    samples.value.push_back(evaluator.element(kernel.outputs[0]->name, place(shape, index)));
  if (!evaluator.unknown().empty())
    return refused("unsupported_expression",
                   "there is no reference of '" + kernel.name + "': " + evaluator.unknown());
  return samples;
}

}  // namespace tw::gpu_bench
