// The machine of threads as a target: its passes, and code that is the text of the lowered kernel.
#include <array>

#include "engine/backend/target_table.h"
#include "tests/support/interpreted_code.h"
#include "tests/support/thread_passes.h"
#include "tests/targets/threads/threads.h"

namespace tw {
namespace {

using namespace threads;

class ThreadsBackend final : public Backend {
public:
  explicit ThreadsBackend(Target target)
      : Backend(std::move(target)), passes_(testing::thread_passes()) {}

  std::span<Pass const> passes() const override { return passes_; }
  std::span<CodeTextKind const> texts() const override { return texts_; }
  std::string generator() const override { return "threads 1"; }

  Result<Artifact> generate(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                            StopToken) const override {
    if (tier == CodeTier::kChecked)
      return refused("not_supported", "the machine of threads checks every access anyway");
    return testing::interpreted_artifact(kernel, texts, texts_[0].key);
  }
  Result<std::vector<std::byte>> link(std::span<CodeParts const> kernels) const override {
    return testing::interpreted_library(kMagic, kernels);
  }
  /// Nothing is bound by rule: schedules of this machine are those of its tests.
  Result<Schedule> templated(ir::Program const& program, Decisions&) const override {
    return Schedule(program, shared_target());
  }
  Result<RoofProbes> roof_probes() const override {
    return refused("no_roofs", "nobody knows how fast a machine of threads could be");
  }
  std::optional<analysis::TimeModel> model_time(ir::Program const&, analysis::Locality const&,
                                                Roofs const&) const override {
    return {};
  }

private:
  std::array<CodeTextKind, 1> texts_ = {
      {{"microcode", "Microcode", "what the machine goes through, line by line"}}};
  std::vector<Pass> passes_;
};

}  // namespace

TargetEntry const& target_threads() {
  static TargetEntry const entry{
      .name = kName,
      .spellings = [] { return std::vector<std::string>{kName}; },
      .hardware = [](std::string const&) -> Result<Hardware> { return hardware(); },
      .matches = [](Hardware const& machine) { return machine.target == kName; },
      .runs_here = [](MachineNeeds const&) -> Status {
        return bad_input("wrong_processor", "only a machine of threads runs its code");
      },
      .create_backend = [](Hardware const& machine,
                           std::string) -> Result<std::shared_ptr<Backend const>> {
        Target target = *testing::thread_machine();
        target.hardware = machine;
        target.title = "machine of threads";
        return std::make_shared<ThreadsBackend>(std::move(target));
      },
  };
  return entry;
}

}  // namespace tw
