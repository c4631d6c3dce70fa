/// What two states of one kernel cost: the values behind a comparison.
#pragma once

#include <map>
#include <optional>

#include "engine/analysis/time_model.h"
#include "engine/backend/backend.h"
#include "engine/compile/tasks.h"
#include "engine/session/values.h"

namespace tw::session {

/// What a program costs, from its loops and its code alone; the same for whoever made it.
struct StateFacts {
  std::optional<analysis::TimeModel> model;  ///< empty: the machine's roofs are not known
  double arithmetic = 0;                     ///< instructions of a run, as the loops make them
  double vector_accesses = 0;                ///< loads and stores of neighbouring lanes
  double scalar_accesses = 0;
  int64_t tasks = 1;  ///< of the block that has most
  int64_t distinct_bytes = 0;
  bool distinct_exact = true;
  int64_t intermediate_bytes = 0;            ///< tensors that are neither inputs nor outputs
  std::optional<int64_t> code_instructions;  ///< lines of assembly; empty: it could not be made
  std::shared_ptr<NestView const> nest;
};

/// `rates`: of the machine; null leaves the model out. Compiles the program: tens of milliseconds.
StateFacts facts_of(ir::Program const& program, Roofs const* rates,
                    std::vector<int64_t> const& cache_bytes, Backend const& backend);

/// One side of a comparison.
struct StateToCompare {
  ComparedState state;
  std::shared_ptr<StateFacts const> facts;
  std::optional<double> min_ms;  ///< on the device in use, or on `state.device`
  double spread = 0;
  std::map<std::string, double> elsewhere_ms;  ///< measured times by the names of other devices
};

/// What one run of a kernel computes, as its operators define it.
struct RunWork {
  double flops = 0;
  bool integers = false;  ///< that is what they are of
};
RunWork work_of(KernelTask const& task);

/// `roofs` of the machine.
StateComparison compare_states(StateToCompare const& before, StateToCompare const& after,
                               RunWork const& work, std::vector<RoofView> const& roofs);

/// One state on two devices: what was measured on each. Models and code are of the device in use
/// and are left out.
StateComparison compare_trials(StateToCompare const& before, StateToCompare const& after,
                               RunWork const& work);

}  // namespace tw::session
