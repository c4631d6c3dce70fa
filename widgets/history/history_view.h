// SPDX-License-Identifier: GPL-3.0-or-later
/// The branching history as lines and stations: the primitive above, the measured speed below.
#pragma once

#include <QWidget>
#include <memory>

#include "engine/session/values.h"
#include "widgets/accessible/parts.h"
#include "widgets/theme/theme.h"

namespace tw {

class HistoryView : public QWidget, public HasParts {
  Q_OBJECT
public:
  explicit HistoryView(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_history(std::shared_ptr<session::HistoryView const> view);
  QSize sizeHint() const override;
  std::vector<Part> parts() const override;
  /// Centre of a node's station.
  QPointF station(int node) const;

signals:
  void node_chosen(int node);
  void note_asked(int node);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  bool event(QEvent*) override;

private:
  void lay_out();
  int node_at(QPointF at) const;
  int neighbour(int node, int key) const;

  Theme theme_;
  std::shared_ptr<session::HistoryView const> view_;
  std::vector<QPointF> stations_;
  std::vector<bool> on_path_;
  double pitch_ = 96;
};

}  // namespace tw
