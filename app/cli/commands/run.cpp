#include <fmt/format.h>

#include "app/cli/output.h"
#include "engine/support/base/hash.h"
#include "engine/support/files.h"

#include <algorithm>
#include <chrono>

namespace tw::cli {
namespace {

struct Arguments {
  std::string path, input_folder, output_folder, write_inputs;
  std::vector<std::string> inputs;
  int rounds = 10;
};

/// Files by "--input NAME=FILE" or "--input-folder" (0.bin, 1.bin, ...); all inputs or none.
Result<std::vector<NDArray>> read_inputs(Arguments const& arguments,
                                         session::LoadedModel const& model) {
  auto infos = session::model_inputs(model);
  std::map<std::string, std::string> files;
  for (size_t i = 0; !arguments.input_folder.empty() && i < infos.size(); ++i)
    files[infos[i].name] = fmt::format("{}/{}.bin", arguments.input_folder, i);
  for (std::string const& given : arguments.inputs) {
    size_t equals = given.rfind('=');
    if (equals == std::string::npos)
      return bad_input("bad_input_option", fmt::format("--input takes NAME=FILE, not '{}'", given));
    std::string name = given.substr(0, equals);
    if (std::none_of(infos.begin(), infos.end(),
                     [&](auto const& info) { return info.name == name; }))
      return bad_input("unknown_input", fmt::format("the model has no input '{}'", name));
    files[name] = given.substr(equals + 1);
  }
  if (files.empty()) return std::vector<NDArray>();
  std::vector<NDArray> arrays;
  for (session::ModelTensor const& info : infos) {
    auto file = files.find(info.name);
    if (file == files.end())
      return bad_input("missing_input",
                       fmt::format("input '{}' is missing: give all inputs or none", info.name));
    TRY_ASSIGN(NDArray array, read_raw(file->second, info));
    arrays.push_back(std::move(array));
  }
  return arrays;
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
      "ready after {:.2f} s: the model read in {:.2f} s, {} kernel{} compiled and {} taken "
      "from the cache in {:.2f} s\n",
      load_s + ready.seconds, load_s, ready.compiled, ready.compiled == 1 ? "" : "s",
      ready.from_cache, ready.seconds);
  if (ready.broken_cache > 0)
    fmt::print("{} damaged cache entr{} thrown away\n", ready.broken_cache,
               ready.broken_cache == 1 ? "y was" : "ies were");
}

/// "random, seed 1; sr as stored beside the model"; "given".
std::string origin_of_inputs(session::LoadedModel const& model, bool random) {
  if (!random) return "given";
  std::vector<std::string> stored, unknown = session::random_modes(model);
  for (auto const& [name, value] : session::stored_modes(model)) stored.push_back(name);
  std::string text = "random, seed 1";
  if (!stored.empty())
    text += fmt::format("; {} as stored beside the model", fmt::join(stored, ", "));
  if (!unknown.empty())
    text += fmt::format("; {} may choose what is computed: --input {}=FILE gives it",
                        fmt::join(unknown, ", "), unknown.front());
  return text;
}

void print_result(Context const& context, session::RunResult const& result,
                  std::string const& origin, double load_s) {
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
           {"ready", to_json(result.ready, load_s)},
           {"inputs", origin},
           {"outputs", outputs}});
    return;
  }
  print_ready(result.ready, load_s);
  fmt::print("{:.3f} ms at best, {:.3f} ms in the middle of {} runs, {} thread{}, inputs {}\n",
             least, median, sorted.size(), result.threads, result.threads == 1 ? "" : "s", origin);
  for (size_t i = 0; i < result.outputs.size(); ++i)
    fmt::print("  {} {} {}\n", result.infos[i].name, to_text(result.outputs[i].shape()),
               outputs[i]["hash"].get<std::string>());
}

int run(Context const& context, Arguments const& arguments) {
  auto start = std::chrono::steady_clock::now();
  auto model = load(context, arguments.path);
  if (!model) return report(context, model.error());
  std::chrono::duration<double> loading = std::chrono::steady_clock::now() - start;
  auto inputs = read_inputs(arguments, **model);
  if (!inputs) return report(context, inputs.error());
  bool random = inputs->empty();
  if (random) inputs = session::random_inputs(**model, 1);
  if (!inputs) return report(context, inputs.error());
  if (!arguments.write_inputs.empty())
    if (Status status = write_raw(arguments.write_inputs, "", *inputs); !status)
      return report(context, status.error());
  auto device = context.open_device();
  if (!device) return report(context, device.error());
  session::RunOptions options{.rounds = arguments.rounds,
                              .threads = context.threads,
                              .inputs = *inputs,
                              .scripts = {},
                              .cache_folder = context.cache_folder};
  auto result =
      session::run_model(**model, options, *context.backend, **device, {}, progress_of(context));
  end_progress(context);
  if (!result) return report(context, result.error());
  if (!arguments.output_folder.empty())
    if (Status status = write_raw(arguments.output_folder, "output_", result->outputs); !status)
      return report(context, status.error());
  print_result(context, *result, origin_of_inputs(**model, random), loading.count());
  return 0;
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("run", "run the whole model on this machine or another and time it");
  auto arguments = std::make_shared<Arguments>();
  add_model_options(*command, context, arguments->path);
  command->add_option("--rounds", arguments->rounds, "how many timed runs")
      ->check(CLI::Range(1, 100000));
  add_device_option(*command, context);
  command->add_option("--threads", context.threads, "threads of the device; 0 = all cores")
      ->check(CLI::Range(0, 1024));
  command->add_option("--input", arguments->inputs, "raw elements of an input")
      ->type_name("NAME=FILE")
      ->expected(1)
      ->take_all();
  command->add_option("--input-folder", arguments->input_folder,
                      "raw inputs 0.bin, 1.bin, ... in the model's order");
  command->add_option("--output-folder", arguments->output_folder,
                      "write raw outputs output_0.bin, ...");
  command->add_option("--write-inputs", arguments->write_inputs,
                      "write the inputs that were used as raw files");
  command->callback([&context, arguments] {
    context.run = [&context, arguments] { return run(context, *arguments); };
  });
}

}  // namespace tw::cli
