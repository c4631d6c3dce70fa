/// What a target does, as an interface: its passes, its code, its schedules by rule.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/hardware/roof_probes.h"
#include "engine/ir/program.h"
#include "engine/ir/text.h"
#include "engine/lowering/checks.h"
#include "engine/lowering/pipeline.h"
#include "engine/schedule/schedule.h"
#include "engine/support/base/job.h"
#include "engine/target/code_tier.h"
#include "engine/target/target.h"

namespace tw {

/// A kernel's code. Several objects, whose symbols differ, make one library; `library` is this
/// kernel's own, ready to be sent to a device.
struct Artifact {
  std::vector<std::byte> object;
  std::vector<std::byte> library;  ///< a shared library without undefined symbols; see `compile`
  std::string symbol;
  int64_t workspace_bytes = 0;
  std::vector<CheckedAccess> accesses;  ///< of kChecked, for describe_report
  int64_t report_offset = 0;            ///< of kChecked: where its record is in the workspace
  ir::PrintedProgram lowered;           ///< the last stage, whose lines the assembly refers to
  std::string llvm_ir, assembly;        ///< when texts were asked for
  std::vector<int32_t>
      assembly_lines;  ///< per line of `assembly`: line (from 1) of `lowered`, or 0
};

class Backend {
public:
  explicit Backend(Target target) : target_(std::make_shared<Target const>(std::move(target))) {}
  virtual ~Backend() = default;
  Target const& target() const { return *target_; }
  /// The same for schedules, which live on without the backend.
  std::shared_ptr<Target const> const& shared_target() const { return target_; }
  virtual std::span<Pass const> passes() const = 0;
  /// What generates code, with its version ("LLVM 19.1.7"): another one may make other code.
  virtual std::string generator() const = 0;
  /// From the last lowered stage, without `library`. Errors: those of code generation; cancelled.
  virtual Result<Artifact> generate(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                                    StopToken stop) const = 0;
  /// One shared library of several objects. Errors: undefined_symbol, duplicate_symbol,
  /// link_failed.
  virtual Result<std::vector<std::byte>> link(
      std::span<std::vector<std::byte> const> objects) const = 0;
  /// `generate`, then `link`. (Not called "emit", which is a macro of Qt.)
  Result<Artifact> compile(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                           StopToken stop = {}) const {
    TRY_ASSIGN(Artifact artifact, generate(kernel, tier, texts, stop));
    TRY_ASSIGN(artifact.library, link({&artifact.object, 1}));
    return artifact;
  }
  /// The schedule by rule, at most 25 lines of script; without steps where no rule applies.
  virtual Result<Schedule> default_schedule(ir::Program const& program) const = 0;
  Result<std::string> default_script(ir::Program const& program) const {
    TRY_ASSIGN(Schedule schedule, default_schedule(program));
    return schedule.script();
  }
  /// Kernels that reach the roofs of a device of this target.
  virtual Result<RoofProbes> roof_probes() const = 0;

private:
  std::shared_ptr<Target const> target_;
};

}  // namespace tw
