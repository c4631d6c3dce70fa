// SPDX-License-Identifier: GPL-3.0-or-later
/// The devices of a tuning, each with what it does now.
#pragma once

#include "engine/session/tuning.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class TuningDevices : public Canvas, public HasParts {
public:
  explicit TuningDevices(QWidget* parent = nullptr);
  void show_devices(std::vector<session::TuningDevice> devices);
  QSize minimumSizeHint() const override { return pixels(QSizeF(232, 90)); }
  QSize sizeHint() const override {
    return pixels(QSizeF(264, 32 + row_height() * double(devices_.size())));
  }
  std::vector<Part> parts() const override;

protected:
  void paintEvent(QPaintEvent*) override;
  bool event(QEvent*) override;

private:
  double row_height() const;
  QRectF row_rect(size_t row) const {
    return {16, 30 + row_height() * double(row), unit_width() - 32, row_height()};
  }
  void draw_row(QPainter& painter, QRectF const& rect, session::TuningDevice const& device) const;

  std::vector<session::TuningDevice> devices_;
};

/// "measuring trial 12", "lost: it does not answer".
QString words_of(session::TuningDevice const& device);

}  // namespace tw
