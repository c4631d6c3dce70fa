// SPDX-License-Identifier: GPL-3.0-or-later
/// Where one is, on what machine, whether the result is right, and the one big number.
#pragma once

#include <QWidget>

#include "engine/session/values.h"
#include "widgets/theme/theme.h"

namespace tw {

class TopBar : public QWidget {
  Q_OBJECT
public:
  explicit TopBar(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_snapshot(session::Snapshot const& snapshot);
  QSize sizeHint() const override { return {900, 48}; }

signals:
  void home_asked();

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;

private:
  void draw_place(QPainter& painter) const;
  void draw_pill(QPainter& painter, double& right, QString const& words) const;

  Theme theme_;
  session::Snapshot snapshot_;
};

}  // namespace tw
