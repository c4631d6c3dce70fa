// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/parallel_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kTop = 44, kBottom = 20, kLeft = 46, kRight = 72;
constexpr int kTimePlaces = 200;  // that are told apart along the axis of time

}  // namespace

double TimeAxis::place(double ms) const {
  if (most <= least) return 1;
  double share =
      logarithmic ? std::log(ms / least) / std::log(most / least) : (ms - least) / (most - least);
  return 1 - std::clamp(share, 0.0, 1.0);
}

double TimeAxis::ms(double place) const {
  double share = 1 - std::clamp(place, 0.0, 1.0);
  return logarithmic && least > 0 ? least * std::pow(most / least, share)
                                  : least + share * (most - least);
}

ParallelPlot::ParallelPlot(QWidget* parent) : Canvas(parent) {
  setObjectName("parallelPlot");
  setAccessibleName("Trials by their knobs");
  setFocusPolicy(Qt::StrongFocus);
}

void ParallelPlot::show_space(std::shared_ptr<session::TrialSpace const> space) {
  space_ = std::move(space);
  if (space_) time_.least = space_->least_ms, time_.most = space_->most_ms;
  kept_.assign(space_ ? space_->points.size() : 0, 1);
  axis_ = std::clamp(axis_, 0, std::max(0, axes() - 1));
  stale_ = true;
  update();
}

void ParallelPlot::show_filter(session::TrialFilter const& filter, std::vector<char> kept) {
  filter_ = filter;
  kept_ = std::move(kept);
  stale_ = true;
  update();
}

void ParallelPlot::show_logarithmic(bool logarithmic) {
  time_.logarithmic = logarithmic;
  stale_ = true;
  update();
}

void ParallelPlot::choose_axis(int axis) {
  axis_ = std::clamp(axis, 0, std::max(0, axes() - 1));
  update();
}

QRectF ParallelPlot::plot() const {
  return QRectF(kLeft, kTop, std::max(60.0, unit_width() - kLeft - kRight),
                std::max(40.0, unit_height() - kTop - kBottom));
}

double ParallelPlot::share(int axis, double value) const {
  if (is_time(axis)) return time_.place(value);
  size_t many = space_->axes[size_t(axis)].values.size();
  return value < 0 ? 0 : (value + 0.5) / double(many);
}

QPointF ParallelPlot::place(int axis, double value) const {
  QRectF area = plot();
  double x = axes() < 2 ? area.center().x() : area.left() + area.width() * axis / (axes() - 1);
  return {x, area.bottom() - area.height() * share(axis, value)};
}

double ParallelPlot::value_at(int axis, double y) const {
  QRectF area = plot();
  double part = std::clamp((area.bottom() - y) / area.height(), 0.0, 1.0);
  if (is_time(axis)) return time_.ms(part);
  return part * double(space_->axes[size_t(axis)].values.size()) - 0.5;
}

int ParallelPlot::axis_at(double x) const {
  for (int axis = 0; axis < axes(); ++axis)
    if (std::abs(place(axis, 0).x() - x) < 16) return axis;
  return -1;
}

std::optional<session::AxisRange> ParallelPlot::range_of(int axis) const {
  for (session::AxisRange const& range : filter_.ranges)
    if (range.axis == axis) return range;
  return std::nullopt;
}

/// Between two heights: of a knob the values whose places lie there.
session::AxisRange ParallelPlot::range_between(int axis, double from, double to) const {
  double low = value_at(axis, from), high = value_at(axis, to);
  if (low > high) std::swap(low, high);
  if (is_time(axis)) return {axis, low, high};
  low = std::ceil(low - 0.5), high = std::floor(high + 0.5);
  double last = double(space_->axes[size_t(axis)].values.size()) - 1;
  return {axis, std::clamp(low, 0.0, last), std::clamp(high, 0.0, last)};
}

/// Of all trials the different pieces between neighbouring axes, those that are kept over the
/// others.
void ParallelPlot::draw_lines() {
  double ratio = devicePixelRatioF();
  lines_ = QImage(size() * ratio, QImage::Format_ARGB32_Premultiplied);
  lines_.setDevicePixelRatio(ratio);
  lines_.fill(Qt::transparent);
  UnitPainter painter(&lines_, unit());
  drawn_ = 0;
  bool some_are_left_out = std::ranges::count(kept_, 0) > 0;
  if (some_are_left_out) draw_lines_of(painter, false);
  draw_lines_of(painter, true);
  stale_ = false;
}

