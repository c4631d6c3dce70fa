// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/history_layout.h"

#include <algorithm>

namespace tw {

namespace {

constexpr int kShortestFold = 4;

class Layout {
public:
  Layout(session::HistoryView const& view, std::set<int> const& keep, std::set<int> const& unfolded,
         std::set<int> const* only)
      : view_(view), keep_(keep), unfolded_(unfolded), only_(only), children_(view.nodes.size()) {
    size_t count = view.nodes.size();
    result_.places.resize(count);
    result_.from.assign(count, -1);
    result_.on_path.assign(count, false);
    left_out_.assign(count, only != nullptr);
    if (only) keep_ways_to(*only);
    for (size_t i = 1; i < count; ++i)
      if (!left_out_[i]) children_[size_t(view.nodes[i].parent)].push_back(int(i));
    for (int id = view.current; id >= 0; id = view.nodes[size_t(id)].parent)
      result_.on_path[size_t(id)] = true;
    // The schedule by rule is there from the start: hand steps take the upper lane, it goes below.
    for (auto& list : children_)
      std::ranges::stable_sort(list, {}, [&](int id) { return is_by_rule(id); });
  }

  HistoryLayout run() {
    if (view_.nodes.empty()) return result_;
    // Branches wait with the lane of the branch that they leave; the last one that was met comes
    // first, so that its sub-branches stay near to it.
    struct Branch {
      int node, from_column, from_lane;
    };
    std::vector<Branch> waiting{{0, -1, 0}};
    while (!waiting.empty()) {
      Branch branch = waiting.back();
      waiting.pop_back();
      std::vector<int> chain = chain_from(branch.node);
      int column = place_columns(chain, branch.from_column + 1);
      int lane = free_lane(branch.from_lane, branch.from_column, column, branch.from_column >= 0);
      for (int id : chain) result_.places[size_t(id)].lane = lane;
      for (HistoryFold& fold : result_.folds)
        if (std::ranges::find(chain, fold.first) != chain.end()) fold.lane = lane;
      for (size_t i = chain.size(); i-- > 0;) {
        auto const& list = children_[size_t(chain[i])];
        for (size_t k = list.size(); k-- > 0;)
          if (goes_on(chain, i) != list[k])
            waiting.push_back({list[k], result_.places[size_t(chain[i])].column, lane});
      }
      result_.columns = std::max(result_.columns, column + 1);
      result_.lanes = std::max(result_.lanes, lane + 1);
    }
    // What is left out stands where its track would leave: nothing is drawn of it.
    for (size_t i = 1; i < left_out_.size(); ++i)
      if (left_out_[i]) {
        result_.places[i] = result_.places[size_t(view_.nodes[i].parent)];
        result_.places[i].shown = false;
      }
    return result_;
  }

private:
  void keep_ways_to(std::set<int> const& wanted) {
    auto keep = [&](int id) {
      for (; id >= 0 && left_out_[size_t(id)]; id = view_.nodes[size_t(id)].parent)
        left_out_[size_t(id)] = false;
    };
    for (int id : wanted)
      if (id >= 0 && size_t(id) < left_out_.size()) keep(id);
    keep(view_.current);
  }
  bool is_by_rule(int id) const { return view_.nodes[size_t(id)].label == "default"; }
  static int goes_on(std::vector<int> const& chain, size_t i) {
    return i + 1 < chain.size() ? chain[i + 1] : -1;
  }

  /// A node and its first children: one straight track.
  std::vector<int> chain_from(int id) const {
    std::vector<int> chain{id};
    while (!children_[size_t(id)].empty() && !is_by_rule(children_[size_t(id)].front())) {
      id = children_[size_t(id)].front();
      chain.push_back(id);
    }
    return chain;
  }

  bool may_fold(int id) const {
    if (only_)
      return children_[size_t(id)].size() == 1 && id != 0 && id != view_.current &&
             !only_->contains(id);
    return children_[size_t(id)].size() == 1 && !result_.on_path[size_t(id)] &&
           !keep_.contains(id) && id != 0;
  }

  /// Columns of the chain's stations, runs that nobody needs to see as one; the last column.
  int place_columns(std::vector<int> const& chain, int column) {
    for (size_t i = 0; i < chain.size();) {
      size_t end = i;
      while (end < chain.size() && may_fold(chain[end])) ++end;
      auto length = int(end - i);
      if (length >= (only_ ? 1 : kShortestFold) && !unfolded_.contains(chain[i])) {
        result_.folds.push_back({chain[i], chain[end - 1], length, column, 0});
        for (; i < end; ++i) {
          result_.places[size_t(chain[i])] = {column, 0, false};
          result_.from[size_t(chain[i])] = view_.nodes[size_t(chain[i])].parent;
        }
        ++column;
        continue;
      }
      for (end = std::max(end, i + 1); i < end; ++i) {
        result_.places[size_t(chain[i])] = {column++, 0, true};
        result_.from[size_t(chain[i])] = view_.nodes[size_t(chain[i])].parent;
      }
    }
    return column - 1;
  }

  /// The nearest lane below in which nothing stands from the column where the branch leaves to its
  /// end.
  int free_lane(int above, int from, int to, bool below) {
    int lane = below ? above + 1 : above;
    auto crosses = [&](std::pair<int, int> const& taken) {
      return taken.first <= to && from <= taken.second;
    };
    for (;; ++lane) {
      if (size_t(lane) >= taken_.size()) taken_.resize(size_t(lane) + 1);
      if (std::ranges::none_of(taken_[size_t(lane)], crosses)) break;
    }
    taken_[size_t(lane)].push_back({from, to});
    return lane;
  }

  session::HistoryView const& view_;
  std::set<int> const& keep_;
  std::set<int> const& unfolded_;
  std::set<int> const* only_;
  std::vector<bool> left_out_;
  std::vector<std::vector<int>> children_;
  std::vector<std::vector<std::pair<int, int>>> taken_;
  HistoryLayout result_;
};

}  // namespace

HistoryLayout lay_out_history(session::HistoryView const& view, std::set<int> const& keep,
                              std::set<int> const& unfolded, std::set<int> const* only) {
  return Layout(view, keep, unfolded, only).run();
}

}  // namespace tw
