// SPDX-License-Identifier: GPL-3.0-or-later
/// Occupancy by threads of a block and registers of a thread, for as much shared memory as the
/// launch takes; a point where the launch stands, or a line where its registers are not counted.
#pragma once

#include "engine/session/launches.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class OccupancyMap : public Canvas, public HasParts {
public:
  explicit OccupancyMap(QWidget* parent = nullptr);
  void show_launch(LaunchReport const& launch, gpu::Multiprocessor const& unit);
  /// "256 threads, 128 registers: 16 of 64 warps (25 %), limited by registers"
  QString words_at(int threads, int registers) const;
  std::vector<Part> parts() const override;
  QSize sizeHint() const override { return pixels(QSizeF(320, 300)); }

protected:
  void paintEvent(QPaintEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;

private:
  QRectF plot() const;
  int columns() const { return unit_.max_threads / unit_.warp; }
  double x_of(double threads) const;
  double y_of(double registers) const;
  gpu::Occupancy at(int threads, int registers) const;
  void draw_cells(QPainter& painter) const;
  void draw_axes(QPainter& painter) const;
  void draw_point(QPainter& painter) const;

  LaunchReport launch_;
  gpu::Multiprocessor unit_;
  bool shown_ = false;
  QPointF pointed_{-1, -1};  ///< threads, registers
};

}  // namespace tw
