// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/session/views/graph_columns.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace tw::session {
namespace {

constexpr int kMostColumns = 12;
constexpr double kGutter = 96, kLane = 6;  // between columns; between lines in a gutter
constexpr double kTop = 36, kEntry = 8;    // of the first cards; of the first line to them
constexpr double kExit = 22;               // of a line, below the last cards
constexpr int kLanes = 4;                  // as many as the gap of two layers has room for

struct Band {
  double top = 0, bottom = 0;  ///< of a layer
};

std::vector<Band> bands_of(Layout const& layout) {
  int layers = 0;
  for (LayoutNode const& node : layout.nodes) layers = std::max(layers, node.layer + 1);
  std::vector<Band> bands(size_t(layers), Band{1e300, -1e300});
  for (LayoutNode const& node : layout.nodes) {
    Band& band = bands[size_t(node.layer)];
    band.top = std::min(band.top, node.y);
    band.bottom = std::max(band.bottom, node.y + node.height);
  }
  for (size_t l = 0; l < bands.size(); ++l)  // one that lines alone pass
    if (bands[l].top > bands[l].bottom)
      bands[l].top = bands[l].bottom = l > 0 ? bands[l - 1].bottom : 0;
  return bands;
}

/// The first layer of each column, none of which is taller than `most`.
std::vector<int> columns_within(std::vector<Band> const& bands, double most) {
  std::vector<int> first{0};
  for (size_t l = 1; l < bands.size(); ++l)
    if (bands[l].bottom - bands[size_t(first.back())].top > most) first.push_back(int(l));
  return first;
}

/// The lowest that `count` columns can be.
std::vector<int> columns_of(std::vector<Band> const& bands, int count) {
  double low = 0, high = bands.back().bottom - bands.front().top;
  for (Band const& band : bands) low = std::max(low, band.bottom - band.top);
  while (high - low > 1) {
    double middle = (low + high) / 2;
    (int(columns_within(bands, middle).size()) <= count ? high : low) = middle;
  }
  return columns_within(bands, high);
}

/// A layout in columns that begin with these layers.
class Flow {
public:
  Flow(Layout const& from, std::vector<Band> const& bands, std::vector<int> const& first,
       LayoutOptions const& options)
      : made_(from), gap_(options.layer_gap) {
    for (size_t c = 0; c < first.size(); ++c) {
      size_t last = (c + 1 < first.size() ? size_t(first[c + 1]) : bands.size()) - 1;
      columns_.push_back({bands[size_t(first[c])].top, bands[last].bottom, 1e300, -1e300, 0, {}});
    }
    split();
    place();
    join();
  }
  Layout take() { return std::move(made_); }

private:
  using Point = std::pair<double, double>;
  struct Column {
    double top, bottom, left, right;   ///< as it was
    double x = 0;                      ///< where it stands now
    std::map<double, int> lanes = {};  ///< of lines that go on in the next one, by where they end
  };
  struct Piece {
    size_t column;
    std::vector<Point> points;
  };

  double cut_below(size_t column) const { return columns_[column].bottom + gap_ / 2; }
  size_t column_at(double y) const {
    size_t column = 0;
    while (column + 1 < columns_.size() && y > cut_below(column)) ++column;
    return column;
  }
  void widen(size_t column, double left, double right) {
    columns_[column].left = std::min(columns_[column].left, left);
    columns_[column].right = std::max(columns_[column].right, right);
  }

  /// Lines reach a cut going down, run along it at most, and go on down.
  std::vector<Piece> pieces_of(std::vector<Point> const& points) const {
    std::vector<Piece> pieces;
    for (size_t i = 0; i < points.size(); ++i) {
      if (pieces.empty()) pieces.push_back({column_at(points[0].second), {}});
      Piece* piece = &pieces.back();
      while (piece->column + 1 < columns_.size() &&
             points[i].second >= cut_below(piece->column) - 0.5) {
        double cut = cut_below(piece->column), x = piece->points.back().first;
        piece->points.emplace_back(x, cut);
        for (; i + 1 < points.size() && std::abs(points[i].second - cut) <= 0.5; ++i)
          x = points[i].first;
        pieces.push_back({piece->column + 1, {{x, columns_[piece->column + 1].top - gap_ / 2}}});
        piece = &pieces.back();
      }
      piece->points.push_back(points[i]);
    }
    return pieces;
  }

