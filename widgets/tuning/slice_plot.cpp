// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/slice_plot.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {

SlicePlot::SlicePlot(QWidget* parent) : Canvas(parent) {
  setObjectName("slicePlot");
  setAccessibleName("One knob against the time");
}

void SlicePlot::show_space(std::shared_ptr<session::TrialSpace const> space) {
  space_ = std::move(space);
  if (space_) time_.least = space_->least_ms, time_.most = space_->most_ms;
  kept_.assign(space_ ? space_->points.size() : 0, 1);
  update();
}

void SlicePlot::show_filter(std::vector<char> kept) {
  kept_ = std::move(kept);
  update();
}

void SlicePlot::show_logarithmic(bool logarithmic) {
  time_.logarithmic = logarithmic;
  update();
}

void SlicePlot::show_axis(int axis) {
  axis_ = axis;
  update();
}

QRectF SlicePlot::plot() const {
  return QRectF(58, 44, std::max(40.0, unit_width() - 58 - 16),
                std::max(40.0, unit_height() - 44 - 42));
}

double SlicePlot::x_of(int value) const {
  QRectF area = plot();
  return area.left() +
         area.width() * (value + 0.5) / double(space_->axes[size_t(axis_)].values.size());
}

double SlicePlot::y_of(double ms) const {
  QRectF area = plot();
  return area.bottom() - area.height() * time_.place(ms);
}

std::vector<double> SlicePlot::fastest() const {
  if (!shows()) return {};
  std::vector<double> least(space_->axes[size_t(axis_)].values.size(), 0);
  for (size_t i = 0; i < space_->points.size(); ++i) {
    session::TrialPoint const& point = space_->points[i];
    int value = point.values[size_t(axis_)];
    if (!kept_[i]) continue;
    double& best = least[size_t(value)];
    if (best == 0 || point.ms < best) best = point.ms;
  }
  return least;
}

/// Trials of one value stand beside each other by their numbers; dots of one place are one.
void SlicePlot::draw_dots(QPainter& painter, bool kept) const {
  QRectF area = plot();
  double wide = area.width() / double(space_->axes[size_t(axis_)].values.size()) * 0.6;
  std::set<std::pair<int, int>> drawn;
  painter.setPen(Qt::NoPen);
  QColor colour = kept ? theme_.text2 : theme_.line2;
  colour.setAlphaF(kept ? 0.7f : 0.8f);
  painter.setBrush(colour);
  for (size_t i = 0; i < space_->points.size(); ++i) {
    session::TrialPoint const& point = space_->points[i];
    int value = point.values[size_t(axis_)];
    if (bool(kept_[i]) != kept) continue;
    double aside = (double(point.trial * 37 % 101) / 100 - 0.5) * wide;
    QPointF at(x_of(value) + aside, y_of(point.ms));
    if (!drawn.insert({int(at.x() / 1.5), int(at.y() / 1.5)}).second) continue;
    painter.drawEllipse(at, 1.8, 1.8);
  }
}

void SlicePlot::draw_axes(QPainter& painter) const {
  QRectF area = plot();
  auto const& axis = space_->axes[size_t(axis_)];
  paint::text(painter, QRectF(16, 4, unit_width() - 32, 18), ui_font(13, 600), theme_.text1,
              QString::fromStdString(axis.knob.substr(axis.knob.find('.') + 1)) + " against time");
  for (int i = 0; i <= 4; ++i) {
    double y = area.bottom() - area.height() * i / 4;
    painter.setPen(QPen(theme_.line1, 1));
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    paint::text(painter, QRectF(0, y - 8, area.left() - 6, 16), mono_font(11), theme_.text3,
                QString::fromStdString(milliseconds_text(time_.ms(i / 4.0))),
                Qt::AlignRight | Qt::AlignVCenter);
  }
  draw_values(painter, axis);
}

/// As many as have room; what trials leave to the rule is among them, and said below its value.
void SlicePlot::draw_values(QPainter& painter, session::TrialAxis const& axis) const {
  QRectF area = plot();
  QFont mono = mono_font(11);
  double room = area.width() / double(axis.values.size());
  int step = std::max(1, int(std::ceil(34 / room)));
  for (int i = axis.by_rule > 0 ? axis.by_rule % step : 0; i < int(axis.values.size()); i += step) {
    double wide = room * step;
    QString words = QFontMetricsF(mono).elidedText(QString::fromStdString(axis.values[size_t(i)]),
                                                   Qt::ElideRight, wide - 2);
    paint::text(painter, QRectF(x_of(i) - wide / 2, area.bottom() + 4, wide, 16), mono,
                i == axis.by_rule ? theme_.text1 : theme_.text3, words,
                Qt::AlignHCenter | Qt::AlignTop);
  }
  double right = 0;  // of the words before
  for (int place : {axis.not_asked, axis.by_rule}) {
    if (place < 0) continue;
    QString words = QString::fromStdString(axis.name(place));
    double wide = QFontMetricsF(mono).horizontalAdvance(words) + 4;
    double left = std::max({2.0, right, std::min(x_of(place) - wide / 2, unit_width() - wide - 2)});
    right = left + wide + 4;
    paint::text(painter, QRectF(left, area.bottom() + 20, wide, 16), mono, theme_.text1, words);
  }
}

void SlicePlot::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.inset);
  if (!shows())
    return paint::text(painter, QRectF(16, 16, unit_width() - 32, 20), ui_font(11), theme_.text2,
                       "Choose the axis of a knob.");
  draw_axes(painter);
  draw_dots(painter, false);
  draw_dots(painter, true);
  std::vector<double> least = fastest();
  painter.setPen(QPen(theme_.ink, 2));
  for (size_t i = 0; i < least.size(); ++i)
    if (least[i] > 0)
      painter.drawLine(QPointF(x_of(int(i)) - 9, y_of(least[i])),
                       QPointF(x_of(int(i)) + 9, y_of(least[i])));
}

std::vector<Part> SlicePlot::parts() const {
  std::vector<Part> parts;
  std::vector<double> least = fastest();
  for (size_t i = 0; i < least.size(); ++i) {
    QString best = least[i] > 0 ? "fastest " + QString::fromStdString(milliseconds_text(least[i]))
                                : QStringLiteral("no trial");
    parts.push_back(
        {QRectF(x_of(int(i)) - 12, plot().top(), 24, plot().height()),
         QString::fromStdString(space_->axes[size_t(axis_)].words(int(i))) + ": " + best});
  }
  return parts;
}

}  // namespace tw
