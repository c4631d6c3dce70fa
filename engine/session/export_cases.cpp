#include "engine/session/export_cases.h"

#include <fmt/format.h>

#include "engine/importers/importer.h"
#include "engine/package/export.h"
#include "engine/session/loaded_model.h"

namespace tw::session {
namespace {

namespace fs = std::filesystem;

struct TestData {
  std::vector<NDArray> inputs, outputs;
  std::string origin;
};

/// Tensors kind_0.pb, kind_1.pb, ... of the declared types; empty where one is missing or is none.
std::vector<NDArray> stored(fs::path const& set, char const* kind, Graph const& graph,
                            std::vector<ValueId> const& values) {
  std::vector<NDArray> arrays;
  for (size_t i = 0; i < values.size(); ++i) {
    auto array = open_tensor(set / fmt::format("{}_{}.pb", kind, i));
    if (!array) return {};
    Value const& value = graph.value(values[i]);
    arrays.push_back(as_declared(*array, value.type));
    auto shape = value.shape();
    if (arrays.back().type() != value.type.dtype || !shape || arrays.back().shape() != *shape)
      return {};
  }
  return arrays;
}

Result<TestData> test_data(LoadedModel const& model, StopToken stop, Progress const& progress) {
  TestData data;
  fs::path set = fs::path(model.path).parent_path() / "test_data_set_0";
  std::error_code ignored;
  if (!model.path.empty() && fs::exists(set, ignored)) {
    data.inputs = stored(set, "input", model.after, model.after.inputs);
    data.outputs = stored(set, "output", model.after, model.after.outputs);
    data.origin = "the outputs stored beside the model";
    if (!data.outputs.empty() && data.inputs.size() == model.after.inputs.size()) return data;
  }
  if (progress) progress({"running the reference", 0, 0});
  TRY_ASSIGN(data.inputs, random_inputs(model, 1));
  ReferenceOptions options;
  options.stop = stop;
  options.progress = progress;
  TRY_ASSIGN(data.outputs, reference_run(model.before, data.inputs, options));
  data.origin = "those of the operators' plain loops";
  return data;
}

std::string size_text(int64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  return bytes < 10'000'000 ? fmt::format("{:.0f} kB", double(bytes) / 1e3)
                            : fmt::format("{:.1f} MB", double(bytes) / 1e6);
}

std::string summary_of(ExportView const& view) {
  std::string what = fmt::format("{}: {} kernels in {}, parameters {}, runtime {}", view.folder,
                                 view.kernels, size_text(view.library_bytes),
                                 size_text(view.parameter_bytes), size_text(view.runtime_bytes));
  if (!view.tested) return what + ". Not run here: " + view.not_tested_because;
  std::string compared =
      fmt::format("its outputs differ from {} by {:.3g} at most, where the largest value is {:.3g}",
                  view.compared_with, view.largest_difference, view.largest_value);
  if (!view.emulator.empty())
    return fmt::format("{}. Run alone under {}: {}", what, view.emulator, compared);
  return fmt::format("{}. Run alone: {}; {:.3f} ms at best, {:.3f} ms in the middle, {} thread{}",
                     what, compared, view.least_ms, view.median_ms, view.threads,
                     view.threads == 1 ? "" : "s");
}

ExportView view_of(ExportResult const& result, std::string const& target,
                   std::string const& origin) {
  SelfTest const& test = result.test;
  ExportView view{.folder = result.folder.string(),
                  .target = target,
                  .kernels = result.kernels,
                  .library_bytes = result.library_bytes,
                  .parameter_bytes = result.parameter_bytes,
                  .runtime_bytes = result.runtime_bytes,
                  .tested = test.ran,
                  .not_tested_because = test.reason,
                  .emulator = test.emulator,
                  .compared_with = origin,
                  .threads = test.threads,
                  .largest_difference = test.largest_difference,
                  .largest_value = test.largest_value,
                  .least_ms = test.least_ms,
                  .median_ms = test.median_ms,
                  .summary = {}};
  view.summary = summary_of(view);
  return view;
}

}  // namespace

Result<ExportView> export_to_folder(LoadedModel const& model, ExportRequest const& request,
                                    ExportKit const& kit, Backend const& host, Device& device,
                                    StopToken stop, Progress const& progress) {
  if (model.is_expression)
    return refused(
        "not_exportable",
        "a tensor expression has no weights and no graph; an ONNX model can be exported");
  if (model.base) return export_to_folder(*model.base, request, kit, host, device, stop, progress);
  TRY_ASSIGN(std::shared_ptr<Backend const> backend, kit.backend_for(request.target));
  TRY(check_exportable(model.after, model.plan));
  TRY_ASSIGN(TestData data, test_data(model, stop, progress));
  CodeCache cache({request.cache_folder / "kernels"});
  ExportOptions options;
  options.name = fs::path(model.name).stem().string();
  options.folder = request.folder;
  options.kit = kit.folder;
  options.inputs = std::move(data.inputs);
  options.expected = std::move(data.outputs);
  options.origin = data.origin;
  options.threads = request.threads > 0 ? request.threads : host.target().hardware.cores;
  options.cache = request.cache_folder.empty() ? nullptr : &cache;
  options.call.stop = stop;
  options.call.timeout = std::chrono::minutes(3);
  options.progress = progress;
  PackageSource source{model.after, model.plan, *backend, host, device, request.scripts};
  TRY_ASSIGN(ExportResult result, export_model(source, options));
  return view_of(result, request.target, data.origin);
}

}  // namespace tw::session
