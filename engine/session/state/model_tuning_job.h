/// What the parts of a model's tuning share (session_model_tuning.cpp, session_arranging.cpp).
#pragma once

#include "engine/session/state/session_impl.h"
#include "engine/session/state/tuning_clock.h"

namespace tw::session {

struct SessionImpl::ModelTuningJob {
  ModelSource from = {};
  TuneModel wanted;
  std::vector<std::string> devices = {};
  std::map<int, std::string> standing = {};  ///< on the kind in use when it began
  ModelTuningView begun = {};
  bool rearranged = false;  ///< some kernels are other ones than when it began
  StopToken stop = {}, enough = {};
};

struct SessionImpl::ModelTuningPart {
  ModelTuningJob const& job;
  size_t place = 0;  ///< among those that were begun together
  Model model = {};  ///< as it is planned for the kind
  TriedOn where = {};
  TuningClock clock;
  std::unique_ptr<records::TrialStore> store = {};
  // These with the session's mutex held.
  ModelTuningView view = {};
  std::map<int, TuningRun> runs = {};  ///< by the kernel's row in this model
};

}  // namespace tw::session
