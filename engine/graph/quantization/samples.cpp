#include "engine/graph/quantization/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/graph/reference.h"

namespace tw {
namespace {

constexpr int64_t kMostElements = 16384;  // of a value in one run
constexpr int kFinerSteps = 5;            // that may be better than the one that holds everything
constexpr int kLeast = -60, kMost = 60;   // exponents whose steps are ordinary floats

void add_channels(ValueSamples& samples, NDArray const& array) {
  if (array.shape().size() < 2 || array.size() == 0) return;
  int64_t channels = array.shape()[1], inner = 1;
  for (size_t d = 2; d < array.shape().size(); ++d) inner *= array.shape()[d];
  samples.largest_of_channel.resize(size_t(channels));
  std::span<float const> all = array.as<float>();
  for (size_t i = 0; i < all.size(); ++i) {
    float& largest = samples.largest_of_channel[i / size_t(inner) % size_t(channels)];
    if (std::isfinite(all[i])) largest = std::max(largest, std::abs(all[i]));
  }
}

void add(ValueSamples& samples, NDArray const& array) {
  add_channels(samples, array);
  std::span<float const> all = array.as<float>();
  for (float element : all)
    if (std::isfinite(element))
      samples.largest = std::max(samples.largest, std::abs(double(element)));
  // An odd distance meets all columns of an image.
  size_t distance = (all.size() / size_t(kMostElements)) | 1;
  for (size_t i = 0; i < all.size(); i += distance)
    if (std::isfinite(all[i])) samples.elements.push_back(all[i]);
}

double squared_error(std::span<float const> elements, int exponent, int limit) {
  double step = std::ldexp(1, exponent), error = 0;
  for (float element : elements) {
    double near = std::clamp(std::nearbyint(double(element) / step), double(-limit), double(limit));
    double off = double(element) - double(near) * double(step);
    error += off * off;
  }
  return error;
}

}  // namespace

Result<GraphSamples> take_samples(Graph const& graph, CalibrationData const& data,
                                  QuantizeOptions const& options) {
  GraphSamples samples;
  ReferenceOptions reference;
  reference.stop = options.stop;
  reference.observe = [&](ValueId id, NDArray const& array) {
    if (array.type() == DType::kF32) add(samples[id], array);
  };
  for (size_t run = 0; run < data.runs.size(); ++run) {
    reference.progress = progress_of_run(options, "calibration", run, data.runs.size());
    TRY(check_inputs(graph, data.runs[run]));
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      reference.observe(graph.inputs[i], data.runs[run][i]);
    TRY(reference_run(graph, data.runs[run], reference));
  }
  return samples;
}

Progress progress_of_run(QuantizeOptions const& options, std::string const& what, size_t run,
                         size_t runs) {
  if (!options.progress) return {};
  std::string named = fmt::format("{}, run {} of {}", what, run + 1, runs);
  return [told = options.progress, named](ProgressReport const& at) {
    told({fmt::format("{}: {}", named, at.what), at.done, at.total});
  };
}

int best_exponent(std::span<float const> elements, double largest, int limit) {
  if (!(largest > 0)) return 0;
  int widest = std::clamp(int(std::ceil(std::log2(largest / limit))), kLeast, kMost);
  int best = widest;
  double least = squared_error(elements, widest, limit);
  for (int exponent = widest - 1; exponent >= std::max(kLeast, widest - kFinerSteps); --exponent) {
    double error = squared_error(elements, exponent, limit);
    if (error < least) {
      least = error;
      best = exponent;
    }
  }
  return best;
}

}  // namespace tw
