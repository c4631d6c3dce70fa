#include "engine/session/cases/export_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/compile/offload.h"
#include "engine/graph/sensitivity.h"
#include "engine/importers/importer.h"
#include "engine/package/export.h"
#include "engine/schedule/trace.h"
#include "engine/session/model/kernel_alone.h"
#include "engine/session/model/loaded_model.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

namespace fs = std::filesystem;

/// Kernels add in another order than the plain loops: how much further than these move by a
/// millionth outputs may be, where a model has steps.
constexpr double kOverSensitivity = 4;

struct TestData {
  std::vector<NDArray> inputs, outputs;
  std::string origin;
  double sensitivity = 0;  ///< of a model with steps: see `sensitivity`
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

/// The first of the sets beside the model whose tensors have its shapes.
std::optional<TestData> stored_data(LoadedModel const& model) {
  if (model.path.empty()) return {};
  for (int set = 0;; ++set) {
    fs::path folder = fs::path(model.path).parent_path() / fmt::format("test_data_set_{}", set);
    std::error_code ignored;
    if (!fs::exists(folder, ignored)) return {};
    TestData data{stored(folder, "input", model.after, model.after.inputs),
                  stored(folder, "output", model.after, model.after.outputs),
                  "the outputs stored beside the model"};
    if (!data.outputs.empty() && data.inputs.size() == model.after.inputs.size()) return data;
  }
}

Result<TestData> test_data(LoadedModel const& model, StopToken stop, Progress const& progress) {
  TestData data;
  std::optional<TestData> known = stored_data(model);
  bool steps = has_steps(model.before);
  if (known && !steps) return std::move(*known);
  if (progress) progress({"running the reference", 0, 0});
  ReferenceOptions options;
  options.stop = stop;
  options.progress = progress;
  if (known) {
    data.inputs = known->inputs;
  } else {
    TRY_ASSIGN(data.inputs, random_inputs(model, 1));
  }
  TRY_ASSIGN(data.outputs, reference_run(model.before, data.inputs, options));
  data.origin = "the results of the operators' reference loops";
  if (steps) {
    TRY_ASSIGN(data.sensitivity, sensitivity(model.before, data.inputs, data.outputs, options));
  }
  if (known) data.outputs = known->outputs, data.origin = known->origin;
  return data;
}

std::string summary_of(ExportView const& view) {
  std::string what = fmt::format(
      "{}: {}{} in {}, parameters {}, runtime {}", view.folder, count_text(view.kernels, "kernel"),
      view.shaped > 0 ? fmt::format(" ({} with your schedules)", view.shaped) : "",
      bytes_text(double(view.library_bytes)), bytes_text(double(view.parameter_bytes)),
      bytes_text(double(view.runtime_bytes)));
  if (!view.note.empty()) what += ". " + view.note;
  if (!view.tested) return what + ". Not tested here: " + view.not_tested_because;
  std::string compared =
      fmt::format("its outputs differ from {} by at most {:.3g}; the largest value is {:.3g}",
                  view.compared_with, view.largest_difference, view.largest_value);
  if (!view.emulator.empty())
    return fmt::format("{}. Tested stand-alone under {}: {}", what, view.emulator, compared);
  return fmt::format("{}. Tested stand-alone: {}; {} at best, {} median, {}", what, compared,
                     milliseconds_text(view.least_ms), milliseconds_text(view.median_ms),
                     count_text(view.threads, "thread"));
}

ExportView view_of(ExportResult const& result, std::string const& target,
                   ExportOptions const& options, int shaped) {
  SelfTest const& test = result.test;
  ExportView view{.folder = result.folder.string(),
                  .target = target,
                  .kernels = result.kernels,
                  .shaped = shaped,
                  .note = options.note,
                  .library_bytes = result.library_bytes,
                  .parameter_bytes = result.parameter_bytes,
                  .runtime_bytes = result.runtime_bytes,
                  .tested = test.ran,
                  .not_tested_because = test.reason,
                  .emulator = test.emulator,
                  .compared_with = options.origin,
                  .threads = test.threads,
                  .largest_difference = test.largest_difference,
                  .largest_value = test.largest_value,
                  .least_ms = test.least_ms,
                  .median_ms = test.median_ms,
                  .summary = {}};
  view.summary = summary_of(view);
  return view;
}

/// How many of the kernels have another schedule than the backend's rule gives them.
Result<int> shaped_kernels(PackageSource const& source) {
  int count = 0;
  for (auto const& [row, text] : source.scripts) {
    if (size_t(row) >= source.plan.kernels.size()) continue;
    KernelTask const& task = source.plan.kernels[size_t(row)];
    TRY_ASSIGN(ir::Program program, te::to_program(task.kernel));
    TRY_ASSIGN(Schedule rule, source.backend_at(task.place).default_schedule(program));
    TRY_ASSIGN(Script given, parse_script(text));
    count += !std::ranges::equal(rule.trace(), given.steps, [](auto const& a, auto const& b) {
      return to_text(a.step) == to_text(b.second);
    });
  }
  return count;
}

/// What a cut calls the processor beside an accelerator.
constexpr char kProcessor[] = "processor";

/// What all exports have in common, and where they end.
class Exporter {
public:
  Exporter(ExportRequest const& request, ExportKit const& kit, Backend const& host, Device& device,
           StopToken stop, Progress const& progress)
      : request_(request),
        host_(host),
        device_(device),
        cache_({request.cache_folder / "kernels"}) {
    options_.folder = request.folder;
    options_.kit = kit.folder;
    options_.device_here = kit.device_here;
    options_.threads = request.threads > 0 ? request.threads : host.target().hardware.unit().count;
    options_.cache = request.cache_folder.empty() ? nullptr : &cache_;
    options_.call.stop = stop;
    options_.call.timeout = std::chrono::minutes(3);
    options_.progress = progress;
  }

