// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/roofline/roofline_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/paint/level_pen.h"
#include "widgets/paint/paint.h"

namespace tw {

RooflineView::RooflineView(QWidget* parent) : Canvas(parent) {
  setObjectName("roofline");
  setAccessibleName("Roofline");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

void RooflineView::show_roofline(std::shared_ptr<session::RooflineView const> view) {
  layers_.reset();
  take(std::move(view));
}

void RooflineView::take(std::shared_ptr<session::RooflineView const> view) {
  view_ = std::move(view);
  waiting_.clear();
  fit_axes();
  QString words = view_ ? QString::fromStdString(view_->explanation) : QString();
  if (view_ && view_->doubtful)
    words +=
        "\n"
        "▲ The roofs were measured while other programs used the processor; they are measured "
        "again when the machine is idle";
  setToolTip(paint::wrapped(words.trimmed()));
  update();
}

void RooflineView::show_waiting(QString const& words) {
  show_roofline(nullptr);
  waiting_ = words;
}

/// Both ends are where they are for most machines, farther where something is.
void RooflineView::fit_axes() {
  double top = 0, bottom = 1, most = std::exp2(8);
  auto take = [&](session::RooflinePoint const& point) {
    bottom = std::min(bottom, point.gflops);
    most = std::max(most, 1.4 * point.intensity);
    for (auto const& level : point.levels) most = std::max(most, 1.4 * level.intensity);
  };
  if (view_) {
    for (auto const& roof : view_->roofs)
      if (roof.compute) {
        double then = if_value(roof).value_or(roof.value);
        top = std::max({top, roof.value, then});
        bottom = std::min({bottom, roof.value, then});
      }
    for (auto const& point : view_->trail) take(point);
    if (if_ && !layers_)
      for (auto const& point : if_->trail) take(point.then);
  }
  if (layers_)
    for (auto const& layer : layers_->layers) {
      if (!layer.missing.empty()) continue;
      take(point_of(layer));
      if (auto const* baseline = baseline_of(layer))
        bottom = std::min(bottom, layer.operations / *baseline->before_ms * 1e-6);
      if (layer.serial) take(*layer.serial);
    }
  high_x_ = std::min(16.0, std::ceil(std::log2(most) / 2) * 2);
  high_y_ = std::log10((top > 0 ? top : 100) * 2.2);
  low_y_ = std::floor(std::log10(std::max(bottom * 0.7, 1e-3)) * 2) / 2;
}

QString RooflineView::unit() const {
  if (view_)
    for (auto const& roof : view_->roofs)
      if (roof.compute) return QString::fromStdString(session::unit_of(roof));
  return view_ ? QString::fromStdString(view_->unit) : QStringLiteral("GFLOP/s");
}

QString RooflineView::operations() const { return unit() == "GOP/s" ? "operations" : "FLOP"; }

QPointF RooflineView::place(session::RooflinePoint const& point) const {
  return position(point.intensity, std::max(point.gflops, 1e-3));
}

QRectF RooflineView::plot() const {
  return QRectF(52, 30, std::max(120.0, unit_width() - 52 - 112),
                std::max(80.0, unit_height() - 30 - 44));
}

QPointF RooflineView::position(double intensity, double gflops) const {
  QRectF area = plot();
  double x = (std::log2(intensity) - low_x_) / (high_x_ - low_x_),
         y = (std::log10(gflops) - low_y_) / (high_y_ - low_y_);
  return {area.left() + area.width() * std::clamp(x, 0.0, 1.0),
          area.bottom() - area.height() * std::clamp(y, 0.0, 1.0)};
}

void RooflineView::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  painter.fillRect(plot(), theme_.inset);
  draw_axes(painter);
  if (!view_)
    return paint::text(painter, QRectF(plot().left(), 6, unit_width() - plot().left() - 8, 18),
                       ui_font(11), theme_.text2,
                       waiting_.isEmpty() ? "Shows how close each step of a kernel comes to what "
                                            "the machine can do."
                                          : waiting_);
  draw_roofs(painter);
  draw_if_roofs(painter);
  draw_levels(painter);
  draw_moves(painter);
  if (!layers_) draw_trail(painter);
  draw_baseline(painter);
  draw_layers(painter);
  draw_if_points(painter);
  draw_outlook(painter);
  draw_if_words(painter);
  QString words = view_->roofs.empty() ? "The machine's roofs are being measured."
                                       : QString::fromStdString(view_->explanation);
  QRectF line(plot().left(), 6, unit_width() - plot().left() - 8, 18);
  // The tool tip has all of it.
  words = QFontMetricsF(ui_font(11)).elidedText(words, Qt::ElideRight, line.width() - 2);
  paint::text(painter, line, ui_font(11), theme_.text2, words);
}

void RooflineView::draw_axes(QPainter& painter) const {
  QRectF area = plot();
  for (int exponent = int(low_x_); exponent <= int(high_x_); exponent += 2) {
    double x = position(std::exp2(exponent), 1).x();
    painter.setPen(QPen(theme_.line1, 1));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    bool crowded = position(4, 1).x() - position(1, 1).x() < 40;
    if (crowded && (exponent - int(low_x_)) % 4 != 0) continue;
    QString label =
        exponent < 0 ? QString("1/%1").arg(1 << -exponent) : QString::number(1 << exponent);
    paint::text(painter, QRectF(x - 24, area.bottom() + 4, 48, 16), mono_font(11), theme_.text3,
                label, Qt::AlignHCenter | Qt::AlignTop);
  }
  for (int exponent = int(std::ceil(low_y_)); exponent <= high_y_; ++exponent) {
    double y = position(1, std::pow(10.0, exponent)).y();
    painter.setPen(QPen(theme_.line1, 1));
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    paint::text(painter, QRectF(4, y - 8, 42, 16), mono_font(11), theme_.text3,
                QString::number(std::pow(10.0, exponent)), Qt::AlignRight | Qt::AlignVCenter);
  }
  paint::text(painter, QRectF(area.right() - 240, area.bottom() + 22, 240, 16), ui_font(11),
              theme_.text3, operations() + " per byte moved", Qt::AlignRight | Qt::AlignTop);
  paint::text(painter, QRectF(area.left() + 6, area.top() + 2, 80, 16), ui_font(11), theme_.text3,
              unit());
}

void RooflineView::draw_roofs(QPainter& painter) const {
  QRectF area = plot();
  double peak = 0, fastest = 0;
  for (auto const& roof : view_->roofs) {
    double& most = roof.compute ? peak : fastest;
    most = std::max(most, roof.value);
  }
  if (peak <= 0) return;
  painter.save();
  painter.setClipRect(area.adjusted(-1, -1, 1, 1));
  int level = 0;
  for (auto const& roof : view_->roofs) {
    if (roof.compute) continue;
    painter.setPen(paint::level_pen(theme_, level++));
    double start = std::max(std::exp2(low_x_), std::pow(10.0, low_y_) / roof.value);
    painter.drawLine(position(start, roof.value * start), position(peak / roof.value, peak));
  }
  for (auto const& roof : view_->roofs) {
    if (!roof.compute) continue;
    painter.setPen(QPen(theme_.text1, roof.value == peak ? 2.5 : 1.2));
    double knee = fastest > 0 ? roof.value / fastest : std::exp2(low_x_);
    painter.drawLine(position(knee, roof.value), position(std::exp2(high_x_), roof.value));
  }
  painter.restore();
  draw_legend(painter);
}

/// Names and numbers stand beside the plot: bandwidths of neighbouring levels can be close, and
/// labels along the lines would cover each other.
void RooflineView::draw_legend(QPainter& painter) const {
  double x = plot().right() + 10, y = plot().top();
  auto line = [&](QPen const& pen, QString const& words, bool strong) {
    painter.setPen(pen);
    painter.drawLine(QPointF(x, y + 8), QPointF(x + 14, y + 8));
    // A sign before what was measured while others used the processors.
    paint::text(painter, QRectF(x + 20, y, 88, 16), ui_font(11, strong ? 600 : 400),
                strong ? theme_.text1 : theme_.text2,
                view_->doubtful ? QStringLiteral("▲ ") + words : words);
    y += 17;
  };
  auto other = [&](session::RoofView const& roof) {
    auto value = if_value(roof);
    if (!value) return;
    painter.setPen(if_pen());
    painter.drawLine(QPointF(x, y + 8), QPointF(x + 14, y + 8));
    paint::text(painter, QRectF(x + 20, y, 88, 16), ui_font(11, 600), theme_.warn,
                "if " + paint::number(*value));
    y += 17;
  };
  int level = 0;
  size_t computes = 0;
  for (auto const& roof : view_->roofs) {
    QString name = QString::fromStdString(roof.name);
    if (!roof.compute) {
      line(paint::level_pen(theme_, level++), name + " " + paint::number(roof.value), false);
      other(roof);
      continue;
    }
    bool first = computes++ == 0;
    line(QPen(theme_.text1, first ? 2.5 : 1.2),
         name.section(' ', 0, 0) + " " + paint::number(roof.value), first);
    other(roof);
  }
  paint::text(painter, QRectF(x, y + 2, 100, 16), ui_font(11), theme_.text3, unit() + ", GB/s");
  if (view_->doubtful && y + 36 < unit_height())
    paint::text(painter, QRectF(x, y + 19, 100, 16), ui_font(11, 500), theme_.warn,
                QStringLiteral("▲ other load"));
}

void RooflineView::draw_trail(QPainter& painter) const {
  std::vector<QPointF> points;
  for (auto const& point : view_->trail) points.push_back(place(point));
  draw_trail_lines(painter);
  std::vector<QRectF> taken{if_card()};
  for (Diamond const& diamond : all_diamonds())
    taken.emplace_back(diamond.at - QPointF(7, 7), QSizeF(14, 14));
  for (QPointF const& at : points) taken.emplace_back(at - QPointF(5, 5), QSizeF(10, 10));
  std::vector<Label> labels;
  for (size_t i = points.size(); i-- > 0;) {
    auto const& point = view_->trail[i];
    painter.setPen(QPen(point.current ? theme_.ink : theme_.text2, 1.5));
    painter.setBrush(point.measured ? QBrush(point.current ? theme_.ink : theme_.text2)
                                    : QBrush(theme_.inset));
    painter.drawEllipse(points[i], point.current ? 6.5 : 4.5, point.current ? 6.5 : 4.5);
    painter.setBrush(Qt::NoBrush);
    if (point.current) painter.drawEllipse(points[i], 11, 11);
    labels.push_back({points[i], QString::fromStdString(point.label), point.current});
  }
  draw_labels(painter, labels, taken);
  draw_gains(painter, taken);
}

/// Labels try left, right, below and above; one that finds no free place is left out: history, or a
/// word where one points, has it.
void RooflineView::draw_labels(QPainter& painter, std::vector<Label> const& labels,
                               std::vector<QRectF>& taken) const {
  constexpr size_t kMostLabels = 7;
  size_t placed = 0;
  for (Label const& label : labels) {
    QFont font = ui_font(11, label.strong ? 600 : 400);
    double width = QFontMetricsF(font).horizontalAdvance(label.words) + 4;
    double away = std::max(label.radius + 5, 15.0);  // of the point's middle
    for (QPointF corner : {QPointF(-away - width, -8), QPointF(away, -8), QPointF(-70 - width, -8),
                           QPointF(-width / 2, away - 1), QPointF(-width / 2, -away - 15)}) {
      QRectF box(label.at + corner, QSizeF(width, 16));
      bool clear = std::none_of(taken.begin(), taken.end(),
                                [&](QRectF const& other) { return other.intersects(box); });
      if (!clear || placed >= kMostLabels || !plot().contains(box)) continue;
      ++placed;
      taken.push_back(box);
      QColor plate = theme_.inset;
      plate.setAlphaF(0.88f);
      painter.fillRect(box, plate);
      paint::text(painter, box, font, label.strong ? theme_.text1 : theme_.text2, label.words);
      break;
    }
  }
}

void RooflineView::show_levels_of_all(bool all) {
  all_levels_ = all;
  update();
}

/// A step at every memory level: at what it computes for each byte that moves there. Those of the
/// current step are solid.
std::vector<RooflineView::Diamond> RooflineView::diamonds(
    session::RooflinePoint const& point) const {
  std::vector<Diamond> places;
  for (size_t i = 0; i < point.levels.size(); ++i)
    if (point.levels[i].intensity > 0)
      places.push_back({position(point.levels[i].intensity, std::max(point.gflops, 1e-3)),
                        theme_.levels[std::min<size_t>(i, 3)], point.current});
  return places;
}

std::vector<RooflineView::Diamond> RooflineView::all_diamonds() const {
  std::vector<Diamond> all;
  for (auto const& point : view_->trail)
    if (point.current || all_levels_)
      for (Diamond const& one : diamonds(point)) all.push_back(one);
  return all;
}

/// Diamonds far apart: the cache between them serves most. One on its level's roof: that level
/// gives all it can.
void RooflineView::draw_levels(QPainter& painter) const {
  for (auto const& point : view_->trail) {
    if (!point.current && !all_levels_) continue;
    auto places = diamonds(point);
    if (places.empty()) continue;
    auto [left, right] =
        std::ranges::minmax(places, {}, [](Diamond const& one) { return one.at.x(); });
    painter.setPen(QPen(theme_.text3, 1, Qt::DotLine));
    painter.drawLine(left.at, right.at);
    for (auto const& [at, colour, solid] : places) {
      painter.setPen(solid ? QPen(theme_.inset, 1) : QPen(colour, 1.6));
      painter.setBrush(solid ? colour : theme_.inset);
      painter.drawPolygon(QPolygonF(
          {at + QPointF(-7, 0), at + QPointF(0, -7), at + QPointF(7, 0), at + QPointF(0, 7)}));
    }
  }
}

void RooflineView::mousePressEvent(QMouseEvent* event) {
  if (session::LayerPoint const* layer = layer_at(event->position()))
    return emit layer_chosen(layer->kernel);
  if (QString line = move_at(event->position()); !line.isEmpty()) return emit move_chosen(line);
  for (size_t i = 0; view_ && i < view_->trail.size(); ++i) {
    QPointF at = place(view_->trail[i]);
    if ((at - event->position()).manhattanLength() < 14)
      return emit point_chosen(view_->trail[i].history_node);
  }
}

/// Left and right walk along the trail, or over the kernels of the model.
void RooflineView::keyPressEvent(QKeyEvent* event) {
  if (layers_) {
    if (!step_layers(event->key())) QWidget::keyPressEvent(event);
    return;
  }
  int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
  if (step == 0 || !view_) return QWidget::keyPressEvent(event);
  for (size_t i = 0; i < view_->trail.size(); ++i) {
    size_t next = i + size_t(std::ptrdiff_t(step));
    if (view_->trail[i].current && next < view_->trail.size())
      return emit point_chosen(view_->trail[next].history_node);
  }
}

std::vector<Part> RooflineView::parts() const {
  std::vector<Part> parts;
  if (!view_) return parts;
  for (size_t step = 0; step < view_->trail.size(); ++step) {
    session::RooflinePoint const& point = view_->trail[step];
    QString words = QString("%1 %2 at %3 %4 per byte")
                        .arg(QString::fromStdString(point.label), unit(),
                             paint::number(point.intensity), operations());
    if (auto arrow = step > 0 ? arrow_to(step) : std::nullopt)
      words += ", " + words_of(*arrow, "the step before");
    parts.push_back({QRectF(place(point) - QPointF(8, 8), QSizeF(16, 16)), words, point.current});
  }
  for (size_t move = 0; move < drawn_moves(); ++move)
    parts.push_back({QRectF(*place_of_move(move) - QPointF(6, 6), QSizeF(12, 12)),
                     "next: " + QString::fromStdString(moves_->moves[move].effect)});
  if (!layers_ && baseline_)
    parts.push_back({QRectF(place(*baseline_) - QPointF(9, 9), QSizeF(18, 18)),
                     "baseline: " + QString::fromStdString(baseline_->label)});
  for (Part& part : if_parts()) parts.push_back(std::move(part));
  if (!layers_) return parts;
  for (auto const& layer : layers_->layers) {
    if (!layer.missing.empty()) continue;
    double radius = radius_of(layer);
    parts.push_back(
        {QRectF(place(point_of(layer)) - QPointF(radius, radius), 2 * QSizeF(radius, radius)),
         words_of(layer), layer.kernel == (pointed_ >= 0 ? pointed_ : marked_)});
  }
  return parts;
}

}  // namespace tw
