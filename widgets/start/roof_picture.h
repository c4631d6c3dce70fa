// SPDX-License-Identifier: GPL-3.0-or-later
/// A small roofline: the machine's roofs, and below them a kernel as it is written and as it is
/// scheduled by rule. Both are modelled, so both are hollow.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "engine/session/start_page_data.h"
#include "widgets/paint/canvas.h"

namespace tw {

class RoofPicture : public Canvas {
public:
  RoofPicture();
  /// Without roofs or without a promise it is not there.
  void show_kernel(std::shared_ptr<session::MachineView const> machine,
                   std::optional<session::KernelEstimate> promise);
  QSize sizeHint() const override { return pixels(QSizeF(300, kHeight)); }

protected:
  void paintEvent(QPaintEvent*) override;
  void rescale() override;

private:
  static constexpr double kHeight = 118;
  /// In FLOP per byte and GFLOP/s.
  QPointF place(double intensity, double speed) const;
  /// The model counts a sum's first product without its addition: never above the roof.
  double speed_in(double milliseconds) const {
    return std::min(promise_->flops / (milliseconds * 1e6), peak());
  }
  double intensity() const { return promise_->flops / promise_->bytes; }
  double peak() const;
  void draw_roofs(QPainter& painter) const;
  void draw_points(QPainter& painter) const;

  std::shared_ptr<session::MachineView const> machine_;
  std::optional<session::KernelEstimate> promise_;
};

}  // namespace tw