  /// `accelerator`: what it runs goes there, in its layouts; null: there is none beside the
  /// processor of `backend`.
  Result<ExportView> model(LoadedModel const& given, Backend const& backend,
                           Backend const* accelerator) {
    Model arranged_beside;
    std::map<int, std::string> scripts = request_.scripts;
    if (accelerator) {
      TRY_ASSIGN(arranged_beside, arranged(given, arrangement_of(given), host_, accelerator));
      scripts = scripts_for(given, *arranged_beside);
    }
    LoadedModel const& model = accelerator ? *arranged_beside : given;
    TRY(check_exportable(model.after, model.plan));
    TRY_ASSIGN(TestData data, test_data(model, options_.call.stop, options_.progress));
    options_.name = fs::path(model.name).stem().string();
    options_.inputs = std::move(data.inputs);
    options_.expected = std::move(data.outputs);
    options_.origin = data.origin;
    allow(data.sensitivity);
    if (request_.is_cut && !accelerator)
      note("It runs whole on one processor: the cut over several devices is not exported");
    return write({model.after, model.plan, backend, host_, device_, scripts}, accelerator);
  }

  /// `accelerator`: what runs it, beside the processor of `backend`; null: that does.
  Result<ExportView> kernel(LoadedModel const& model, int row, Backend const& backend,
                            Backend const* accelerator) {
    if (options_.progress) options_.progress({"running the reference", 0, 0});
    TRY_ASSIGN(KernelAlone alone,
               kernel_alone(model, row, request_.parameters, host_, device_, options_.call.stop));
    options_.name = model.kernel(row).name;
    options_.inputs = std::move(alone.inputs);
    options_.expected = std::move(alone.expected);
    options_.origin = alone.origin;
    if (!alone.unknown.empty())
      options_.note = fmt::format("No values were given for {}: it contains random values",
                                  fmt::join(alone.unknown, ", "));
    std::map<int, std::string> scripts;
    if (auto given = request_.scripts.find(row); given != request_.scripts.end())
      scripts[0] = given->second;
    return write({alone.graph, alone.plan, backend, host_, device_, scripts}, accelerator);
  }

private:
  void note(std::string const& sentence) {
    options_.note += (options_.note.empty() ? "" : ". ") + sentence;
  }

