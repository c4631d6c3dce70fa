// SPDX-License-Identifier: GPL-3.0-or-later
/// The tuning of a kernel: begun, paused and stopped here; its searches side by side, their
/// failures and their best trials.
#pragma once

#include <QWidget>

#include "widgets/tuning/trial_table.h"
#include "widgets/tuning/tuning_chart.h"
#include "widgets/tuning/tuning_devices.h"
#include "widgets/tuning/tuning_failures.h"
#include "widgets/tuning/tuning_importance.h"
#include "widgets/tuning/tuning_predictions.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QSpinBox;
class QStackedWidget;

namespace tw {

class TuningView : public QWidget {
  Q_OBJECT
public:
  explicit TuningView(std::vector<std::string> const& searches, QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// Runs of the current kernel; another one that goes on is named.
  void show_snapshot(session::Snapshot const& next);
  /// False: there is none of these numbers.
  bool select(ChosenTrial chosen);
  ChosenTrial selected() const { return table_->chosen(); }
  bool can_start() const;
  /// With the search and the budget that are chosen.
  void start();
  /// The selected trial, else the one that is offered.
  void open_selected();
  bool can_open() const;
  /// Of the selected trial, else the one that is offered.
  void ask_gain();
  bool can_ask_gain() const;
  QWidget* focus_target() const;
  /// What is chosen for the next search.
  QString search() const;
  int trials() const;

signals:
  /// Of the current state of the history, and of the whole model: in dialogs.
  void start_here_asked();
  void start_model_asked();
  void devices_asked();  ///< and what stays as it is
  void gain_asked(ChosenTrial chosen);
  void start_asked(QString const& search, int trials);
  void pause_asked();
  void resume_asked();
  void stop_asked();
  void clear_asked();
  void selected_changed(ChosenTrial chosen);
  void open_asked(ChosenTrial chosen);

private:
  QWidget* build_head(std::vector<std::string> const& searches);
  void make_words();
  QWidget* build_progress();
  QWidget* build_empty();
  QWidget* build_charts();
  QWidget* build_side();
  void connect_parts();
  void choose(ChosenTrial chosen);
  void show_run(session::TuningRun const* run);
  /// Of the run with the shortest time that is offered; 0, 0: none is.
  ChosenTrial offered() const;
  void show_buttons();
  void show_head();

  /// Those that were begun together with a run, of the kernel that is shown.
  std::vector<session::TuningRun const*> together(session::TuningRun const& run) const;
  bool is_active(session::TuningState state) const;

  session::TuningView runs_;  ///< of the kernel that is shown
  /// Of any kernel, one for each kind of devices; empty: none goes on.
  std::vector<std::shared_ptr<session::TuningRun const>> active_;
  TuningScale scale_;
  bool has_kernel_ = false;
  int step_ = 0;                                              ///< of the history, where it stands
  bool has_model_ = false;                                    ///< more than a kernel alone
  std::shared_ptr<session::ModelTuningView const> of_model_;  ///< null: none goes on
  std::string kernel_;
  TuningChart* chart_ = nullptr;
  TuningFailures* failures_ = nullptr;
  TuningPredictions* predictions_ = nullptr;
  TuningImportance* importance_ = nullptr;
  TuningDevices* devices_ = nullptr;
  QWidget* side_ = nullptr;
  TrialTable* table_ = nullptr;
  QScrollArea* scroll_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  QPushButton *start_ = nullptr, *on_ = nullptr, *here_ = nullptr, *model_ = nullptr,
              *pause_ = nullptr, *stop_ = nullptr, *clear_ = nullptr, *open_ = nullptr,
              *gain_ = nullptr;
  QComboBox* search_ = nullptr;
  QSpinBox* trials_ = nullptr;
  QLabel *done_ = nullptr, *left_ = nullptr, *rate_ = nullptr, *failed_ = nullptr,
         *sentence_ = nullptr, *kept_ = nullptr;
  QProgressBar* bar_ = nullptr;
  QWidget *head_ = nullptr, *progress_ = nullptr;
};

}  // namespace tw
