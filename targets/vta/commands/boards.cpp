#include <fmt/format.h>

#include "engine/support/base/quantities.h"
#include "targets/vta/commands/shared/board_option.h"
#include "targets/vta/explore/design.h"
#include "targets/vta/hardware/boards.h"

namespace tw::vta::vta_command_boards {
namespace {

std::string row_of(Configuration const& c) {
  return fmt::format(
      "{:<10} {:<28} {:>4} {:>6} {:>5} {:>9} {:>12} {:>8}  {:>6} {:>6} {:>6} {:>6}\n", c.name,
      c.key(), int(c.isa), c.clock_mhz, c.memory_bits, c.macs_per_cycle(),
      speed_text(c.peak_gops(), "GOP/s"), bytes_text(double(sram_bytes(c))), c.depth(Memory::kUop),
      c.depth(Memory::kInp), c.depth(Memory::kWgt), c.depth(Memory::kAcc));
}

Result<CommandOutcome> run(CommandArguments const& arguments, StopToken, Progress const&) {
  CommandOutcome outcome;
  if (arguments.has("BOARD")) {
    TRY_ASSIGN(Configuration board, board_of(arguments.text("BOARD")));
    outcome.text = to_text(board);
    outcome.json = derived_json(board);
    return outcome;
  }
  outcome.text = fmt::format(
      "{:<10} {:<28} {:>4} {:>6} {:>5} {:>9} {:>12} {:>8}  {:>6} {:>6} {:>6} {:>6}\n", "board",
      "design", "isa", "MHz", "port", "products", "peak", "SRAM", "uop", "inp", "wgt", "acc");
  outcome.json = Json::array();
  for (Configuration const& board : boards()) {
    outcome.text += row_of(board);
    outcome.json.push_back(derived_json(board));
  }
  return outcome;
}

}  // namespace

TargetCommand const& row() {
  static TargetCommand const command{
      .place = 10,
      .name = "boards",
      .doc =
          "list the configurations that are known, with products a cycle, peak, bytes of SRAM "
          "and elements of each memory; of one its settings, as a file to begin with",
      .parameters = {{.name = "BOARD", .type = "", .doc = "a board's name, or a file of settings"}},
      .run = run,
  };
  return command;
}

}  // namespace tw::vta::vta_command_boards