void ParallelPlot::draw_lines_of(QPainter& painter, bool kept) {
  auto step_of = [&](session::TrialPoint const& point, int axis) {
    return is_time(axis) ? int(std::lround(time_.place(point.ms) * kTimePlaces))
                         : point.values[size_t(axis)];
  };
  auto place_of_step = [&](int axis, int step) {
    return place(axis, is_time(axis) ? time_.ms(double(step) / kTimePlaces) : double(step));
  };
  QColor colour = kept ? theme_.text2 : theme_.line2;
  for (int axis = 0; axis + 1 < axes(); ++axis) {
    std::unordered_map<uint64_t, int> pieces;
    for (size_t i = 0; i < space_->points.size(); ++i) {
      if (bool(kept_[i]) != kept) continue;
      int from = step_of(space_->points[i], axis), to = step_of(space_->points[i], axis + 1);
      ++pieces[uint64_t(from) << 32 | uint64_t(to)];
    }
    int most = 1;
    for (auto const& [piece, many] : pieces) most = std::max(most, many);
    for (auto const& [piece, many] : pieces) {
      colour.setAlphaF(float(0.15 + 0.75 * std::log1p(many) / std::log1p(most)));
      painter.setPen(QPen(colour, 1));
      painter.drawLine(place_of_step(axis, int(piece >> 32)),
                       place_of_step(axis + 1, int(piece & 0xffffffff)));
    }
    drawn_ += int(pieces.size());
  }
  int best = kept ? session::fastest_of(*space_, kept_) : -1;
  painter.setPen(QPen(theme_.ink, 2.5));
  for (int axis = 0; best >= 0 && axis + 1 < axes(); ++axis) {
    int from = step_of(space_->points[size_t(best)], axis);
    int to = step_of(space_->points[size_t(best)], axis + 1);
    painter.drawLine(place_of_step(axis, from), place_of_step(axis + 1, to));
  }
}

QString ParallelPlot::words_of(int axis, double value) const {
  if (is_time(axis)) return QString::fromStdString(milliseconds_text(value));
  session::TrialAxis const& knob = space_->axes[size_t(axis)];
  return QString::fromStdString(
      knob.words(int(std::clamp<double>(value, 0, double(knob.values.size()) - 1))));
}

void ParallelPlot::draw_axis(QPainter& painter, int axis) const {
  QRectF area = plot();
  double x = place(axis, 0).x(), gap = axes() > 1 ? area.width() / (axes() - 1) : area.width();
  bool chosen = axis == axis_;
  painter.setPen(QPen(chosen ? theme_.ink : theme_.line3, chosen ? 2 : 1));
  painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
  QFont font = ui_font(11, chosen ? 600 : 400);
  std::string knob = is_time(axis) ? "time" : space_->axes[size_t(axis)].knob;
  QString name =
      QFontMetricsF(font).elidedText(QString::fromStdString(knob.substr(knob.find('.') + 1)),
                                     Qt::ElideMiddle, std::max(20.0, gap - 8));
  double wide = QFontMetricsF(font).horizontalAdvance(name) + 4;
  double left = std::clamp(x - wide / 2, 2.0, std::max(2.0, unit_width() - wide - 2));
  paint::text(painter, QRectF(left, 22, wide, 18), font, chosen ? theme_.text1 : theme_.text2,
              name);
  draw_values(painter, axis, gap);
  draw_range(painter, axis);
}

/// As many values as have room, on a plate over the lines. What trials leave to the rule is always
/// among them, with a ring on the axis.
void ParallelPlot::draw_values(QPainter& painter, int axis, double gap) const {
  int many = is_time(axis) ? 5 : int(space_->axes[size_t(axis)].values.size());
  int step = std::max(1, int(std::ceil(many * 16 / plot().height())));
  int by_rule = is_time(axis) ? -1 : space_->axes[size_t(axis)].by_rule;
  for (int i = by_rule > 0 ? by_rule % step : 0; i < many; i += step) {
    double value = is_time(axis) ? time_.ms(i / 4.0) : i;
    QPointF at = place(axis, value);
    QFont mono = mono_font(11);
    QString words = QFontMetricsF(mono).elidedText(
        words_of(axis, value), Qt::ElideRight,
        is_time(axis) ? kRight - 12 : std::max(16.0, std::min(gap - 14, 90.0)));
    double room = QFontMetricsF(mono).horizontalAdvance(words) + 4;
    QRectF plate(at.x() + 9, at.y() - 8, room, 16);
    QColor ground = theme_.inset;
    ground.setAlphaF(0.85f);
    painter.fillRect(plate, ground);
    paint::text(painter, plate, mono, i == by_rule ? theme_.text1 : theme_.text2, words);
  }
  if (by_rule < 0) return;
  painter.setPen(QPen(theme_.text1, 1.5));
  painter.setBrush(theme_.inset);
  painter.drawEllipse(place(axis, by_rule), 4, 4);
}

