/// What a kernel of blocks and threads asks of a GPU: launches, what they take of a multiprocessor,
/// and what each access of a warp costs memory. Judged by a target, shown by who knows nothing of
/// it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/hardware/occupancy.h"

namespace tw {

/// A loop around an access, outermost first, whose iteration its address or its guards depend on.
struct AccessLoop {
  std::string name;
  int64_t extent = 1;
  bool blocks = false;  ///< of the grid
};

/// One request of one warp: where its lanes are.
struct WarpRequest {
  std::vector<int64_t> address;  ///< of each lane, in bytes from the tensor's begin; -1: takes no
                                 ///< part
  int cost = 0;                  ///< sectors, or passes
  int together = 0;              ///< lanes that shared memory serves at once; 0: all
  bool known = true;             ///< false: an index or a guard is data
};

/// A load or store of all threads of a warp.
struct LaunchAccess {
  std::string tensor;
  bool shared = false;  ///< of a block's memory, which costs passes; else sectors of main memory
  bool store = false;
  int bytes = 4;       ///< that a lane takes at once
  int elements = 1;    ///< in these
  double average = 0;  ///< over all warps of a block and all iterations
  int least = 0, most = 0;
  int ideal = 0;          ///< of as many different elements, side by side
  bool guarded = false;   ///< some threads or iterations may leave it out: at most so much
  std::string undecided;  ///< why nothing is known; empty: all above is exact
  /// Which of two versions of the code it is in: "whole tiles", "edge tiles"; empty: there is one.
  std::string version = {};
  int source_line = 0;    ///< 1-based, of the lowered program
  std::string statement;  ///< that line
  double requests = 1;    ///< of each warp in a launch
  int warps = 1;          ///< of a block
  std::vector<AccessLoop> loops;
  /// `warp`: of the block; `at`: an iteration of each of `loops`. Never null where it is decided.
  std::function<WarpRequest(int warp, std::span<int64_t const> at)> request = {};
};

/// A device function as it is launched.
struct LaunchReport {
  std::string function;
  std::array<int64_t, 3> grid{1, 1, 1};  ///< 0: known at run time only
  std::array<int64_t, 3> block{1, 1, 1};
  int64_t shared_bytes = 0;  ///< of a block
  /// As the assembler counts them, of a thread. Nothing: `not_counted` says why.
  std::optional<int> registers;
  int64_t spill_bytes = 0, stack_bytes = 0;
  std::string not_counted;
  std::vector<LaunchAccess> accesses;

  int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  int threads() const { return int(block[0] * block[1] * block[2]); }
  gpu::KernelUse use() const { return {registers.value_or(0), shared_bytes, threads()}; }
};

struct KernelLaunches {
  gpu::Multiprocessor unit;
  int units = 1;  ///< multiprocessors
  /// Why nobody knows how many blocks run at once: of `unit`, `warp` and `max_threads` alone say
  /// something then. Empty: `unit` says it.
  std::string no_occupancy = {};
  std::vector<LaunchReport> launches;
};

/// How the blocks of a launch come to the multiprocessors: in waves of as many as run at once.
struct Waves {
  int64_t at_once = 0;  ///< blocks of all multiprocessors; 0: nothing runs
  int64_t waves = 0;
  int64_t last = 0;  ///< blocks of the last one
  /// Of all places in all waves, those that have a block.
  double filled() const {
    return waves > 0 ? (double(waves - 1) * double(at_once) + double(last)) /
                           (double(waves) * double(at_once))
                     : 0;
  }
};
Waves waves_of(int64_t blocks, int units, gpu::Occupancy const& occupancy);

}  // namespace tw
