// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/devices/team_facts.h"

#include <QStringList>
#include <algorithm>

namespace tw {
namespace {

/// A worker says that it is there each 2 s while it waits, and each third of a lease (20 s) else.
constexpr double kAlive = 60;

QString text_of(std::string const& text) { return QString::fromStdString(text); }
QString share(int part, int whole) { return QString("%1 of %2").arg(part).arg(whole); }

QString state_of(records::JobProgress const& job) {
  if (job.is_open) return job.leased > 0 ? "running" : "queued";
  return job.left_out > 0 ? "done: it converged" : "done";
}

QString slice_text(records::HeldSlice const& slice) {
  return QString("kernel %1, %2 trials").arg(slice.kernel).arg(share(slice.made, slice.trials));
}

TeamJobRow row_of(records::JobProgress const& job, std::vector<records::HeldSlice> const& held) {
  TeamJobRow row{text_of(job.name),
                 state_of(job),
                 share(job.done, job.slices),
                 share(job.made, job.trials),
                 QString::number(job.priority),
                 {}};
  QStringList workers;
  for (records::HeldSlice const& slice : held)
    if (slice.job == job.name) workers << text_of(slice.worker);
  row.held_by = workers.join(", ");
  return row;
}

QString heard_text(double seconds_ago) {
  auto seconds = int(seconds_ago);
  if (seconds < 2) return "just now";
  return seconds < 100 ? QString("%1 s ago").arg(seconds)
                       : QString("%1 min ago").arg((seconds + 30) / 60);
}

QString holds_text(std::string const& worker, std::vector<records::HeldSlice> const& held) {
  QStringList slices;
  for (records::HeldSlice const& slice : held)
    if (slice.worker == worker)
      slices << QString("%1: %2").arg(text_of(slice.job), slice_text(slice));
  return slices.isEmpty() ? QStringLiteral("waits") : slices.join("; ");
}

}  // namespace

Result<TeamState> team_state(records::WorkQueue& queue) {
  TeamState state;
  TRY_ASSIGN(state.jobs, queue.jobs());
  TRY_ASSIGN(state.workers, queue.devices());
  TRY_ASSIGN(state.held, queue.held());
  return state;
}

TeamRows rows_of(TeamState const& state) {
  TeamRows rows;
  for (bool open : {true, false})
    for (records::JobProgress const& job : state.jobs)
      if (job.is_open == open) rows.jobs.push_back(row_of(job, state.held));
  for (records::TeamDevice const& worker : state.workers)
    rows.workers.push_back({text_of(worker.name), text_of(worker.machine),
                            holds_text(worker.name, state.held), heard_text(worker.seconds_ago),
                            worker.seconds_ago <= kAlive});
  // What a worker has that went without a word is others' only when its lease expires.
  for (records::HeldSlice const& slice : state.held)
    if (QString name = text_of(slice.worker);
        std::ranges::none_of(rows.workers, [&](auto const& row) { return row.name == name; }))
      rows.workers.push_back(
          {name, {}, holds_text(slice.worker, state.held), "not heard of", false});
  return rows;
}

}  // namespace tw
