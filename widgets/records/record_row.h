// SPDX-License-Identifier: GPL-3.0-or-later
/// A stored trial as it is shown, and which of them are.
#pragma once

#include <QString>
#include <QStringList>
#include <utility>
#include <vector>

namespace tw {

struct RecordRow {
  qint64 id = 0;
  QString when, kernel, device, machine, outcome, job;
  bool is_right = false;
  double ms = 0;      ///< its shortest run; 0: it was not right
  double spread = 0;  ///< by how much its longest run was longer, 0.03 for 3 %
  double ratio = 0;   ///< to the shortest of its kernel on this machine; 0: not known
  std::vector<std::pair<QString, QString>> knobs;
  QString script, failure;
  bool operator==(RecordRow const&) const = default;
};

/// An empty word is any.
struct RecordFilter {
  QString kernel, device, outcome, job, text;
  QString order = "newest";  ///< "oldest", "fastest", "slowest"
  bool best = false;         ///< only the fastest of each kernel on each device
  bool operator==(RecordFilter const&) const = default;
};

/// What filters offer.
struct RecordNames {
  QStringList kernels, devices, outcomes, jobs;
  bool operator==(RecordNames const&) const = default;
};

}  // namespace tw
