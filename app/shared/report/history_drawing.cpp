#include <fmt/format.h>

#include <algorithm>

#include "app/shared/report/drawings.h"
#include "app/shared/report/markup.h"
#include "engine/session/modelled_speed.h"
#include "engine/support/base/quantities.h"

namespace tw::report {
namespace {

using session::HistoryNodeView;
using session::HistoryView;

constexpr double kPitch = 136, kTrack = 74;

struct Station {
  int column = 0, row = 0;
};

/// The way to the current step goes straight on, and elsewhere the first step after another; every
/// other one begins a row.
std::vector<Station> stations_of(HistoryView const& history, std::vector<int> const& path) {
  std::vector<Station> stations(history.nodes.size());
  std::vector<bool> goes_on(history.nodes.size(), false);
  for (size_t i = 0; i + 1 < path.size(); ++i) goes_on[size_t(path[i])] = true;
  int rows = 1;
  for (HistoryNodeView const& node : history.nodes) {
    if (node.parent < 0) continue;
    auto parent = size_t(node.parent);
    stations[size_t(node.id)].column = stations[parent].column + 1;
    bool straight = !goes_on[parent] || std::ranges::find(path, node.id) != path.end();
    stations[size_t(node.id)].row = straight ? stations[parent].row : rows++;
    goes_on[parent] = true;
  }
  return stations;
}

std::string class_of(HistoryNodeView const& node, bool on_path, bool current) {
  if (node.verdict == session::Verdict::kWrong) return "wrong";
  if (current) return "now";
  return on_path ? "point" : "hollow";
}

/// What was not measured has the model's number, with the hollow mark of such.
std::string speed_of(HistoryView const& history, HistoryNodeView const& node) {
  if (node.verdict == session::Verdict::kWrong) return "wrong";
  if (!node.failure.empty()) return "no result";
  if (node.speed) return speed_text(*node.speed, history.unit);
  auto modelled = session::modelled_speed(history, node);
  return modelled ? "○ " + speed_text(*modelled, history.unit) : "not measured";
}

/// So many letters as stand above a station.
std::string shortened(std::string label) {
  constexpr size_t kMost = 18;
  if (label.size() <= kMost) return label;
  size_t end = kMost - 1;
  while (end > 0 && (static_cast<unsigned char>(label[end]) & 0xC0) == 0x80) --end;
  return label.substr(0, end) + "…";
}

}  // namespace

std::vector<int> path_of(HistoryView const& history) {
  std::vector<int> path;
  for (int at = history.current; at >= 0; at = history.nodes[size_t(at)].parent) path.push_back(at);
  std::ranges::reverse(path);
  return path;
}

std::string history_drawing(HistoryView const& history) {
  std::vector<int> path = path_of(history);
  std::vector<Station> stations = stations_of(history, path);
  int columns = 0, rows = 0;
  for (Station const& one : stations) {
    columns = std::max(columns, one.column + 1);
    rows = std::max(rows, one.row + 1);
  }
  Drawing drawing(kPitch * columns + 8, kTrack * rows + 8, "History");
  auto x_of = [&](int id) { return kPitch * (stations[size_t(id)].column + 0.5) + 4; };
  auto y_of = [&](int id) { return kTrack * stations[size_t(id)].row + 34; };
  auto on_path = [&](int id) { return std::ranges::find(path, id) != path.end(); };
  for (bool front : {false, true})
    for (HistoryNodeView const& node : history.nodes)
      if (node.parent >= 0 && on_path(node.id) == front)
        drawing.line(x_of(node.parent), y_of(node.parent), x_of(node.id), y_of(node.id),
                     front ? "way" : "branch");
  for (HistoryNodeView const& node : history.nodes) {
    double x = x_of(node.id), y = y_of(node.id);
    bool current = node.id == history.current;
    drawing.circle(x, y, current ? 8 : 6, class_of(node, on_path(node.id), current),
                   node.step.empty() ? node.label : node.step);
    drawing.text(x, y - 14, shortened(node.label), current ? "mono strong" : "mono", "middle");
    drawing.text(x, y + 24, speed_of(history, node), "small", "middle");
  }
  return drawing.done();
}

}  // namespace tw::report
