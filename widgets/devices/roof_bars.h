// SPDX-License-Identifier: GPL-3.0-or-later
/// Measured roofs of one device as bars: arithmetic, then each level of memory.
#pragma once

#include <QWidget>

#include "widgets/accessible/parts.h"
#include "widgets/devices/device_row.h"
#include "widgets/theme/theme.h"

namespace tw {

class RoofBars : public QWidget, public HasParts {
  Q_OBJECT
public:
  explicit RoofBars(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_roofs(std::vector<DeviceRoof> roofs);
  QSize sizeHint() const override;
  std::vector<Part> parts() const override;

protected:
  void paintEvent(QPaintEvent*) override;

private:
  QRectF row_rect(int row) const;
  QString value_of(DeviceRoof const& roof) const;

  Theme theme_;
  std::vector<DeviceRoof> roofs_;
};

}  // namespace tw
