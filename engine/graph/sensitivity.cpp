#include "engine/graph/sensitivity.h"

#include <algorithm>
#include <cmath>

#include "engine/support/base/random.h"

namespace tw {
namespace {

/// Of a value: a few last bits of f32, as a sum of some hundred terms has them.
constexpr double kMove = 1e-6;
constexpr uint64_t kSeed = 1;

Result<NDArray> moved(NDArray const& array, Rng& rng) {
  if (array.empty() || !is_float(array.type())) return array;
  TRY_ASSIGN(NDArray other, NDArray::create(array.type(), array.shape()));
  for (int64_t i = 0; i < other.size(); ++i)
    other.set_value(i, array.value_at(i) * (1 + kMove * (2 * rng.uniform() - 1)));
  return other;
}

double largest_of(NDArray const& array) {
  double largest = 0;
  for (int64_t i = 0; i < array.size(); ++i) {
    double value = std::fabs(array.value_at(i));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  return largest;
}

/// Over the largest value of `from`.
double difference(NDArray const& array, NDArray const& from) {
  double most = 0, largest = largest_of(from);
  for (int64_t i = 0; i < array.size(); ++i) {
    double apart = std::fabs(array.value_at(i) - from.value_at(i));
    if (std::isfinite(apart)) most = std::max(most, apart);
  }
  return largest > 0 ? most / largest : 0;
}

}  // namespace

bool has_steps(Graph const& graph) {
  auto is = [&](ValueId id, auto wanted) {
    return id.valid() && graph.value(id).type.dtype && wanted(*graph.value(id).type.dtype);
  };
  return std::ranges::any_of(graph.nodes, [&](Node const& node) {
    return !node.inputs.empty() && is(node.inputs[0], is_float) &&
           std::ranges::any_of(node.outputs, [&](ValueId id) { return is(id, is_integer); });
  });
}

Result<double> sensitivity(Graph const& graph, std::vector<NDArray> const& inputs,
                           std::vector<NDArray> const& outputs, ReferenceOptions const& options) {
  Rng rng(kSeed);
  Graph other = graph;
  bool floats =
      std::ranges::any_of(inputs, [](NDArray const& one) { return is_float(one.type()); });
  for (Value& value : other.values) {
    if (floats) break;
    TRY_ASSIGN(value.constant, moved(value.constant, rng));
  }
  std::vector<NDArray> others;
  for (NDArray const& input : inputs) {
    TRY_ASSIGN(NDArray one, moved(input, rng));
    others.push_back(std::move(one));
  }
  TRY_ASSIGN(std::vector<NDArray> results, reference_run(other, others, options));
  double most = 0;
  for (size_t i = 0; i < results.size() && i < outputs.size(); ++i)
    if (results[i].size() == outputs[i].size())
      most = std::max(most, difference(results[i], outputs[i]));
  return most;
}

}  // namespace tw
