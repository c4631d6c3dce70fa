// What a device has whose boards are emulated: "vta:healthy" works, each other kind has one fault.
// Linked with the product's own server and worker, in the place of its table of processors.
#include <algorithm>
#include <array>

#include "engine/device/device_runtime_table.h"
#include "targets/vta/hardware/boards.h"
#include "targets/vta/hardware/description.h"
#include "targets/vta/runtime/vta_processor.h"
#include "tests/support/vta_board.h"

namespace tw {
namespace {

using namespace tw::vta;
using namespace std::chrono_literals;

struct Kind {
  std::string_view name;
  testing::BoardFaults faults;
  std::chrono::milliseconds limit;  ///< of one run
};
constexpr std::array kKinds{
    Kind{"healthy", {}, 10s},
    Kind{"late", {.fetch_reads = 150, .finish_reads = 400}, 10s},
    Kind{"lost-interrupt", {.never_done = true}, 200ms},
    Kind{"no-dma", {.dma_error = true}, 200ms},
    Kind{"bad-memory", {.bad_memory = true}, 10s},
    Kind{"silent", {.never_done = true}, 600s},
};

Result<Hardware> detect_kind(std::string_view name) {
  if (std::ranges::find(kKinds, name, &Kind::name) == kKinds.end())
    return bad_input("unknown_target", "there is no such emulated board");
  Hardware hardware = describe(*find_board("pynq"));
  hardware.code[kDriverWord] = name;
  return hardware;
}

Result<std::unique_ptr<DeviceRuntime>> create(Hardware const& hardware, int64_t) {
  Kind const& kind = *std::ranges::find(kKinds, hardware.word(kDriverWord), &Kind::name);
  TRY_ASSIGN(BoardLayout layout, layout_of("pynq"));
  // As a board is one machine's, this is one process's.
  static std::unique_ptr<testing::BoardState> state;
  state = std::make_unique<testing::BoardState>(*find_board("pynq"), layout);
  state->faults = kind.faults;
  return create_vta_processor(testing::emulated_board(*state),
                              {.most_bytes = int64_t(4) << 20, .limit = kind.limit});
}

}  // namespace

std::span<DeviceRuntimeEntry const* const> device_runtime_table() {
  static DeviceRuntimeEntry const entry{
      .name = kVtaTarget,
      .detect = []() -> Result<Hardware> { return detect_kind("healthy"); },
      .create = create,
      .detect_kind = detect_kind,
      .create_before_confining = true,
  };
  static DeviceRuntimeEntry const* const rows[] = {&entry};
  return rows;
}

}  // namespace tw
