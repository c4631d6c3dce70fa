// The command line: every action of the window has its twin here.

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>

#include "app/cli/command_tree.h"
#include "app/cli/former_names.h"
#include "app/cli/output.h"
#include "app/cli/standard_input.h"
#include "app/cli/suggestion.h"
#include "app/shared/environment.h"
#include "app/shared/version.h"
#include "engine/schedule/macros/macro_set.h"

namespace tw::cli {
namespace {

/// Runs the command and brings out what it printed: half a result on a full disk is no success.
int run_and_flush(Context const& context) {
  int reason = 0;
  try {
    int code = context.run();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    reason = errno;
  } catch (std::system_error const& error) {  // fmt::print, where it cannot write
    if (std::ferror(stdout) == 0)
      return report(context, Error{"system_failed", error.what(), {}, Fault::kEnvironment});
    reason = error.code().value();
  } catch (std::bad_alloc const&) {
    return report(context, Error{"out_of_memory",
                                 "this machine does not have enough memory for it",
                                 {},
                                 Fault::kEnvironment});
  }
  return report(context,
                Error{"output_unwritable",
                      fmt::format("the result cannot be written: {}", std::strerror(reason)),
                      {},
                      Fault::kEnvironment});
}

/// What is written must not be what is read: the sentence that says so.
std::optional<std::string> overwritten_input(CLI::App const& app) {
  auto named = [](CLI::App const& command, bool written) {
    std::vector<std::string> files;
    for (CLI::App const* at = &command; at != nullptr; at = at->get_parent())
      for (CLI::Option const* option : at->get_options())
        if (option->count() > 0 && option->check_name("--out") == written)
          for (std::string const& value : option->results()) files.push_back(value);
    return files;
  };
  for (CLI::App const* command : app.get_subcommands()) {
    if (auto inner = overwritten_input(*command)) return inner;
    for (std::string const& out : named(*command, true))
      for (std::string const& input : named(*command, false)) {
        std::error_code none;  // of what is no file
        if (std::filesystem::equivalent(out, input, none))
          return fmt::format("--out {} would overwrite {}, which is read", out, input);
      }
  }
  return std::nullopt;
}

/// The parser's own words, but where they say less than is known.
std::string sentence_of(CLI::App const& app, CLI::ParseError const& error) {
  if (error.get_name() != "RequiredError") return error.what();
  for (CLI::App const* command = &app; command != nullptr;) {
    auto taken = command->get_subcommands();
    if (!taken.empty()) {
      command = taken.front();
      continue;
    }
    auto inner = command->get_subcommands([](CLI::App const*) { return true; });
    if (inner.empty()) break;
    std::string names;
    for (CLI::App const* one : inner) names += (names.empty() ? "" : ", ") + one->get_name();
    return fmt::format("{} needs one of: {}", command->get_display_name(), names);
  }
  return error.what();
}

int run(int argc, char** argv) {
  CLI::App app("Tilewright: explore and schedule the kernels of deep-learning models", "tw");
  app.set_version_flag("--version", version_line("tw"));
  app.require_subcommand(1);
  app.fallthrough();
  Context context;
  app.add_flag("--json", context.json, "results and errors as JSON");
  app.add_option("--macros", context.own_macros, "another folder with macros (.twm) of your own")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  auto table = command_table();
  std::vector<CommandRow const*> commands(table.begin(), table.end());
  std::ranges::stable_sort(commands, {}, &CommandRow::place);
  for (CommandRow const* command : commands) command->add(Command(app), context);
  name_no_types_of_operands(app);
  bool serves =
      argc >= 3 && argv[1] == std::string_view("device") && argv[2] == std::string_view("serve");
  if (serves) return serve_device(context, argv + 2);
  if (argc == 1) {  // without a word: what there is
    fmt::print("{}", app.help());
    return 0;
  }
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::string const& sentence : replace_former_names(words))
    fmt::print(stderr, "tw: {}\n", sentence);
  StandardInput piped;
  if (Status read = piped.replace(words); !read) return report(context, read.error());
  context.standard_input = piped.file();
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (CLI::ParseError const& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    context.json |= std::ranges::find(words, "--json") != words.end();
    std::string sentence = unknown_word(app, words).value_or(sentence_of(app, error));
    return report(context, Error{"unusable_arguments", sentence, {}, Fault::kBadInput});
  }
  if (auto sentence = overwritten_input(app))
    return report(context, Error{"output_is_input", *sentence, {}, Fault::kBadInput});
  if (context.store.empty()) context.store = trial_store_file().string();
  std::vector<std::filesystem::path> macro_folders{macro_folder()};
  if (!context.own_macros.empty()) macro_folders.push_back(context.own_macros);
  context.macros = std::make_shared<MacroSet const>(load_macros(macro_folders));
  auto environment = make_environment(context.device);
  if (!environment && context.needs_target) return report(context, environment.error());
  if (!environment) return run_and_flush(context);
  context.backend = environment->backend;
  context.cache_folder = environment->cache_folder;
  context.exports = environment->exports;
  context.devices_file = environment->devices_file;
  context.open_device = environment->open_device;
  if (!environment->warning.empty()) fmt::print(stderr, "tw: {}\n", environment->warning);
  return run_and_flush(context);
}

}  // namespace
}  // namespace tw::cli

int main(int argc, char** argv) { return tw::cli::run(argc, argv); }
