#include "targets/shared/gpu/occupancy.h"

#include <algorithm>
#include <climits>

namespace tw::gpu {
namespace {

int64_t rounded_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

int warps_of(Multiprocessor const& unit, KernelUse const& use) {
  return int((use.threads + unit.warp - 1) / unit.warp);
}

int64_t blocks_by_registers(Multiprocessor const& unit, KernelUse const& use) {
  if (use.registers <= 0) return INT_MAX;
  int64_t of_warp = rounded_up(int64_t(use.registers) * unit.warp, unit.register_unit);
  int64_t warps = unit.registers / unit.partitions / of_warp * unit.partitions;
  return warps / warps_of(unit, use);
}

int64_t blocks_by_shared(Multiprocessor const& unit, KernelUse const& use) {
  int64_t bytes = rounded_up(use.shared_bytes + unit.shared_reserved, unit.shared_unit);
  return bytes > 0 ? unit.shared_per_unit / bytes : INT_MAX;
}

}  // namespace

Occupancy occupancy(Multiprocessor const& unit, KernelUse const& use) {
  if (use.threads < 1 || use.threads > unit.max_threads ||
      use.shared_bytes > unit.shared_per_block || use.registers > unit.registers_per_thread)
    return {};
  int warps = warps_of(unit, use);
  struct Bound {
    Limit limit;
    int64_t blocks;
  };
  // Of several that are the least, the one that no change of the code lifts.
  Bound const bounds[] = {{Limit::kWarps, unit.max_warps / warps},
                          {Limit::kBlocks, unit.max_blocks},
                          {Limit::kRegisters, blocks_by_registers(unit, use)},
                          {Limit::kShared, blocks_by_shared(unit, use)}};
  Bound const& least = *std::ranges::min_element(bounds, {}, &Bound::blocks);
  if (least.blocks < 1) return {};
  Occupancy made{.blocks = int(least.blocks), .warps = int(least.blocks) * warps};
  made.share = double(made.warps) / unit.max_warps;
  made.limit = least.limit;
  return made;
}

std::string limit_text(Limit limit) {
  switch (limit) {
    case Limit::kWarps:
      return "warps";
    case Limit::kBlocks:
      return "blocks";
    case Limit::kRegisters:
      return "registers";
    case Limit::kShared:
      return "shared memory";
    case Limit::kCannotRun:
      break;
  }
  return "nothing runs";
}

std::string next_step(Multiprocessor const& unit, KernelUse const& use) {
  Occupancy now = occupancy(unit, use);
  KernelUse less = use;
  if (now.limit == Limit::kRegisters) {
    while (less.registers > 1 && occupancy(unit, less).blocks <= now.blocks) --less.registers;
    if (occupancy(unit, less).blocks > now.blocks)
      return std::to_string(use.registers - less.registers) +
             " registers fewer for each thread: one block more";
  }
  if (now.limit == Limit::kShared && use.shared_bytes > 0) {
    int64_t most = unit.shared_per_unit / (now.blocks + 1) / unit.shared_unit * unit.shared_unit -
                   unit.shared_reserved;
    less.shared_bytes = std::max<int64_t>(most, 0);
    if (most >= 0 && occupancy(unit, less).blocks > now.blocks)
      return std::to_string(use.shared_bytes - less.shared_bytes) +
             " bytes of shared memory fewer: one block more";
  }
  return "";
}

}  // namespace tw::gpu
