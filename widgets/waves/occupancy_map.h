// SPDX-License-Identifier: GPL-3.0-or-later
/// Occupancy by threads of a block and registers of a thread, for as much shared memory as the
/// launch takes; a point where the launch stands, or a line where its registers are not counted.
/// The point can be dragged: a ring then shows where one would stand.
#pragma once

#include <optional>

#include "engine/session/launches.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class OccupancyMap : public Canvas, public HasParts {
  Q_OBJECT
public:
  static constexpr int kRegisterStep = 8;  ///< of a row: as the hardware rounds them
  explicit OccupancyMap(QWidget* parent = nullptr);
  void show_launch(LaunchReport const& launch, gpu::Multiprocessor const& unit);
  /// Where one would stand; `shared_bytes` is what the map is drawn for. Nothing: as it is.
  void show_other(std::optional<gpu::KernelUse> other);
  /// "256 threads, 128 registers: 16 of 64 warps (25 %), limited by registers"
  QString words_at(int threads, int registers) const;
  std::vector<Part> parts() const override;
  QSize sizeHint() const override { return pixels(QSizeF(320, 300)); }

signals:
  void dragged(int threads, int registers);  ///< over these
  void dropped(int threads, int registers);  ///< or moved there by keys
  void left_as_is();

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void focusInEvent(QFocusEvent*) override { update(); }
  void focusOutEvent(QFocusEvent*) override { update(); }
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
  void draw_other(QPainter& painter) const;
  void draw_label(QPainter& painter, QString const& words, QPointF at) const;
  QPoint place_at(QPointF at) const;

  LaunchReport launch_;
  gpu::Multiprocessor unit_;
  std::optional<gpu::KernelUse> other_;
  bool shown_ = false, dragging_ = false;
};

}  // namespace tw
