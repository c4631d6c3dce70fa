/// What the parts of a model's tuning share.
#pragma once

#include "engine/session/parts/model_tuning.h"
#include "engine/session/state/tuning_clock.h"

namespace tw::session {

struct ModelTuning::Job {
  ModelSource from = {};
  TuneModel wanted;
  std::vector<std::string> devices = {};
  std::map<int, std::string> standing = {};  ///< on the kind in use when it began
  ModelTuningView begun = {};
  bool rearranged = false;  ///< some kernels are other ones than when it began
  StopToken stop = {}, enough = {};
};

struct ModelTuning::OnKind {
  Job const& job;
  size_t place = 0;  ///< among those that were begun together
  Model model = {};  ///< as it is planned for the kind
  TriedOn where = {};
  TuningClock clock;
  std::unique_ptr<records::TrialStore> store = {};
  // These are used while the state is edited only.
  ModelTuningView view = {};
  std::map<int, TuningRun> runs = {};  ///< by the kernel's row in this model
};

/// The kernel's row in a model, which may be planned for another device; -1: none.
int row_called(LoadedModel const& model, std::string const& kernel);
/// Null: it is not shown.
TunedKernelRow* find_row(ModelTuningView& view, std::string const& kernel);

}  // namespace tw::session
