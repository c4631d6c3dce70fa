#include "engine/session/views/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tw::session {
namespace {

/// A node or the placeholder of a long edge in one layer.
struct Cell {
  int node = -1;
  double width = 0, height = 0, x = 0;
  int layer = 0;
  double rank = 0;
  std::vector<int> above, below;
};

std::vector<int> layers_of(Layout const& layout) {
  std::vector<int> waiting(layout.nodes.size(), 0), layer(layout.nodes.size(), 0);
  std::vector<std::vector<int>> out(layout.nodes.size());
  for (LayoutEdge const& edge : layout.edges) {
    if (edge.from == edge.to) continue;
    out[size_t(edge.from)].push_back(edge.to);
    ++waiting[size_t(edge.to)];
  }
  std::vector<int> ready;
  for (size_t i = 0; i < waiting.size(); ++i)
    if (waiting[i] == 0) ready.push_back(int(i));
  bool entered =
      std::ranges::find(layout.nodes, LayoutPin::kFirst, &LayoutNode::pin) != layout.nodes.end();
  for (int source : ready)
    layer[size_t(source)] =
        entered && layout.nodes[size_t(source)].pin != LayoutPin::kFirst ? 1 : 0;
  std::vector<char> tail(layout.nodes.size(), 0);  // hangs on one consumer, and nothing else on it
  for (int source : ready)
    tail[size_t(source)] = layout.nodes[size_t(source)].pin == LayoutPin::kNone;
  std::vector<int> inputs = waiting;
  for (size_t next = 0; next < ready.size(); ++next)
    for (int to : out[size_t(ready[next])]) {
      layer[size_t(to)] = std::max(layer[size_t(to)], layer[size_t(ready[next])] + 1);
      bool only = inputs[size_t(to)] == 1 && out[size_t(ready[next])].size() == 1;
      tail[size_t(to)] = only && tail[size_t(ready[next])];
      if (--waiting[size_t(to)] == 0) ready.push_back(to);
    }
  // Constants and what is made of them alone stand above their consumer, not all in one row.
  for (auto node = ready.rbegin(); node != ready.rend(); ++node) {
    if (!tail[size_t(*node)] || out[size_t(*node)].empty()) continue;
    int least = layer[size_t(out[size_t(*node)][0])];
    for (int to : out[size_t(*node)]) least = std::min(least, layer[size_t(to)]);
    layer[size_t(*node)] = std::max(layer[size_t(*node)], least - 1);
  }
  int last = 0;
  for (size_t i = 0; i < layer.size(); ++i)
    if (layout.nodes[i].pin != LayoutPin::kLast) last = std::max(last, layer[i] + 1);
  for (size_t i = 0; i < layer.size(); ++i)
    if (layout.nodes[i].pin == LayoutPin::kLast) layer[i] = last;
  return layer;
}

class Layering {
public:
  Layering(Layout& layout, LayoutOptions const& options) : layout_(layout), options_(options) {}

  bool run() { return build() && order() && place() && route(); }

private:
  bool stopped() const { return options_.stop.stop_requested(); }

  /// One more of the passes over it is done. False: no more is wanted.
  bool went_over(std::vector<int> const& row) {
    done_ += int64_t(row.size());
    if (options_.progress) options_.progress({"layout", done_, total_});
    return !stopped();
  }
  /// Down all rows and up again, as often as is asked for.
  template <typename Pass>
  bool sweep(Pass pass) {
    for (int again = 0; again < options_.sweeps; ++again) {
      for (size_t l = 1; l < rows_.size(); ++l)
        if (pass(rows_[l], true); !went_over(rows_[l])) return false;
      for (size_t l = rows_.size() - 1; l-- > 0;)
        if (pass(rows_[l], false); !went_over(rows_[l])) return false;
    }
    return true;
  }

  bool build() {
    std::vector<int> layer = layers_of(layout_);
    for (size_t i = 0; i < layout_.nodes.size(); ++i) {
      layout_.nodes[i].layer = layer[i];
      add({int(i), layout_.nodes[i].width, layout_.nodes[i].height, 0, layer[i], 0, {}, {}});
    }
    chains_.resize(layout_.edges.size());
    for (size_t e = 0; e < layout_.edges.size(); ++e) {
      int from = layout_.edges[e].from, to = layout_.edges[e].to;
      if (stopped()) return false;
      if (layer[size_t(from)] >= layer[size_t(to)]) continue;
      int last = from;
      for (int l = layer[size_t(from)] + 1; l < layer[size_t(to)]; ++l) {
        int cell = add({-1, 12, 0, 0, l, 0, {}, {}});
        chains_[e].push_back(cell);
        link(last, cell);
        last = cell;
      }
      link(last, to);
    }
    // Twice so many sweeps: of the order, and of the places.
    for (size_t l = 0; l < rows_.size(); ++l) {
      int64_t ways = (l > 0) + (l + 1 < rows_.size());
      total_ += 2 * options_.sweeps * ways * int64_t(rows_[l].size());
    }
    return !stopped();
  }

  int add(Cell cell) {
    if (rows_.size() <= size_t(cell.layer)) rows_.resize(size_t(cell.layer) + 1);
    rows_[size_t(cell.layer)].push_back(int(cells_.size()));
    cells_.push_back(std::move(cell));
    return int(cells_.size()) - 1;
  }
  void link(int above, int below) {
    cells_[size_t(above)].below.push_back(below);
    cells_[size_t(below)].above.push_back(above);
  }

