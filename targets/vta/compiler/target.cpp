// The row of the table of targets.
#include <fmt/format.h>

#include "engine/backend/target_table.h"
#include "targets/vta/compiler/roofs.h"
#include "targets/vta/compiler/rules/rules.h"
#include "targets/vta/compiler/vta_backend.h"
#include "targets/vta/hardware/boards.h"
#include "targets/vta/hardware/description.h"

namespace tw {
namespace {

using namespace vta;

/// "vta", then "vta:pynq", "vta:ultra96", ...
std::vector<std::string> spellings() {
  std::vector<std::string> names{kVtaTarget};
  for (Configuration const& board : boards())
    names.push_back(fmt::format("{}:{}", kVtaTarget, board.name));
  return names;
}

Result<Hardware> hardware(std::string const& spelling) {
  size_t colon = spelling.find(':');
  if (colon == std::string::npos) return describe(boards().front());
  TRY_ASSIGN(Configuration configuration,
             board_or_file(std::string_view(spelling).substr(colon + 1)));
  return describe(configuration);
}

std::string beside(std::string const& spelling) {
  auto board = hardware(spelling);
  auto configuration = board ? configuration_of(*board) : std::unexpected(board.error());
  return configuration ? configuration->processor : std::string();
}

bool is_simulated_vta(Hardware const& machine) {
  return machine.word(kDriverWord) == kSimulatedDriver;
}

std::string kind(Hardware const& machine) {
  auto configuration = configuration_of(machine);
  if (!configuration) return {};
  return fmt::format("{}VTA {}, {} MHz", is_simulated_vta(machine) ? "simulated " : "",
                     configuration->key(), configuration->clock_mhz);
}

Status runs_here(MachineNeeds const&) {
  return bad_input("wrong_processor", "only a VTA board or its simulator runs its code");
}

std::optional<Roofs> roofs(Hardware const& machine) {
  auto configuration = configuration_of(machine);
  return configuration ? std::optional(roofs_of(*configuration)) : std::nullopt;
}

std::optional<Schedule> in_turn(ir::Program const& program, Backend const& backend) {
  auto configuration = configuration_of(backend.target().hardware);
  if (!configuration) return std::nullopt;
  return schedule_in_turn(program, backend.shared_target(), *configuration);
}

Result<std::shared_ptr<Backend const>> backend(Hardware const& machine, std::string) {
  return create_vta_backend(machine);
}

}  // namespace

TargetEntry const& target_vta() {
  static TargetEntry const entry{
      .name = kVtaTarget,
      .spellings = spellings,
      .file_ending = kConfigurationEnding,
      .hardware = hardware,
      .kind = kind,
      .matches = [](Hardware const& machine) { return machine.target == kVtaTarget; },
      .runs_here = runs_here,
      .create_backend = backend,
      .simulated = true,
      .is_simulated = is_simulated_vta,
      .beside = beside,
      .roofs = roofs,
      .in_turn = in_turn,
  };
  return entry;
}

}  // namespace tw
