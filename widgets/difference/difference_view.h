// SPDX-License-Identifier: GPL-3.0-or-later
/// Two graphs beside each other and a list of what is different: choosing a row shows its node in
/// both.
#pragma once

#include <QWidget>
#include <memory>

#include "engine/session/graph_difference.h"
#include "widgets/graph/graph_view.h"

class QLabel;
class QSplitter;
class QStandardItemModel;
class QTableView;

namespace tw {

class DifferenceView : public QWidget {
  Q_OBJECT
public:
  explicit DifferenceView(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// `graph`: of the open model. Null: it is being compared, or nothing is.
  void show_difference(std::shared_ptr<session::GraphDifference const> difference,
                       std::shared_ptr<session::GraphView const> graph,
                       std::shared_ptr<session::KernelTable const> kernels);
  /// Words instead of a difference that is not there yet.
  void show_waiting(QString const& words);
  /// A node of the list by its name; false: nothing is different of it.
  bool choose(QString const& name);
  QString chosen() const;
  int rows() const;
  bool busy() const { return before_->layout().busy() || after_->layout().busy(); }
  GraphView& view(bool before) const { return before ? *before_ : *after_; }
  QWidget* focus_target() const;

signals:
  void chosen_changed(QString name);
  void other_asked();
  void passes_asked();
  void close_asked();

private:
  QWidget* build_head();
  QWidget* build_half(GraphView* view, QLabel* caption);
  void fill();
  void take_row();
  void show_node(GraphView& view, int node, int& wanted);
  void choose_node(bool before, int node);

  std::shared_ptr<session::GraphDifference const> difference_;
  std::vector<size_t> rows_;  ///< places in `difference_->nodes`
  Theme theme_;
  QLabel *summary_, *captions_[2];
  QTableView* table_;
  QStandardItemModel* model_;
  GraphView *before_, *after_;
  int wanted_before_ = -1, wanted_after_ = -1;  ///< come into view once they are laid out
  bool quiet_ = false;
};

}  // namespace tw
