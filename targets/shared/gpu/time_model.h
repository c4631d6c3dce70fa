/// What a launch of blocks and threads should take on a described GPU.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/time_model.h"
#include "engine/hardware/occupancy.h"
#include "engine/ir/program.h"
#include "targets/shared/gpu/launch_nest.h"
#include "targets/shared/gpu/traffic.h"

namespace tw::gpu {

/// Rates of a GPU. Of a multiprocessor in a cycle where nothing else is said.
struct Rates {
  int units = 1;            ///< multiprocessors
  double hertz = 1e9;       ///< of these
  double f32_lanes = 128;   ///< multiply-adds
  double f64_lanes = 64;    ///< likewise
  double matrix_lanes = 0;  ///< multiply-adds of 16 bits by matrix units; 0: it has none
  double group_matrix_lanes =
      0;  ///< such where several warps tell the units to go on by themselves
  double integer_lanes = 64;
  double special_lanes = 16;  ///< conversions, reciprocals
  double shuffle_lanes = 32;  ///< words that threads of a warp hand each other
  double issues = 4;          ///< warps whose next instruction begins
  double l2_port = 64;        ///< bytes from L2
  int64_t l1_bytes = 0;       ///< of L1 and shared memory together
  int64_t l2_bytes = 0;       ///< of the GPU
  double l2_bandwidth = 0;    ///< bytes a second, of the GPU; 0: not known
  double dram_bandwidth = 0;  ///< likewise
  // Cycles until a load's value is there.
  double shared_latency = 30, l1_latency = 35, l2_latency = 265, dram_latency = 650;
};

/// What binds.
enum class Bound : uint8_t { kArithmetic, kInstructions, kShared, kL2, kDram, kWaits };
inline constexpr size_t kBounds = 6;
/// "arithmetic", "instructions", "shared", "L2", "DRAM", "latency".
std::string bound_text(Bound bound);

struct LaunchTime {
  double seconds = 0;  ///< with the launch itself
  Bound bound = Bound::kArithmetic;
  int64_t waves = 1;
  Occupancy occupancy;
  LaunchNest nest;
  Traffic traffic;
  bool stays_in_l2 = false;  ///< the program's data, from run to run
  // Parts of `seconds`.
  double work = 0;    ///< the arithmetic alone, on all multiprocessors at their peak
  double others = 0;  ///< further instructions and bytes, where these take longer
  double waits = 0;   ///< for what no warp hides
  double tail = 0;    ///< multiprocessors without a block, in the last wave
  double launch = 0;
};

/// Cycles that one block keeps the parts of a multiprocessor busy.
struct Busy {
  double f32 = 0, others = 0, issue = 0, shared = 0, l2 = 0;
  double arithmetic() const { return std::max(f32, others); }
  double longest() const { return std::max({arithmetic(), issue, shared, l2}); }
};
Busy busy_of(LaunchNest const& nest, Traffic const& traffic, Rates const& rates);
/// What is left of L1 beside so many blocks.
Caches caches_of(LaunchNest const& nest, Occupancy const& occupancy, Rates const& rates);
/// Of the bytes that L2 answers, those that come from DRAM, from 0 to 1. `stays`: all data is in
/// L2.
double from_dram(Traffic const& traffic, bool stays);
/// Cycles until a load's value is there that L1 does not have.
double latency_behind_l1(Traffic const& traffic, Rates const& rates, bool stays);

/// Of the tensors of a program, open sizes at their greatest.
double data_bytes_of(ir::Function const& host);

/// `data_bytes`: that the whole program touches; what L2 holds stays there from run to run.
LaunchTime launch_time(LaunchNest nest, Multiprocessor const& unit, Rates const& rates,
                       double data_bytes);

/// Of the launches of lowered code, one after the other, its tensors flat: `host`'s outermost
/// nests.
struct ProgramTime {
  std::vector<LaunchTime> launches;
  analysis::TimeModel model;
};
std::optional<ProgramTime> program_time(ir::Function const& host, Multiprocessor const& unit,
                                        Rates const& rates);

}  // namespace tw::gpu
