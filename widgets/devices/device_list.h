// SPDX-License-Identifier: GPL-3.0-or-later
/// The devices as cards in a column: name, what it is, its state, what happened lately.
#pragma once

#include "widgets/accessible/parts.h"
#include "widgets/devices/device_row.h"
#include "widgets/paint/canvas.h"

namespace tw {

class DeviceList : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit DeviceList(QWidget* parent = nullptr);
  void show_devices(std::vector<DeviceRow> rows, int selected);
  QRectF row_rect(int row) const;
  QSize sizeHint() const override;
  std::vector<Part> parts() const override;

signals:
  void chosen(int row);
  void use_asked(int row);
  void remove_asked(int row);
  /// What can be done with the device of the row that was just chosen.
  void menu_asked(QPoint global);

protected:
  void paintEvent(QPaintEvent*) override;
  void rescale() override {
    setMinimumHeight(sizeHint().height());
    updateGeometry();
  }
  void mousePressEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;

private:
  int row_at(QPointF at) const;
  void draw_card(QPainter& painter, DeviceRow const& row, QRectF const& box) const;
  void draw_activity(QPainter& painter, DeviceRow const& row, QRectF const& strip) const;

  std::vector<DeviceRow> rows_;
  int selected_ = -1;
};

/// "ready", "busy", "unreachable", "being asked"
QString word_of(DeviceWord word);
/// "simulated, in use"; empty: neither.
QString use_of(DeviceRow const& row);

}  // namespace tw
