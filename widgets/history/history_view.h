// SPDX-License-Identifier: GPL-3.0-or-later
/// The branching history as lines and stations: the primitive above, the measured speed below.
#pragma once

#include <QWidget>
#include <memory>

#include "engine/session/values.h"
#include "widgets/theme/theme.h"

namespace tw {

class HistoryView : public QWidget {
  Q_OBJECT
public:
  explicit HistoryView(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_history(std::shared_ptr<session::HistoryView const> view);
  QSize sizeHint() const override;
  /// Centre of a node's station.
  QPointF station(int node) const;

signals:
  void node_chosen(int node);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  bool event(QEvent*) override;

private:
  void lay_out();
  int node_at(QPointF at) const;

  Theme theme_;
  std::shared_ptr<session::HistoryView const> view_;
  std::vector<QPointF> stations_;
  std::vector<bool> on_path_;
  double pitch_ = 96;
};

}  // namespace tw
