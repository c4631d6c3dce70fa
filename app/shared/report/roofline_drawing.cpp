#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/shared/report/drawings.h"
#include "app/shared/report/markup.h"
#include "engine/support/base/quantities.h"

namespace tw::report {
namespace {

constexpr double kWide = 860, kHigh = 420;
constexpr double kLeft = 56, kTop = 16, kRight = 640, kBottom = 372;

/// Both axes in logarithms: FLOP per byte, and speed.
struct Axes {
  double low_x = -4, high_x = 8, low_y = 0, high_y = 3;
  double x(double intensity) const {
    double share = (std::log2(std::max(intensity, 1e-9)) - low_x) / (high_x - low_x);
    return kLeft + (kRight - kLeft) * std::clamp(share, 0.0, 1.0);
  }
  double y(double speed) const {
    double share = (std::log10(std::max(speed, 1e-9)) - low_y) / (high_y - low_y);
    return kBottom - (kBottom - kTop) * std::clamp(share, 0.0, 1.0);
  }
};

Axes axes_of(session::RooflineView const& view, std::vector<PlacedPoint> const& points) {
  double top = 0, bottom = 1, most = std::exp2(8), least = std::exp2(-4);
  for (session::RoofView const& roof : view.roofs)
    if (roof.compute) top = std::max(top, roof.value), bottom = std::min(bottom, roof.value);
  for (PlacedPoint const& one : points) {
    top = std::max(top, one.point.gflops);
    bottom = std::min(bottom, one.point.gflops);
    most = std::max(most, 1.4 * one.point.intensity);
    if (one.point.intensity > 0) least = std::min(least, one.point.intensity / 1.4);
    for (session::RooflineLevel const& level : one.point.levels)
      most = std::max(most, 1.4 * level.intensity);
  }
  Axes axes;
  axes.low_x = std::max(-12.0, std::floor(std::log2(least) / 2) * 2);
  axes.high_x = std::min(16.0, std::ceil(std::log2(most) / 2) * 2);
  axes.high_y = std::log10((top > 0 ? top : 100) * 2.2);
  axes.low_y = std::floor(std::log10(std::max(bottom * 0.7, 1e-3)) * 2) / 2;
  return axes;
}

void draw_axes(Drawing& drawing, Axes const& axes, std::string const& unit) {
  drawing.rect(kLeft, kTop, kRight - kLeft, kBottom - kTop, "inset", 0);
  for (int power = int(axes.low_x); power <= int(axes.high_x); power += 2) {
    double x = axes.x(std::exp2(power));
    drawing.line(x, kTop, x, kBottom, "grid");
    drawing.text(x, kBottom + 16,
                 power < 0 ? fmt::format("1/{}", 1 << -power) : std::to_string(1 << power), "small",
                 "middle");
  }
  for (int power = int(std::ceil(axes.low_y)); power <= axes.high_y; ++power) {
    double y = axes.y(std::pow(10.0, power));
    drawing.line(kLeft, y, kRight, y, "grid");
    drawing.text(kLeft - 8, y + 4, fmt::format("{:g}", std::pow(10.0, power)), "small", "end");
  }
  drawing.text(kRight, kBottom + 34,
               (unit == "GOP/s" ? "operations" : "FLOP") + std::string(" per byte moved"), "small",
               "end");
  drawing.text(kLeft + 6, kTop + 14, unit, "small");
}

/// Names and numbers stand beside the plot, where they cover nothing.
void draw_roofs(Drawing& drawing, Axes const& axes, session::RooflineView const& view) {
  double peak = 0, fastest = 0;
  for (session::RoofView const& roof : view.roofs) {
    double& most = roof.compute ? peak : fastest;
    most = std::max(most, roof.value);
  }
  double y = kTop + 12;
  size_t level = 0;
  for (session::RoofView const& roof : view.roofs) {
    std::string name = roof.compute ? roof.value == peak ? "peak" : "roof"
                                    : fmt::format("level{}", std::min<size_t>(level++, 3));
    if (roof.compute) {
      double knee = fastest > 0 ? roof.value / fastest : std::exp2(axes.low_x);
      drawing.line(axes.x(knee), axes.y(roof.value), kRight, axes.y(roof.value), name);
    } else if (peak > 0) {
      double start =
          std::max(std::exp2(axes.low_x), std::pow(10.0, axes.low_y) / std::max(roof.value, 1e-9));
      drawing.line(axes.x(start), axes.y(roof.value * start), axes.x(peak / roof.value),
                   axes.y(peak), name);
    }
    drawing.line(kRight + 16, y - 4, kRight + 34, y - 4, name);
    drawing.text(
        kRight + 42, y,
        roof.name + " " + speed_text(roof.value, roof.compute ? view.unit : std::string("GB/s")),
        "small");
    y += 18;
  }
  if (view.doubtful) drawing.text(kRight + 16, y + 4, "measured beside other load", "small warn");
}

void draw_points(Drawing& drawing, Axes const& axes, std::vector<PlacedPoint> const& points,
                 std::string const& unit) {
  for (PlacedPoint const& one : points) {
    session::RooflinePoint const& point = one.point;
    double x = axes.x(point.intensity), y = axes.y(point.gflops);
    for (size_t i = 0; point.current && i < point.levels.size(); ++i)
      if (point.levels[i].intensity > 0)
        drawing.diamond(axes.x(point.levels[i].intensity), y, 6,
                        fmt::format("level{} solid", std::min<size_t>(i, 3)),
                        point.levels[i].name + ": " + bytes_text(point.levels[i].bytes));
    std::string said =
        fmt::format("{}: {}, {}, {} per byte", one.title, speed_text(point.gflops, unit),
                    point.measured ? "measured" : "modelled", number_text(point.intensity));
    drawing.circle(x, y, point.current ? 7 : 4.5,
                   point.measured ? point.current ? "now" : "point" : "hollow", said);
  }
}

/// The last steps first; one that would cover another is left out: the table has it.
void draw_labels(Drawing& drawing, Axes const& axes, std::vector<PlacedPoint> const& points) {
  struct Taken {
    double x, y;
  };
  std::vector<Taken> taken;
  for (size_t i = points.size(); i-- > 0;) {
    PlacedPoint const& one = points[i];
    double x = axes.x(one.point.intensity), y = axes.y(one.point.gflops) - 8;
    bool covers = std::ranges::any_of(taken, [&](Taken const& other) {
      return std::abs(other.x - x) < 110 && std::abs(other.y - y) < 14;
    });
    if (one.label.empty() || covers) continue;
    taken.push_back({x, y});
    bool left = x > (kLeft + kRight) / 2;
    drawing.text(left ? x - 12 : x + 12, y, one.label, one.point.current ? "strong" : "small",
                 left ? "end" : "start");
  }
}

}  // namespace

std::string roofline_drawing(session::RooflineView const& view,
                             std::vector<PlacedPoint> const& points, std::string const& unit) {
  Drawing drawing(kWide, kHigh, "Roofline");
  Axes axes = axes_of(view, points);
  draw_axes(drawing, axes, unit);
  draw_roofs(drawing, axes, view);
  for (size_t i = 1; i < points.size(); ++i)
    if (!points[i].label.empty())  // steps, one after the other
      drawing.line(axes.x(points[i - 1].point.intensity), axes.y(points[i - 1].point.gflops),
                   axes.x(points[i].point.intensity), axes.y(points[i].point.gflops), "trail");
  draw_points(drawing, axes, points, unit);
  draw_labels(drawing, axes, points);
  return drawing.done();
}

}  // namespace tw::report
