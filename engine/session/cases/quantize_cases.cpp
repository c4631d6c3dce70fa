#include "engine/session/quantizing.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/control_inputs.h"
#include "engine/graph/quantization/runs.h"
#include "engine/importers/importer.h"
#include "engine/importers/onnx/newer_opset.h"
#include "engine/importers/onnx/quantized_model.h"
#include "engine/samples/onnx_writer.h"
#include "engine/samples/samples.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"

namespace tw::session {
namespace {

namespace fs = std::filesystem;

constexpr int kMostRuns = 1000;

using Inputs = std::vector<NDArray>;

Result<Inputs> random_inputs(Graph const& graph, uint64_t seed) {
  Rng rng(seed);
  Inputs arrays;
  for (ValueId id : graph.inputs) {
    Value const& value = graph.value(id);
    auto info = tensor_info(value);
    if (!info)
      return bad_input(
          "unknown_shape",
          fmt::format("the shape of the input {} is not known; set it with --shape", value.name));
    TRY_ASSIGN(NDArray array, NDArray::create(info->type, info->shape));
    bool is_mode = !is_float(info->type) && array.size() == 1;
    for (int64_t i = 0; i < array.size(); ++i)
      array.set_value(i, is_mode                ? usual_value(graph, id)
                         : is_float(info->type) ? rng.normal()
                                                : double(rng.below(2)));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

Result<Inputs> stored_inputs(Graph const& graph, fs::path const& folder) {
  Inputs arrays;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    TRY_ASSIGN(NDArray array, open_tensor(folder / fmt::format("input_{}.pb", i)));
    arrays.push_back(as_declared(array, graph.value(graph.inputs[i]).type));
  }
  return arrays;
}

/// The folder itself, or those in it that hold inputs, by their names.
std::vector<fs::path> folders_of(fs::path const& data) {
  if (fs::exists(data / "input_0.pb")) return {data};
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (auto const& entry : fs::directory_iterator(data, ignored))
    if (fs::exists(entry.path() / "input_0.pb")) folders.push_back(entry.path());
  std::ranges::sort(folders);
  return folders;
}

/// Of inputs that the model leaves open: the extents of the set whose first one is least.
Result<std::map<std::string, Shape>> shapes_of_data(ImportedModel const& model,
                                                    QuantizeRequest const& request) {
  std::map<std::string, Shape> fixes = request.fixes;
  if (request.data.empty()) return fixes;
  TRY_ASSIGN(Graph graph, build_graph(model, {request.fixes, {}}));
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    Value const& value = graph.value(graph.inputs[i]);
    if (value.shape()) continue;
    for (fs::path const& folder : folders_of(request.data)) {
      TRY_ASSIGN(NDArray array, open_tensor(folder / fmt::format("input_{}.pb", i)));
      auto [known, is_new] = fixes.try_emplace(value.name, array.shape());
      bool less = !is_new && !array.shape().empty() && array.shape() < known->second;
      if (less) known->second = array.shape();
    }
  }
  return fixes;
}

Status read_data(Graph const& graph, QuantizeRequest const& request, CalibrationData& data,
                 QuantizeReport& report) {
  std::vector<fs::path> folders = folders_of(request.data);
  if (folders.empty())
    return bad_input(
        "no_calibration_data",
        fmt::format("{} has no input_0.pb, nor a folder with one", request.data.string()));
  for (fs::path const& folder : folders) {
    TRY_ASSIGN(Inputs inputs, stored_inputs(graph, folder));
    auto runs = runs_of(graph, inputs);
    if (!runs) {
      runs.error().place.file = folder.string();
      return std::unexpected(runs.error());
    }
    std::ranges::move(*runs, std::back_inserter(data.runs));
  }
  if (data.runs.size() > 1) {
    data.checks = {std::move(data.runs.back())};
    data.runs.pop_back();
  }
  report.calibrated_on = fmt::format("{} of {}", count_text(int64_t(data.runs.size()), "input"),
                                     request.data.string());
  report.compared_on = data.checks.empty() ? "the same" : folders.back().filename().string();
  return {};
}

Status make_data(Graph const& graph, QuantizeRequest const& request, CalibrationData& data,
                 QuantizeReport& report) {
  if (request.runs < 1 || request.runs > kMostRuns)
    return bad_input("bad_runs", fmt::format("{} calibration runs; 1 to {} are possible",
                                             request.runs, kMostRuns));
  for (int i = 0; i <= request.runs; ++i) {
    TRY_ASSIGN(Inputs inputs, random_inputs(graph, request.seed + uint64_t(i)));
    (i < request.runs ? data.runs : data.checks).push_back(std::move(inputs));
  }
  report.calibrated_on =
      fmt::format("{}, seed {}", count_text(request.runs, "random input"), request.seed);
  report.compared_on = "another random one";
  return {};
}

Status write_tensors(fs::path const& folder, char const* prefix, Graph const& graph,
                     std::vector<ValueId> const& ids, Inputs const& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    TRY_ASSIGN(std::string bytes, write_onnx_tensor(tensors[i], graph.value(ids[i]).name));
    TRY(write_output(folder / fmt::format("{}_{}.pb", prefix, i), bytes));
  }
  return {};
}

Status write_tests(fs::path const& out, Graph const& graph, Inputs const& inputs,
                   Inputs const& outputs) {
  fs::path folder = out.parent_path() / "test_data_set_0";
  TRY(write_tensors(folder, "input", graph, graph.inputs, inputs));
  return write_tensors(folder, "output", graph, graph.outputs, outputs);
}

}  // namespace

Result<QuantizeReport> quantize_to_file(QuantizeRequest const& request, StopToken stop,
                                        Progress const& progress) {
  std::error_code none;  // of what is no file yet
  if (fs::equivalent(request.out, request.source, none))
    return bad_input(
        "overwrites_input",
        fmt::format("{} is the model that is read; the int8 model needs a file of its own",
                    request.out.string()));
  if (progress) progress({"reading " + request.source});
  bool is_sample = request.source.starts_with("sample:");
  TRY_ASSIGN(ImportedModel model,
             is_sample ? build_sample(request.source.substr(7)) : open_foreign(request.source));
  TRY_ASSIGN(auto fixes, shapes_of_data(model, request));
  TRY_ASSIGN(Graph graph, build_graph(model, {fixes, {}}));
  QuantizeReport report;
  CalibrationData data;
  TRY(request.data.empty() ? make_data(graph, request, data, report)
                           : read_data(graph, request, data, report));
  QuantizeOptions options = request.options;
  if (!options.one_weight_step && model.format == "onnx")
    if (auto newer = with_opset(model, kChannelStepsOpset); !newer) {
      options.one_weight_step = true;
      report.one_step_because = newer.error().message;
    }
  options.stop = stop;
  options.progress = progress;
  TRY_ASSIGN(report.quantized, quantize(graph, data, options));
  if (request.out.empty()) return report;
  TRY_ASSIGN(ImportedModel quantized, quantized_model(model, report.quantized.graph));
  TRY_ASSIGN(std::string bytes, write_onnx(quantized));
  if (stop.stop_requested()) return environment_failed("cancelled", "quantizing was cancelled");
  // The model last: who finds it finds its tests, too.
  if (request.with_tests)
    TRY(write_tests(request.out, graph, data.checks.empty() ? data.runs.back() : data.checks.back(),
                    report.quantized.made));
  TRY(write_output(request.out, bytes));
  return report;
}

}  // namespace tw::session
