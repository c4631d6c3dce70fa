/// The threads on which a session works.
#pragma once

#include <memory>

#include "engine/session/parts/news.h"
#include "engine/session/state/jobs.h"
#include "engine/session/state/memo.h"

namespace tw::session {

struct Queues {
  explicit Queues(News& news);

  Jobs main;      ///< what a model or a device is asked for: one that measures has it to itself
  Jobs errands;   ///< exports and what else takes minutes: a model is opened and timed beside them
  Jobs model;     ///< goes through the states that have no modelled time
  Jobs patience;  ///< waits for a quiet moment; nobody waits for it
  Jobs tune;      ///< goes on while a person edits
  Jobs idle;      ///< waits until nothing else runs; nobody waits for it
  Memo memo;      ///< of what queries made

  /// Jobs begin jobs on other threads: all are asked to end before any is waited for.
  void end();
  /// Nobody measures, opens or writes now.
  bool rest() const { return main.idle() && errands.idle(); }
  /// A tuner and what is measured would disturb each other.
  void wait_until_rest(StopToken stop) const;
  bool wait_idle(double seconds) const;
  /// For as long as it is kept, the processors are a kernel's alone, but for what hands wait for.
  std::shared_ptr<void> hold_others();
};

}  // namespace tw::session
