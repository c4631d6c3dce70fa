#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "engine/graph/passes.h"
#include "engine/graph/quantization/biases.h"
#include "engine/graph/quantization/correct_biases.h"
#include "engine/graph/quantization/equalize.h"
#include "engine/graph/quantization/insert.h"
#include "engine/graph/quantization/shifted_sums.h"
#include "engine/graph/reference.h"

namespace tw {
namespace {

Status check(CalibrationData const& data, QuantizeOptions const& options) {
  if (data.runs.empty())
    return bad_input("no_calibration_data",
                     "a model is quantized by what it computes: give inputs");
  if (options.weight_bits < 2 || options.weight_bits > 8)
    return bad_input("bad_weight_bits",
                     fmt::format("weights of {} bits; 2 to 8 are possible", options.weight_bits));
  return {};
}

/// The same graph without constants to fold, normalizations and copies, and with biases in their
/// place.
Result<Graph> simplified(Graph const& graph) {
  Graph result = graph;
  for (GraphPass const& pass : {fold_constants(), simplify_inference(), fold_constants()}) {
    TRY_ASSIGN(result, pass.apply(result));
    TRY(verify(result));
  }
  result = with_biases(std::move(result));
  TRY(verify(result));
  return result;
}

/// Sums of squares, of a value and of what quantization changed of it.
struct Noise {
  double signal = 0, noise = 0;
  double decibels() const {
    if (noise == 0) return std::numeric_limits<double>::infinity();
    return 10 * std::log10(signal / noise);
  }
  void add(NDArray const& expected, NDArray const& actual, double step) {
    for (int64_t i = 0; i < expected.size(); ++i) {
      double value = expected.value_at(i), off = value - actual.value_at(i) * step;
      signal += value * value;
      noise += off * off;
    }
  }
};

/// What the runs of the float graph and of the integers make, value by value.
class Comparer {
public:
  Comparer(Graph const& plain, Quantized& quantized, QuantizationPlan const& plan,
           QuantizeOptions const& options)
      : plain_(plain), quantized_(quantized), plan_(plan), options_(options) {}

  Status run(std::vector<std::vector<NDArray>> const& runs) {
    TRY_ASSIGN(Graph integers, lower_quantized().apply(quantized_.graph));
    TRY_ASSIGN(integers, fold_constants().apply(integers));
    TRY(verify(integers));
    find_bytes(integers);
    outputs_.resize(plain_.outputs.size());
    for (size_t i = 0; i < runs.size(); ++i) {
      progress_ = [&, i](char const* what) {
        return progress_of_run(options_, what, i, runs.size());
      };
      TRY(compare_run(integers, runs[i]));
    }
    for (size_t i = 0; i < outputs_.size(); ++i)
      quantized_.outputs.push_back({plain_.value(plain_.outputs[i]).name, outputs_[i].decibels()});
    return {};
  }

  std::optional<double> decibels(ValueId id) const {
    auto found = noise_.find(id);
    return found == noise_.end() ? std::nullopt : std::optional(found->second.decibels());
  }
  /// Whether integers make the bytes of a value.
  bool in_integers(ValueId id) const { return made_by_integers_.contains(id); }

private:
  /// Which values of the integers are the bytes of those of the plain graph, by their names.
  void find_bytes(Graph const& integers) {
    std::map<std::string, ValueId> names;
    for (size_t i = 0; i < integers.values.size(); ++i)
      names[integers.values[i].name] = {int32_t(i)};
    std::vector<NodeId> made = producers(integers);
    for (auto const& [id, exponent] : plan_.values) {
      auto found = names.find(plain_.value(id).name + "/quantized");
      if (found == names.end() || !made[size_t(found->second.value)].valid()) continue;
      bytes_[found->second] = id;
      if (integers.node(made[size_t(found->second.value)]).type != "quantize_linear")
        made_by_integers_.insert(id);
    }
  }

  Status compare_run(Graph const& integers, std::vector<NDArray> const& inputs) {
    std::map<ValueId, NDArray> expected;
    ReferenceOptions options;
    options.stop = options_.stop;
    options.observe = [&](ValueId id, NDArray const& array) {
      if (plan_.values.contains(id)) expected[id] = array;
    };
    options.progress = progress_("comparison in floats");
    TRY_ASSIGN(std::vector<NDArray> outputs, reference_run(plain_, inputs, options));
    options.progress = progress_("comparison in integers");
    options.observe = [&](ValueId id, NDArray const& array) {
      auto found = bytes_.find(id);
      if (found == bytes_.end() || !expected.contains(found->second)) return;
      noise_[found->second].add(expected.at(found->second), array,
                                std::ldexp(1, plan_.values.at(found->second)));
    };
    TRY_ASSIGN(std::vector<NDArray> actual, reference_run(integers, inputs, options));
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].type() == DType::kF32 && outputs[i].shape() == actual[i].shape())
        outputs_[i].add(outputs[i], actual[i], 1);
    quantized_.made = std::move(actual);
    return {};
  }

