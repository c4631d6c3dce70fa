// SPDX-License-Identifier: GPL-3.0-or-later
/// How full the waves of a launch would be with more blocks or fewer, that is, of another size: a
/// saw's teeth, and a ring where one stands.
#pragma once

#include "engine/session/launches.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class WaveFill : public Canvas, public HasParts {
public:
  explicit WaveFill(QWidget* parent = nullptr);
  void show_launch(int64_t blocks, gpu::Occupancy const& occupancy, int units);
  /// Of all places in all waves those that have a block, from 0 to 1.
  double filled(int64_t blocks) const;
  /// "512 blocks: 3 waves, the last 88 % full, 96 % of all places"
  QString words_at(int64_t blocks) const;
  std::vector<Part> parts() const override;
  QSize sizeHint() const override { return pixels(QSizeF(420, 96)); }

protected:
  void paintEvent(QPaintEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void rescale() override { setFixedHeight(sizeHint().height()); }

private:
  QRectF plot() const;
  int64_t most() const;  ///< blocks at the right end
  double x_of(int64_t blocks) const;
  double y_of(double share) const;
  void draw_axes(QPainter& painter) const;

  int64_t blocks_ = 0;
  gpu::Occupancy occupancy_;
  int units_ = 1;
};

}  // namespace tw