  void split() {
    for (LayoutNode const& node : made_.nodes)
      widen(column_at(node.y), node.x, node.x + node.width);
    for (LayoutEdge const& edge : made_.edges) {
      bool down = edge.points.size() > 1 && edge.points.front().second <= edge.points.back().second;
      pieces_.push_back(down ? pieces_of(edge.points) : std::vector<Piece>());
      for (size_t i = 0; i < pieces_.back().size(); ++i) {
        Piece const& piece = pieces_.back()[i];
        for (Point const& point : piece.points) widen(piece.column, point.first, point.first);
        if (i + 1 < pieces_.back().size())
          columns_[piece.column].lanes.emplace(piece.points.back().first, 0);
      }
    }
  }

  /// The line that ends furthest right turns first, so that none crosses another in the gutter.
  void place() {
    double x = 0;
    for (Column& column : columns_) {
      int lane = int(column.lanes.size());
      for (auto& [end, number] : column.lanes) number = --lane;
      column.x = x;
      x += column.right - column.left + kGutter;
      x += kLane * std::min(int(column.lanes.size()), kLanes);
    }
    for (LayoutNode& node : made_.nodes) {
      Point at = moved(column_at(node.y), {node.x, node.y});
      node.x = at.first, node.y = at.second;
    }
  }

  Point moved(size_t column, Point point) const {
    Column const& its = columns_[column];
    return {point.first - its.left + its.x, point.second - its.top + kTop};
  }

  void join() {
    made_.width = made_.height = 0;
    for (size_t e = 0; e < made_.edges.size(); ++e) {
      std::vector<Point>& points = made_.edges[e].points;
      if (pieces_[e].empty()) {  // one that does not go down stands where it began
        size_t column = points.empty() ? 0 : column_at(points.front().second);
        for (Point& point : points) point = moved(column, point);
        continue;
      }
      points.clear();
      for (size_t i = 0; i < pieces_[e].size(); ++i) join(points, pieces_[e], i);
    }
    for (LayoutNode const& node : made_.nodes) grow(node.x + node.width, node.y + node.height);
    for (LayoutEdge const& edge : made_.edges)
      for (Point const& point : edge.points) grow(point.first, point.second);
  }
  void grow(double x, double y) {
    made_.width = std::max(made_.width, x);
    made_.height = std::max(made_.height, y);
  }

  void join(std::vector<Point>& points, std::vector<Piece> const& pieces, size_t i) const {
    Piece const& piece = pieces[i];
    Column const& column = columns_[piece.column];
    for (Point const& point : piece.points) points.push_back(moved(piece.column, point));
    auto lane_of = [&](Column const& its, double end) {
      return kLane * (its.lanes.at(end) % kLanes);
    };
    if (i > 0) {  // it comes in from the left of the column, above it
      Piece const& before = pieces[i - 1];
      double lane = lane_of(columns_[before.column], before.points.back().first);
      size_t entry = points.size() - piece.points.size();
      points[entry].second = kEntry + lane;
      points.insert(points.begin() + std::ptrdiff_t(entry),
                    {points[entry - 1].first, points[entry].second});
    }
    if (i + 1 == pieces.size()) return;
    double lane = lane_of(column, piece.points.back().first);
    points.back().second = column.bottom - column.top + kTop + kExit + lane;
    double gutter = column.x + (column.right - column.left) + kGutter / 2 + lane;
    points.emplace_back(gutter, points.back().second);
  }

  Layout made_;
  double gap_;
  std::vector<Column> columns_;
  std::vector<std::vector<Piece>> pieces_;  ///< of each edge
};

}  // namespace

void flow_in_columns(Layout& layout, double room_width, double room_height,
                     LayoutOptions const& options) {
  if (layout.nodes.empty() || room_width <= 0 || room_height <= 0) return;
  auto scale_of = [&](Layout const& made) {
    return std::min({1.0, room_width / made.width, room_height / made.height});
  };
  std::vector<Band> bands = bands_of(layout);
  Layout best = layout;
  for (int count = 2; count <= kMostColumns && scale_of(best) < 1; ++count) {
    std::vector<int> first = columns_of(bands, count);
    if (int(first.size()) < count) break;  // no more columns than layers
    Layout made = Flow(layout, bands, first, options).take();
    if (scale_of(made) > scale_of(best) * 1.02) best = std::move(made);
  }
  layout = std::move(best);
}

}  // namespace tw::session
