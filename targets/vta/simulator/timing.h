/// When everything happens: cycles of each module, of the port to DRAM, and what each waits for.
#pragma once

#include "engine/hardware/timeline.h"
#include "targets/vta/simulator/machine.h"

namespace tw::vta {

/// The constants of the model, the same for every layer; found on the times of ten
/// convolutions that were measured on a board (resources/docs/vta.md).
struct TimingConstants {
  double launch_cycles = 7050;      ///< of a run: the driver's start and poll
  double gemm_drain_cycles = 3.75;  ///< of each inner iteration of a GEMM
  double alu_cycles_per_uop = 2.28;
  double dma_bytes_per_cycle = 7.17;  ///< of a port of 64 bits: to and from the cache
  /// What the cache does not hold: loaded for the first time in a run, or after so much else that
  /// it was replaced.
  double memory_bytes_per_cycle = 3.71;
  double dma_row_cycles = 42;  ///< of each row of a 2-D transfer
  /// Of the processor, which the port reads through: a Zynq-7000's second level.
  int64_t cache_bytes = 512 * 1024;
};

struct TimingOptions {
  TimingConstants constants;
  bool execute = true;    ///< false: times alone, nothing is computed
  bool timeline = false;  ///< spans, tokens and memories are recorded
  BeforeEach before_each = {};
};

/// Cycles, of a whole run.
struct BusyCycles {
  double gemm = 0, reset = 0, alu = 0;      ///< of compute
  double load = 0, compute_load = 0;        ///< LOADs of the load module, and those of compute
  double store = 0, dram = 0;               ///< dram: the port gives or takes something
  double stall_data = 0, stall_buffer = 0;  ///< compute waits for a token of load, of store
  double stall_dram = 0;                    ///< compute's own LOADs wait for others at the port
};

struct TimedRun {
  Machine machine;     ///< as it was where nothing is executed
  int64_t cycles = 0;  ///< to the end of FINISH, launch included
  double milliseconds = 0;
  int64_t gemm_busy = 0, alu_busy = 0, load_busy = 0, store_busy = 0, dram_busy = 0;
  BusyCycles busy;                       ///< the same and more, not rounded
  Timeline timeline;                     ///< from the begin of fetch on: without launch
  std::array<int64_t, 4> tokens_left{};  ///< as in EventRun
};

/// Errors: those of `run_events`. With `execute` off DRAM may be empty, and nothing that depends on
/// what it holds is an error.
///
/// The port serves all that want something at the same time, each as fast as the other; what a
/// transfer takes longer than alone is a stall at DRAM. The effect of an instruction is there when
/// it begins.
Result<TimedRun> run_timed(Configuration const& configuration, std::span<Instruction const> stream,
                           Dram dram, TimingOptions const& options = {});

}  // namespace tw::vta
