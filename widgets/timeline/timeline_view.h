// SPDX-License-Identifier: GPL-3.0-or-later
/// The microscope of a machine, simulated or modelled: lanes over cycles, queues, memories,
/// instructions and what is proven of them, of one run or of two on one axis.
#pragma once

#include <QWidget>

#include "widgets/theme/theme.h"
#include "widgets/timeline/timeline_focus.h"

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QScrollArea;
class QSplitter;
class QTabWidget;

namespace tw {

class TimelineAxis;
class TimelineInstructions;
class TimelineLanes;
class TimelineLegend;
class TimelineMemory;
class TimelineQueues;
class TimelineTotals;

class TimelineView : public QWidget {
  Q_OBJECT
public:
  explicit TimelineView(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);

  /// What the current run may stand beside: a key each, and a title.
  struct Choice {
    QString key, title;
    bool operator==(Choice const&) const = default;
  };
  void show_choices(std::vector<Choice> const& choices, QString const& chosen);
  /// One or two; the last one is the current one. What is on its way stays faded.
  void show_runs(std::vector<TimelineRun> runs, bool pending);
  /// A sentence instead.
  void show_failure(QString const& sentence);
  TimelineFocus& focus() { return focus_; }
  TimelineFocus const& focus() const { return focus_; }
  /// The loop of the chosen instruction's line; -1: none.
  int loop_of_chosen() const;

signals:
  void against_chosen(QString key);
  void instruction_chosen(int run, int instruction);
  void cursor_put(qint64 cycle);
  void break_asked(int queue, bool push);
  void run_asked();
  void stepped(int steps);
  void memory_asked(int counter);
  void finding_asked(int finding);
  void seen_by_user();  ///< what is seen was changed by hand

protected:
  void keyPressEvent(QKeyEvent*) override;
  void mousePressEvent(QMouseEvent*) override { setFocus(); }
  void resizeEvent(QResizeEvent*) override;
  void paintEvent(QPaintEvent*) override;
  bool eventFilter(QObject*, QEvent*) override;

private:
  QWidget* build_head();
  QWidget* build_lanes();
  QWidget* build_side();
  void watch();
  void show_verdict();
  void fit_verdict();
  void arrange();
  void share_height();

  TimelineFocus focus_;
  Theme theme_;
  QComboBox* against_ = nullptr;
  QLabel* verdict_ = nullptr;
  QLabel* sentence_ = nullptr;
  QLabel* failure_ = nullptr;
  QWidget* work_ = nullptr;
  QPushButton* run_ = nullptr;
  QPushButton* key_ = nullptr;  ///< shows the legend, or hides it
  bool key_chosen_ = false;     ///< by hand; else it is there where there is room
  TimelineLanes* lanes_ = nullptr;
  TimelineAxis* axis_ = nullptr;
  TimelineLegend* legend_ = nullptr;
  TimelineQueues* queues_ = nullptr;
  TimelineTotals* totals_ = nullptr;
  TimelineMemory* memory_ = nullptr;
  TimelineInstructions* instructions_ = nullptr;
  QListWidget* findings_ = nullptr;
  QScrollArea* scroll_ = nullptr;
  QSplitter* sides_ = nullptr;
  QSplitter* column_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QString verdict_words_;
};

}  // namespace tw
