#include "engine/graph/quantization/correct_biases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/graph/reference.h"

namespace tw {
namespace {

constexpr int64_t kMostRuns = 4;  // whose values are held at the same time

/// Runs of one graph, each node in all of them before the next one.
class SideBySide {
public:
  SideBySide(Graph const& graph, CalibrationData const& data)
      : graph_(graph), uses_(graph.values.size()) {
    for (Node const& node : graph.nodes)
      for (ValueId id : node.inputs)
        if (id.valid()) ++uses_[size_t(id.value)];
    size_t count = std::min(data.runs.size(), size_t(kMostRuns));
    for (size_t run = 0; run < count; ++run) {
      values_.emplace_back(graph.values.size());
      for (size_t i = 0; i < graph.inputs.size(); ++i)
        values_[run][size_t(graph.inputs[i].value)] = data.runs[run][i];
    }
  }

  /// The results of each run.
  Result<std::vector<std::vector<NDArray>>> run(Node const& node) {
    std::vector<std::vector<NDArray>> results;
    for (std::vector<NDArray>& values : values_) {
      std::vector<NDArray> operands;
      for (ValueId id : node.inputs) operands.push_back(id.valid() ? at(values, id) : NDArray());
      TRY_ASSIGN(auto made, run_node(graph_, node, operands, {}));
      results.push_back(std::move(made));
    }
    for (ValueId id : node.inputs)
      if (id.valid() && --uses_[size_t(id.value)] == 0)
        for (std::vector<NDArray>& values : values_) values[size_t(id.value)] = {};
    return results;
  }

  void keep(Node const& node, std::vector<std::vector<NDArray>> const& results) {
    for (size_t run = 0; run < results.size(); ++run)
      for (size_t k = 0; k < node.outputs.size() && k < results[run].size(); ++k)
        if (ValueId id = node.outputs[k]; id.valid() && uses_[size_t(id.value)] > 0)
          values_[run][size_t(id.value)] = results[run][k];
  }

private:
  NDArray at(std::vector<NDArray> const& values, ValueId id) const {
    NDArray const& made = values[size_t(id.value)];
    return made.empty() ? graph_.value(id).constant : made;
  }

  Graph const& graph_;
  std::vector<std::vector<NDArray>> values_;  ///< by run
  std::vector<int> uses_;
};

/// Mean and spread of differences, channel by channel.
struct Differences {
  std::vector<double> sums, squares;
  int64_t count = 0;  ///< of each channel

  /// Arrays of shape [N, C, ...].
  void add(NDArray const& expected, NDArray const& actual) {
    int64_t channels = expected.shape()[1], inner = 1;
    for (size_t d = 2; d < expected.shape().size(); ++d) inner *= expected.shape()[d];
    sums.resize(size_t(channels)), squares.resize(size_t(channels));
    std::span<float const> wanted = expected.as<float>(), made = actual.as<float>();
    for (size_t i = 0; i < wanted.size(); ++i) {
      double off = double(wanted[i]) - double(made[i]);
      size_t channel = i / size_t(inner) % size_t(channels);
      sums[channel] += off, squares[channel] += off * off;
    }
    count += expected.size() / std::max<int64_t>(1, channels);
  }

  /// The mean, less where it may be chance: the share of its square that its variance does not
  /// explain.
  double mean(size_t channel) const {
    double mean = sums[channel] / double(count);
    double variance = squares[channel] / double(count) - mean * mean;
    if (count < 2 || !(mean * mean > 0)) return 0;
    return mean * std::max(0.0, 1 - variance / double(count - 1) / (mean * mean));
  }
};

class Corrector {
public:
  Corrector(Inserted& inserted, Graph const& plain, CalibrationData const& data,
            QuantizeOptions const& options)
      : inserted_(inserted), plain_(plain), data_(data), options_(options) {}

  Status run() {
    TRY(run_plain());
    SideBySide runs(inserted_.graph, data_);
    for (size_t i = 0; i < inserted_.graph.nodes.size(); ++i) {
      Node const& node = inserted_.graph.nodes[i];
      TRY(go_on("biases in bytes", node, i, inserted_.graph.nodes.size()));
      TRY_ASSIGN(auto results, runs.run(node));
      auto product = inserted_.products.find(NodeId{int32_t(i)});
      if (product != inserted_.products.end() && node.inputs.size() > 2)
        correct(node, product->second, results);
      runs.keep(node, results);
    }
    return {};
  }

private:
  Status go_on(char const* what, Node const& node, size_t done, size_t all) const {
    if (options_.stop.stop_requested())
      return environment_failed("cancelled", "the correction of biases was cancelled");
    if (options_.progress)
      options_.progress({fmt::format("{}: {}", what, node.name), int64_t(done), int64_t(all)});
    return {};
  }

  /// What products make in floats.
  Status run_plain() {
    std::set<NodeId> wanted;
    for (auto const& [made, product] : inserted_.products) wanted.insert(product.plain);
    SideBySide runs(plain_, data_);
    for (size_t i = 0; i < plain_.nodes.size(); ++i) {
      Node const& node = plain_.nodes[i];
      TRY(go_on("biases in floats", node, i, plain_.nodes.size()));
      TRY_ASSIGN(auto results, runs.run(node));
      if (NodeId id{int32_t(i)}; wanted.contains(id))
        for (auto const& result : results) expected_[id].push_back(result[0]);
      runs.keep(node, results);
    }
    return {};
  }

  void correct(Node const& node, InsertedProduct const& product,
               std::vector<std::vector<NDArray>>& results) {
    std::vector<NDArray>& expected = expected_[product.plain];
    Differences differences;
    for (size_t run = 0; run < results.size(); ++run)
      differences.add(expected[run], results[run][0]);
    expected.clear();
    Shape const& shape = results[0][0].shape();
    NDArray& bias = inserted_.graph.value(node.inputs[2]).constant;
    NDArray moved = NDArray::create(DType::kF32, bias.shape()).value();
    for (size_t c = 0; c < differences.sums.size(); ++c) {
      double steps = std::nearbyint(std::ldexp(differences.mean(c), -product.steps[c]));
      double by = std::ldexp(steps, product.steps[c]);
      moved.set_value(int64_t(c), by);
      bias.set_value(int64_t(c), bias.value_at(int64_t(c)) + by);
    }
    int64_t inner = 1;
    for (size_t d = 2; d < shape.size(); ++d) inner *= shape[d];
    for (auto& result : results) {
      std::span<float> made = result[0].as<float>();
      for (size_t i = 0; i < made.size(); ++i)
        made[i] += float(moved.value_at(int64_t(i) / inner % shape[1]));
    }
  }

  Inserted& inserted_;
  Graph const& plain_;
  CalibrationData const& data_;
  QuantizeOptions const& options_;
  std::map<NodeId, std::vector<NDArray>> expected_;
};

}  // namespace

Status correct_biases(Inserted& inserted, Graph const& plain, CalibrationData const& data,
                      QuantizeOptions const& options) {
  return Corrector(inserted, plain, data, options).run();
}

}  // namespace tw
