// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/roofline/roofline_paint.h"

#include <algorithm>
#include <cmath>

#include "widgets/paint/level_pen.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

/// "66908", "803k": six digits and a name are wider than the legend.
QString roof_number(double value) {
  return value < 1e5 ? paint::number(value) : paint::number(value / 1e3) + "k";
}

/// Names and numbers stand beside the plot: bandwidths of neighbouring levels can be close, and
/// labels along the lines would cover each other.
void paint_legend(QPainter& painter, RooflineScene const& scene) {
  double x = scene.plot().right() + 10, y = scene.plot().top();
  auto line = [&](QPen const& pen, QString const& words, bool strong) {
    painter.setPen(pen);
    painter.drawLine(QPointF(x, y + 8), QPointF(x + 14, y + 8));
    // A sign before what was measured while others used the processors.
    paint::text(painter, QRectF(x + 20, y, 88, 16), ui_font(11, strong ? 600 : 400),
                strong ? scene.canvas.theme().text1 : scene.canvas.theme().text2,
                scene.roofline->doubtful ? QStringLiteral("▲ ") + words : words);
    y += 17;
  };
  auto other = [&](session::RoofView const& roof) {
    auto value = scene.if_value(roof);
    if (!value) return;
    painter.setPen(if_pen(scene.canvas.theme()));
    painter.drawLine(QPointF(x, y + 8), QPointF(x + 14, y + 8));
    paint::text(painter, QRectF(x + 20, y, 88, 16), ui_font(11, 600), scene.canvas.theme().warn,
                "if " + paint::number(*value));
    y += 17;
  };
  int level = 0;
  double peak = 0;
  for (auto const& roof : scene.roofline->roofs)
    if (roof.compute) peak = std::max(peak, roof.value);
  for (auto const& roof : scene.roofline->roofs) {
    QString name = QString::fromStdString(roof.name);
    if (!roof.compute) {
      line(paint::level_pen(scene.canvas.theme(), level++), name + " " + paint::number(roof.value),
           false);
      other(roof);
      continue;
    }
    bool first = roof.value == peak;  // as in the plot
    line(QPen(scene.canvas.theme().text1, first ? 2.5 : 1.2),
         name.section(' ', 0, 0) + " " + roof_number(roof.value), first);
    other(roof);
  }
  paint::text(painter, QRectF(x, y + 2, 100, 16), ui_font(11), scene.canvas.theme().text3,
              scene.unit() + ", GB/s");
  if (scene.roofline->doubtful && y + 36 < scene.canvas.unit_height())
    paint::text(painter, QRectF(x, y + 19, 100, 16), ui_font(11, 500), scene.canvas.theme().warn,
                QStringLiteral("▲ other load"));
}

void paint_roofs(QPainter& painter, RooflineScene const& scene) {
  QRectF area = scene.plot();
  double peak = 0, fastest = 0;
  for (auto const& roof : scene.roofline->roofs) {
    double& most = roof.compute ? peak : fastest;
    most = std::max(most, roof.value);
  }
  if (peak <= 0) return;
  painter.save();
  painter.setClipRect(area.adjusted(-1, -1, 1, 1));
  int level = 0;
  for (auto const& roof : scene.roofline->roofs) {
    if (roof.compute) continue;
    painter.setPen(paint::level_pen(scene.canvas.theme(), level++));
    double start = std::max(std::exp2(scene.low_x), std::pow(10.0, scene.low_y) / roof.value);
    painter.drawLine(scene.position(start, roof.value * start),
                     scene.position(peak / roof.value, peak));
  }
  for (auto const& roof : scene.roofline->roofs) {
    if (!roof.compute) continue;
    painter.setPen(QPen(scene.canvas.theme().text1, roof.value == peak ? 2.5 : 1.2));
    double knee = fastest > 0 ? roof.value / fastest : std::exp2(scene.low_x);
    painter.drawLine(scene.position(knee, roof.value),
                     scene.position(std::exp2(scene.high_x), roof.value));
  }
  painter.restore();
  paint_legend(painter, scene);
}

void paint_trail(QPainter& painter, RooflineScene const& scene) {
  std::vector<QPointF> points;
  for (auto const& point : scene.roofline->trail) points.push_back(scene.place(point));
  paint_trail_lines(painter, scene);
  std::vector<QRectF> taken{scene.if_card()};
  for (LevelDiamond const& diamond : scene.all_diamonds())
    taken.emplace_back(diamond.at - QPointF(7, 7), QSizeF(14, 14));
  for (QPointF const& at : points) taken.emplace_back(at - QPointF(5, 5), QSizeF(10, 10));
  std::vector<PointLabel> labels;
  for (size_t i = points.size(); i-- > 0;) {
    auto const& point = scene.roofline->trail[i];
    painter.setPen(
        QPen(point.current ? scene.canvas.theme().ink : scene.canvas.theme().text2, 1.5));
    painter.setBrush(point.measured ? QBrush(point.current ? scene.canvas.theme().ink
                                                           : scene.canvas.theme().text2)
                                    : QBrush(scene.canvas.theme().inset));
    painter.drawEllipse(points[i], point.current ? 6.5 : 4.5, point.current ? 6.5 : 4.5);
    painter.setBrush(Qt::NoBrush);
    if (point.current) painter.drawEllipse(points[i], 11, 11);
    labels.push_back({points[i], QString::fromStdString(point.label), point.current});
  }
  paint_labels(painter, scene, labels, taken);
  paint_gains(painter, scene, taken);
}

