#include <fmt/format.h>

#include "app/cli/chosen_kernel.h"
#include "app/cli/what_if.h"
#include "engine/session/time_shares.h"
#include "engine/support/base/quantities.h"

namespace tw::cli::command_analyze {
namespace {

std::optional<double> share_of(session::LoopBar const& bar, session::TimeShares const& shares) {
  auto found = shares.loops.find(bar.id);
  return found == shares.loops.end() ? std::nullopt : std::optional(found->second);
}

void print_text(session::KernelAnalysis const& analysis, session::TimeShares const& shares) {
  fmt::print("{:<28} {:>8} {:>8} {:>12} {:>8}  {}\n", "loop", "extent", "of time", "one pass",
             "reuse", "largest factor that fits each cache");
  for (auto const& bar : analysis.nest.bars) {
    auto share = share_of(bar, shares);
    fmt::print("{:<28} {:>8} {:>8} {:>12} {:>8}  {}\n",
               std::string(size_t(bar.depth), ' ') + bar.reference, bar.extent,
               share ? percent_text(*share) : "",
               (bar.footprint_exact ? "" : "<= ") + bytes_text(double(bar.footprint)),
               number_text(bar.reuse), fmt::join(bar.fits, " "));
  }
  fmt::print("\n{:<12} {:>12} {:>14} {:>12}\n", "level", "bytes", "FLOP per byte", "time");
  fmt::print("{:<12} {:>12} {:>14} {:>12}\n", "arithmetic", "", "",
             milliseconds_text(analysis.arithmetic_ms));
  for (auto const& level : analysis.point.levels)
    fmt::print("{:<12} {:>12} {:>14} {:>12}\n", level.name, bytes_text(level.bytes),
               number_text(level.intensity), milliseconds_text(level.ms));
  fmt::print("\n{}\n", analysis.explanation);
}

Json to_json(session::KernelAnalysis const& analysis, session::TimeShares const& shares) {
  Json loops = Json::array(), levels = Json::array();
  auto number = [](std::optional<double> const& value) { return value ? Json(*value) : Json(); };
  for (auto const& bar : analysis.nest.bars)
    loops.push_back({{"loop", bar.reference},
                     {"extent", bar.extent},
                     {"share_of_time", number(share_of(bar, shares))},
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

struct Arguments : KernelArguments {
  std::string what_if;
};

/// On one machine.
struct Analyzed {
  session::KernelAnalysis analysis;
  session::TimeShares shares;
};

Result<Analyzed> analyzed(ChosenKernel const& chosen, session::MachineView const& machine,
                          Backend const& backend) {
  auto const& [name, script, open] = chosen.script;
  TRY_ASSIGN(auto analysis,
             session::analyze_kernel(*chosen.model, chosen.kernel, script, name, machine, backend));
  TRY_ASSIGN(auto shares,
             session::time_shares(*chosen.model, chosen.kernel, script, name, machine, backend));
  return Analyzed{std::move(analysis), std::move(shares)};
}

int print_both(Context const& context, Analyzed const& now, Analyzed const& then,
               std::string const& what) {
  session::HypotheticalPoint point{now.analysis.point, then.analysis.point, {}, {}};
  std::string words = session::words_of(point);
  if (context.json) {
    print({{"what_if", what},
           {"now", to_json(now.analysis, now.shares)},
           {"then", to_json(then.analysis, then.shares)},
           {"words", words}});
    return 0;
  }
  print_text(now.analysis, now.shares);
  fmt::print("\nHypothetical: {}\n\n", what);
  print_text(then.analysis, then.shares);
  fmt::print("\n{}\n", words);
  return 0;
}

int analyze(Context const& context, Arguments const& arguments) {
  auto chosen = choose_expanded(context, arguments);
  if (!chosen) return report(context, chosen.error());
  auto device = context.open_device();
  if (!device) return report(context, device.error());
  auto machine = session::machine_view(*context.backend, **device, context.cache_folder, true,
                                       false, {}, {}, context.device);
  if (!machine) return report(context, machine.error());
  auto now = analyzed(*chosen, *machine, *context.backend);
  if (!now) return report(context, now.error());
  if (!arguments.what_if.empty()) {
    auto there = machine_if(context, arguments.what_if, *machine);
    if (!there) return report(context, there.error());
    auto then = analyzed(*chosen, there->machine.view, *there->machine.backend);
    if (!then) return report(context, then.error());
    return print_both(context, *now, *then, there->words);
  }
  if (context.json)
    print(to_json(now->analysis, now->shares));
  else
    print_text(now->analysis, now->shares);
  return 0;
}

void add_analyze(Command app, Context& context) {
  auto command = app.add_subcommand("analyze",
                                    "show what data each loop of a kernel touches, the traffic "
                                    "between caches, and the modelled time");
  auto arguments = std::make_shared<Arguments>();
  add_kernel_options(command, context, *arguments);
  add_device_option(command, context);
  add_what_if_option(command, arguments->what_if);
  command.callback([&context, arguments] {
    context.run = [&context, arguments] { return analyze(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 60, .add = add_analyze};
  return row;
}

}  // namespace tw::cli::command_analyze
