#include "engine/support/files.h"
#include "targets/vta/commands/shared/stream_file.h"

namespace tw::vta::vta_command_disassemble {
namespace {

Result<CommandOutcome> run(CommandArguments const& arguments, StopToken, Progress const&) {
  TRY_ASSIGN(Assembly assembly, read_stream(arguments, StreamNeeds::kInstructions));
  CommandOutcome outcome;
  outcome.text = to_text(assembly);
  outcome.json = {{"text", outcome.text},
                  {"instructions", assembly.stream.size()},
                  {"design", assembly.configuration.key()}};
  if (!arguments.has("--out")) return outcome;
  TRY(write_output(arguments.text("--out"), outcome.text));
  outcome.text.clear();
  return outcome;
}

std::vector<CommandParameter> parameters() {
  std::vector<CommandParameter> all = stream_parameters();
  all.push_back({.name = "--out",
                 .type = "FILE",
                 .doc = "write the text to this file instead of printing it"});
  return all;
}

}  // namespace

TargetCommand const& row() {
  static TargetCommand const command{
      .place = 40,
      .name = "disassemble",
      .doc = "print a stream as text: settings, micro-ops, an instruction a line",
      .parameters = parameters(),
      .run = run,
  };
  return command;
}

}  // namespace tw::vta::vta_command_disassemble
