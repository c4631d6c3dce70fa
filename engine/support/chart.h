/// Curves and bars as an SVG picture: values in, text out, nothing else is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tw {

/// A line over 1, 2, 3, ..., and how far around it values lie. A number that is none leaves a gap.
struct ChartSeries {
  std::string name;
  std::vector<double> middle;
  std::vector<double> low, high;  ///< as many, or empty: no band
  bool dashed = false;
};
/// One pair of axes.
struct ChartPanel {
  std::string title;
  std::vector<ChartSeries> series;   ///< at most eight are told apart
  std::optional<double> level = {};  ///< a horizontal line
  std::string level_name = {};
};
struct LineChart {
  std::string title, sentence;  ///< what it shows, and what follows from it
  std::string x_label, y_label;
  /// Each twice as far as the one before takes as much room: where most happens in the beginning.
  bool doubling = false;
  std::optional<double> y_least = {};  ///< what lies below is cut off
  std::vector<ChartPanel> panels;      ///< beside each other, three in a row; one legend for all
};
std::string to_svg(LineChart const& chart);

/// Lengths on a logarithmic scale, each with its value in words.
struct ChartBar {
  std::string name;
  double value = 0;  ///< above 0
  std::string words;
};
struct BarChart {
  std::string title, sentence, x_label, unit;
  std::vector<ChartBar> bars;
};
std::string to_svg(BarChart const& chart);

/// Points over two logarithmic scales; those of the front, which nothing beats in both, are joined.
struct ChartPoint {
  double x = 0, y = 0;  ///< above 0
  std::string words;    ///< what the pointer reads there
  bool front = false;
};
struct ScatterChart {
  std::string title, sentence, x_label, y_label;
  std::vector<ChartPoint> points;  ///< at least one
};
std::string to_svg(ScatterChart const& chart);

}  // namespace tw
