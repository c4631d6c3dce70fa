#include <fmt/format.h>

#include "app/cli/chosen_kernel.h"
#include "app/cli/graph_changes.h"
#include "engine/support/base/quantities.h"

namespace tw::cli::command_diff {
namespace {

struct Arguments {
  std::string path, kernel, stage = "program";
  std::vector<std::string> scripts;
  bool timed = false;
  std::string other;    ///< a model whose graph is compared; empty: schedules are
  bool passes = false;  ///< the graph before and after its passes
};

std::string value_text(std::optional<double> value, std::string const& unit) {
  if (!value) return "-";
  if (unit == "ms") return milliseconds_text(*value);
  if (unit == "B") return bytes_text(*value);
  if (unit == "%") return percent_text(*value / 100);
  if (unit == "GFLOP/s") return speed_text(*value, unit);
  std::string text = many_text(*value);
  if (unit.empty()) return text;
  return text + (text.find(' ') == std::string::npos ? " " : "") + unit;
}

std::string ratio_text(session::ComparedValue const& row) {
  auto ratio = row.after_over_before();
  if (!ratio) return "";
  return *ratio < 0.1 ? fmt::format("{:.2g}", *ratio) : number_text(*ratio);
}

void print_code(session::CodeText const& code) {
  constexpr char kMarks[] = {' ', '+', '-', '^', 'v', ' '};
  for (session::CodeLine const& line : code.lines)
    fmt::print("{} {}\n", kMarks[size_t(line.change)], line.text);
}

void print_text(session::ScriptDiff const& diff) {
  session::StateComparison const& states = diff.states;
  fmt::print("{} against {}: {}\n\n", states.after.name, states.before.name, states.summary);
  fmt::print("{:<34} {:>16} {:>16} {:>14}\n", "", "before", "after", "after / before");
  for (session::ComparedValue const& row : states.values)
    fmt::print("{:<34} {:>16} {:>16} {:>14}\n", row.name, value_text(row.before, row.unit),
               value_text(row.after, row.unit), ratio_text(row));
  fmt::print("\nscripts (+ added, - removed, ^ v moved):\n");
  print_code(states.script_changes);
  fmt::print("\n{}:\n", diff.code.title);
  print_code(diff.code);
}

Json lines_json(session::CodeText const& code) {
  constexpr char const* kWords[] = {"same", "added", "removed", "moved_up", "moved_down", "gap"};
  Json lines = Json::array();
  for (session::CodeLine const& line : code.lines)
    lines.push_back({{"change", kWords[size_t(line.change)]}, {"text", line.text}});
  return lines;
}

Json to_json(session::ScriptDiff const& diff) {
  auto number = [](std::optional<double> const& value) { return value ? Json(*value) : Json(); };
  Json values = Json::array(), points = Json::array();
  for (session::ComparedValue const& row : diff.states.values)
    values.push_back({{"name", row.name},
                      {"unit", row.unit},
                      {"before", number(row.before)},
                      {"after", number(row.after)}});
  for (session::RooflinePoint const& point : diff.states.roofline.trail)
    points.push_back({{"flop_per_byte", point.intensity},
                      {"gflops", point.gflops},
                      {"measured", point.measured}});
  return {{"before", diff.states.before.name},
          {"after", diff.states.after.name},
          {"summary", diff.states.summary},
          {"values", values},
          {"roofline", points},
          {"script", lines_json(diff.states.script_changes)},
          {"stage", diff.code.stage},
          {"code", lines_json(diff.code)}};
}

int diff(Context const& context, Arguments const& arguments) {
  auto model = load(context, arguments.path);
  if (!model) return report(context, model.error());
  auto kernel = session::find_kernel(**model, arguments.kernel);
  if (!kernel) return report(context, kernel.error());
  auto before = expanded_script(context, **model, *kernel, arguments.scripts[0]);
  if (!before) return report(context, before.error());
  auto after = expanded_script(context, **model, *kernel, arguments.scripts[1]);
  if (!after) return report(context, after.error());
  auto device = context.open_device();
  if (!device) return report(context, device.error());
  bool disturbed = arguments.timed && is_disturbed(context, **device);
  auto machine = session::machine_view(*context.backend, **device, context.cache_folder, true,
                                       false, {}, {}, context.device);
  if (!machine) return report(context, machine.error());
  auto result = session::diff_scripts(**model, *kernel, *before, *after,
                                      {arguments.stage, arguments.timed, context.threads}, *machine,
                                      *context.backend, **device, {}, progress_of(context));
  end_progress(context);
  if (!result) return report(context, result.error());
  Json json = to_json(*result);
  if (arguments.timed) json["disturbed"] = disturbed;
  if (context.json)
    print(json);
  else
    print_text(*result);
  say_disturbed(context, disturbed);
  return 0;
}

void add_diff(Command app, Context& context) {
  auto command = app.add_subcommand(
      "diff",
      "compare two schedules of one kernel: times, traffic, instructions, scripts and code; or the "
      "graphs of two models, or of one before and after its passes");
  auto arguments = std::make_shared<Arguments>();
  add_model_options(command, context, arguments->path);
  add_kernel_option(command, arguments->kernel);
  auto script =
      command
          .add_option("--script", arguments->scripts,
                      "a schedule script, 'plain' or 'default'; give it twice: before and after")
          .type_name("F.tws")
          .repeatable();
  auto passes =
      command
          .add_flag("--passes", arguments->passes, "the model's graph before and after its passes")
          .excludes(script);
  command.add_option("OTHER", arguments->other, "a model whose graph is compared with MODEL's")
      .excludes(script)
      .excludes(passes);
  command
      .add_option("--stage", arguments->stage,
                  "the stage whose code is compared; 'tw lower --stage list' names them "
                  "(default: program)")
      .type_name("STAGE");
  command.add_flag("--time", arguments->timed, "check the results of both and time them");
  add_device_option(command, context);
  add_threads_option(command, context);
  command.callback([&context, arguments] {
    if (arguments->passes || !arguments->other.empty()) {
      context.run = [&context, arguments] {
        return print_graph_difference(context, arguments->path, arguments->other);
      };
      return;
    }
    if (arguments->scripts.size() != 2)
      refuse_options(
          "give --script twice: the schedule before and the one after; or another model");
    context.run = [&context, arguments] { return diff(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 80, .add = add_diff};
  return row;
}

}  // namespace tw::cli::command_diff
