/// What a target does, as an interface: its passes, its code, its schedules by rule.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/analysis/time_model.h"
#include "engine/graph/pipeline.h"
#include "engine/hardware/launches.h"
#include "engine/hardware/roof_probes.h"
#include "engine/hardware/timeline.h"
#include "engine/ir/program.h"
#include "engine/ir/text.h"
#include "engine/lowering/checks.h"
#include "engine/lowering/pipeline.h"
#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"
#include "engine/support/base/job.h"
#include "engine/target/code_tier.h"
#include "engine/target/target.h"

namespace tw {

/// A text that a target can show of a kernel's code.
struct CodeTextKind {
  std::string key;    ///< in command lines and journals: "assembly"
  std::string title;  ///< for people: "Assembly"
  std::string why;    ///< one sentence: what one sees there
};

/// One of them for one kernel.
struct CodeListing {
  std::string key;  ///< of a CodeTextKind
  std::string text;
  std::vector<int32_t>
      source_line;  ///< per line of `text`: line (from 1) of `Artifact::lowered`, or 0
};

/// What a code generator made of a kernel under one name: an object, an image for a processor
/// beside the one that calls.
struct CodePart {
  std::string name;
  std::vector<std::byte> bytes;
};
using CodeParts = std::vector<CodePart>;

/// A kernel's code. The parts of several kernels, whose symbols differ, make one library; `library`
/// is this kernel's own, ready to be sent to a device.
struct Artifact {
  CodeParts parts;
  /// What `Backend::link` made of `parts` alone; see `compile`. Only the target's processor knows
  /// what it is: a library of the system's, several parts, a text.
  std::vector<std::byte> library;
  std::string symbol;
  int64_t workspace_bytes = 0;
  std::vector<CheckedAccess> accesses;  ///< of kChecked, for describe_report
  int64_t report_offset = 0;            ///< of kChecked: where its record is in the workspace
  ir::PrintedProgram lowered;           ///< the last stage, whose lines the listings refer to
  std::vector<CodeListing> listings;    ///< when texts were asked for: one for each kind, in order
  std::optional<int64_t> instructions;  ///< of the code, when texts were asked for and it has such
};

class Backend {
public:
  explicit Backend(Target target) : target_(std::make_shared<Target const>(std::move(target))) {}
  virtual ~Backend() = default;
  Target const& target() const { return *target_; }
  /// The same for schedules, which live on without the backend.
  std::shared_ptr<Target const> const& shared_target() const { return target_; }
  /// The passes over graphs in their order, before there are kernels. A target with a pass of its
  /// own gives a list of its own, of rows of `engine/graph/passes` and others; `choose_layouts` and
  /// `fuse_operators` are rows, too, and come last.
  virtual std::span<GraphPass const> graph_passes() const { return tw::graph_passes(); }
  /// How the values of a graph lie and by which computes its nodes run, before fusion. Everything
  /// is plain where a target does not say otherwise. What may be chosen otherwise for a graph it
  /// asks `decisions`.
  virtual Result<GraphChoices> choose_layouts(Graph const&, Decisions&) const {
    return GraphChoices();
  }
  virtual std::span<Pass const> passes() const = 0;
  /// What can be shown of its code, from what is nearest to the program to what is farthest.
  virtual std::span<CodeTextKind const> texts() const = 0;
  /// What generates code, with its version ("LLVM 19.1.7"): another one may make other code.
  virtual std::string generator() const = 0;
  /// From the last lowered stage, without `library`. Errors: those of code generation; cancelled.
  virtual Result<Artifact> generate(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                                    StopToken stop) const = 0;
  /// One library of the parts of several kernels, as `DeviceRuntime::load` takes it. Errors:
  /// undefined_symbol, duplicate_symbol, link_failed.
  virtual Result<std::vector<std::byte>> link(std::span<CodeParts const> kernels) const = 0;
  /// What the name of a file with such a library ends with: "so" where the system loads it.
  virtual std::string library_ending() const { return "bin"; }
  /// `generate`, then `link`. (Not called "emit", which is a macro of Qt.)
  Result<Artifact> compile(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                           StopToken stop = {}) const {
    TRY_ASSIGN(Artifact artifact, generate(kernel, tier, texts, stop));
    TRY_ASSIGN(artifact.library, link({&artifact.parts, 1}));
    return artifact;
  }
  /// A schedule by the target's template, at most 25 lines of script; without steps where nothing
  /// applies. What it leaves open it asks `decisions`, whose knobs are then the program's space at
  /// that point. A target with rules alone asks nothing.
  virtual Result<Schedule> templated(ir::Program const& program, Decisions& decisions) const = 0;
  /// Of a program for which no code came of the schedule by rule: why, for people who want it to
  /// run and write no schedules. Empty: the error of the code says it.
  virtual std::string why_unfit(ir::Program const&) const { return {}; }
  /// The same without answers: the schedule by rule.
  Result<Schedule> default_schedule(ir::Program const& program) const {
    Decisions by_rule;
    return templated(program, by_rule);
  }
  Result<std::string> default_script(ir::Program const& program) const {
    TRY_ASSIGN(Schedule schedule, default_schedule(program));
    return schedule.script();
  }
  /// Kernels that reach the roofs of its devices. Errors: no_roofs (its times then stand alone).
  virtual Result<RoofProbes> roof_probes() const = 0;
  /// What a program should take on a device with these roofs; `locality` is the program's. Nothing
  /// where the target has no model of its time.
  virtual std::optional<analysis::TimeModel> model_time(ir::Program const& program,
                                                        analysis::Locality const& locality,
                                                        Roofs const& roofs) const = 0;

  /// Whether `timeline` answers: the target has a simulator that counts cycles, or a model.
  virtual bool has_timeline() const { return false; }
  /// What the machine does with the scheduled program, cycle by cycle; no device is asked.
  /// Errors: no_simulator, no_pipeline, those of lowering and of `generate`; cancelled.
  virtual Result<Timeline> timeline(ir::Program const& program, StopToken stop) const;

  /// Whether `launches` answers: kernels are launched as blocks of threads.
  virtual bool has_launches() const { return false; }
  /// What the scheduled program's launches ask of the hardware; no device is asked. `assembled`:
  /// registers, too, which take longer. Errors: no_launches, those of lowering; cancelled.
  virtual Result<KernelLaunches> launches(ir::Program const& program, bool assembled,
                                          StopToken stop) const;

private:
  std::shared_ptr<Target const> target_;
};

}  // namespace tw
