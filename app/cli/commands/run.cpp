#include <fmt/format.h>

#include "app/cli/chosen_kernel.h"
#include "app/cli/given_inputs.h"
#include "app/cli/offload_listing.h"
#include "app/cli/output.h"
#include "app/shared/environment.h"
#include "engine/backend/target_table.h"
#include "engine/compile/offload.h"
#include "engine/device/registry.h"
#include "engine/session/cases/offload_cases.h"
#include "engine/support/base/hash.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace tw::cli::command_run {
namespace {

struct Arguments {
  std::string path, input_folder, output_folder, write_inputs, offload;
  std::vector<std::string> inputs, cut, scripts;
  int rounds = 10;
  bool by_default = false;
};

/// The devices of a cut besides the first.
struct Elsewhere {
  std::vector<std::shared_ptr<Backend const>> backends;
  std::vector<std::unique_ptr<Device>> devices;
};

Status open_cut(Context const& context, Arguments const& arguments, session::RunOptions& options,
                Elsewhere& elsewhere) {
  if (arguments.cut.empty()) return {};
  std::string first = context.device.empty() ? kLocalDeviceName : context.device;
  TRY_ASSIGN(options.cut, parse_cut(arguments.cut, first));
  for (size_t i = 1; i < options.cut.places.size(); ++i) {
    TRY_ASSIGN(Environment there, make_environment(options.cut.places[i]));
    TRY_ASSIGN(std::unique_ptr<Device> device, there.open_device());
    elsewhere.backends.push_back(there.backend);
    elsewhere.devices.push_back(std::move(device));
    options.elsewhere.push_back({*elsewhere.backends.back(), *elsewhere.devices.back()});
  }
  return {};
}

/// The accelerator that `--offload` names.
struct Helper {
  std::string name;
  Environment environment;
};

Result<std::optional<Helper>> open_helper(Context& context, Arguments const& arguments) {
  if (arguments.offload.empty()) return std::nullopt;
  if (!arguments.cut.empty())
    return bad_input("bad_cut", "give either --partition or --offload, which finds a cut");
  TRY_ASSIGN(Environment environment, make_environment(arguments.offload));
  context.helper = environment.backend;
  return Helper{arguments.offload, std::move(environment)};
}

/// What the accelerator runs goes there.
Status use_helper(Context const& context, Helper const& helper, session::LoadedModel const& model,
                  session::RunOptions& options, Elsewhere& elsewhere) {
  std::string home = context.device.empty() ? kLocalDeviceName : context.device;
  TRY_ASSIGN(Offload found,
             session::offload_model(model, *helper.environment.backend, home, helper.name));
  if (!context.json) print_offloaded(found, home, helper.name);
  options.cut = std::move(found.cut);
  TRY_ASSIGN(std::unique_ptr<Device> device, helper.environment.open_device());
  elsewhere.devices.push_back(std::move(device));
  options.elsewhere.push_back({*helper.environment.backend, *elsewhere.devices.back()});
  return {};
}

/// What a GPU has no code for runs on this machine's processor, where the run failed for that;
/// else the error stays.
Result<session::RunResult> with_processor(Context const& context, Arguments const& arguments,
                                          session::LoadedModel const& model, Device& device,
                                          session::RunOptions& options, Error const& failed) {
  bool alone = arguments.cut.empty() && arguments.offload.empty();
  if (!alone || !processor_beside(context.backend->target().name)) return std::unexpected(failed);
  auto found = session::offload_rest_of(model, *context.backend, context.device, kLocalDeviceName);
  if (!found || found->cut.points.empty()) return std::unexpected(failed);
  TRY_ASSIGN(Environment here, make_environment(kLocalDeviceName));
  TRY_ASSIGN(std::unique_ptr<Device> processor, here.open_device());
  for (OffloadedKernel const& one : found->kernels)
    if (!context.json && !one.stays_because.empty())
      fmt::print("{:<64} {}: {}\n", one.name, kLocalDeviceName, one.stays_because);
  options.cut = std::move(found->cut);
  options.elsewhere.push_back({*here.backend, *processor});
  return session::run_model(model, options, *context.backend, device, {}, progress_of(context));
}

/// "opencl" of "local:opencl".
std::string target_of(std::string const& device) {
  return device.substr(std::min(device.size(), device.find(':') + 1));
}

/// What this machine is as an accelerator that no driver speaks of is simulated, and takes the
/// simulator's time.
void say_whose_time(Helper const& helper, std::string const& model) {
  bool here = is_this_machine(helper.name) && !is_described_by_device(target_of(helper.name));
  if (!here && !is_simulated(helper.environment.backend->target().hardware)) return;
  fmt::print(
      "these times include simulating {0}: its simulated times are in `tw roofline {1} --offload "
      "{0}`\n",
      helper.name, model);
}

struct Inputs {
  std::vector<NDArray> arrays;
  std::string origin;  ///< "given", "random, seed 1; n=1, ..."
};

/// By "--input NAME=FILE" or "--input-folder" (0.bin, 1.bin, ...).
Result<std::map<std::string, std::string>> input_files(
    Arguments const& arguments, std::vector<session::ModelTensor> const& infos) {
  std::map<std::string, std::string> files;
  for (size_t i = 0; !arguments.input_folder.empty() && i < infos.size(); ++i)
    files[infos[i].name] = fmt::format("{}/{}.bin", arguments.input_folder, i);
  TRY_ASSIGN(auto given, named_files(arguments.inputs, infos, "the model"));
  for (auto const& [name, file] : given) files[name] = file;
  return files;
}

/// "on=false, n=1"
std::string mode_list(std::map<std::string, NDArray> const& modes) {
  std::vector<std::string> texts;
  for (auto const& [name, value] : modes)
    texts.push_back(value.type() == DType::kBool
                        ? fmt::format("{}={}", name, value.value_at(0) != 0)
                        : fmt::format("{}={}", name, value.value_at(0)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// "random, seed 1; sr=16000 as stored beside the model; n=1, which may ...". `given`: modes that
/// somebody chose.
std::string origin_of_random(std::map<std::string, NDArray> stored,
                             std::map<std::string, NDArray> usual,
                             std::map<std::string, NDArray> const& given) {
  for (auto const& [name, value] : given) stored.erase(name), usual.erase(name);
  std::string text = "random, seed 1";
  if (!given.empty()) text += fmt::format("; {} as given", mode_list(given));
  if (!stored.empty()) text += fmt::format("; {} as stored beside the model", mode_list(stored));
  if (!usual.empty())
    text += fmt::format("; {}, which may decide what is computed: --input {}=FILE sets it",
                        mode_list(usual), usual.begin()->first);
  return text;
}

/// All inputs are given, or none but modes: the others are random then.
Result<Inputs> read_inputs(Arguments const& arguments, session::LoadedModel const& model) {
  auto infos = session::model_inputs(model);
  TRY_ASSIGN(auto files, input_files(arguments, infos));
  auto stored = session::stored_modes(model), usual = session::usual_modes(model);
  bool random = std::ranges::all_of(files, [&](auto const& file) {
    return stored.contains(file.first) || usual.contains(file.first);
  });
  random = random && (files.empty() || files.size() < infos.size());
  Inputs inputs{std::vector<NDArray>(infos.size()), "given"};
  if (random) {
    TRY_ASSIGN(inputs.arrays, session::random_inputs(model, 1));
  }
  std::map<std::string, NDArray> given;
  for (size_t i = 0; i < infos.size(); ++i) {
    auto file = files.find(infos[i].name);
    if (file == files.end() && random) continue;
    if (file == files.end())
      return bad_input(
          "missing_input",
          fmt::format("the input '{}' is missing: give all inputs or none", infos[i].name));
    TRY_ASSIGN(NDArray array, read_raw(file->second, infos[i]));
    given[infos[i].name] = inputs.arrays[i] = std::move(array);
  }
  if (random) inputs.origin = origin_of_random(std::move(stored), std::move(usual), given);
  return inputs;
}

/// Each --script in the place of its kernel's schedule.
Status take_scripts(Context const& context, Arguments const& arguments,
                    session::LoadedModel const& model, std::map<int, std::string>& scripts) {
  for (std::string const& word : arguments.scripts) {
    TRY_ASSIGN(session::NamedScript script, named_script(context, model, 0, word));
    size_t kernels = session::kernel_table(model).rows.size();
    if (word == "plain") {
      for (size_t row = 0; row < kernels; ++row) scripts[int(row)] = "";
      continue;
    }
    TRY_ASSIGN(std::optional<int> named, kernel_named_by(context, model, script));
    if (!named && kernels != 1)
      return bad_input("no_kernel", "its line `for KERNEL` names no kernel of the model",
                       Place{word, 0, 0, {}});
    int kernel = named.value_or(0);
    TRY_ASSIGN(script, without_macros(context, model, kernel, std::move(script)));
    scripts[kernel] = std::move(script.text);
  }
  return {};
}

Status write_raw(std::string const& folder, std::string const& prefix,
                 std::vector<NDArray> const& arrays) {
  TRY(make_folder(folder));
  for (size_t i = 0; i < arrays.size(); ++i)
    TRY(write_file(fmt::format("{}/{}{}.bin", folder, prefix, i),
                   {static_cast<char const*>(arrays[i].data()), size_t(arrays[i].byte_size())}));
  return {};
}

Json to_json(session::Readiness const& ready, double load_s) {
  return {{"model_s", load_s},
          {"kernels_s", ready.seconds},
          {"compiled", ready.compiled},
          {"from_cache", ready.from_cache},
          {"broken_cache", ready.broken_cache}};
}

void print_ready(session::Readiness const& ready, double load_s) {
  fmt::print(
      "ready after {}: the model read in {}, {} compiled and {} taken from the cache in {}\n",
      duration_text(load_s + ready.seconds), duration_text(load_s),
      count_text(ready.compiled, "kernel"), ready.from_cache, duration_text(ready.seconds));
  if (ready.broken_cache > 0)
    fmt::print("{} in the cache discarded: damaged\n", count_text(ready.broken_cache, "file"));
}

/// `copied`: bytes between devices.
void print_result(Context const& context, session::RunResult const& result,
                  std::string const& origin, double load_s, bool disturbed, int64_t copied) {
  std::vector<double> sorted = result.samples_ms;
  std::sort(sorted.begin(), sorted.end());
  double least = sorted.empty() ? 0 : sorted.front(),
         median = sorted.empty() ? 0 : sorted[sorted.size() / 2];
  Json outputs = Json::array();
  for (size_t i = 0; i < result.outputs.size(); ++i)
    outputs.push_back({{"name", result.infos[i].name},
                       {"shape", result.outputs[i].shape()},
                       {"hash", fmt::format("{:016x}", result.outputs[i].hash())}});
  if (context.json) {
    print({{"min_ms", least},
           {"median_ms", median},
           {"samples_ms", result.samples_ms},
           {"threads", result.threads},
           {"device", context.device.empty() ? "local" : context.device},
           {"copies", result.copies},
           {"copied_bytes", copied},
           {"disturbed", disturbed},
           {"ready", to_json(result.ready, load_s)},
           {"inputs", origin},
           {"outputs", outputs}});
    return;
  }
  print_ready(result.ready, load_s);
  fmt::print("{} at best, {} median of {}, {}, inputs {}\n", milliseconds_text(least),
             milliseconds_text(median), count_text(int64_t(sorted.size()), "run"),
             count_text(result.threads, "thread"), origin);
  say_disturbed(context, disturbed);
  if (result.copies > 0)
    fmt::print("{} copied between devices in each run, {}\n", count_text(result.copies, "value"),
               bytes_text(double(copied)));
  for (size_t i = 0; i < result.outputs.size(); ++i)
    fmt::print("  {} {} {}\n", result.infos[i].name, to_text(result.outputs[i].shape()),
               outputs[i]["hash"].get<std::string>());
}

int run(Context& context, Arguments const& arguments) {
  using session::ProjectSchedules;
  auto helper = open_helper(context, arguments);
  if (!helper) return report(context, helper.error());
  auto start = std::chrono::steady_clock::now();
  auto shaped =
      load_shaped(context, arguments.path,
                  arguments.by_default ? ProjectSchedules::kIgnored : ProjectSchedules::kKept);
  if (!shaped) return report(context, shaped.error());
  session::LoadedModel const& model = *shaped->model;
  std::chrono::duration<double> loading = std::chrono::steady_clock::now() - start;
  if (Status taken = take_scripts(context, arguments, model, shaped->scripts); !taken)
    return report(context, taken.error());
  auto inputs = read_inputs(arguments, model);
  if (!inputs) return report(context, inputs.error());
  if (!arguments.write_inputs.empty())
    if (Status status = write_raw(arguments.write_inputs, "", inputs->arrays); !status)
      return report(context, status.error());
  auto device = context.open_device();
  if (!device) return report(context, device.error());
  session::RunOptions options{.rounds = arguments.rounds,
                              .threads = context.threads,
                              .inputs = inputs->arrays,
                              .scripts = shaped->scripts,
                              .cache_folder = context.cache_folder};
  Elsewhere elsewhere;
  if (Status opened = open_cut(context, arguments, options, elsewhere); !opened)
    return report(context, opened.error());
  if (*helper)
    if (Status used = use_helper(context, **helper, model, options, elsewhere); !used)
      return report(context, used.error());
  bool disturbed = is_disturbed(context, **device);
  auto result =
      session::run_model(model, options, *context.backend, **device, {}, progress_of(context));
  if (!result)
    result = with_processor(context, arguments, model, **device, options, result.error());
  end_progress(context);
  if (!result) return report(context, result.error());
  if (!arguments.output_folder.empty())
    if (Status status = write_raw(arguments.output_folder, "output_", result->outputs); !status)
      return report(context, status.error());
  int64_t copied = result->copies > 0
                       ? session::copies_of(model, options.cut).value_or(session::CutCopies{}).bytes
                       : 0;
  print_result(context, *result, inputs->origin, loading.count(), disturbed, copied);
  if (*helper && !context.json) say_whose_time(**helper, arguments.path);
  return 0;
}

void add_run(Command app, Context& context) {
  auto command =
      app.add_subcommand("run", "run the whole model on this machine or another and time it");
  auto arguments = std::make_shared<Arguments>();
  add_shaped_options(command, context, arguments->path, arguments->by_default);
  command.add_option("--rounds", arguments->rounds, "number of timed runs (default: 10)")
      .type_name("N")
      .range(1, 100000);
  add_device_option(command, context);
  add_threads_option(command, context);
  command
      .add_option("--script", arguments->scripts,
                  "a schedule script of the kernel that its `for` line names, or 'plain' for all "
                  "kernels; may be given several times (default: the default schedules)")
      .type_name("F.tws")
      .repeatable();
  command
      .add_option("--partition", arguments->cut,
                  "from this node or kernel on, run on that device; may be given several times")
      .type_name("NODE@DEVICE")
      .repeatable();
  command
      .add_option("--offload", arguments->offload,
                  "an accelerator beside the device: its supported kernels run there")
      .type_name("DEVICE");
  add_input_option(command, arguments->inputs,
                   "raw little-endian elements of an input; all inputs or none (default: random)");
  command
      .add_option("--input-folder", arguments->input_folder,
                  "raw inputs 0.bin, 1.bin, ... in the model's order")
      .type_name("DIR");
  command
      .add_option("--output-folder", arguments->output_folder,
                  "write raw outputs output_0.bin, ...")
      .type_name("DIR");
  command
      .add_option("--write-inputs", arguments->write_inputs,
                  "write the inputs that were used, in the form that --input-folder reads")
      .type_name("DIR");
  command.callback([&context, arguments] {
    context.run = [&context, arguments] { return run(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 100, .add = add_run};
  return row;
}

}  // namespace tw::cli::command_run
