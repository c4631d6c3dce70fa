#include "engine/support/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/support/base/error.h"
#include "engine/support/markup.h"

namespace tw {
namespace {

/// Sizes in logical pixels; letters are about 6.6 wide.
constexpr double kWidth = 380, kHeight = 250, kLeft = 62, kRight = 18, kTop = 34, kBottom = 48;
constexpr double kLetter = 6.6, kMargin = 18, kHead = 58, kLegend = 22;
constexpr size_t kInRow = 3;
constexpr int kTicks = 5;
constexpr char const* kColours[] = {"#0A94E8", "#9C4504", "#01816B", "#D159AA",
                                    "#300D7F", "#A28F25", "#424B5B", "#5B050E"};

std::string text_at(double x, double y, std::string const& text, std::string const& how = {}) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y,
                     how.empty() ? "" : " ", how, escaped_markup(text));
}

std::string head(double width, double height, std::string const& title,
                 std::string const& sentence) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n<title>{2}</title>\n"
      "<style>text{{font:12px 'Inter','DejaVu Sans',sans-serif;fill:#434C59}}"
      ".title{{font-size:16px;font-weight:600;fill:#14181F}}"
      ".panel{{font-weight:600;fill:#14181F}}.grid{{stroke:#E3E6EB}}.axis{{stroke:#76808F}}"
      ".line{{fill:none;stroke-width:2;stroke-linejoin:round}}.band{{opacity:.14}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n",
      width, height, escaped_markup(title));
  svg += text_at(kMargin, 28, title, "class=\"title\"");
  return svg + text_at(kMargin, 48, sentence);
}

/// A step of 1, 2 or 5 times a power of ten, so that about `count` fit.
double round_step(double span, int count) {
  double rough = span / count, power = std::pow(10, std::floor(std::log10(rough)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

struct Scale {
  double least = 0, most = 1, from = 0, to = 1;  ///< values, and where they are drawn
  bool doubling = false;
  double at(double value) const {
    double share = doubling ? std::log2(value / least) / std::log2(most / least)
                            : (value - least) / (most - least);
    return from + share * (to - from);
  }
};

/// Over all bands and levels, out to round numbers.
Scale values_of(LineChart const& chart, double from, double to) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  auto take = [&](std::vector<double> const& values) {
    for (double value : values)
      if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value);
  };
  for (ChartPanel const& panel : chart.panels) {
    if (panel.level) take({*panel.level});
    for (ChartSeries const& one : panel.series) take(one.middle), take(one.low), take(one.high);
  }
  if (!(least <= most)) least = 0, most = 1;
  if (chart.y_least) least = std::max(least, std::min(*chart.y_least, most));
  if (least == most) least -= 0.5, most += 0.5;
  double step = round_step(most - least, kTicks);
  // A step that fits all but exactly is no further one.
  return {std::floor(least / step + 1e-9) * step, std::ceil(most / step - 1e-9) * step, from, to};
}

std::string tick_text(double value, double step) {
  int digits = std::max(0, int(std::ceil(-std::log10(step) - 1e-9)));
  return fmt::format("{:.{}f}", std::abs(value) < step / 2 ? 0.0 : value, digits);
}

/// Numbers of trials that are written out.
std::vector<double> steps_of(Scale const& x) {
  std::vector<double> steps = {1};
  if (x.doubling)
    for (double value = 2; value <= x.most; value *= 2) steps.push_back(value);
  double step = std::max(1.0, round_step(x.most, kTicks));
  for (double value = step; !x.doubling && value <= x.most; value += step)
    if (value > 1) steps.push_back(value);
  return steps;
}

std::string axes(Scale const& x, Scale const& y, LineChart const& chart) {
  std::string svg;
  double step = round_step(y.most - y.least, kTicks);
  for (double value = y.least; value <= y.most + step / 2; value += step) {
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", x.from,
        y.at(value), x.to, y.at(value));
    svg += text_at(x.from - 6, y.at(value) + 4, tick_text(value, step), "text-anchor=\"end\"");
  }
  for (double value : steps_of(x))
    svg +=
        text_at(x.at(value), y.from + 16, fmt::format("{:.0f}", value), "text-anchor=\"middle\"");
  svg += fmt::format(
      "<line class=\"axis\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", x.from,
      y.from, x.to, y.from);
  svg += text_at((x.from + x.to) / 2, y.from + 36, chart.x_label, "text-anchor=\"middle\"");
  double middle = (y.from + y.to) / 2;
  return svg + text_at(x.from - 48, middle, chart.y_label,
                       fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 {:.1f} {:.1f})\"",
                                   x.from - 48, middle));
}

/// Points of a path, from left to right or back.
std::string path(Scale const& x, Scale const& y, std::vector<double> const& values, bool back) {
  std::string points;
  for (size_t i = 0; i < values.size(); ++i) {
    size_t at = back ? values.size() - 1 - i : i;
    if (!std::isfinite(values[at])) continue;
    points += fmt::format("{}{:.1f},{:.1f} ", points.empty() && !back ? "M" : "L",
                          x.at(double(at + 1)), y.at(values[at]));
  }
  return points;
}

