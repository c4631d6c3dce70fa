#include <fmt/format.h>

#include "app/cli/chosen_kernel.h"
#include "engine/support/base/quantities.h"

namespace tw::cli {
namespace {

void print_text(session::KernelAnalysis const& analysis) {
  fmt::print("{:<28} {:>8} {:>12} {:>8}  {}\n", "loop", "extent", "one pass", "reuse",
             "largest factor that fits each cache");
  for (auto const& bar : analysis.nest.bars)
    fmt::print("{:<28} {:>8} {:>12} {:>8}  {}\n",
               std::string(size_t(bar.depth), ' ') + bar.reference, bar.extent,
               (bar.footprint_exact ? "" : "<= ") + bytes_text(double(bar.footprint)),
               number_text(bar.reuse), fmt::join(bar.fits, " "));
  fmt::print("\n{:<12} {:>12} {:>14} {:>12}\n", "level", "bytes", "FLOP per byte", "time");
  fmt::print("{:<12} {:>12} {:>14} {:>12}\n", "arithmetic", "", "",
             milliseconds_text(analysis.arithmetic_ms));
  for (auto const& level : analysis.point.levels)
    fmt::print("{:<12} {:>12} {:>14} {:>12}\n", level.name, bytes_text(level.bytes),
               number_text(level.intensity), milliseconds_text(level.ms));
  fmt::print("\n{}\n", analysis.explanation);
}

Json to_json(session::KernelAnalysis const& analysis) {
  Json loops = Json::array(), levels = Json::array();
  for (auto const& bar : analysis.nest.bars)
    loops.push_back({{"loop", bar.reference},
                     {"extent", bar.extent},
                     {"footprint_bytes", bar.footprint},
                     {"exact", bar.footprint_exact},
                     {"reuse", bar.reuse},
                     {"largest_fitting_factors", bar.fits}});
  for (auto const& level : analysis.point.levels)
    levels.push_back({{"level", level.name},
                      {"bytes", level.bytes},
                      {"flop_per_byte", level.intensity},
                      {"ms", level.ms}});
  return {{"loops", loops},
          {"levels", levels},
          {"arithmetic_ms", analysis.arithmetic_ms},
          {"model_ms", analysis.point.model_ms},
          {"explanation", analysis.explanation}};
}

int analyze(Context const& context, KernelArguments const& arguments) {
  auto chosen = choose_expanded(context, arguments);
  if (!chosen) return report(context, chosen.error());
  auto device = context.open_device();
  if (!device) return report(context, device.error());
  auto machine = session::machine_view(*context.backend, **device, context.cache_folder, true,
                                       false, {}, {}, context.device);
  if (!machine) return report(context, machine.error());
  auto analysis = session::analyze_kernel(*chosen->model, chosen->kernel, chosen->script.text,
                                          chosen->script.name, *machine, *context.backend);
  if (!analysis) return report(context, analysis.error());
  if (context.json)
    print(to_json(*analysis));
  else
    print_text(*analysis);
  return 0;
}

void add_analyze(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("analyze",
                                     "show what data each loop of a kernel touches, the traffic "
                                     "between caches, and the modelled time");
  auto arguments = std::make_shared<KernelArguments>();
  add_kernel_options(*command, context, *arguments);
  add_device_option(*command, context);
  command->callback([&context, arguments] {
    context.run = [&context, arguments] { return analyze(context, *arguments); };
  });
}

}  // namespace

CommandRow const& command_analyze() {
  static CommandRow const row{.place = 60, .add = add_analyze};
  return row;
}

}  // namespace tw::cli
