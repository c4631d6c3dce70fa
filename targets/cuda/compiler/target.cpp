// The row of the table of targets.
#include <fmt/format.h>

#include "engine/backend/target_table.h"
#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/compiler/rates.h"
#include "targets/cuda/hardware/description.h"

namespace tw {
namespace {

using namespace cuda;

/// "cuda", then "cuda:h100", "cuda:a100", ...
std::vector<std::string> spellings() {
  std::vector<std::string> names{kCudaTarget};
  for (KnownGpu const& one : known_gpus())
    names.push_back(fmt::format("{}:{}", kCudaTarget, one.name));
  return names;
}

Result<Hardware> hardware(std::string const& spelling) {
  size_t colon = spelling.find(':');
  if (colon == std::string::npos) return known_gpus().front().hardware;
  std::string names;
  for (KnownGpu const& one : known_gpus()) {
    if (one.name == spelling.substr(colon + 1)) return one.hardware;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  return bad_input("unknown_target", fmt::format("no GPU '{}' is described; there are {}",
                                                 spelling.substr(colon + 1, 80), names));
}

std::string kind(Hardware const& machine) {
  return fmt::format("{}, {} multiprocessors", machine.word(kArchitecture), machine.unit().count);
}

}  // namespace

TargetEntry const& target_cuda() {
  static TargetEntry const entry{
      .name = kCudaTarget,
      .spellings = spellings,
      .hardware = hardware,
      .kind = kind,
      .matches = [](Hardware const& machine) { return machine.target == kCudaTarget; },
      .runs_here = [](MachineNeeds const&) -> Status {
        return bad_input("wrong_processor", "only an NVIDIA GPU runs its code");
      },
      .create_backend = create_cuda_backend,
      .described_by_device = true,
      .described = true,
      // A Jetson has Arm's processors; what a card is put into is like this machine.
      .beside = [](std::string const& spelling) -> std::string {
        return spelling.ends_with(":orin") ? "cpu:aarch64" : "";
      },
      .roofs = roofs_of,
  };
  return entry;
}

}  // namespace tw
