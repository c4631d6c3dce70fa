// SPDX-License-Identifier: GPL-3.0-or-later
/// Two states of a kernel: code at any stage, beside each other or as one text with marks; costs,
/// both under the roofs, both scripts, and the difference of each kernel of the model.
#pragma once

#include <QWidget>
#include <memory>

#include "engine/session/session.h"
#include "widgets/code/code_view.h"
#include "widgets/compare/cost_table.h"
#include "widgets/compare/difference_chart.h"
#include "widgets/roofline/roofline_view.h"
#include "widgets/selection.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;
class QTabWidget;

namespace tw {

class CompareView : public QWidget {
  Q_OBJECT
public:
  explicit CompareView(session::Session& session, QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// States of the current kernel, by their numbers in its history.
  void compare(int before, int after);
  /// One state on two devices that measured it.
  void compare_devices(int node, QString const& before, QString const& after);
  bool of_devices() const { return !before_device_.isEmpty(); }
  QString before_device() const { return before_device_; }
  QString after_device() const { return after_device_; }
  /// Nothing is compared any more: another kernel was chosen.
  void clear();
  /// Asks the session for what was not there yet.
  void refresh(session::Snapshot const& snapshot);
  int before() const { return before_; }
  int after() const { return after_; }
  /// "plain, vectorize #3"; "none" where nothing is compared or known yet.
  QString names() const;
  bool active() const { return before_ >= 0; }
  /// False: there is no such stage.
  bool show_stage(QString const& key);
  /// "pair" or "marks".
  void show_form(QString const& form);
  QString stage() const;
  /// The second state's code as it is shown.
  QString code_text() const { return right_->all_text(); }

signals:
  void swap_asked();
  void close_asked();
  void stage_chosen(QString const& key);
  void form_chosen(QString const& form);
  /// What can be done with what is compared.
  void menu_asked(QPoint global);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void fit_summary();
  QWidget* build_head();
  QWidget* build_code();
  QWidget* build_numbers();
  void update_code();
  void update_differences();

  session::Session& session_;
  Selection left_selection_, right_selection_;
  std::shared_ptr<session::StateComparison const> shown_;
  int before_ = -1, after_ = -1;
  QString before_device_, after_device_;  ///< empty: two states are compared
  QLabel* title_ = nullptr;
  QLabel* summary_ = nullptr;
  QComboBox* stages_ = nullptr;
  QPushButton* pair_ = nullptr;
  CodeView* left_ = nullptr;
  CodeView* right_ = nullptr;
  CodeView* scripts_ = nullptr;
  QSplitter* sides_ = nullptr;
  CostTable* costs_ = nullptr;
  RooflineView* roofline_ = nullptr;
  DifferenceChart* differences_ = nullptr;
  QTabWidget* numbers_ = nullptr;
};

}  // namespace tw
