#include "engine/session/facts/launch_facts.h"

#include <algorithm>

namespace tw::session {
namespace {

constexpr double kSector = 32;  // bytes

FactInfo const kLaunchFacts[] = {
    {"launch.count", "", "number of launches of the current step; 0: it has no code for a GPU"},
    {"launch.blocks", "", "blocks of all launches"},
    {"launch.threads", "", "threads of a block, of the launch that has most"},
    {"launch.shared", "", "bytes of shared memory of a block, of the launch that takes most"},
    {"launch.sectors", "",
     "sectors of main memory that a request of a warp takes, of the access that takes most"},
    {"launch.passes", "",
     "passes of shared memory that a request of a warp takes, of the access that takes most"},
    {"launch.over", "", "number of accesses that cost more than their bytes need"},
    {"launch.moved", "MB", "bytes of all sectors that warps ask main memory for"},
    {"launch.registers", "", "registers of a thread, of the launch that takes most"},
};

bool is_decided(LaunchAccess const& access) { return access.undecided.empty(); }

double most(KernelLaunches const& kernel, bool shared) {
  double found = 0;
  for (LaunchReport const& launch : kernel.launches)
    for (LaunchAccess const& access : launch.accesses)
      if (access.shared == shared && is_decided(access)) found = std::max(found, access.average);
  return found;
}

double over(KernelLaunches const& kernel) {
  double count = 0;
  for (LaunchReport const& launch : kernel.launches)
    for (LaunchAccess const& access : launch.accesses) count += costs_more(access);
  return count;
}

double moved_megabytes(KernelLaunches const& kernel) {
  double bytes = 0;
  for (LaunchReport const& launch : kernel.launches)
    for (LaunchAccess const& access : launch.accesses)
      if (!access.shared && is_decided(access))
        bytes +=
            access.average * kSector * access.requests * access.warps * double(launch.blocks());
  return bytes / 1e6;
}

template <typename Value>
double greatest(KernelLaunches const& kernel, Value const& value) {
  double found = 0;
  for (LaunchReport const& launch : kernel.launches) found = std::max(found, double(value(launch)));
  return found;
}

}  // namespace

std::span<FactInfo const> launch_facts() { return kLaunchFacts; }

bool is_launch_fact(std::string_view name) {
  return std::ranges::any_of(kLaunchFacts, [&](auto& info) { return info.name == name; });
}

bool is_assembled_fact(std::string_view name) { return name == "launch.registers"; }

std::optional<FactValue> launch_fact(std::string_view name, LaunchesView const& view) {
  KernelLaunches const& kernel = view.kernel;
  if (name == "launch.count") return double(kernel.launches.size());
  if (name == "launch.sectors") return most(kernel, false);
  if (name == "launch.passes") return most(kernel, true);
  if (name == "launch.over") return over(kernel);
  if (name == "launch.moved") return moved_megabytes(kernel);
  if (name == "launch.threads")
    return greatest(kernel, [](LaunchReport const& one) { return one.threads(); });
  if (name == "launch.shared")
    return greatest(kernel, [](LaunchReport const& one) { return one.shared_bytes; });
  if (name == "launch.blocks") {
    double blocks = 0;
    for (LaunchReport const& launch : kernel.launches) blocks += double(launch.blocks());
    return blocks;
  }
  if (name != "launch.registers") return {};
  for (LaunchReport const& launch : kernel.launches)
    if (!launch.registers) return {};
  return greatest(kernel, [](LaunchReport const& one) { return one.registers.value_or(0); });
}

}  // namespace tw::session