std::string series(Scale const& x, Scale const& y, ChartSeries const& one,
                   std::string const& colour) {
  std::string svg;
  if (!one.low.empty() && one.low.size() == one.high.size())
    svg += fmt::format("<path class=\"band\" fill=\"{}\" d=\"{}{}Z\"/>\n", colour,
                       path(x, y, one.high, false), path(x, y, one.low, true));
  return svg + fmt::format("<path class=\"line\" stroke=\"{}\"{} d=\"{}\"/>\n", colour,
                           one.dashed ? " stroke-dasharray=\"6 4\"" : "",
                           path(x, y, one.middle, false));
}

/// Names in the order in which they are met, each once.
std::vector<ChartSeries> legend_of(LineChart const& chart) {
  std::vector<ChartSeries> names;
  for (ChartPanel const& panel : chart.panels)
    for (ChartSeries const& one : panel.series)
      if (std::ranges::find(names, one.name, &ChartSeries::name) == names.end())
        names.push_back({one.name, {}, {}, {}, one.dashed});
  return names;
}

std::string colour_of(std::vector<ChartSeries> const& legend, std::string const& name) {
  auto place = std::ranges::find(legend, name, &ChartSeries::name);
  return kColours[size_t(place - legend.begin()) % std::size(kColours)];
}

std::string panel_svg(LineChart const& chart, ChartPanel const& panel,
                      std::vector<ChartSeries> const& legend, double left, double top) {
  size_t length = 1;
  for (ChartSeries const& one : panel.series) length = std::max(length, one.middle.size());
  Scale x{1, double(std::max<size_t>(length, 2)), left + kLeft, left + kWidth - kRight,
          chart.doubling};
  Scale y = values_of(chart, top + kHeight - kBottom, top + kTop);
  std::string svg = text_at(x.from, top + kTop - 12, panel.title, "class=\"panel\"");
  svg += axes(x, y, chart);
  if (panel.level)
    svg += fmt::format(
               "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
               "stroke=\"#14181F\" stroke-dasharray=\"2 3\"/>\n",
               x.from, y.at(*panel.level), x.to, y.at(*panel.level)) +
           text_at(x.to, y.at(*panel.level) - 4, panel.level_name, "text-anchor=\"end\"");
  // What lies below is cut off; names of paths are those of the whole picture.
  std::string clip = fmt::format("cut{:.0f}-{:.0f}", left, top);
  svg += fmt::format(
      "<clipPath id=\"{}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
      "height=\"{:.1f}\"/></clipPath>\n<g clip-path=\"url(#{})\">\n",
      clip, x.from, y.to - 2, x.to - x.from, y.from - y.to + 2, clip);
  for (ChartSeries const& one : panel.series) svg += series(x, y, one, colour_of(legend, one.name));
  return svg + "</g>\n";
}

std::string legend_svg(std::vector<ChartSeries> const& legend, double width, double& y) {
  std::string svg;
  double x = kMargin;
  for (ChartSeries const& one : legend) {
    double needs = 34 + double(one.name.size()) * kLetter + 18;
    if (x > kMargin && x + needs > width - kMargin) x = kMargin, y += kLegend;
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
        "stroke=\"{}\" stroke-width=\"3\"{}/>\n",
        x, y + 8, x + 26, y + 8, colour_of(legend, one.name),
        one.dashed ? " stroke-dasharray=\"6 4\"" : "");
    svg += text_at(x + 32, y + 12, one.name);
    x += needs;
  }
  y += kLegend;
  return svg;
}

double width_for(std::string const& title, std::string const& sentence, double width) {
  double letters = std::max(double(title.size()) * 1.35, double(sentence.size()));
  return std::max(width, letters * kLetter + 2 * kMargin);
}

}  // namespace

std::string to_svg(LineChart const& chart) {
  std::vector<ChartSeries> legend = legend_of(chart);
  size_t columns = std::clamp<size_t>(chart.panels.size(), 1, kInRow);
  size_t rows = (chart.panels.size() + columns - 1) / columns;
  double width = width_for(chart.title, chart.sentence, double(columns) * kWidth + 2 * kMargin);
  double top = kHead;
  std::string body = legend_svg(legend, width, top);
  for (size_t i = 0; i < chart.panels.size(); ++i)
    body += panel_svg(chart, chart.panels[i], legend, kMargin + double(i % columns) * kWidth,
                      top + double(i / columns) * kHeight);
  double height = top + double(rows) * kHeight + kMargin / 2;
  return head(width, height, chart.title, chart.sentence) + body + "</svg>\n";
}

