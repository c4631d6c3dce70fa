#include "engine/session/views/fusion_rows.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "engine/session/views/graph_groups.h"
#include "engine/session/views/graph_pairs.h"

namespace tw::session {
namespace {

/// A block of more operators is shown by its parts, and what is in no block in rows of so many.
constexpr int kMostInRow = 12;
/// A block of fewer stands among what is in none.
constexpr int kLeastInRow = 3;

using Indices = std::unordered_map<int, int>;

template <typename Range>
Indices indices_by_id(Range const& range) {
  Indices indices;
  for (size_t i = 0; i < range.size(); ++i) indices.emplace(range[i].id, int(i));
  return indices;
}

int known(Indices const& indices, int id) {
  auto found = indices.find(id);
  return found == indices.end() ? -1 : found->second;
}

/// Indices of the operators that an input of the model leads to, in their order; of a model without
/// inputs all.
std::vector<int> fed_by_inputs(GraphView const& graph) {
  Indices index = indices_by_id(graph.nodes_before);
  std::unordered_map<int, std::vector<int>> readers;
  for (GraphEdgeView const& edge : graph.edges_before)
    if (int to = known(index, edge.to); to >= 0) readers[known(index, edge.from)].push_back(to);
  std::vector<int> way = readers[-1];
  std::set<int> fed(way.begin(), way.end());
  for (size_t next = 0; next < way.size(); ++next)
    for (int reader : readers[way[next]])
      if (fed.insert(reader).second) way.push_back(reader);
  if (fed.empty())
    for (size_t i = 0; i < graph.nodes_before.size(); ++i) fed.insert(int(i));
  return {fed.begin(), fed.end()};
}

/// The rows with their operators.
class Rows {
public:
  explicit Rows(GraphView const& graph) : graph_(graph), nodes_(fed_by_inputs(graph)) {
    std::vector<GroupItem> items;
    Indices item_of;
    for (int node : nodes_) {
      GraphNodeView const& one = graph.nodes_before[size_t(node)];
      item_of[one.id] = int(items.size());
      items.push_back({one.name, one.shape});
    }
    std::vector<std::pair<int, int>> edges;
    for (GraphEdgeView const& edge : graph.edges_before)
      if (int to = known(item_of, edge.to); to >= 0)
        edges.emplace_back(known(item_of, edge.from), to);
    tree_ = group_items(items, edges);
    row_of.assign(graph.nodes_before.size(), -1);
  }

  std::vector<FusedRow> run() {
    for (size_t i = 0; i < nodes_.size(); ++i) put(int(i));
    for (FusedRow& row : rows_)
      if (row.title.empty()) row.title = names_of(row);
    return std::move(rows_);
  }
  std::vector<int> row_of;  ///< of each node before; -1: in none

private:
  void put(int item) {
    int group = block_of(item);
    auto known_row = group < 0 ? row_of_block_.end() : row_of_block_.find(group);
    bool goes_on = group < 0 && loose_ && int(rows_.back().operators.size()) < kMostInRow;
    if (known_row == row_of_block_.end() && !goes_on) {
      rows_.push_back({group < 0 ? "" : tree_.groups[size_t(group)].name, {}, {}});
      if (group >= 0) row_of_block_[group] = int(rows_.size()) - 1;
    }
    loose_ = group < 0;
    int row = known_row == row_of_block_.end() ? int(rows_.size()) - 1 : known_row->second;
    rows_[size_t(row)].operators.push_back({nodes_[size_t(item)]});
    row_of[size_t(nodes_[size_t(item)])] = row;
  }

  /// The outermost group around an operator that is no larger than a row; -1: there is none.
  int block_of(int item) const {
    int block = -1, innermost = tree_.group_of[size_t(item)];
    for (int g = innermost; g >= 0; g = tree_.groups[size_t(g)].parent)
      if (int count = tree_.groups[size_t(g)].items; count <= kMostInRow && count >= kLeastInRow)
        block = g;
    return block;
  }

  std::string names_of(FusedRow const& row) const {
    std::string const& first = graph_.nodes_before[size_t(row.operators.front().node)].name;
    std::string const& last = graph_.nodes_before[size_t(row.operators.back().node)].name;
    return row.operators.size() == 1 ? first : first + " to " + last;
  }

  GraphView const& graph_;
  std::vector<int> nodes_;
  ItemGroups tree_;
  std::vector<FusedRow> rows_;
  std::unordered_map<int, int> row_of_block_;
  bool loose_ = false;  ///< the last one is in no block
};

/// Bytes that are written and read between those that `at` tells apart: the maker of a value once,
/// and each of its readers.
template <typename At, typename Note>
void count_moved(std::vector<GraphEdgeView> const& edges, At const& at, Note const& note) {
  std::set<std::pair<int, std::string>> written, read;
  for (GraphEdgeView const& edge : edges) {
    int from = at(edge.from), to = at(edge.to);
    if (from >= 0 && from == to) continue;
    if (from >= 0 && written.emplace(from, edge.value).second) note(from, edge.bytes);
    if (to >= 0 && read.emplace(to, edge.value).second) note(to, edge.bytes);
  }
}

class Filling {
public:
  Filling(GraphView const& graph, FusionRows& made, std::vector<int> const& row_of)
      : graph_(graph), made_(made), row_of_(row_of) {}

