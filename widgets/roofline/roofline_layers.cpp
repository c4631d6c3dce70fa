// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of a model below the roofs, as large as their shares of the time; joined with where
// they would be if nothing hid latency. And the state that others are compared with.
#include <QEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/support/base/quantities.h"
#include "widgets/paint/marks.h"
#include "widgets/paint/paint.h"
#include "widgets/roofline/roofline_view.h"

namespace tw {

void RooflineView::show_layers(std::shared_ptr<session::ModelRoofline const> layers) {
  layers_ = std::move(layers);
  // It lives as long as the layers that it is a part of.
  take({layers_, layers_ ? &layers_->below : nullptr});
}

void RooflineView::mark_layer(int kernel) {
  marked_ = kernel;
  update();
}

void RooflineView::show_times(std::shared_ptr<session::KernelTable const> table) {
  if (table == table_) return;
  table_ = std::move(table);
  if (layers_) fit_axes();
  update();
}

void RooflineView::show_baselines(std::vector<session::KernelDifference> kernels) {
  baselines_ = std::move(kernels);
  if (layers_) fit_axes();
  update();
}

session::RooflinePoint RooflineView::point_of(session::LayerPoint const& layer) const {
  session::RooflinePoint point = layer.by_rule;
  bool known = table_ && layer.kernel >= 0 && size_t(layer.kernel) < table_->rows.size();
  if (!known) return point;
  session::KernelRow const& row = table_->rows[size_t(layer.kernel)];
  if (!row.time_ms || *row.time_ms <= 0 || !row.device.empty()) return point;
  point.measured = true;
  point.gflops = layer.operations / *row.time_ms * 1e-6;
  return point;
}

namespace {

double ms_of(session::LayerPoint const& layer, session::RooflinePoint const& point) {
  return point.gflops > 0 ? layer.count * layer.operations / point.gflops * 1e-6 : 0;
}

}  // namespace

double RooflineView::share_of(session::LayerPoint const& layer) const {
  double all = 0;
  for (session::LayerPoint const& one : layers_->layers)
    if (one.missing.empty()) all += ms_of(one, point_of(one));
  return all > 0 ? ms_of(layer, point_of(layer)) / all : 0;
}

/// Areas are shares; the smallest can still be hit.
double RooflineView::radius_of(session::LayerPoint const& layer) const {
  return 3.5 + 14 * std::sqrt(share_of(layer));
}

std::vector<session::LayerPoint const*> RooflineView::placed_layers() const {
  std::vector<session::LayerPoint const*> placed;
  for (size_t i = 0; layers_ && i < layers_->layers.size(); ++i)
    if (layers_->layers[i].missing.empty()) placed.push_back(&layers_->layers[i]);
  std::ranges::stable_sort(placed, {}, [&](auto const* one) { return place(point_of(*one)).x(); });
  return placed;
}

/// The nearest one: points may lie in one another.
session::LayerPoint const* RooflineView::layer_at(QPointF at) const {
  session::LayerPoint const* nearest = nullptr;
  double best = 0;
  for (session::LayerPoint const* one : placed_layers()) {
    double away = QLineF(place(point_of(*one)), at).length();
    if (away > std::max(8.0, radius_of(*one)) || (nearest && away >= best)) continue;
    nearest = one;
    best = away;
  }
  return nearest;
}

/// Arrows go from point to point, Return opens the kernel.
bool RooflineView::step_layers(int key) {
  std::vector<session::LayerPoint const*> placed = placed_layers();
  if (placed.empty()) return false;
  auto on =
      std::ranges::find(placed, pointed_ >= 0 ? pointed_ : marked_, &session::LayerPoint::kernel);
  if (key == Qt::Key_Return || key == Qt::Key_Enter) {
    if (on != placed.end()) emit layer_chosen((*on)->kernel);
    return on != placed.end();
  }
  int step = key == Qt::Key_Left || key == Qt::Key_Up      ? -1
             : key == Qt::Key_Right || key == Qt::Key_Down ? 1
                                                           : 0;
  if (step == 0) return false;
  auto last = std::ptrdiff_t(placed.size()) - 1, at = on - placed.begin();
  at = on == placed.end() ? 0 : std::clamp<std::ptrdiff_t>(at + step, 0, last);
  pointed_ = placed[size_t(at)]->kernel;
  update();
  return true;
}

QString RooflineView::words_of(session::LayerPoint const& layer) const {
  auto percent = [&](session::RooflinePoint const& point) {
    return QString::fromStdString(
        percent_text(layer.of_peak * point.gflops / layer.by_rule.gflops));
  };
  session::RooflinePoint point = point_of(layer);
  double ms = ms_of(layer, point) / std::max(layer.count, 1);
  QString words = QString("%1: %2 %3 at %4 %5 per byte, %6 of peak, %7, %8, %9 of the model's time")
                      .arg(QString::fromStdString(layer.name), paint::number(point.gflops), unit(),
                           paint::number(layer.by_rule.intensity), operations(), percent(point),
                           paint::time(ms), point.measured ? "measured" : "modelled",
                           QString::fromStdString(percent_text(share_of(layer))));
  if (layer.serial)
    words += QString("; without hiding latency %1 of peak, %2")
                 .arg(percent(*layer.serial), paint::time(layer.serial->model_ms));
  if (auto arrow = arrow_to(layer))
    words += "; " + words_of(*arrow,
                             "its baseline, " + QString::fromStdString(baseline_of(layer)->before));
  return words;
}

/// Hollow where it is modelled, solid where it was measured.
void RooflineView::draw_layer(QPainter& painter, session::LayerPoint const& layer,
                              bool marked) const {
  session::RooflinePoint point = point_of(layer);
  QPointF at = place(point);
  double radius = radius_of(layer);
  QColor colour = marked ? theme_.ink : theme_.text2;
  painter.setPen(QPen(colour, 1.5));
  if (layer.serial) {
    QPointF from = place(*layer.serial);
    painter.drawLine(from, at);
    painter.setBrush(theme_.inset);
    painter.drawEllipse(from, 2.5, 2.5);
  }
  if (auto arrow = arrow_to(layer)) {
    painter.setBrush(colour);
    painter.drawEllipse(arrow->line.p1(), 2, 2);
    draw_arrow(painter, arrow->line.p1(), arrow->line.p2(), arrow->before, arrow->after);
  }
  // What lies below is seen through it.
  QColor fill = point.measured ? colour : theme_.inset;
  fill.setAlphaF(point.measured ? 0.75f : 0.6f);
  painter.setBrush(fill);
  painter.drawEllipse(at, radius, radius);
  painter.setBrush(Qt::NoBrush);
  if (marked) painter.drawEllipse(at, radius + 4, radius + 4);
  if (layer.kernel == pointed_ && hasFocus())
    paint::focus_ring(painter, QRectF(at - QPointF(radius, radius), 2 * QSizeF(radius, radius)),
                      theme_, radius);
}

void RooflineView::draw_layers(QPainter& painter) const {
  if (!layers_) return;
  std::vector<session::LayerPoint const*> placed = placed_layers();
  // The largest lie below, the open kernel and the one that is pointed at on top.
  auto rank = [&](session::LayerPoint const* one) {
    return one->kernel == pointed_ ? -2.0 : one->kernel == marked_ ? -1.0 : radius_of(*one);
  };
  std::ranges::stable_sort(placed, std::greater<>(), rank);
  std::vector<QRectF> taken{if_card()};
  for (session::LayerPoint const* one : placed) {
    draw_layer(painter, *one, one->kernel == marked_);
    QPointF at = place(point_of(*one));
    double radius = radius_of(*one);
    taken.emplace_back(at - QPointF(radius, radius), 2 * QSizeF(radius, radius));
    if (one->serial) taken.emplace_back(place(*one->serial) - QPointF(4, 4), QSizeF(8, 8));
  }
  // What takes most of the time is named first.
  std::ranges::stable_sort(placed, std::less<>(), [&](session::LayerPoint const* one) {
    double first = rank(one);
    return first < 0 ? first : 1 - share_of(*one);
  });
  std::vector<Label> labels;
  for (session::LayerPoint const* one : placed) {
    double of_peak = one->of_peak * point_of(*one).gflops / one->by_rule.gflops;
    labels.push_back({place(point_of(*one)),
                      QString::fromStdString(one->name + " " + percent_text(of_peak)),
                      one->kernel == marked_ || one->kernel == pointed_, radius_of(*one)});
  }
  draw_labels(painter, labels, taken);
  draw_gains(painter, taken);
}

/// What a point is of, where one points at it.
bool RooflineView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !layers_) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  session::LayerPoint const* layer = layer_at(units(help->pos()));
  if (!layer) return Canvas::event(event);
  QToolTip::showText(help->globalPos(), paint::wrapped(words_of(*layer)), this);
  return true;
}

/// The state that the others are compared with: a ring of dashes and a flag, a point of its own
/// where the trail does not lead over it.
void RooflineView::draw_baseline(QPainter& painter) const {
  if (!baseline_ || layers_) return;
  QPointF at = place(*baseline_);
  auto on_trail = std::ranges::count(view_->trail, baseline_->history_node,
                                     &session::RooflinePoint::history_node);
  painter.setPen(QPen(theme_.text1, 1.5));
  if (on_trail == 0) {
    painter.setBrush(baseline_->measured ? theme_.text2 : theme_.inset);
    painter.drawEllipse(at, 4.5, 4.5);
  }
  painter.setPen(QPen(theme_.text1, 1.5, Qt::DashLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(at, 9, 9);
  paint::flag(painter, at + QPointF(6, -7), theme_.text1);
}

void RooflineView::show_baseline(std::optional<session::RooflinePoint> point) {
  baseline_ = std::move(point);
  update();
}

}  // namespace tw