/// Diamonds far apart: the cache between them serves most. One on its level's roof: that level
/// gives all it can.
void paint_levels(QPainter& painter, RooflineScene const& scene) {
  for (auto const& point : scene.roofline->trail) {
    if (!point.current && !scene.all_levels) continue;
    auto places = scene.diamonds(point);
    if (places.empty()) continue;
    auto [left, right] =
        std::ranges::minmax(places, {}, [](LevelDiamond const& one) { return one.at.x(); });
    painter.setPen(QPen(scene.canvas.theme().text3, 1, Qt::DotLine));
    painter.drawLine(left.at, right.at);
    for (auto const& [at, colour, solid] : places) {
      painter.setPen(solid ? QPen(scene.canvas.theme().inset, 1) : QPen(colour, 1.6));
      painter.setBrush(solid ? colour : scene.canvas.theme().inset);
      painter.drawPolygon(QPolygonF(
          {at + QPointF(-7, 0), at + QPointF(0, -7), at + QPointF(7, 0), at + QPointF(0, 7)}));
    }
  }
}

}  // namespace

void paint_axes(QPainter& painter, RooflineScene const& scene) {
  QRectF area = scene.plot();
  for (int exponent = int(scene.low_x); exponent <= int(scene.high_x); exponent += 2) {
    double x = scene.position(std::exp2(exponent), 1).x();
    painter.setPen(QPen(scene.canvas.theme().line1, 1));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    bool crowded = scene.position(4, 1).x() - scene.position(1, 1).x() < 40;
    if (crowded && (exponent - int(scene.low_x)) % 4 != 0) continue;
    QString label =
        exponent < 0 ? QString("1/%1").arg(1 << -exponent) : QString::number(1 << exponent);
    paint::text(painter, QRectF(x - 24, area.bottom() + 4, 48, 16), mono_font(11),
                scene.canvas.theme().text3, label, Qt::AlignHCenter | Qt::AlignTop);
  }
  for (int exponent = int(std::ceil(scene.low_y)); exponent <= scene.high_y; ++exponent) {
    double y = scene.position(1, std::pow(10.0, exponent)).y();
    painter.setPen(QPen(scene.canvas.theme().line1, 1));
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    paint::text(painter, QRectF(4, y - 8, 42, 16), mono_font(11), scene.canvas.theme().text3,
                QString::number(std::pow(10.0, exponent)), Qt::AlignRight | Qt::AlignVCenter);
  }
  paint::text(painter, QRectF(area.right() - 240, area.bottom() + 22, 240, 16), ui_font(11),
              scene.canvas.theme().text3, scene.operations() + " per byte moved",
              Qt::AlignRight | Qt::AlignTop);
  paint::text(painter, QRectF(area.left() + 6, area.top() + 2, 80, 16), ui_font(11),
              scene.canvas.theme().text3, scene.unit());
}

/// Labels try left, right, below and above; one that finds no free place is left out: history, or a
/// word where one points, has it.
void paint_labels(QPainter& painter, RooflineScene const& scene,
                  std::vector<PointLabel> const& labels, std::vector<QRectF>& taken) {
  constexpr size_t kMostLabels = 7;
  size_t placed = 0;
  for (PointLabel const& label : labels) {
    QFont font = ui_font(11, label.strong ? 600 : 400);
    double width = QFontMetricsF(font).horizontalAdvance(label.words) + 4;
    double away = std::max(label.radius + 5, 15.0);  // of the point's middle
    for (QPointF corner : {QPointF(-away - width, -8), QPointF(away, -8), QPointF(-70 - width, -8),
                           QPointF(-width / 2, away - 1), QPointF(-width / 2, -away - 15)}) {
      QRectF box(label.at + corner, QSizeF(width, 16));
      bool clear = std::none_of(taken.begin(), taken.end(),
                                [&](QRectF const& other) { return other.intersects(box); });
      if (!clear || placed >= kMostLabels || !scene.plot().contains(box)) continue;
      ++placed;
      taken.push_back(box);
      QColor plate = scene.canvas.theme().inset;
      plate.setAlphaF(0.88f);
      painter.fillRect(box, plate);
      paint::text(painter, box, font,
                  label.strong ? scene.canvas.theme().text1 : scene.canvas.theme().text2,
                  label.words);
      break;
    }
  }
}

void paint_roofline(QPainter& painter, RooflineScene const& scene) {
  paint_roofs(painter, scene);
  paint_if_roofs(painter, scene);
  paint_levels(painter, scene);
  paint_moves(painter, scene);
  if (!scene.layers) paint_trail(painter, scene);
  paint_baseline(painter, scene);
  paint_layers(painter, scene);
  paint_if_points(painter, scene);
  paint_outlook(painter, scene);
  paint_if_words(painter, scene);
}

}  // namespace tw