  void allow(double sensitivity) {
    double allowed = kOverSensitivity * sensitivity;
    if (allowed <= options_.tolerance) return;
    options_.tolerance = allowed;
    note(
        fmt::format("It converts float32 to integers: changing its inputs by a millionth changes "
                    "its outputs by {} of their largest value, so a test allows {}",
                    percent_text(sensitivity), percent_text(allowed)));
  }

  Result<ExportView> write(PackageSource source, Backend const* accelerator = nullptr) {
    Plan cut;  // which the source refers to
    if (accelerator) {
      TRY_ASSIGN(Offload found, offload(source.graph, source.plan, *accelerator, kProcessor,
                                        accelerator->target().name));
      note_what_runs_where(found, accelerator->target().title);
      TRY_ASSIGN(cut, cut_plan(source.graph, source.plan, found.cut));
    }
    PackageSource const last{source.graph,
                             accelerator ? cut : source.plan,
                             source.backend,
                             source.host,
                             source.device,
                             source.scripts,
                             {},
                             accelerator ? std::vector{accelerator} : source.elsewhere};
    TRY_ASSIGN(ExportResult result, export_model(last, options_));
    TRY_ASSIGN(int shaped, shaped_kernels(last));
    return view_of(result, request_.target, options_, shaped);
  }

  void note_what_runs_where(Offload const& found, std::string const& accelerator) {
    auto stays = std::ranges::count_if(
        found.kernels, [](OffloadedKernel const& one) { return !one.stays_because.empty(); });
    note(fmt::format("{} of {} run on {}{}", int64_t(found.kernels.size()) - stays,
                     count_text(int64_t(found.kernels.size()), "kernel"), accelerator,
                     stays > 0 ? ", the rest on the processor beside it" : ""));
  }

  /// Layouts made other kernels: a script goes on to the one that computes the same.
  std::map<int, std::string> scripts_for(LoadedModel const& given, LoadedModel const& model) const {
    std::map<int, std::string> scripts;
    for (auto const& [row, script] : request_.scripts) {
      auto same = std::ranges::find(model.plan.kernels, given.kernel(row).hash, &KernelTask::hash);
      if (same != model.plan.kernels.end())
        scripts[int(same - model.plan.kernels.begin())] = script;
    }
    return scripts;
  }

  ExportRequest const& request_;
  Backend const& host_;
  Device& device_;
  CodeCache cache_;
  ExportOptions options_;
};

}  // namespace

Result<ExportView> export_to_folder(LoadedModel const& model, ExportRequest const& asked,
                                    ExportKit const& kit, Backend const& host, Device& device,
                                    StopToken stop, Progress const& progress) {
  ExportRequest request = asked;
  if (request.target.empty() && !kit.targets.empty()) request.target = kit.targets.front();
  int row = model.is_expression ? std::max(0, request.kernel) : request.kernel;
  if (row >= int(model.plan.kernels.size()))
    return bad_input("unknown_kernel", fmt::format("there is no kernel {}", row));
  TRY_ASSIGN(std::shared_ptr<Backend const> backend, kit.backend_for(request.target));
  std::shared_ptr<Backend const> accelerator;
  if (auto beside = kit.beside ? kit.beside(request.target) : std::nullopt) {
    accelerator = std::move(backend);
    TRY_ASSIGN(backend, kit.backend_for(beside->empty() ? kit.targets.front() : *beside));
  }
  Exporter exporter(request, kit, host, device, stop, progress);
  if (row >= 0) return exporter.kernel(model, row, *backend, accelerator.get());
  return exporter.model(model.base ? *model.base : model, *backend, accelerator.get());
}

}  // namespace tw::session