void ParallelPlot::draw_range(QPainter& painter, int axis) const {
  QRectF area = plot();
  double x = place(axis, 0).x();
  auto range = range_of(axis);
  if (drag_ && drag_->axis == axis) range = range_between(axis, drag_->from, drag_->to);
  if (!range) return;
  double half =
      is_time(axis) ? 0 : 0.5 * area.height() / double(space_->axes[size_t(axis)].values.size());
  QRectF brush(QPointF(x - 7, place(axis, range->low).y()),
               QPointF(x + 7, place(axis, range->high).y()));
  brush = brush.normalized().adjusted(0, -half, 0, half);
  QColor fill = theme_.ink;
  fill.setAlphaF(0.22f);
  painter.setPen(QPen(theme_.ink, 1.5));
  painter.setBrush(fill);
  painter.drawRoundedRect(brush, 3, 3);
}

void ParallelPlot::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.inset);
  if (!space_ || space_->points.empty() || axes() < 2)
    return paint::text(painter, QRectF(16, 16, unit_width() - 32, 20), ui_font(12), theme_.text2,
                       "Trials of a tuning that differ in their knobs appear here.");
  if (stale_ || lines_.size() != size() * devicePixelRatioF()) draw_lines();
  painter.save();
  painter.resetTransform();
  painter.drawImage(QPoint(0, 0), lines_);
  painter.restore();
  for (int axis = 0; axis < axes(); ++axis) draw_axis(painter, axis);
}

void ParallelPlot::mousePressEvent(QMouseEvent* event) {
  int axis = axis_at(event->position().x());
  if (event->button() != Qt::LeftButton || axis < 0) return;
  drag_ = {axis, event->position().y(), event->position().y()};
  choose_axis(axis);
  emit axis_chosen(axis);
}

void ParallelPlot::mouseMoveEvent(QMouseEvent* event) {
  setCursor(axis_at(event->position().x()) >= 0 ? Qt::SplitVCursor : Qt::ArrowCursor);
  if (!drag_) return;
  drag_->to = event->position().y();
  update();
}

/// A click alone keeps all again.
void ParallelPlot::mouseReleaseEvent(QMouseEvent*) {
  if (!drag_) return;
  Drag drag = *std::exchange(drag_, std::nullopt);
  if (std::abs(drag.to - drag.from) < 4) return emit range_asked(drag.axis, std::nullopt);
  session::AxisRange range = range_between(drag.axis, drag.from, drag.to);
  update();
  if (range.low <= range.high) emit range_asked(drag.axis, range);
}

/// Left and right go from axis to axis, up and down from value to value of one, or over tenths of
/// the time; Delete keeps all.
void ParallelPlot::keyPressEvent(QKeyEvent* event) {
  int side = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
  int way = event->key() == Qt::Key_Up ? 1 : event->key() == Qt::Key_Down ? -1 : 0;
  bool clears = event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace;
  if (axes() < 2 || (side == 0 && way == 0 && !clears)) return Canvas::keyPressEvent(event);
  if (clears) return emit range_asked(axis_, std::nullopt);
  if (side != 0) {
    choose_axis(axis_ + side);
    return emit axis_chosen(axis_);
  }
  auto range = range_of(axis_);
  if (is_time(axis_)) {
    double part = range ? time_.place((range->low + range->high) / 2) : way > 0 ? -0.05 : 1.05;
    int tenth = std::clamp(int(std::floor(part * 10)) + way, 0, 9);
    return emit range_asked(
        axis_, session::AxisRange{axis_, time_.ms((tenth + 1) / 10.0), time_.ms(tenth / 10.0)});
  }
  double last = double(space_->axes[size_t(axis_)].values.size()) - 1;
  double next = range ? range->low + way : way > 0 ? 0 : last;
  next = std::clamp(next, 0.0, last);
  emit range_asked(axis_, session::AxisRange{axis_, next, next});
}

std::vector<Part> ParallelPlot::parts() const {
  std::vector<Part> parts;
  QRectF area = plot();
  for (int axis = 0; space_ && axis < axes(); ++axis) {
    QString name = is_time(axis) ? QStringLiteral("time")
                                 : QString::fromStdString(space_->axes[size_t(axis)].knob);
    auto range = range_of(axis);
    QString kept =
        range
            ? QString("from %1 to %2").arg(words_of(axis, range->low), words_of(axis, range->high))
            : QStringLiteral("all values");
    parts.push_back({QRectF(place(axis, 0).x() - 12, area.top(), 24, area.height()),
                     "axis " + name + ", " + kept, axis == axis_});
  }
  return parts;
}

}  // namespace tw
