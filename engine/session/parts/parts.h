/// What a session is put together from. Commands and parts work with each other through this; each
/// part says what it does in a header of its own.
#pragma once

#include "engine/session/parts/ablating.h"
#include "engine/session/parts/background.h"
#include "engine/session/parts/kernel_tuning.h"
#include "engine/session/parts/measuring.h"
#include "engine/session/parts/model_tuning.h"
#include "engine/session/parts/modelling.h"
#include "engine/session/parts/news.h"
#include "engine/session/parts/opening.h"
#include "engine/session/parts/queues.h"
#include "engine/session/parts/quiet.h"
#include "engine/session/parts/roof_measuring.h"
#include "engine/session/parts/showing.h"
#include "engine/session/parts/tuner_gate.h"
#include "engine/session/state/query.h"
#include "engine/session/state/state_cell.h"

namespace tw::session {

struct Parts {
  explicit Parts(Options given);
  ~Parts();
  Parts(Parts const&) = delete;
  Parts& operator=(Parts const&) = delete;

  /// What went wrong in a job of this kind is seen with the next snapshot.
  void set_error(Error const& error, std::string job);
  void clear_error();
  /// What was tried stays. From now on it is no pause that one waits for, but the end.
  void stop_tuning();
  Seen seen(State const& state) const {
    return {state, state.backend, options, state.devices_asked};
  }

  Options const options;
  StateCell cell;
  News news;
  Queues queues;
  Showing showing;
  Modelling modelling;
  RoofMeasuring roofs;
  Measuring measuring;
  Quiet quiet;
  Background background;
  Opening opening;
  Ablating ablating;
  TunerGate gate;
  KernelTuning kernel_tuning;
  ModelTuning model_tuning;
};

}  // namespace tw::session
