#include <fmt/format.h>

#include "app/cli/output.h"
#include "app/shared/devices.h"
#include "app/shared/session_stage.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"

namespace tw::cli::command_journal {
namespace {

struct Arguments {
  std::string file;
  bool whole = false;
};

Result<journal::Journal> read(std::string const& file) {
  TRY_ASSIGN(std::string text, read_text(file, 1 << 26));
  return journal::parse(text, file);
}

/// The same session that a window has.
session::Options options_of(Context const& context) {
  return {
      .backend = context.backend,
      .cache_folder = context.cache_folder.string(),
      .open_device = [devices = context.devices_file.string()](
                         std::string const& name,
                         StopToken stop) { return choose_device(devices, name, stop, {}); },
      .exports = context.exports,
      .device_names = [devices = context.devices_file.string()] { return device_names(devices); },
      .macros = context.macros};
}

Json to_json(journal::Played const& played) {
  Json skipped = Json::array();
  for (journal::Skipped const& one : played.skipped)
    skipped.push_back({{"line", one.line}, {"text", one.text}, {"why", one.why}});
  return {
      {"actions", played.actions}, {"expectations", played.expectations}, {"not_played", skipped}};
}

void print_text(journal::Played const& played) {
  for (journal::Skipped const& one : played.skipped)
    fmt::print("line {} was skipped: {} ({})\n", one.line, one.text, one.why);
  fmt::print("{} done, {} held, {} skipped\n", count_text(played.actions, "action"),
             count_text(played.expectations, "expectation"),
             count_text(int64_t(played.skipped.size()), "line"));
}

Result<journal::Played> played(Context const& context, Arguments const& arguments) {
  TRY_ASSIGN(journal::Journal journal, read(arguments.file));
  TRY_ASSIGN(auto session, session::Session::create(options_of(context)));
  SessionStage stage(*session);
  return journal::play(journal, stage);
}

int check(Context const& context, Arguments const& arguments) {
  auto result = played(context, arguments);
  if (!result) return report(context, result.error());
  if (context.json)
    print(to_json(*result));
  else
    print_text(*result);
  return arguments.whole && !result->skipped.empty() ? 1 : 0;
}

void list_facts(Context const& context) {
  Json rows = Json::array();
  for (journal::FactInfo const& fact : journal::facts()) {
    bool alone = journal::is_of_session(fact.name) || fact.name == "elapsed";
    rows.push_back({{"fact", fact.name},
                    {"unit", fact.unit},
                    {"meaning", fact.doc},
                    {"without_window", alone}});
    if (!context.json)
      fmt::print("{:<20} {:<8} {}{}\n", fact.name, fact.unit, fact.doc,
                 alone ? "" : " (in a window)");
  }
  if (context.json) print(rows);
}

void add_journal(Command app, Context& context) {
  auto command = app.add_subcommand("journal", "replay a journal without a window");
  command.require_subcommand(1);
  auto arguments = std::make_shared<Arguments>();
  auto checking =
      command.add_subcommand("check", "replay a journal, and fail if an expectation does not hold");
  checking.add_option("FILE", arguments->file, "a journal, as the window writes it").required();
  checking.add_flag("--whole", arguments->whole, "also fail if a line needs a window");
  checking.callback([&context, arguments] {
    context.run = [&context, arguments] { return check(context, *arguments); };
  });
  command.add_subcommand("facts", "list the facts that a journal can expect").callback([&context] {
    context.needs_target = false;
    context.run = [&context] { return list_facts(context), 0; };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 155, .add = add_journal};
  return row;
}

}  // namespace tw::cli::command_journal