  Graph const& plain_;
  Quantized& quantized_;
  QuantizationPlan const& plan_;
  QuantizeOptions const& options_;
  std::map<ValueId, ValueId> bytes_;  ///< of the integers, of the plain graph
  std::set<ValueId> made_by_integers_;
  std::map<ValueId, Noise> noise_;
  std::vector<Noise> outputs_;
  std::function<Progress(char const* what)> progress_;  ///< of the run at hand
};

}  // namespace

double signal_to_noise(NDArray const& expected, NDArray const& actual) {
  Noise noise;
  noise.add(expected, actual, 1);
  return noise.decibels();
}

namespace {

/// A simplified graph with what its runs were like, and what is to become of it.
struct Planned {
  Graph plain;
  GraphSamples samples;
  QuantizationPlan plan;
  Quantized quantized;
};

/// The graph in bytes; nothing is compared yet.
Status insert(Planned& planned, CalibrationData const& data, QuantizeOptions const& options) {
  planned.plain = with_shifted_sums(std::move(planned.plain), planned.plan, planned.samples);
  TRY_ASSIGN(planned.plan, plan_quantization(planned.plain, planned.samples, options));
  TRY_ASSIGN(Inserted inserted, insert_quantization(planned.plain, planned.plan,
                                                    (1 << (options.weight_bits - 1)) - 1));
  TRY(correct_biases(inserted, planned.plain, data, options));
  planned.quantized.graph = std::move(inserted.graph);
  return {};
}

Status check_products(QuantizationPlan const& plan) {
  if (!plan.products.empty()) return {};
  return bad_input("nothing_to_quantize",
                   "no convolution or matrix product of the model can be computed in int8: " +
                       (plan.nodes.empty() ? std::string("it has none")
                                           : fmt::format("'{}': {}", plan.nodes[0].row.name,
                                                         plan.nodes[0].row.reason)));
}

std::set<NodeId> products_of(QuantizationPlan const& plan) {
  std::set<NodeId> products;
  for (auto const& [id, product] : plan.products) products.insert(id);
  return products;
}

constexpr double kNothingLost = 200;  // decibels: more than f32 holds

/// Signal to noise of the outputs on average, over the calibration runs.
Result<double> mean_decibels(Planned& planned, CalibrationData const& data,
                             QuantizeOptions const& options) {
  Quantized tried = planned.quantized;
  TRY(Comparer(planned.plain, tried, planned.plan, options).run(data.runs));
  double sum = 0;
  for (OutputNoise const& output : tried.outputs) sum += std::min(kNothingLost, output.decibels);
  return sum / std::max(1.0, double(tried.outputs.size()));
}

/// The same with channels of about the same size, where that is better.
Status equalize(Planned& planned, CalibrationData const& data, QuantizeOptions const& options) {
  std::set<NodeId> products = products_of(planned.plan);
  Equalized level = equalized(planned.plain, products, planned.samples);
  if (level.pairs.empty()) return insert(planned, data, options);
  Planned other{std::move(level.graph), {}, {}, {}};
  TRY_ASSIGN(other.samples, take_samples(other.plain, data, options));
  TRY_ASSIGN(other.plan, plan_quantization(other.plain, other.samples, options));
  TRY(insert(planned, data, options));
  // The file keeps the weights of what stays in floats as they were.
  if (products_of(other.plan) != products) return {};
  TRY(insert(other, data, options));
  TRY_ASSIGN(double before, mean_decibels(planned, data, options));
  TRY_ASSIGN(double after, mean_decibels(other, data, options));
  if (!(after > before)) return {};
  planned = std::move(other);
  for (PlannedNode& node : planned.plan.nodes)
    if (auto pair = level.pairs.find(node.node); pair != level.pairs.end())
      node.row.reason = fmt::format("its channels took powers of two from those of {}",
                                    planned.plain.node(pair->second).name);
  return {};
}

}  // namespace

Result<Quantized> quantize(Graph const& graph, CalibrationData const& data,
                           QuantizeOptions const& options) {
  TRY(check(data, options));
  Planned planned;
  TRY_ASSIGN(planned.plain, simplified(graph));
  TRY_ASSIGN(planned.samples, take_samples(planned.plain, data, options));
  TRY_ASSIGN(planned.plan, plan_quantization(planned.plain, planned.samples, options));
  TRY(check_products(planned.plan));
  TRY(equalize(planned, data, options));
  Quantized quantized = std::move(planned.quantized);
  Comparer comparer(planned.plain, quantized, planned.plan, options);
  TRY(comparer.run(data.checks.empty() ? data.runs : data.checks));
  for (PlannedNode& node : planned.plan.nodes) {
    node.row.decibels = comparer.decibels(node.end);
    if (node.row.is_quantized && node.row.result && !comparer.in_integers(node.end))
      node.row.reason = "its sums leave 32 bits: floats compute it from bytes";
    quantized.nodes.push_back(std::move(node.row));
  }
  return quantized;
}

}  // namespace tw
