/// Lowering as a list of passes: data that can be shown, timed, checked between rows, and run with
/// rows left out.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/lowering/invariants.h"
#include "engine/support/base/error.h"
#include "engine/target/target.h"

namespace tw {

struct PassContext {
  Target const& target;
};

/// What a pass expects of a kernel, and what holds after it; whatever else held goes on to hold.
struct PassContract {
  Invariants needs = {};
  Invariants gives = {};
  Invariants gives_up = {};
};

struct Pass {
  std::string name;
  std::string title;  ///< what it does, a sentence
  std::string why;    ///< why it stands where it stands
  Result<ir::KernelIr> (*run)(ir::KernelIr const&, PassContext const&) = nullptr;
  PassContract contract = {};

  /// The same pass where it stands for another reason.
  Pass because(std::string reason) const {
    Pass pass = *this;
    pass.why = std::move(reason);
    return pass;
  }
};

/// One file of `passes/` defines one pass, `Pass FILE()`. The build writes the table, and
/// engine/lowering/passes.h with the functions.
struct PassRow {
  std::string file;
  Pass (*make)() = nullptr;
};
/// Sorted by file.
std::span<PassRow const> pass_table();

/// Runs one pass. No sequence of the result holds another one, so that it is equal to its text.
Result<ir::KernelIr> run_pass(Pass const& pass, ir::KernelIr const& kernel,
                              PassContext const& context);

/// The passes' names in a list; one that stands there again gets a number: "simplify.2".
std::vector<std::string> pass_keys(std::span<Pass const> passes);
/// What a pass is called now that had this name or key before ("place_waits.2"); else the key
/// itself.
std::string pass_called(std::string const& key);
/// What holds of the program and after each pass: as many as `lower` gives stages.
std::vector<Invariants> stage_invariants(std::span<Pass const> passes);

struct LoweredStage {
  std::string name;  ///< the pass's key
  ir::KernelIr kernel;
  bool ran = true;          ///< false: the pass was left out, the kernel is the one before
  double milliseconds = 0;  ///< that the pass took
  double verify_milliseconds = 0;
};

enum class VerifyPasses : uint8_t { kNo, kEach };

struct LowerOptions {
  std::vector<std::string> off;  ///< keys of passes that are left out
  VerifyPasses verify = VerifyPasses::kNo;
  std::function<void(LoweredStage const&)> observe;  ///< called after each pass; may be empty
};

/// What the environment says, as it was when this was first asked. TW_VERIFY_PASSES=1 checks every
/// stage; TW_PASSES_OFF=KEY,... leaves passes out; TW_DUMP_AFTER=KEY,... (or all) writes the kernel
/// after them, and TW_TIME_PASSES=1 each pass's time, to standard error.
LowerOptions const& environment_lower_options();

/// The program as kernel IR (blocks still there), then one entry per pass. Errors: those of the
/// passes; unknown_pass and pass_needed of `off`, where what a later pass or generating code relies
/// on would not hold; pass_failed_check with the pass, the invariant and the statement, when each
/// stage is verified.
Result<std::vector<LoweredStage>> lower(ir::Program const& program, Target const& target,
                                        std::span<Pass const> passes,
                                        LowerOptions const& options = environment_lower_options());

/// Where the tensors of the workspace begin, in bytes, after plan_workspace.
std::map<std::string, int64_t> workspace_layout(ir::KernelIr const& kernel,
                                                int64_t* bytes = nullptr);
int64_t workspace_bytes(ir::KernelIr const& kernel);
inline constexpr char const* kWorkspaceScope = "workspace";
/// On the stack of the thread that runs the allocation's body.
inline constexpr char const* kStackScope = "stack";
/// There once for each block of a launch.
inline constexpr char const* kSharedScope = "shared";
/// `Target::sharing`, and of tensors that have these places.
ir::Sharing placed_sharing(Target const& target);

}  // namespace tw
