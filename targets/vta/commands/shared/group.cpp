#include "targets/vta/commands/shared/group.h"

#include "targets/vta/hardware/description.h"

namespace tw {

session::TargetCommandGroup const& commands_vta() {
  static session::TargetCommandGroup const group{
      .name = vta::kVtaTarget,
      .doc = "the VTA accelerator's boards, instruction streams, simulators and designs",
      .commands = vta::vta_commands,
  };
  return group;
}

}  // namespace tw
