// The row of a device's table of processors: simulated boards, and a real one where it is asked
// for.
#include <fmt/format.h>

#include "engine/device/device_runtime_table.h"
#include "targets/vta/hardware/boards.h"
#include "targets/vta/hardware/description.h"
#include "targets/vta/runtime/board_driver.h"
#include "targets/vta/runtime/simulator_driver.h"
#include "targets/vta/runtime/vta_processor.h"

namespace tw {
namespace {

using namespace tw::vta;

constexpr std::string_view kRealPrefix = "board-";
constexpr char kReal[] = "board";
/// For streams and micro-ops, besides tensors.
constexpr int64_t kBesides = int64_t(96) << 20;

/// "pynq" is simulated, and so is a design in a file; "board-pynq" is the accelerator that this
/// machine's registers reach: it cannot be looked for, since a bus hangs where no bitstream
/// answers.
Result<Hardware> detect_kind(std::string_view kind) {
  bool real = kind.starts_with(kRealPrefix);
  std::string_view name = real ? kind.substr(kRealPrefix.size()) : kind;
  auto board = board_or_file(name);
  if (!board && board.error().code == "unknown_board")
    return bad_input(
        "unknown_target",
        board.error().message + "; those are simulated, and board-NAME is the one of this machine");
  if (!board) return std::unexpected(board.error());
  if (real) TRY(layout_of(board->name));
  Hardware hardware = describe(*board);
  hardware.code[kDriverWord] = real ? kReal : kSimulatedDriver;
  return hardware;
}

Result<std::unique_ptr<DeviceRuntime>> create(Hardware const& hardware, int64_t most_bytes) {
  TRY_ASSIGN(Configuration configuration, configuration_of(hardware));
  bool real = hardware.word(kDriverWord) == kReal;
  TRY_ASSIGN(std::unique_ptr<Driver> driver,
             real ? open_board(configuration, most_bytes + kBesides)
                  : create_simulator(configuration, most_bytes + kBesides, SimulatedClock::kModel));
  return create_vta_processor(std::move(driver), {.most_bytes = most_bytes});
}

}  // namespace

DeviceRuntimeEntry const& device_runtime_vta() {
  static DeviceRuntimeEntry const entry{
      .name = kVtaTarget,
      .detect = []() -> Result<Hardware> { return detect_kind(boards().front().name); },
      .create = create,
      .detect_kind = detect_kind,
      // A real one opens device files, which a confined process cannot.
      .create_before_confining = true,
  };
  return entry;
}

}  // namespace tw
