// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_hues.h"

#include <QPixmap>
#include <cmath>

namespace tw {
namespace {

/// The theme's hues, by their words.
constexpr std::string_view kHues[] = {"amber",  "sky",   "mint", "pink",
                                      "violet", "olive", "grey", "clay"};
constexpr int kUnknown = 6;
constexpr double kPitch = 6;  ///< of a hatch

double luminance(QColor const& colour) {
  auto linear = [](double c) {
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
         0.0722 * linear(colour.blueF());
}

}  // namespace

void TimelineHues::set_theme(Theme const& theme) {
  theme_ = theme;
  hatches_.clear();
}

QColor TimelineHues::hue(Timeline::Kind const& kind) const {
  // Whoever waits for data is what one looks for first.
  if (kind.stall) return kind.hue == "amber" ? theme_.warn : theme_.text3;
  for (size_t i = 0; i < std::size(kHues); ++i)
    if (kind.hue == kHues[i]) return theme_.hue(int(i));
  return theme_.hue(kUnknown);
}

QColor TimelineHues::fill(Timeline::Kind const& kind) const {
  return Theme::mix(hue(kind), theme_.inset, kind.stall ? 0.1 : kind.hatched ? 0.5 : 0.8);
}

QColor TimelineHues::mark(Timeline::Kind const& kind) const {
  return Theme::mix(hue(kind), theme_.inset, kind.stall ? 0.45 : kind.hatched ? 0.65 : 0.9);
}

QColor TimelineHues::ink_on(Timeline::Kind const& kind) const {
  if (kind.stall) return Theme::mix(hue(kind), theme_.text1, 0.5);
  double ground = luminance(fill(kind));
  auto contrast = [&](QColor const& ink) {
    double other = luminance(ink);
    return (std::max(ground, other) + 0.05) / (std::min(ground, other) + 0.05);
  };
  return contrast(theme_.ink) > contrast(theme_.on_ink) ? theme_.ink : theme_.on_ink;
}

QBrush const& TimelineHues::hatch(QColor const& colour, double unit) const {
  auto [at, added] = hatches_.try_emplace({colour.rgba(), unit});
  if (!added) return at->second;
  // Twice as many pixels as are seen: the lines stay smooth.
  int side = int(std::ceil(kPitch * unit * 2));
  QPixmap tile(side, side);
  tile.fill(Qt::transparent);
  QPainter painter(&tile);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colour, side * 0.26));
  for (int shift : {-side, 0, side})
    painter.drawLine(QPointF(shift - 2, side + 2), QPointF(shift + side + 2, -2));
  painter.end();
  QBrush brush(tile);
  brush.setTransform(QTransform::fromScale(kPitch / side, kPitch / side));
  return at->second = brush;
}

void TimelineHues::block(QPainter& painter, QRectF const& rect, Timeline::Kind const& kind) const {
  // Corners and smooth edges cost too much for thousands that nobody sees them on.
  bool round = rect.width() >= 6;
  auto draw = [&](QBrush const& brush) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(brush);
    if (round)
      painter.drawRoundedRect(rect, 3, 3);
    else
      painter.fillRect(rect, brush);
  };
  if (!round) painter.setRenderHint(QPainter::Antialiasing, false);
  draw(fill(kind));
  if (kind.stall || kind.hatched)
    draw(hatch(Theme::mix(hue(kind), theme_.inset, kind.stall ? 0.45 : 0.85),
               painter.transform().m11() * painter.device()->devicePixelRatioF()));
  painter.setRenderHint(QPainter::Antialiasing);
}

}  // namespace tw
