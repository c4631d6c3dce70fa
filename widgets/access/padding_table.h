// SPDX-License-Identifier: GPL-3.0-or-later
/// Layouts of a shared tensor that were tried: what its stores and loads would cost in each. A
/// click takes one.
#pragma once

#include <memory>

#include "engine/session/launches.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class PaddingTable : public Canvas, public HasParts {
  Q_OBJECT
public:
  using View = std::shared_ptr<session::PaddingsView const>;
  explicit PaddingTable(QWidget* parent = nullptr);
  /// Null, or without rows: hidden.
  void show_paddings(View view);
  View const& shown() const { return view_; }
  std::vector<Part> parts() const override;

signals:
  void step_asked(QString const& line);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void rescale() override;

private:
  QRectF row_rect(size_t row) const;
  /// -1: none that can be taken.
  int row_at(QPointF at) const;
  void draw_row(QPainter& painter, size_t number) const;

  View view_;
  int pointed_ = -1, current_ = 1;
};

}  // namespace tw