std::string to_svg(BarChart const& chart) {
  constexpr double kBar = 26;
  double least = std::numeric_limits<double>::infinity(), most = 0, names = 0, words = 0;
  for (ChartBar const& bar : chart.bars) {
    least = std::min(least, bar.value), most = std::max(most, bar.value);
    names = std::max(names, double(bar.name.size()) * kLetter);
    words = std::max(words, double(bar.words.size()) * kLetter);
  }
  double left = kMargin + names + 10, height = kHead + kBar * double(chart.bars.size()) + 46;
  double width = width_for(chart.title, chart.sentence, left + 420 + words + kMargin);
  Scale x{std::floor(std::log10(least)), std::ceil(std::log10(most)) + 1e-9, left, left + 420};
  std::string svg = head(width, height, chart.title, chart.sentence);
  for (double power = x.least; power <= x.most; ++power)
    svg +=
        fmt::format(
            "<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" "
            "y2=\"{2:.1f}\"/>\n",
            x.at(power), kHead, height - 40) +
        text_at(x.at(power), height - 28, fmt::format("{:.0e} {}", std::pow(10, power), chart.unit),
                "text-anchor=\"middle\"");
  for (size_t i = 0; i < chart.bars.size(); ++i) {
    double y = kHead + kBar * double(i), end = x.at(std::log10(chart.bars[i].value));
    svg += text_at(left - 8, y + 17, chart.bars[i].name, "text-anchor=\"end\"");
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"18\" rx=\"3\" "
        "fill=\"{}\"/>\n",
        left, y + 4, std::max(end - left, 2.0), kColours[0]);
    svg += text_at(std::max(end, left + 2) + 8, y + 17, chart.bars[i].words);
  }
  return svg + text_at(left, height - 8, chart.x_label) + "</svg>\n";
}

namespace {

/// Over the powers of two around all values.
Scale doubling_scale(std::vector<ChartPoint> const& points, double ChartPoint::*value, double from,
                     double to) {
  auto [least, most] = std::ranges::minmax(points, {}, value);
  double low = std::exp2(std::floor(std::log2(least.*value)));
  double high = std::exp2(std::ceil(std::log2(most.*value)));
  return {low, std::max(high, 2 * low), from, to, true};
}

std::string power_text(double value) {
  if (value >= 1e6) return fmt::format("{:.3g} M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:.3g} k", value / 1e3);
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string doubling_grid(Scale const& x, Scale const& y) {
  std::string svg;
  auto line = [&](double x1, double y1, double x2, double y2) {
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", x1, y1,
        x2, y2);
  };
  for (double value = x.least; value <= x.most * 1.01; value *= 2) {
    line(x.at(value), y.from, x.at(value), y.to);
    svg += text_at(x.at(value), y.from + 18, power_text(value), "text-anchor=\"middle\"");
  }
  for (double value = y.least; value <= y.most * 1.01; value *= 2) {
    line(x.from, y.at(value), x.to, y.at(value));
    svg += text_at(x.from - 8, y.at(value) + 4, power_text(value), "text-anchor=\"end\"");
  }
  return svg;
}

/// The front as steps: what lies above and to the right of it is beaten.
std::string front_svg(ScatterChart const& chart, Scale const& x, Scale const& y) {
  std::vector<ChartPoint> front;
  for (ChartPoint const& one : chart.points)
    if (one.front) front.push_back(one);
  std::ranges::sort(front, {}, &ChartPoint::x);
  std::string steps;
  for (ChartPoint const& one : front)
    steps += steps.empty() ? fmt::format("M{:.1f} {:.1f}", x.at(one.x), y.at(one.y))
                           : fmt::format("H{:.1f}V{:.1f}", x.at(one.x), y.at(one.y));
  return fmt::format("<path class=\"line\" d=\"{}\" stroke=\"{}\"/>\n", steps, kColours[1]);
}

}  // namespace

std::string to_svg(ScatterChart const& chart) {
  constexpr double kSide = 760, kUpright = 420, kLabels = 70;
  TW_ASSERT(!chart.points.empty(), "a chart shows something");
  double width = width_for(chart.title, chart.sentence, kLabels + kSide + 2 * kMargin);
  double bottom = kHead + 20 + kUpright;
  Scale x =
      doubling_scale(chart.points, &ChartPoint::x, kMargin + kLabels, kMargin + kLabels + kSide);
  Scale y = doubling_scale(chart.points, &ChartPoint::y, bottom, kHead + 20);
  std::string svg = head(width, bottom + 52, chart.title, chart.sentence) + doubling_grid(x, y);
  svg += front_svg(chart, x, y) + text_at(x.from, kHead + 10, chart.y_label);
  for (ChartPoint const& one : chart.points)
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"><title>{}</title></circle>\n",
        x.at(one.x), y.at(one.y), one.front ? 5 : 3, kColours[one.front ? 1 : 0],
        escaped_markup(one.words));
  return svg + text_at(x.to, bottom + 40, chart.x_label, "text-anchor=\"end\"") + "</svg>\n";
}

}  // namespace tw
