#include <fmt/format.h>

#include "engine/support/base/quantities.h"
#include "targets/vta/commands/shared/stream_file.h"
#include "targets/vta/lint/lint.h"

namespace tw::vta::vta_command_lint {
namespace {

Result<CommandOutcome> run(CommandArguments const& arguments, StopToken, Progress const&) {
  TRY_ASSIGN(Assembly assembly, read_stream(arguments, StreamNeeds::kMicroOps));
  TRY_ASSIGN(std::vector<std::byte> memory, main_memory(assembly, {}));
  std::vector<LintFinding> findings = lint(assembly.configuration, assembly.stream, memory);
  CommandOutcome outcome;
  outcome.failed = !findings.empty();
  outcome.json = {{"instructions", assembly.stream.size()}, {"findings", Json::array()}};
  outcome.text = findings.empty()
                     ? fmt::format("{}: all implementations do the same\n",
                                   count_text(int64_t(assembly.stream.size()), "instruction"))
                     : fmt::format("{} on which implementations disagree, or which none can run\n",
                                   count_text(int64_t(findings.size()), "place"));
  for (LintFinding const& one : findings) {
    std::string line =
        one.instruction < 0 ? "no instruction" : to_line(assembly.stream[size_t(one.instruction)]);
    outcome.text +=
        fmt::format("{:>5}  {}\n       {}: {}\n", one.instruction, line, one.code, one.sentence);
    outcome.json["findings"].push_back({{"instruction", one.instruction},
                                        {"line", line},
                                        {"code", one.code},
                                        {"sentence", one.sentence}});
  }
  return outcome;
}

}  // namespace

TargetCommand const& row() {
  static TargetCommand const command{
      .place = 50,
      .name = "lint",
      .doc =
          "list what of a stream implementations of the instruction set disagree on, and what none "
          "of them can run; of races `prove` tells",
      .parameters = stream_parameters(),
      .run = run,
  };
  return command;
}

}  // namespace tw::vta::vta_command_lint
