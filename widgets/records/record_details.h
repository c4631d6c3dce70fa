// SPDX-License-Identifier: GPL-3.0-or-later
/// One stored trial, or two of them: the knobs in which they differ, their times, their scripts.
#pragma once

#include <QWidget>
#include <optional>

#include "widgets/records/record_row.h"
#include "widgets/theme/theme.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTableWidget;

namespace tw {

/// A knob and its value in both; empty: it has none.
struct KnobDifference {
  QString knob, before, after;
  bool operator==(KnobDifference const&) const = default;
};
/// In the order of their names.
std::vector<KnobDifference> knob_differences(RecordRow const& before, RecordRow const& after);
/// "Trial 7 takes 1.02 ms, trial 9 1.31 ms: 1.28 times as long."
QString comparison_words(RecordRow const& before, RecordRow const& after);

class RecordDetails : public QWidget {
  Q_OBJECT
public:
  explicit RecordDetails(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_none();
  void show_one(RecordRow const& row);
  void show_two(RecordRow const& before, RecordRow const& after);

signals:
  void open_asked();

private:
  void show_knobs(QStringList const& titles, std::vector<KnobDifference> const& rows);
  void mark_differences();

  Theme theme_;
  QLabel* title_ = nullptr;
  QLabel* sentence_ = nullptr;
  QPushButton* open_ = nullptr;
  QTableWidget* knobs_ = nullptr;
  QPlainTextEdit *left_ = nullptr, *right_ = nullptr;
};

}  // namespace tw
