// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of a model below the roofs: hollow where nothing is hidden, joined with where it is.
#include <QEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"
#include "widgets/roofline/roofline_view.h"

namespace tw {

void RooflineView::show_layers(std::shared_ptr<session::LayersView const> layers) {
  layers_ = std::move(layers);
  // It lives as long as the layers that it is a part of.
  take({layers_, layers_ ? &layers_->below : nullptr});
}

void RooflineView::mark_layer(int kernel) {
  marked_ = kernel;
  update();
}

QString RooflineView::words_of(session::LayerPoint const& layer) const {
  auto percent = [&](session::RooflinePoint const& point) {
    return QString::fromStdString(
        percent_text(layer.of_peak * point.gflops / layer.by_rule.gflops));
  };
  QString words = QString("%1: %2 %3 at %4 %5 per byte, %6 of peak, %7")
                      .arg(QString::fromStdString(layer.name), paint::number(layer.by_rule.gflops),
                           unit(), paint::number(layer.by_rule.intensity), operations(),
                           percent(layer.by_rule), paint::time(layer.by_rule.model_ms));
  if (layer.serial)
    words += QString("; without hiding latency %1 of peak, %2")
                 .arg(percent(*layer.serial), paint::time(layer.serial->model_ms));
  return words;
}

void RooflineView::draw_layers(QPainter& painter) const {
  if (!layers_) return;
  std::vector<Label> labels;
  std::vector<QRectF> taken;
  for (bool marked : {false, true}) {  // the marked one on top
    for (auto const& layer : layers_->layers) {
      if (!layer.missing.empty() || (layer.kernel == marked_) != marked) continue;
      QPointF at = place(layer.by_rule);
      QColor colour = marked ? theme_.ink : theme_.text2;
      painter.setPen(QPen(colour, 1.5));
      if (layer.serial) {
        QPointF from = place(*layer.serial);
        painter.drawLine(from, at);
        painter.setBrush(theme_.inset);
        painter.drawEllipse(from, 4, 4);
        taken.emplace_back(from - QPointF(5, 5), QSizeF(10, 10));
      }
      painter.setBrush(colour);
      painter.drawEllipse(at, marked ? 6.0 : 4.5, marked ? 6.0 : 4.5);
      taken.emplace_back(at - QPointF(6, 6), QSizeF(12, 12));
      QString words = QString::fromStdString(layer.name + " " + percent_text(layer.of_peak));
      labels.insert(marked ? labels.begin() : labels.end(), {at, words, marked});
    }
  }
  draw_labels(painter, labels, taken);
}

/// What a point is of, where one points at it.
bool RooflineView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !layers_) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  for (auto const& layer : layers_->layers) {
    if (!layer.missing.empty()) continue;
    if ((place(layer.by_rule) - help->pos()).manhattanLength() >= 10) continue;
    QToolTip::showText(help->globalPos(), paint::wrapped(words_of(layer)), this);
    return true;
  }
  return Canvas::event(event);
}

}  // namespace tw
