#include <fmt/format.h>

#include "engine/support/base/quantities.h"
#include "engine/support/files.h"
#include "targets/vta/commands/shared/board_option.h"

namespace tw::vta::vta_command_check {
namespace {

constexpr int64_t kMostText = 1 << 20;

Result<CommandOutcome> run(CommandArguments const& arguments, StopToken, Progress const&) {
  std::string file = arguments.text("FILE.vta");
  TRY_ASSIGN(std::string text, read_text(file, kMostText));
  TRY_ASSIGN(Configuration configuration, parse_settings(text, file));
  TRY(check_processor(configuration, file));
  std::vector<Error> broken = violations(configuration);
  CommandOutcome outcome;
  outcome.failed = !broken.empty();
  outcome.json = {{"legal", broken.empty()}, {"broken", Json::array()}};
  if (broken.empty()) {
    outcome.text = "legal; " + derived_text(configuration);
    outcome.json["configuration"] = derived_json(configuration);
    return outcome;
  }
  outcome.text =
      fmt::format("{}: {} broken\n", file, count_text(int64_t(broken.size()), "condition"));
  for (Error const& error : broken) {
    outcome.text += fmt::format("  {}\n", error.message);
    outcome.json["broken"].push_back(error.message);
  }
  return outcome;
}

}  // namespace

TargetCommand const& row() {
  static TargetCommand const command{
      .place = 20,
      .name = "check",
      .doc =
          "check whether an accelerator can be built with these settings: every violated "
          "inequality of its fields and memories, or what follows from them",
      .parameters = {{.name = "FILE.vta",
                      .type = "",
                      .doc = "settings, as `tw vta boards BOARD` "
                             "prints them",
                      .required = true}},
      .run = run,
  };
  return command;
}

}  // namespace tw::vta::vta_command_check
