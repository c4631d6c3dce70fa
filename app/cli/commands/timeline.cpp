#include <fmt/format.h>

#include "app/cli/chosen_kernel.h"
#include "engine/hardware/timeline_text.h"
#include "engine/session/timeline.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"

namespace tw::cli::command_timeline {
namespace {

struct Arguments {
  KernelArguments kernel;
  std::string target;       ///< empty: this machine
  std::string from;         ///< a recorded one instead of a kernel's
  std::string out, chrome;  ///< files
};

Result<Timeline> made_of(Context const& context, Arguments const& arguments) {
  TRY_ASSIGN(ChosenKernel chosen, choose_expanded(context, arguments.kernel));
  return session::simulate_kernel(*chosen.model, chosen.kernel, chosen.script, *context.backend);
}

Result<Timeline> recorded(std::string const& file) {
  TRY_ASSIGN(std::string text, read_text(file));
  return parse_timeline(text, file);
}

std::string time_words(Timeline const& timeline) {
  std::string words = fmt::format("{} cycles", timeline.cycles);
  if (timeline.clock_mhz > 0)
    words += fmt::format(", {} at {} MHz",
                         milliseconds_text(double(timeline.cycles) / timeline.clock_mhz / 1e3),
                         timeline.clock_mhz);
  return words;
}

std::string share_of(int64_t cycles, Timeline const& timeline) {
  return percent_text(double(cycles) / double(std::max<int64_t>(1, timeline.cycles)));
}

std::string value_words(int64_t value, std::string const& unit) {
  return unit == "bytes" ? bytes_text(double(value)) : fmt::format("{} {}", value, unit);
}

void print_text(Timeline const& timeline) {
  fmt::print("{}{}, {}\n", time_words(timeline), timeline.modelled ? ", modelled" : "",
             count_text(int64_t(timeline.instructions.size()), "instruction"));
  for (Timeline::Cut const& cut : timeline.cuts)
    fmt::print("and {} cycles at {}: {}\n", cut.cycles, cut.at, cut.words);
  if (!timeline.sentence.empty()) fmt::print("{}\n", timeline.sentence);
  if (!timeline.verdict.empty()) fmt::print("{}\n", timeline.verdict);
  for (Timeline::Finding const& finding : timeline.findings)
    fmt::print("  {}: {}\n", finding.code, finding.sentence);
  bool whole = timeline.cuts.empty();
  fmt::print("\n{:<14} {:<20} {:>12} {:>8} {:>10}\n", "part", "work", whole ? "cycles" : "shown",
             whole ? "of all" : "of that", "times");
  for (session::TimelineTotal const& row : session::totals_of(timeline))
    fmt::print("{:<14} {:<20} {:>12} {:>8} {:>10}\n", timeline.lanes[size_t(row.lane)].name,
               row.kind < 0 ? "idle" : timeline.kinds[size_t(row.kind)].name, row.cycles,
               share_of(row.cycles, timeline), row.kind < 0 ? "" : std::to_string(row.spans));
  fmt::print("\n{:<35} {:>16} {:>16}\n", "queue or memory", "at its fullest", "capacity");
  for (Timeline::Counter const& one : timeline.counters)
    fmt::print("{:<35} {:>16} {:>16}\n", one.name, value_words(session::peak_of(one), one.unit),
               one.capacity > 0 ? value_words(one.capacity, one.unit) : "");
}

Json to_json(Timeline const& timeline) {
  Json rows = Json::array(), counters = Json::array(), findings = Json::array();
  Json cuts = Json::array();
  for (Timeline::Cut const& cut : timeline.cuts)
    cuts.push_back({{"at", cut.at}, {"cycles", cut.cycles}, {"words", cut.words}});
  for (session::TimelineTotal const& row : session::totals_of(timeline))
    rows.push_back({{"part", timeline.lanes[size_t(row.lane)].name},
                    {"work", row.kind < 0 ? "idle" : timeline.kinds[size_t(row.kind)].name},
                    {"waits", row.kind >= 0 && timeline.kinds[size_t(row.kind)].stall},
                    {"cycles", row.cycles},
                    {"times", row.spans}});
  for (Timeline::Counter const& one : timeline.counters)
    counters.push_back({{"name", one.name},
                        {"unit", one.unit},
                        {"memory", one.of_memory},
                        {"peak", session::peak_of(one)},
                        {"capacity", one.capacity}});
  for (Timeline::Finding const& one : timeline.findings)
    findings.push_back(
        {{"code", one.code}, {"sentence", one.sentence}, {"instructions", one.instructions}});
  return {{"cycles", timeline.cycles},
          {"clock_mhz", timeline.clock_mhz},
          {"modelled", timeline.modelled},
          {"sentence", timeline.sentence},
          {"cuts", cuts},
          {"instructions", timeline.instructions.size()},
          {"verdict", timeline.verdict},
          {"proven", timeline.proven},
          {"totals", rows},
          {"counters", counters},
          {"findings", findings}};
}

Status write_files(Timeline const& timeline, Arguments const& arguments) {
  if (!arguments.out.empty()) TRY(write_output(arguments.out, to_text(timeline)));
  if (!arguments.chrome.empty()) TRY(write_output(arguments.chrome, to_chrome_trace(timeline)));
  return {};
}

int timeline(Context context, Arguments const& arguments) {
  if (arguments.from.empty() == arguments.kernel.path.empty())
    return report(context, bad_input("no_model", "give either a model or --from FILE").error());
  if (!arguments.target.empty()) {
    auto backend = context.exports.backend_for(arguments.target);
    if (!backend) return report(context, backend.error());
    context.backend = *backend;
  }
  auto made = arguments.from.empty() ? made_of(context, arguments) : recorded(arguments.from);
  if (!made) return report(context, made.error());
  if (Status written = write_files(*made, arguments); !written)
    return report(context, written.error());
  if (context.json)
    print(to_json(*made));
  else
    print_text(*made);
  return 0;
}

void add_timeline(Command app, Context& context) {
  auto command = app.add_subcommand(
      "timeline",
      "show how many cycles each part of the machine works or waits for a kernel, where the "
      "target has a simulator or a model");
  auto arguments = std::make_shared<Arguments>();
  add_kernel_options(command, context, arguments->kernel);
  command.optional_operands();
  command
      .add_option("--target", arguments->target,
                  "the machine, as `tw export` lists them (default: this one)")
      .type_name("TARGET");
  command.add_option("--from", arguments->from, "instead of a model: a timeline that --out wrote")
      .type_name("FILE");
  command.add_option("--out", arguments->out, "write all of it to this file, for the window")
      .type_name("FILE");
  command
      .add_option("--chrome", arguments->chrome, "write it as a Chrome trace, which Perfetto opens")
      .type_name("FILE");
  command.callback([&context, arguments] {
    context.run = [&context, arguments] { return timeline(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 65, .add = add_timeline};
  return row;
}

}  // namespace tw::cli::command_timeline
