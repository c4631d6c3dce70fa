// SPDX-License-Identifier: GPL-3.0-or-later
/// Saves reports: waits for the code that belongs to them, and writes them beside the window.
#pragma once

#include <QFutureWatcher>
#include <QTimer>
#include <optional>

#include "app/shared/journal/save_report.h"
#include "app/shared/report/report.h"
#include "app/window/pane.h"

namespace tw {

class ReportController : public QObject {
  Q_OBJECT
public:
  ReportController(Workbench& bench, QWidget* window);
  /// A report is being made.
  bool busy() const { return wanted_.has_value() || writing_.isRunning(); }

signals:
  void saved(QString sentence);
  void failed(QString sentence);

private:
  Status save(journal::SaveReport const& action);
  Status show_dialog();
  /// Writes what is wanted as soon as all of it is there.
  void look();
  void end();

  Workbench& bench_;
  QWidget* window_;
  QTimer timer_;
  std::optional<journal::SaveReport> wanted_;
  QString file_;  ///< that is being written
  QFutureWatcher<Status> writing_;
};

}  // namespace tw
