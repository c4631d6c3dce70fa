// The one function of the library that an exported folder has beside its runtime library.
#include "engine/runtime/package/accelerator.h"
#include "targets/vta/hardware/description.h"
#include "targets/vta/runtime/board_driver.h"
#include "targets/vta/runtime/simulator_driver.h"
#include "targets/vta/runtime/vta_processor.h"

namespace tw::vta {
namespace {

/// For streams and micro-ops, besides tensors.
constexpr int64_t kBesides = int64_t(32) << 20;
/// Small tensors take more than their bytes.
constexpr int64_t kRounding = int64_t(1) << 20;

Result<std::unique_ptr<DeviceRuntime>> opened(MachineNeeds const& needs, int64_t bytes,
                                              bool simulate) {
  TRY_ASSIGN(Configuration configuration, configuration_of_line(needs.processor));
  bytes += kRounding;
  if (simulate) {
    TRY_ASSIGN(std::unique_ptr<Driver> simulator,
               create_simulator(configuration, bytes + kBesides, SimulatedClock::kNone));
    return create_vta_processor(std::move(simulator), {.most_bytes = bytes});
  }
  auto board = open_board(configuration, bytes + kBesides);
  if (!board) {
    Error error = board.error();
    error.message +=
        "; with TILEWRIGHT_SIMULATE=1 in the environment a simulator takes the board's place";
    return std::unexpected(std::move(error));
  }
  return create_vta_processor(std::move(*board), {.most_bytes = bytes});
}

}  // namespace
}  // namespace tw::vta

extern "C" __attribute__((visibility("default"))) void tw_open_accelerator_3(
    tw::MachineNeeds const& needs, int64_t bytes, bool simulate,
    tw::Result<std::unique_ptr<tw::DeviceRuntime>>& opened) {
  opened = tw::vta::opened(needs, bytes, simulate);
}
