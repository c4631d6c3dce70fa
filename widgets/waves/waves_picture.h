// SPDX-License-Identifier: GPL-3.0-or-later
/// Blocks of a launch on the multiprocessors, wave after wave: a row is a multiprocessor, a column
/// a wave, and places that stay empty are hatched.
#pragma once

#include "engine/session/launches.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class WavesPicture : public Canvas, public HasParts {
public:
  explicit WavesPicture(QWidget* parent = nullptr);
  /// Without blocks, or with none that runs: nothing is drawn.
  void show_launch(LaunchReport const& launch, gpu::Occupancy const& occupancy, int units);
  Waves const& waves() const { return waves_; }
  std::vector<Part> parts() const override;
  QSize sizeHint() const override { return pixels(QSizeF(420, 300)); }

protected:
  void paintEvent(QPaintEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;

private:
  QRectF plot() const;
  int columns() const;
  /// The wave that a column shows; between the first ones and the last one some are left out.
  int64_t wave_of(int column) const;
  QRectF place_rect(int column, int64_t place) const;
  QString block_words(int64_t block) const;
  int64_t block_at(QPointF at) const;
  void draw_wave(QPainter& painter, int column) const;
  void draw_axes(QPainter& painter) const;

  LaunchReport launch_;
  gpu::Occupancy occupancy_;
  Waves waves_;
  int units_ = 1;
  int64_t pointed_ = -1;
};

}  // namespace tw
