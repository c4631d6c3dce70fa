// SPDX-License-Identifier: GPL-3.0-or-later
/// Roofs of one device as bars: arithmetic, then each level of memory.
#pragma once

#include <optional>

#include "widgets/accessible/parts.h"
#include "widgets/devices/device_row.h"
#include "widgets/paint/canvas.h"

namespace tw {

class RoofBars : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit RoofBars(QWidget* parent = nullptr);
  void show_roofs(std::vector<DeviceRoof> roofs);
  QSize sizeHint() const override;
  std::vector<Part> parts() const override;
  /// Of a row's bar; nothing: there is no room for bars.
  std::optional<QRectF> track(int row) const;
  /// What the longest value takes, at the right.
  double values_width() const;

protected:
  void paintEvent(QPaintEvent*) override;
  void rescale() override {
    setMinimumHeight(sizeHint().height());
    updateGeometry();
  }

private:
  QRectF row_rect(int row) const;
  QString value_of(DeviceRoof const& roof) const;

  std::vector<DeviceRoof> roofs_;
};

}  // namespace tw