  void number(std::vector<int> const& row) {
    for (size_t i = 0; i < row.size(); ++i) cells_[size_t(row[i])].rank = double(i);
  }
  void sort_row(std::vector<int>& row, bool by_above) {
    std::vector<std::pair<double, int>> keyed;
    for (int cell : row) {
      auto const& near = by_above ? cells_[size_t(cell)].above : cells_[size_t(cell)].below;
      double key = cells_[size_t(cell)].rank;
      if (!near.empty()) {
        key = 0;
        for (int other : near) key += cells_[size_t(other)].rank;
        key /= double(near.size());
      }
      keyed.push_back({key, cell});
    }
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](auto const& a, auto const& b) { return a.first < b.first; });
    for (size_t i = 0; i < row.size(); ++i) row[i] = keyed[i].second;
    number(row);
  }
  bool order() {
    for (auto const& row : rows_) number(row);
    return sweep([this](std::vector<int>& row, bool down) { sort_row(row, down); });
  }

  double wanted(Cell const& cell, bool by_above) const {
    auto const& near = by_above ? cell.above : cell.below;
    if (near.empty()) return cell.x + cell.width / 2;
    double sum = 0;
    for (int other : near) sum += cells_[size_t(other)].x + cells_[size_t(other)].width / 2;
    return sum / double(near.size());
  }
  /// Moves each cell of a row towards its neighbours, keeping order and gaps.
  void relax(std::vector<int> const& row, bool by_above) {
    std::vector<double> goal;
    for (int cell : row)
      goal.push_back(wanted(cells_[size_t(cell)], by_above) - cells_[size_t(cell)].width / 2);
    std::vector<double> left = goal, right = goal;
    for (size_t i = 1; i < row.size(); ++i)
      left[i] =
          std::max(goal[i], left[i - 1] + cells_[size_t(row[i - 1])].width + options_.node_gap);
    for (size_t i = row.size() - 1; i-- > 0;)
      right[i] = std::min(goal[i], right[i + 1] - cells_[size_t(row[i])].width - options_.node_gap);
    for (size_t i = 0; i < row.size(); ++i) cells_[size_t(row[i])].x = (left[i] + right[i]) / 2;
    for (size_t i = 1; i < row.size(); ++i) {
      Cell& cell = cells_[size_t(row[i])];
      Cell const& before = cells_[size_t(row[i - 1])];
      cell.x = std::max(cell.x, before.x + before.width + options_.node_gap);
    }
  }

  bool place() {
    for (auto const& row : rows_) {
      double x = 0;
      for (int cell : row) {
        cells_[size_t(cell)].x = x;
        x += cells_[size_t(cell)].width + options_.node_gap;
      }
    }
    if (!sweep([this](std::vector<int>& row, bool down) { relax(row, down); })) return false;
    take_places();
    return true;
  }

  void take_places() {
    double least = 0;
    for (Cell const& cell : cells_) least = std::min(least, cell.x);
    tops_.clear();
    double y = 0;
    for (auto const& row : rows_) {
      double height = 0;
      for (int cell : row) height = std::max(height, cells_[size_t(cell)].height);
      tops_.push_back(y);
      heights_.push_back(height);
      y += height + options_.layer_gap;
    }
    layout_.width = layout_.height = 0;
    for (Cell& cell : cells_) {
      cell.x -= least;
      if (cell.node < 0) continue;
      LayoutNode& node = layout_.nodes[size_t(cell.node)];
      node.x = cell.x;
      node.y = tops_[size_t(cell.layer)] + (heights_[size_t(cell.layer)] - node.height) / 2;
      layout_.width = std::max(layout_.width, node.x + node.width);
      layout_.height = std::max(layout_.height, node.y + node.height);
    }
  }

  bool route() {
    for (size_t e = 0; e < layout_.edges.size(); ++e) {
      if (stopped()) return false;
      LayoutEdge& edge = layout_.edges[e];
      LayoutNode const& from = layout_.nodes[size_t(edge.from)];
      LayoutNode const& to = layout_.nodes[size_t(edge.to)];
      double x = from.x + (edge.from_at < 0 ? from.width / 2 : edge.from_at);
      double end = to.x + (edge.to_at < 0 ? to.width / 2 : edge.to_at);
      edge.points = {{x, from.y + from.height}};
      for (int cell : chains_[e]) {
        double through = cells_[size_t(cell)].x + cells_[size_t(cell)].width / 2;
        bend(edge, through, tops_[size_t(cells_[size_t(cell)].layer)] - options_.layer_gap / 2);
      }
      bend(edge, end, tops_[size_t(to.layer)] - options_.layer_gap / 2);
      edge.points.push_back({end, to.y});
      for (auto const& point : edge.points) layout_.width = std::max(layout_.width, point.first);
    }
    return true;
  }
  static void bend(LayoutEdge& edge, double x, double y) {
    if (std::abs(edge.points.back().first - x) < 0.5) return;
    edge.points.push_back({edge.points.back().first, y});
    edge.points.push_back({x, y});
  }

  Layout& layout_;
  LayoutOptions const& options_;
  std::vector<Cell> cells_;
  std::vector<std::vector<int>> rows_;
  std::vector<std::vector<int>> chains_;
  std::vector<double> tops_, heights_;
  int64_t done_ = 0, total_ = 0;
};

}  // namespace

bool lay_out(Layout& layout, LayoutOptions const& options) {
  return layout.nodes.empty() || Layering(layout, options).run();
}

}  // namespace tw::session
