// SPDX-License-Identifier: GPL-3.0-or-later
/// After how much other data lines come back, and what a cache of any size would answer of that:
/// the mouse or the arrow keys ask about a size that no cache of the machine has.
#pragma once

#include <memory>

#include "engine/session/memory.h"
#include "widgets/accessible/part_watch.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class ReuseChart : public Canvas, public HasParts, public HasValue {
  Q_OBJECT
public:
  explicit ReuseChart(QWidget* parent = nullptr);
  /// Null, or without frames: hides the chart.
  void show_film(std::shared_ptr<session::AccessFilm const> film);
  /// The size that is asked about, in lines; 0: none is.
  int64_t asked() const { return asked_; }
  void ask(int64_t lines);
  /// "A cache of 48 KB would answer 93 % of these accesses, whatever its sets"
  QString answer() const;
  std::vector<Part> parts() const override;
  ValueInRange value_in_range() const override;

signals:
  void asked_changed(qint64 lines);

protected:
  void paintEvent(QPaintEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void rescale() override;

private:
  QRectF plot() const;
  int octaves() const;
  double x_of(double lines) const;
  double y_of(double share) const;
  double share_of(int octave) const;
  void draw_bars(QPainter& painter) const;
  void draw_curve(QPainter& painter) const;
  void draw_levels(QPainter& painter) const;
  void draw_asked(QPainter& painter) const;

  std::shared_ptr<session::AccessFilm const> film_;
  int64_t asked_ = 0;
};

}  // namespace tw
