// SPDX-License-Identifier: GPL-3.0-or-later
/// What the view of a team's queue shows: words and figures, made elsewhere.
#pragma once

#include <QString>
#include <vector>

namespace tw {

struct TeamJobRow {
  QString name;
  QString state;           ///< "queued", "running", "done", "done: it converged"
  QString slices, trials;  ///< "12 of 40"
  QString priority;
  QString held_by;  ///< the workers that have slices of it; empty: nobody
};
struct TeamWorkerRow {
  QString name, machine;
  QString holds;      ///< "night: kernel 4, 5 of 16 trials"; "waits"
  QString heard;      ///< "3 s ago"
  bool alive = true;  ///< heard of lately
};
struct TeamRows {
  std::vector<TeamJobRow> jobs;
  std::vector<TeamWorkerRow> workers;
};

}  // namespace tw
