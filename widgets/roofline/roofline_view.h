// SPDX-License-Identifier: GPL-3.0-or-later
/// Log-log roofline: measured roofs, a point per measured step joined by a trail.
#pragma once

#include <memory>

#include "engine/session/values.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class RooflineView : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit RooflineView(QWidget* parent = nullptr);
  void show_roofline(std::shared_ptr<session::RooflineView const> view);
  /// Every point's memory levels instead of those of the current one only.
  void show_levels_of_all(bool all);
  QSize minimumSizeHint() const override { return pixels(QSizeF(320, 200)); }
  std::vector<Part> parts() const override;
  QPointF position(double intensity, double gflops) const;

signals:
  void point_chosen(int history_node);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

private:
  QRectF plot() const;
  void draw_axes(QPainter& painter) const;
  void draw_roofs(QPainter& painter) const;
  void draw_legend(QPainter& painter, std::string const& peak_name, double peak) const;
  QPen level_pen(size_t level) const;
  void draw_trail(QPainter& painter) const;
  void draw_levels(QPainter& painter) const;
  struct Diamond {
    QPointF at;
    QColor colour;
    bool solid = true;
  };
  std::vector<Diamond> diamonds(session::RooflinePoint const& point) const;
  std::vector<Diamond> all_diamonds() const;

  std::shared_ptr<session::RooflineView const> view_;
  bool all_levels_ = false;
  double low_x_ = -6, high_x_ = 8;  // log2 FLOP per byte
  double low_y_ = -1, high_y_ = 3;  // log10 GFLOP/s
};

}  // namespace tw
