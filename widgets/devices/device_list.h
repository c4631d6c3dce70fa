// SPDX-License-Identifier: GPL-3.0-or-later
/// The devices as cards in a column: name, what it is, its state, what happened lately.
#pragma once

#include <QWidget>

#include "widgets/accessible/parts.h"
#include "widgets/devices/device_row.h"
#include "widgets/theme/theme.h"

namespace tw {

class DeviceList : public QWidget, public HasParts {
  Q_OBJECT
public:
  explicit DeviceList(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_devices(std::vector<DeviceRow> rows, int selected);
  QRectF row_rect(int row) const;
  QSize sizeHint() const override;
  std::vector<Part> parts() const override;

signals:
  void chosen(int row);
  void use_asked(int row);
  void remove_asked(int row);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

private:
  int row_at(QPointF at) const;
  void draw_card(QPainter& painter, DeviceRow const& row, QRectF const& box) const;
  void draw_activity(QPainter& painter, DeviceRow const& row, QRectF const& strip) const;

  Theme theme_;
  std::vector<DeviceRow> rows_;
  int selected_ = -1;
};

/// "ready", "busy", "unreachable", "being asked"
QString word_of(DeviceWord word);

}  // namespace tw
