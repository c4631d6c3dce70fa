#include "engine/session/parts/showing.h"

namespace tw::session {

Showing::Showing(StateCell const& cell, Queues const& queues, News& news)
    : cell_(cell), queues_(queues), news_(news) {
  shown_.with([&](Snapshot& shown) { shown = snapshot_of(*cell.read(), {}); });
}

/// Several threads may do so at once: the newest state is shown in the end.
void Showing::publish() {
  StateCell::Pointer state = cell_.read();
  Snapshot next = snapshot_of(*state, shown_.look([](Snapshot const& shown) { return shown; }));
  next.version = state->version;
  shown_.with([&](Snapshot& shown) {
    if (next.version < shown.version) return;
    next.tuning = tuning_view(*cell_.read());  // it may have been shown alone meanwhile
    shown = std::move(next);
  });
  news_.notify();
}

void Showing::publish_tuning() {
  shown_.with([&](Snapshot& shown) { shown.tuning = tuning_view(*cell_.read()); });
  news_.notify();
}

Snapshot Showing::snapshot() const {
  std::optional<JobView> job = queues_.errands.current();
  if (!job) job = queues_.main.current();
  Snapshot copy = shown_.look([](Snapshot const& shown) { return shown; });
  copy.version = news_.version();
  if (job) copy.job = std::make_shared<JobView const>(*job);
  return copy;
}

}  // namespace tw::session