  void run() {
    link_operators();
    place_kernels();
    link_kernels();
    for (FusedRow const& row : made_.rows) {
      made_.operators += int(row.operators.size());
      made_.moved_before += row.moved_before;
      made_.moved_after += row.moved_after;
    }
    made_.left_out = int(graph_.nodes_before.size()) - made_.operators;
  }

private:
  struct Place {
    int row = -1, in_row = -1;
  };

  void link_operators() {
    Indices index = indices_by_id(graph_.nodes_before);
    std::vector<Place> places(row_of_.size());
    for (size_t r = 0; r < made_.rows.size(); ++r)
      for (size_t i = 0; i < made_.rows[r].operators.size(); ++i)
        places[size_t(made_.rows[r].operators[i].node)] = {int(r), int(i)};
    for (GraphEdgeView const& edge : graph_.edges_before) {
      int to = known(index, edge.to), from = known(index, edge.from);
      if (to < 0 || row_of_[size_t(to)] < 0) continue;
      if (from >= 0 && row_of_[size_t(from)] < 0) continue;  // as a weight
      Place place = places[size_t(to)], source = from < 0 ? Place() : places[size_t(from)];
      FusedOperator& reader = made_.rows[size_t(place.row)].operators[size_t(place.in_row)];
      if (source.row != place.row)
        reader.from_outside = true;
      else if (std::ranges::find(reader.reads, source.in_row) == reader.reads.end())
        reader.reads.push_back(source.in_row);
    }
    auto is_weight = [&](GraphEdgeView const& edge) {
      int from = known(index, edge.from);
      return from >= 0 && row_of_[size_t(from)] < 0;
    };
    std::vector<GraphEdgeView> edges;
    std::ranges::remove_copy_if(graph_.edges_before, std::back_inserter(edges), is_weight);
    count_moved(
        edges, [&](int id) { return known(index, id); },
        [&](int node, int64_t bytes) {
          made_.rows[size_t(row_of_[size_t(node)])].moved_before += bytes;
        });
  }

  /// Where most of its operators were; one that passes made stands with the kernel before it.
  void place_kernels() {
    NodePairs pairs = pair_nodes(graph_);
    Indices before = indices_by_id(graph_.nodes_before);
    int last = 0;
    for (size_t g = 0; g < graph_.groups.size(); ++g) {
      std::map<int, int> votes;
      for (int node : graph_.groups[g].nodes) {
        if (auto found = pairs.before.find(node); found != pairs.before.end())
          for (int id : found->second)
            if (int row = row_of_[size_t(known(before, id))]; row >= 0) ++votes[row];
        of_node_[node] = int(g);
      }
      auto most = std::ranges::max_element(votes, {}, &std::pair<int const, int>::second);
      last = most == votes.end() ? last : most->first;
      if (made_.rows.empty()) return;
      std::vector<FusedKernel>& kernels = made_.rows[size_t(last)].kernels;
      places_.push_back({last, int(kernels.size())});
      kernels.push_back({int(g)});
    }
  }

  void link_kernels() {
    count_moved(
        graph_.edges, [&](int node) { return known(of_node_, node); },
        [&](int group, int64_t bytes) {
          kernel_at(group).moved += bytes;
          made_.rows[size_t(places_[size_t(group)].row)].moved_after += bytes;
        });
    for (GraphEdgeView const& edge : graph_.edges) {
      int from = known(of_node_, edge.from), to = known(of_node_, edge.to);
      if (from < 0 || to < 0 || from == to) continue;
      Place source = places_[size_t(from)], place = places_[size_t(to)];
      if (source.row != place.row) continue;
      std::vector<int>& reads = kernel_at(to).reads;
      if (std::ranges::find(reads, source.in_row) == reads.end()) reads.push_back(source.in_row);
      std::vector<std::string>& reasons = made_.rows[size_t(place.row)].reasons;
      if (!edge.reason.empty() && std::ranges::find(reasons, edge.reason) == reasons.end())
        reasons.push_back(edge.reason);
    }
  }

  FusedKernel& kernel_at(int group) {
    Place place = places_[size_t(group)];
    return made_.rows[size_t(place.row)].kernels[size_t(place.in_row)];
  }

  GraphView const& graph_;
  FusionRows& made_;
  std::vector<int> const& row_of_;
  Indices of_node_;            ///< the group that runs a node, by the node's id
  std::vector<Place> places_;  ///< of groups
};

}  // namespace

FusionRows fusion_rows(GraphView const& graph) {
  FusionRows made;
  if (graph.nodes_before.empty()) return made;
  Rows rows(graph);
  made.rows = rows.run();
  Filling(graph, made, rows.row_of).run();
  return made;
}

}  // namespace tw::session
