#include "engine/session/views/graph_groups.h"

#include <algorithm>
#include <map>
#include <set>

namespace tw::session {
namespace {

/// More parts than this in one level are cut again.
constexpr size_t kManyParts = 20, kManyInStage = 12;
/// A stretch of others that is no longer does not end a group: a transposition amid its nodes.
constexpr int kStrayNodes = 2, kStrayParts = 8;
constexpr int kLeastStage = 3, kLeastAlone = 4;

bool is_number(std::string const& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// The last two extents, which a stage of a network has in common: "64x56x56 ABCD16b" gives
/// "56x56".
std::string resolution(std::string const& shape) {
  std::string plain = shape.substr(0, shape.find(' '));
  size_t last = plain.rfind('x');
  size_t second = last == std::string::npos || last == 0 ? last : plain.rfind('x', last - 1);
  return second == std::string::npos ? plain : plain.substr(second + 1);
}

/// A part of a level: one item, or a group; both are a stretch of the order.
struct Child {
  int begin = 0, end = 0;
  bool named = false;  ///< a group by its scope
};
struct Run {
  std::string key;
  int begin = 0, end = 0;  ///< of whatever was given
};

/// Stretches of equal keys; few others between two stretches of one key are taken in.
std::vector<Run> runs_of(std::vector<std::string> const& keys, int stray) {
  std::vector<Run> runs;
  for (int i = 0; i < int(keys.size()); ++i) {
    if (runs.empty() || runs.back().key != keys[size_t(i)])
      runs.push_back({keys[size_t(i)], i, i + 1});
    else
      runs.back().end = i + 1;
  }
  auto size = [](Run const& run) { return run.end - run.begin; };
  std::vector<Run> joined;
  for (Run const& run : runs) {
    size_t from = joined.size();
    int between = 0;
    while (from-- > 0 && joined[from].key != run.key && between <= stray)
      between += size(joined[from]);
    bool found = from < joined.size() && joined[from].key == run.key;
    if (found && !run.key.empty() && between <= stray && size(joined[from]) > between &&
        size(run) > between) {
      joined.resize(from + 1);
      joined[from].end = run.end;
    } else {
      joined.push_back(run);
    }
  }
  return joined;
}

class Grouping {
public:
  Grouping(std::vector<GroupItem> const& items, std::vector<std::pair<int, int>> const& edges)
      : items_(items), in_(items.size()), out_(items.size()), flows_(items.size(), 0) {
    made_.group_of.assign(items.size(), -1);
    for (auto const& [from, to] : edges) {
      if (to < 0 || from == to) continue;
      if (from < 0) {
        flows_[size_t(to)] = 1;
        continue;
      }
      in_[size_t(to)].push_back(from);
      out_[size_t(from)].push_back(to);
    }
    put_in_order();
    mark_flow();
    count_passing();
    adopt_scopes();
  }

  ItemGroups run() {
    int count = int(order_.size()), alone = count;
    while (alone > 0 && is_alone(order_[size_t(alone) - 1])) --alone;
    if (alone == 0 || count - alone < kLeastAlone) alone = count;
    level(0, alone, 0, -1);
    if (alone < count)
      level(alone, count, 0, add_group("constants", "constants", -1, alone, count));
    return std::move(made_);
  }

private:
  /// No edge begins or ends here: what makes constants that no edge shows.
  bool is_alone(int item) const { return alone_[size_t(item)] != 0; }

  /// Every node as late as its first reader wants it: constants stand before what reads them, and
  /// a branch stands together. Those without edges come last.
  void put_in_order() {
    std::vector<char> seen(items_.size(), 0);
    std::vector<std::pair<int, size_t>> stack;
    auto visit = [&](int root) {
      if (seen[size_t(root)]) return;
      seen[size_t(root)] = 1;
      stack.push_back({root, 0});
      while (!stack.empty()) {
        int node = stack.back().first;
        size_t next = stack.back().second++;
        if (next >= in_[size_t(node)].size()) {
          order_.push_back(node);
          stack.pop_back();
        } else if (int from = in_[size_t(node)][next]; !seen[size_t(from)]) {
          seen[size_t(from)] = 1;
          stack.push_back({from, 0});
        }
      }
    };
    alone_.resize(items_.size());
    for (size_t i = 0; i < items_.size(); ++i)
      alone_[i] = in_[i].empty() && out_[i].empty() && !flows_[i];
    for (int i = 0; i < int(items_.size()); ++i)
      if (out_[size_t(i)].empty() && !is_alone(i)) visit(i);
    for (int i = 0; i < int(items_.size()); ++i) visit(i);
    place_.resize(items_.size());
    for (size_t p = 0; p < order_.size(); ++p) place_[size_t(order_[p])] = int(p);
  }

  /// What depends on an input; weights and shapes that are computed do not.
  void mark_flow() {
    bool any = std::ranges::any_of(flows_, [](char flows) { return flows != 0; });
    if (!any) flows_.assign(items_.size(), 1);
    for (int node : order_)
      for (int to : out_[size_t(node)])
        if (flows_[size_t(node)]) flows_[size_t(to)] = 1;
  }

  /// After each place of the order, how many items are read beyond it.
  void count_passing() {
    passing_.assign(order_.size() + 1, 0);
    for (size_t p = 0; p < order_.size(); ++p) {
      if (!flows_[size_t(order_[p])]) continue;
      int last = int(p);
      for (int to : out_[size_t(order_[p])]) last = std::max(last, place_[size_t(to)]);
      if (last == int(p)) continue;
      ++passing_[p];
      --passing_[size_t(last)];
    }
    for (size_t p = 1; p < passing_.size(); ++p) passing_[p] += passing_[p - 1];
  }

  /// What all these nodes have in common.
  std::vector<std::string> common_scopes(std::vector<int> const& nodes) const {
    std::vector<std::string> common;
    for (size_t n = 0; n < nodes.size(); ++n) {
      auto const& scopes = scopes_[size_t(nodes[n])];
      if (n == 0) common = scopes;
      auto differ = std::ranges::mismatch(common, scopes);
      common.erase(differ.in1, common.end());
    }
    return common;
  }
  /// A node without scopes amid others (a transposition that an exporter put in) belongs to them,
  /// and a constant to what reads it.
  void adopt_scopes() {
    for (GroupItem const& item : items_) scopes_.push_back(name_scopes(item.name));
    for (auto node = order_.rbegin(); node != order_.rend(); ++node) {
      if (!scopes_[size_t(*node)].empty()) continue;
      std::vector<int> around = out_[size_t(*node)];
      bool flows = flows_[size_t(*node)] != 0;
      if (flows && (in_[size_t(*node)].empty() || around.empty())) continue;
      if (flows) around.insert(around.end(), in_[size_t(*node)].begin(), in_[size_t(*node)].end());
      scopes_[size_t(*node)] = common_scopes(around);
    }
  }

  // ---- a level ----------------------------------------------------------------------------

  int add_group(std::string name, std::string const& path, int parent, int begin, int end) {
    std::string key = path;
    for (int again = 2; !keys_.insert(key).second; ++again)
      key = path + " (" + std::to_string(again) + ")";
    if (key != path) name += key.substr(path.size());
    made_.groups.push_back({std::move(name), std::move(key), parent, end - begin});
    for (int p = begin; p < end; ++p)
      made_.group_of[size_t(order_[size_t(p)])] = int(made_.groups.size()) - 1;
    return int(made_.groups.size()) - 1;
  }

  std::string scope_at(int place, size_t depth) const {
    auto const& scopes = scopes_[size_t(order_[size_t(place)])];
    return depth < scopes.size() ? scopes[depth] : std::string();
  }
  std::string path_to(int place, size_t depth) const {
    int item = order_[size_t(place)];
    std::string path;
    for (size_t i = 0; i <= depth; ++i)
      path += (i == 0                                ? ""
               : is_number(scopes_[size_t(item)][i]) ? "."
                                                     : "/") +
              scopes_[size_t(item)][i];
    return path;
  }
  static std::string shown(std::string const& path) { return path.substr(path.rfind('/') + 1); }

  /// By scopes, what is deeper in their groups; then what is too many by structure.
  void level(int begin, int end, size_t depth, int parent) {
    std::vector<std::string> keys;
    for (int p = begin; p < end; ++p) keys.push_back(scope_at(p, depth));
    std::vector<Run> runs = runs_of(keys, kStrayNodes);
    bool all_one = runs.size() == 1 && !runs[0].key.empty();
    if (all_one) return level(begin, end, depth + 1, parent);
    std::vector<Child> children;
    for (Run const& run : runs) {
      int from = begin + run.begin, to = begin + run.end;
      if (run.key.empty() || to - from < 2) {
        for (int p = from; p < to; ++p) children.push_back({p, p + 1, false});
        continue;
      }
      children.push_back({from, to, true});
    }
    structure(children, depth, parent);
  }

  void make_named(Child const& child, size_t depth, int parent) {
    std::string path = path_to(child.begin, depth);
    int group = add_group(shown(path), path, parent, child.begin, child.end);
    level(child.begin, child.end, depth + 1, group);
  }
  void make_all(std::vector<Child> const& children, size_t depth, int parent) {
    for (Child const& child : children)
      if (child.named) make_named(child, depth, parent);
  }

  std::string stage_of(Child const& child) const {
    for (int p = child.end; p-- > child.begin;)
      if (flows_[size_t(order_[size_t(p)])])
        return resolution(items_[size_t(order_[size_t(p)])].shape);
    return {};
  }

  void structure(std::vector<Child> const& children, size_t depth, int parent) {
    if (children.size() <= kManyParts) return make_all(children, depth, parent);
    std::vector<std::string> keys;
    for (Child const& child : children) keys.push_back(stage_of(child));
    for (size_t i = keys.size(); i-- > 1;)
      if (keys[i - 1].empty()) keys[i - 1] = keys[i];
    std::vector<Run> runs = runs_of(keys, kStrayParts);
    for (Run const& run : runs) {
      std::vector<Child> part(children.begin() + run.begin, children.begin() + run.end);
      bool alone = run.key.empty() || run.end - run.begin < kLeastStage || runs.size() == 1;
      if (alone && runs.size() > 1) {
        make_all(part, depth, parent);
        continue;
      }
      int group = parent;
      if (!alone)
        group = add_group("stage " + run.key, under(parent, "stage " + run.key), parent,
                          part.front().begin, part.back().end);
      blocks(part, depth, group);
    }
  }

  std::string under(int parent, std::string const& name) const {
    return parent < 0 ? name : made_.groups[size_t(parent)].key + "/" + name;
  }

  /// Cut where one value passes alone; what is small goes with what stands before it.
  void blocks(std::vector<Child> const& children, size_t depth, int parent) {
    if (children.size() <= kManyInStage) return make_all(children, depth, parent);
    size_t wanted = std::max<size_t>(4, children.size() / 30);
    std::vector<std::vector<Child>> parts;
    std::vector<Child> open;
    for (Child const& child : children) {
      open.push_back(child);
      if (passing_[size_t(child.end - 1)] > 1) continue;
      bool small = open.size() <= 2 && !parts.empty() && parts.back().size() < wanted * 3;
      if (small)
        parts.back().insert(parts.back().end(), open.begin(), open.end());
      else if (open.size() >= wanted || parts.empty())
        parts.push_back(open);
      else
        continue;
      open.clear();
    }
    if (!open.empty()) parts.push_back(open);
    if (parts.size() < 2) return make_all(children, depth, parent);
    for (size_t i = 0; i < parts.size(); ++i) make_block(parts[i], i, depth, parent);
  }

  void make_block(std::vector<Child> const& part, size_t number, size_t depth, int parent) {
    if (part.size() < 2) return make_all(part, depth, parent);
    std::string name = "block " + std::to_string(number + 1);
    if (part.front().named && part.back().named)
      name = shown(path_to(part.front().begin, depth)) + " to " +
             shown(path_to(part.back().begin, depth));
    int group = add_group(name, under(parent, name), parent, part.front().begin, part.back().end);
    make_all(part, depth, group);
  }

  std::vector<GroupItem> const& items_;
  std::vector<std::vector<int>> in_, out_;
  std::vector<char> flows_, alone_;
  std::vector<int> order_, place_, passing_;
  std::vector<std::vector<std::string>> scopes_;
  std::set<std::string> keys_;
  ItemGroups made_;
};

}  // namespace

std::vector<std::string> name_scopes(std::string const& name) {
  char cut = name.find('/') != std::string::npos ? '/' : '.';
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= name.size()) {
    size_t end = std::min(name.find(cut, begin), name.size());
    if (end > begin) parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  // "Conv.3" and "downsample.0" are one name each.
  if (cut == '.' && parts.size() > 1 && is_number(parts.back())) parts.pop_back();
  if (!parts.empty()) parts.pop_back();
  return parts;
}

ItemGroups group_items(std::vector<GroupItem> const& items,
                       std::vector<std::pair<int, int>> const& edges) {
  if (items.empty()) return {};
  return Grouping(items, edges).run();
}

}  // namespace tw::session
