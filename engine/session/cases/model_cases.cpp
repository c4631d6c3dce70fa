// What is done with a whole model: run, verified.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/execute/assemble.h"
#include "engine/execute/compiled_model.h"
#include "engine/importers/importer.h"
#include "engine/measure/kernel_bench.h"
#include "engine/session/model/kernel_roofs.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/model/progress_ticker.h"
#include "engine/te/expected.h"

namespace tw::session {
namespace {

int threads_of(int wanted, Backend const& backend) {
  return wanted > 0 ? wanted : backend.target().hardware.unit().count;
}

Result<RunResult> run_kernel(LoadedModel const& model, RunOptions const& options,
                             Backend const& backend, Device& device, StopToken stop,
                             Progress const& progress) {
  int kernel = std::max(0, options.kernel);
  TRY_ASSIGN(ir::Program program, plain_program(model, kernel));
  auto start = std::chrono::steady_clock::now();
  TRY_ASSIGN(Schedule schedule,
             schedule_of(program, given_script(options.scripts, kernel), backend));
  TRY_ASSIGN(KernelCode code, compile_kernel(schedule.program(), backend, CodeTier::kFull, stop));
  std::chrono::duration<double> const compiling = std::chrono::steady_clock::now() - start;
  BenchOptions bench_options;
  bench_options.threads = threads_of(options.threads, backend);
  bench_options.timing = {
      .warm_up = 1, .repeats = options.rounds, .min_sample_seconds = 50e-6, .most_seconds = 60};
  bench_options.call.stop = stop;
  bench_options.call.timeout = std::chrono::minutes(3);
  KernelBench bench(device, program, options.inputs);
  ProgressTicker elapsing(progress, fmt::format("{} runs", program.name), 0);
  TRY_ASSIGN(BenchResult measured, bench.measure(code, bench_options));
  RunResult result;
  result.ready = {.seconds = compiling.count(), .compiled = 1};
  for (double seconds : measured.samples.seconds) result.samples_ms.push_back(seconds * 1e3);
  result.kernel_ms = {measured.samples.least() * 1e3};
  result.kernel_names = {model.kernel(kernel).name};
  result.kernel_devices = {""};
  result.outputs = std::move(measured.outputs);
  for (ir::Buffer const& buffer : program.outputs)
    result.infos.push_back(
        {buffer->name, buffer->type, ir::constant_shape(*buffer).value_or(Shape{}), {}});
  result.threads = bench_options.threads;
  return result;
}

std::vector<std::filesystem::path> test_sets(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> sets;
  std::error_code ignored;
  for (auto const& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.is_directory() && entry.path().filename().string().starts_with("test_data_set_"))
      sets.push_back(entry.path());
  std::sort(sets.begin(), sets.end());
  return sets;
}

Result<std::vector<NDArray>> tensors_in(std::filesystem::path const& set,
                                        std::string const& prefix) {
  std::vector<NDArray> tensors;
  for (int i = 0;; ++i) {
    std::filesystem::path file = set / fmt::format("{}_{}.pb", prefix, i);
    if (!std::filesystem::exists(file)) return tensors;
    TRY_ASSIGN(NDArray tensor, open_tensor(file));
    tensors.push_back(std::move(tensor));
  }
}

/// Every operator was told its shapes, axes and bounds when the model was opened.
bool is_settled(LoadedModel const& model) {
  bool settled = !first_opaque(model.plan);
  for_each_node(model.after, [&](Node const& node) { settled = settled && !node.dynamic; });
  return settled;
}

struct Opened {
  Model model;
  std::vector<std::string> known;  ///< inputs that it was told
};

/// The model, its open shapes fixed to those of the stored inputs. Where that leaves a node without
/// its shapes, all inputs but the first are told: one may be a shape or a list of axes.
Result<Opened> open_for(std::filesystem::path const& folder, Model const& plain,
                        std::vector<NDArray> const& inputs, Backend const& backend,
                        KnownInputs telling) {
  std::string path = (folder / "model.onnx").string();
  Opened opened{plain, {}};
  LoadOptions options;
  std::vector<ModelTensor> infos = model_inputs(*plain);
  for (size_t i = 0; i < infos.size() && i < inputs.size(); ++i)
    if (!infos[i].unknown.empty()) options.fixes[infos[i].name] = inputs[i].shape();
  if (!options.fixes.empty()) {
    TRY_ASSIGN(opened.model, load_model(path, options, backend));
  }
  if (telling == KnownInputs::kKeep || is_settled(*opened.model) || inputs.size() < 2 ||
      infos.size() != inputs.size())
    return opened;
  std::vector<std::string> known;
  for (size_t i = 1; i < infos.size(); ++i) {
    options.fixes.erase(infos[i].name);
    options.known[infos[i].name] = inputs[i];
    known.push_back(infos[i].name);
  }
  TRY_ASSIGN(Model told, load_model(path, options, backend));
  return is_settled(*told) ? Opened{told, known} : opened;
}

struct Stored {
  std::vector<NDArray> inputs, outputs;
};

Result<Stored> stored_tensors(std::filesystem::path const& set) {
  Stored stored;
  TRY_ASSIGN(stored.inputs, tensors_in(set, "input"));
  TRY_ASSIGN(stored.outputs, tensors_in(set, "output"));
  return stored;
}

/// Outcome, reason and largest difference.
void judge(std::vector<NDArray> const& outputs, std::vector<NDArray> const& expected,
           VerifiedSet& verified) {
  auto fail = [&](std::string reason) {
    verified.outcome = VerifiedSet::Outcome::kFailed;
    verified.reason = std::move(reason);
  };
  if (outputs.size() != expected.size())
    return fail(fmt::format("the model gives {} outputs, but {} are stored", outputs.size(),
                            expected.size()));
  for (size_t i = 0; i < outputs.size(); ++i) {
    NDArray const &ours = outputs[i], &theirs = expected[i];
    if (ours.type() != theirs.type() || ours.shape() != theirs.shape())
      return fail(fmt::format("output {} is {}[{}], but {}[{}] is stored", i, to_text(ours.type()),
                              to_text(ours.shape()), to_text(theirs.type()),
                              to_text(theirs.shape())));
    Comparison one = te::judge(ours, te::stored_output(theirs));
    if (one.max_abs_diff >= verified.max_abs_diff)
      verified.max_abs_diff = one.max_abs_diff, verified.max_abs_ref = one.max_abs_ref;
    if (!one.equal)
      fail(fmt::format(
          "output {} is {:.6g} at element {}, but {:.6g} is stored (the largest is {:.3g})", i,
          ours.value_at(one.worst_index), one.worst_index, theirs.value_at(one.worst_index),
          one.max_abs_ref));
  }
}

/// The tensors in the types that the model declares.
void declare(Stored& stored, Graph const& graph) {
  auto all = [&](std::vector<NDArray>& tensors, std::vector<ValueId> const& ids) {
    for (size_t i = 0; i < tensors.size() && i < ids.size(); ++i)
      tensors[i] = as_declared(tensors[i], graph.value(ids[i]).type);
  };
  all(stored.inputs, graph.inputs);
  all(stored.outputs, graph.outputs);
}

Result<VerifiedSet> verify_set(std::filesystem::path const& folder,
                               std::filesystem::path const& set, Backend const& backend,
                               Device& device, VerifyOptions const& given, StopToken stop) {
  VerifiedSet verified{folder.filename().string(), set.filename().string()};
  auto skipped = [&](std::string reason) {
    verified.outcome = VerifiedSet::Outcome::kSkipped;
    verified.reason = std::move(reason);
    return verified;
  };
  TRY_ASSIGN(Model plain, load_model((folder / "model.onnx").string(), {}, backend));
  Result<Stored> stored = stored_tensors(set);
  // Texts and sequences are no tensors of ours, and no operators of ours read them.
  if (!stored) {
    if (auto* opaque = first_opaque(plain->plan)) return skipped(opaque->reason);
    return std::unexpected(stored.error());
  }
  declare(*stored, plain->before);
  TRY_ASSIGN(Opened opened, open_for(folder, plain, stored->inputs, backend, given.known));
  Model const& model = opened.model;
  if (auto* opaque = first_opaque(model->plan)) return skipped(opaque->reason);
  verified.known = opened.known;
  if (!opened.known.empty()) stored->inputs.resize(1);
  CompiledModelOptions options;
  options.threads = threads_of(given.threads, backend);
  options.tier = given.tier;
  options.call.stop = stop;
  options.call.timeout = std::chrono::minutes(3);
  TRY_ASSIGN(std::unique_ptr<CompiledModel> network,
             CompiledModel::create(model->after, model->plan, backend, device, options));
  Result<std::vector<NDArray>> outputs = network->run(stored->inputs);
  // What a node wants may be known in the run alone, and be what it cannot do.
  if (!outputs && outputs.error().code == "unsupported") return skipped(outputs.error().message);
  if (!outputs) return std::unexpected(outputs.error());
  judge(*outputs, stored->outputs, verified);
  return verified;
}

}  // namespace

Result<Offload> offload_model(LoadedModel const& model, Backend const& helper,
                              std::string const& home, std::string const& there) {
  return offload(model.after, model.plan, helper, home, there);
}

Result<RunResult> run_model(LoadedModel const& model, RunOptions const& options,
                            Backend const& backend, Device& device, StopToken stop,
                            Progress const& progress) {
  if (model.is_expression || options.kernel >= 0)
    return run_kernel(model, options, backend, device, stop, progress);
  for (ModelTensor const& info : model_inputs(model))
    if (!info.unknown.empty())
      return bad_input(
          "unknown_shape",
          fmt::format("the shape of the input {} is not known ({}); set it with --shape {}=SHAPE",
                      info.name, fmt::join(info.unknown, ", "), info.name));
  if (model.base) return run_model(*model.base, options, backend, device, stop, progress);
  CompiledModelOptions network_options;
  network_options.threads = threads_of(options.threads, backend);
  network_options.scripts = options.scripts;
  network_options.call.stop = stop;
  network_options.call.timeout = std::chrono::minutes(3);
  network_options.progress = progress;
  CodeCache cache({options.cache_folder / "kernels"});
  if (!options.cache_folder.empty()) network_options.cache = &cache;
  RunResult result;
  auto start = std::chrono::steady_clock::now();
  Plan plan = model.plan;
  if (!options.cut.places.empty()) {
    TRY_ASSIGN(plan, cut_plan(model.after, model.plan, options.cut));
  }
  result.copies = int(std::ranges::count(plan.steps, StepKind::kCopy, &PlanStep::kind));
  std::vector<CompiledModelPlacement> places = {{backend, device}};
  for (CompiledModelPlacement const& one : options.elsewhere) places.push_back(one);
  // What was shaped for one target says nothing to another.
  std::erase_if(network_options.scripts, [&](auto const& script) {
    if (size_t(script.first) >= plan.kernels.size()) return true;  // beside the model
    Backend const& there = places[size_t(plan.kernels[size_t(script.first)].place)].backend;
    return there.target().name != backend.target().name;
  });
  TRY_ASSIGN(std::unique_ptr<CompiledModel> network,
             CompiledModel::create(model.after, plan, places, network_options));
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  result.ready = {took.count(), int(plan.kernels.size()) - cache.counts().found,
                  cache.counts().found, cache.counts().broken};
  TRY_ASSIGN(result.outputs, network->run(options.inputs));
  if (progress) progress({"timing", 0, 0});
  TRY_ASSIGN(CompiledModelTiming timing, network->time(options.rounds));
  result.samples_ms = std::move(timing.samples_ms);
  for (KernelTime const& time : timing.kernels) {
    result.kernel_ms.push_back(time.ms);
    KernelTask const& task = plan.kernels[size_t(time.kernel)];
    result.kernel_names.push_back(task.name);
    result.kernel_devices.push_back(task.place > 0 ? options.cut.places[size_t(task.place)] : "");
  }
  result.infos = model_outputs(model);
  result.threads = network_options.threads;
  return result;
}

void fill_times(KernelTable& table, LoadedModel const& model, RunResult const& run,
                MachineView const& machine) {
  for (size_t i = 0; i < table.rows.size(); ++i) {
    KernelRow& row = table.rows[i];
    row.time_ms.reset();
    row.device.clear();
    for (size_t k = 0; k < run.kernel_names.size(); ++k)
      if (run.kernel_names[k] == row.name) {
        row.time_ms = row.time_ms ? std::min(*row.time_ms, run.kernel_ms[k]) : run.kernel_ms[k];
        row.device = run.kernel_devices[k];
      }
    row.fraction_of_roof.reset();
    if (!row.time_ms || *row.time_ms <= 0 || !row.device.empty()) continue;
    auto plain = plain_program(model, int(i));
    if (!plain) continue;
    row.roof = roof_view(needs_of(model, int(i), *plain), machine, run.threads);
    row.fraction_of_roof = row.roof ? fraction_of(*row.roof, *row.time_ms) : std::nullopt;
  }
  if (!run.samples_ms.empty())
    table.total_ms = *std::min_element(run.samples_ms.begin(), run.samples_ms.end());
}

std::vector<VerifiedSet> verify_folder(std::filesystem::path const& folder, Backend const& backend,
                                       Device& device, VerifyOptions const& options,
                                       StopToken stop) {
  std::vector<VerifiedSet> results;
  std::string name = folder.filename().empty() ? folder.parent_path().filename().string()
                                               : folder.filename().string();
  std::vector<std::filesystem::path> sets = test_sets(folder);
  if (sets.empty())
    results.push_back(
        {name, "-", VerifiedSet::Outcome::kSkipped, "the folder has no test_data_set_N"});
  for (auto const& set : sets) {
    auto verified = verify_set(folder, set, backend, device, options, stop);
    if (!verified)
      verified = VerifiedSet{name, set.filename().string(), VerifiedSet::Outcome::kFailed,
                             to_sentence(verified.error())};
    verified->model = name;
    results.push_back(std::move(*verified));
  }
  return results;
}

}  // namespace tw::session
