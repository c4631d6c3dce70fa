/// What is seen of a session: snapshots, made of its state.
#pragma once

#include "engine/session/parts/news.h"
#include "engine/session/parts/queues.h"
#include "engine/session/state/guarded.h"
#include "engine/session/state/state_cell.h"

namespace tw::session {

class Showing {
public:
  Showing(StateCell const& cell, Queues const& queues, News& news);

  /// The state as it is now can be seen.
  void publish();
  /// Only what is new of a tuning: a trial comes many times a second.
  void publish_tuning();
  Snapshot snapshot() const;

private:
  StateCell const& cell_;
  Queues const& queues_;
  News& news_;
  Guarded<Snapshot> shown_;
};

}  // namespace tw::session
