// SPDX-License-Identifier: GPL-3.0-or-later
/// A view that is painted by itself, in units: pixels at a text scale of 100 %. What it draws,
/// where it is clicked and how much room it needs is said in units, so that no view knows the
/// scale.
#pragma once

#include <QPainter>
#include <QRectF>
#include <QWidget>

#include "widgets/theme/theme.h"

namespace tw {

class Canvas : public QWidget {
public:
  explicit Canvas(QWidget* parent = nullptr) : QWidget(parent) {}
  /// Pixels in a unit.
  double unit() const { return theme_.scale; }
  /// Its size, in units.
  double unit_width() const { return QWidget::width() / unit(); }
  double unit_height() const { return QWidget::height() / unit(); }
  QRectF unit_rect() const { return {0, 0, unit_width(), unit_height()}; }
  QSize pixels(QSizeF units) const { return (units * unit()).toSize(); }
  QRect pixels(QRectF const& units) const;
  QPoint pixels(QPointF units) const { return (units * unit()).toPoint(); }
  QPointF units(QPointF pixels) const { return pixels / unit(); }
  virtual void set_theme(Theme const& theme);
  Theme const& theme() const { return theme_; }

protected:
  /// Mouse and wheel events and those that ask for a menu reach their handlers in units.
  bool event(QEvent* event) override;
  /// Another scale: what was laid out, or has a fixed size, is made anew.
  virtual void rescale() { updateGeometry(); }

  Theme theme_;
};

/// A painter on a canvas, or on another surface of that scale, in units.
class UnitPainter : public QPainter {
public:
  explicit UnitPainter(Canvas* canvas) : UnitPainter(canvas, canvas->unit()) {}
  UnitPainter(QPaintDevice* surface, double unit) : QPainter(surface) {
    scale(unit, unit);
    setRenderHint(QPainter::Antialiasing);
  }
};

}  // namespace tw
