#include "engine/hardware/occupancy.h"

#include <algorithm>
#include <array>
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

int64_t blocks_within(Multiprocessor const& unit, KernelUse const& use, Limit limit) {
  switch (limit) {
    case Limit::kWarps:
      return unit.max_warps / std::max(1, warps_of(unit, use));
    case Limit::kBlocks:
      return unit.max_blocks;
    case Limit::kRegisters:
      return blocks_by_registers(unit, use);
    case Limit::kShared:
      return blocks_by_shared(unit, use);
    case Limit::kCannotRun:
      break;
  }
  return 0;
}

Occupancy occupancy(Multiprocessor const& unit, KernelUse const& use) {
  if (use.threads < 1 || use.threads > unit.max_threads ||
      use.shared_bytes > unit.shared_per_block || use.registers > unit.registers_per_thread)
    return {};
  int warps = warps_of(unit, use);
  struct Bound {
    Limit limit;
    int64_t blocks = 0;
  };
  // Of several that are the least, the one that no change of the code lifts.
  std::array<Bound, 4> bounds{
      {{Limit::kWarps}, {Limit::kBlocks}, {Limit::kRegisters}, {Limit::kShared}}};
  for (Bound& bound : bounds) bound.blocks = blocks_within(unit, use, bound.limit);
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
