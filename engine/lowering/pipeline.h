/// Lowering as a list of passes: data that can be shown, run up to any row, and checked between
/// rows.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/support/base/error.h"
#include "engine/target/target.h"

namespace tw {

struct PassContext {
  Target const& target;
};

struct Pass {
  std::string name;
  std::string title;  ///< what it does, a sentence
  std::string why;    ///< why it stands where it stands
  Result<ir::KernelIr> (*run)(ir::KernelIr const&, PassContext const&) = nullptr;
};

struct LoweredStage {
  std::string name;
  ir::KernelIr kernel;
};

/// The program as kernel IR (blocks still there), then one entry per pass.
Result<std::vector<LoweredStage>> lower(ir::Program const& program, Target const& target,
                                        std::span<Pass const> passes);

// One function per file of `passes/`.
Pass hoist_reduction_init();
Pass lower_blocks();
Pass compact_tensors();
Pass flatten_buffers();
Pass partition_loops();
Pass vectorize_loops();
Pass unroll_loops();
Pass promote_accumulators();
Pass simplify_kernel(std::string why);
Pass plan_workspace();
Pass check_target();

/// Where the tensors of the workspace begin, in bytes, after plan_workspace.
std::map<std::string, int64_t> workspace_layout(ir::KernelIr const& kernel,
                                                int64_t* bytes = nullptr);
int64_t workspace_bytes(ir::KernelIr const& kernel);
inline constexpr char const* kWorkspaceScope = "workspace";
/// On the stack of the thread that runs the allocation's body.
inline constexpr char const* kStackScope = "stack";

}  // namespace tw
