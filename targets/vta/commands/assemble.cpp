#include <fmt/format.h>

#include "engine/support/base/quantities.h"
#include "engine/support/files.h"
#include "targets/vta/commands/shared/micro_ops.h"
#include "targets/vta/commands/shared/stream_file.h"
#include "targets/vta/hardware/encoding.h"

namespace tw::vta::vta_command_assemble {
namespace {

std::string_view text_of(std::vector<std::byte> const& bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

std::string uops_text(Assembly const& assembly, UopImage const& image, std::string const& file) {
  if (assembly.uops.empty()) return {};
  std::string uops = count_text(int64_t(assembly.uops.size()), "micro-op");
  if (file.empty())
    return fmt::format("{} of the text are not in it: --uops FILE writes them\n", uops);
  return fmt::format("{}: {}, for --uops-at {}\n", file, uops, image.address);
}

Result<CommandOutcome> run(CommandArguments const& arguments, StopToken, Progress const&) {
  std::string file = arguments.text("TEXT"), out = arguments.text("--out"),
              beside = arguments.text("--uops");
  TRY_ASSIGN(std::string text, read_text(file));
  TRY_ASSIGN(Assembly assembly, parse_assembly(text, file));
  // Only who asks for no micro-ops and has none gets the instructions alone.
  if (!beside.empty() || !assembly.uops.empty()) TRY(check_micro_ops(assembly, file));
  TRY_ASSIGN(std::vector<std::byte> bytes, encode(assembly.configuration, assembly.stream));
  TRY_ASSIGN(UopImage image, uop_image(assembly));
  TRY(write_output(out, text_of(bytes)));
  if (!beside.empty()) TRY(write_output(beside, text_of(image.bytes)));
  CommandOutcome outcome;
  outcome.text =
      fmt::format("{}: {} for {}, {} bytes\n{}", out,
                  count_text(int64_t(assembly.stream.size()), "instruction"),
                  assembly.configuration.key(), bytes.size(), uops_text(assembly, image, beside));
  outcome.json = {{"file", out},
                  {"instructions", assembly.stream.size()},
                  {"design", assembly.configuration.key()},
                  {"bytes", bytes.size()},
                  {"uops", assembly.uops.size()},
                  {"uops_at", image.address}};
  return outcome;
}

}  // namespace

TargetCommand const& row() {
  static TargetCommand const command{
      .place = 30,
      .name = "assemble",
      .doc = "write a stream's text as the bits that an accelerator fetches",
      .parameters = {{.name = "TEXT", .type = "", .doc = "a stream as text", .required = true},
                     {.name = "--out",
                      .type = "FILE",
                      .doc = "the file to write the instructions to",
                      .required = true},
                     {.name = "--uops",
                      .type = "FILE",
                      .doc = "and one for its micro-ops, as they lie in main memory"}},
      .run = run,
  };
  return command;
}

}  // namespace tw::vta::vta_command_assemble
