// What of a graph is folded together, and how frames with cards in them are laid out.
#include <QtTest>

#include <map>
#include <set>

#include "app/shared/environment.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/views/graph_frames.h"
#include "engine/session/views/graph_groups.h"
#include "engine/session/views/graph_pairs.h"
#include "engine/support/base/random.h"

using namespace tw;
using namespace tw::session;

namespace {

using Edges = std::vector<std::pair<int, int>>;

/// "layer1(layer1.0(a b) layer1.1(c d)) e": groups with what stands in them, in the order of items.
std::string text_of(std::vector<GroupItem> const& items, ItemGroups const& made, int parent = -1) {
  std::string text;
  std::set<int> done;
  for (size_t i = 0; i < items.size(); ++i) {
    int group = made.group_of[i], below = -1;
    while (group != parent && group >= 0) below = group, group = made.groups[size_t(group)].parent;
    if (group != parent) continue;
    if (below >= 0 && !done.insert(below).second) continue;
    text += text.empty() ? "" : " ";
    text += below < 0 ? items[i].name
                      : made.groups[size_t(below)].name + "(" + text_of(items, made, below) + ")";
  }
  return text;
}

/// A chain with these names.
std::string grouped(std::vector<std::string> const& names, Edges edges = {}) {
  std::vector<GroupItem> items;
  for (std::string const& name : names) items.push_back({name, ""});
  if (edges.empty())
    for (int i = 0; i + 1 < int(names.size()); ++i) edges.push_back({i, i + 1});
  return text_of(items, group_items(items, edges));
}

/// Whether what is left makes no cycle when every group without a parent is one card.
bool folds_without_cycles(size_t items, ItemGroups const& made, Edges const& edges) {
  auto outermost = [&](int item) {
    int group = made.group_of[size_t(item)];
    if (group < 0) return -1 - item;
    while (made.groups[size_t(group)].parent >= 0) group = made.groups[size_t(group)].parent;
    return group;
  };
  std::map<int, std::set<int>> before;
  for (size_t i = 0; i < items; ++i) before[outermost(int(i))];
  for (auto const& [from, to] : edges)
    if (from >= 0 && to >= 0 && outermost(from) != outermost(to))
      before[outermost(to)].insert(outermost(from));
  while (!before.empty()) {
    auto free =
        std::find_if(before.begin(), before.end(), [](auto& row) { return row.second.empty(); });
    if (free == before.end()) return false;
    int gone = free->first;
    before.erase(free);
    for (auto& row : before) row.second.erase(gone);
  }
  return true;
}

struct Found {
  std::vector<GroupItem> items;
  Edges edges;
  ItemGroups made;
};
Found groups_of(std::vector<GraphNodeView> const& nodes, std::vector<GraphEdgeView> const& edges) {
  Found found;
  for (GraphNodeView const& node : nodes) found.items.push_back({node.name, node.shape});
  for (GraphEdgeView const& edge : edges) found.edges.push_back({edge.from, edge.to});
  found.made = group_items(found.items, found.edges);
  return found;
}

}  // namespace

class GraphGroupsTest : public QObject {
  Q_OBJECT
private slots:
  void names_with_parts_make_groups_in_groups() {
    QCOMPARE(grouped({"conv1", "layer1.0.conv1", "layer1.0.relu", "layer1.1.conv1", "layer1.1.relu",
                      "fc"}),
             std::string("conv1 layer1(layer1.0(layer1.0.conv1 layer1.0.relu) "
                         "layer1.1(layer1.1.conv1 layer1.1.relu)) fc"));
    QCOMPARE(grouped({"net/in/Conv", "net/in/Relu", "net/block/a/Mul", "net/block/a/Add"}),
             std::string("in(net/in/Conv net/in/Relu) block(net/block/a/Mul net/block/a/Add)"));
    QCOMPARE(grouped({"p2o.Conv.0", "p2o.Add.0", "p2o.Conv.1", "p2o.Add.1"}),
             std::string("p2o.Conv.0 p2o.Add.0 p2o.Conv.1 p2o.Add.1"));
  }

  void a_node_that_an_exporter_put_in_belongs_to_those_around_it() {
    QCOMPARE(grouped({"first/Conv", "first/Relu", "second/Conv", "Transpose__12", "second/Relu",
                      "second/Mul"}),
             std::string("first(first/Conv first/Relu) second(second/Conv Transpose__12 "
                         "second/Relu second/Mul)"));
  }

  void one_scope_at_two_places_is_two_groups() {
    QCOMPARE(grouped({"a/x", "a/y", "b/x", "b/y", "b/z", "a/x2", "a/y2"}),
             std::string("a(a/x a/y) b(b/x b/y b/z) a (2)(a/x2 a/y2)"));
  }

  void constants_stand_with_what_reads_them() {
    // Both weights come first in the file.
    std::vector<GroupItem> items = {{"w1", ""},     {"w2", ""},     {"a/Conv", ""},
                                    {"a/Relu", ""}, {"b/Conv", ""}, {"b/Relu", ""}};
    Edges edges = {{-1, 2}, {0, 2}, {2, 3}, {3, 4}, {1, 4}, {4, 5}};
    QCOMPARE(text_of(items, group_items(items, edges)),
             std::string("a(w1 a/Conv a/Relu) b(w2 b/Conv b/Relu)"));
  }

  void constants_without_an_edge_are_a_group() {
    std::vector<GroupItem> items(8);
    for (size_t i = 0; i < 6; ++i) items[i].name = "c" + std::to_string(i);
    items[6].name = "x", items[7].name = "y";
    QCOMPARE(text_of(items, group_items(items, {{-1, 6}, {6, 7}, {5, 6}})),
             std::string("constants(c0 c1 c2 c3 c4) c5 x y"));
  }

  void without_names_resolutions_are_stages_and_lone_values_cut_blocks() {
    std::vector<GroupItem> items;
    Edges edges = {{-1, 0}};
    for (int stage = 0; stage < 2; ++stage)
      for (int block = 0; block < 4; ++block) {
        int begin = int(items.size());
        for (int i = 0; i < 5; ++i) {
          if (!items.empty()) edges.push_back({int(items.size()) - 1, int(items.size())});
          items.push_back(
              {"n" + std::to_string(items.size()), stage == 0 ? "64x56x56 ABCD16b" : "128x28x28"});
        }
        if (begin > 0) edges.push_back({begin - 1, begin + 4});  // a skip connection
      }
    ItemGroups made = group_items(items, edges);
    std::vector<std::string> names;
    for (ItemGroup const& group : made.groups) names.push_back(group.key);
    QCOMPARE(names[0], std::string("stage 56x56"));
    QVERIFY(std::ranges::find(names, "stage 28x28") != names.end());
    QVERIFY(std::ranges::find(names, "stage 28x28/block 4") != names.end());
    QCOMPARE(made.groups[0].items, 20);
    QVERIFY(folds_without_cycles(items.size(), made, edges));
  }

  void the_samples_have_the_groups_of_their_names() {
    Environment environment = make_environment().value();
    GraphView view = graph_view(*load_model("sample:resnet18", {}, *environment.backend).value());
    for (bool before : {false, true}) {
      Found found = groups_of(before ? view.nodes_before : view.nodes,
                              before ? view.edges_before : view.edges);
      std::set<std::string> keys;
      for (ItemGroup const& group : found.made.groups) keys.insert(group.key);
      for (char const* key : {"layer1", "layer1.0", "layer1.1", "layer4", "layer4.1"})
        QVERIFY2(keys.contains(key), key);
      QVERIFY(folds_without_cycles(found.items.size(), found.made, found.edges));
    }
  }

  /// What the passes say of a node's origins agrees with what names and values tell.
  void nodes_before_fusion_stand_where_the_passes_put_them() {
    Environment environment = make_environment().value();
    for (char const* sample : {"sample:resnet18", "sample:mobilenet", "sample:dqn"}) {
      auto loaded = load_model(sample, {}, *environment.backend);
      QVERIFY2(loaded, sample);
      Model model = *loaded;
      GraphView view = graph_view(*model);
      NodePairs pairs = pair_nodes(view);
      std::map<std::string, std::set<int>> stands_in;  // by the name before
      for (size_t i = 0; i < model->after.nodes.size(); ++i)
        for (std::string const& origin : model->after.nodes[i].origins)
          stands_in[origin].insert(int(i));
      int compared = 0;
      for (GraphNodeView const& node : view.nodes_before) {
        auto wanted = stands_in.find(node.name);
        if (wanted == stands_in.end()) continue;
        QVERIFY2(pairs.after.contains(node.id), node.name.c_str());
        QVERIFY2(wanted->second.contains(pairs.after[node.id]), node.name.c_str());
        auto const& back = pairs.before[pairs.after[node.id]];
        QVERIFY(std::ranges::find(back, node.id) != back.end());
        ++compared;
      }
      QVERIFY(compared >= 3);
    }
  }

  void an_operator_says_its_kernel_or_why_it_has_none() {
    GraphView view;
    for (char const* name : {"weights", "pad", "conv", "copy", "relu", "unread", "own", "if"})
      view.nodes_before.push_back({.id = int(view.nodes_before.size()), .name = name});
    view.edges_before = {{0, 2, "w"}, {-1, 1, "x"}, {1, 2, "padded"}, {2, 3, "c"}, {3, 4, "d"},
                         {4, 6, "e"}, {6, 7, "f"},  {-1, 5, "x"},     {7, -1, "y"}};
    view.nodes = {{.id = 1, .name = "conv", .group = 0},
                  {.id = 2, .name = "relu", .group = 1},
                  {.id = 3, .name = "own", .op = "lstm", .pattern = PatternClass::kOpaque},
                  {.id = 4, .name = "if"},
                  {.id = 5, .name = "if/then/add", .group = 2}};
    view.edges = {{-1, 1, "x"}, {1, 2, "c"}, {2, 3, "e"}, {3, 4, "f"}, {4, -1, "y"}};
    view.groups = {{0, 7, "conv_kernel", {1}}, {1, 8, "relu_kernel", {2}}, {2, 9, "add", {5}}};
    NodePairs pairs = pair_nodes(view);
    auto said = [&](int id) {
      ComputedIn in = computed_in(view, pairs, id);
      return std::to_string(in.kernel) + " " + in.why;
    };
    QCOMPARE(said(2), std::string("7 "));
    QCOMPARE(said(4), std::string("8 "));
    QCOMPARE(said(1), std::string("7 Nothing is left of pad but how conv_kernel reads what it "
                                  "passes on."));
    QVERIFY(said(3).starts_with("8 Nothing is left of copy"));
    QCOMPARE(said(0), std::string("-1 No kernel computes weights: it depends on no input, so that "
                                  "its value was computed when the model was opened."));
    QCOMPARE(said(5), std::string("-1 No kernel computes unread: nothing reads what it makes."));
    QCOMPARE(said(6), std::string("-1 No kernel computes own: lstm runs on its own."));
    QCOMPARE(said(7), std::string("-1 if runs as the graphs inside it: choose an operator of "
                                  "those."));
    view.nodes[2].reason = "the shape is not known";
    QCOMPARE(computed_in(view, 3).why,
             std::string("No kernel computes own: the shape is not known"));
  }

  void what_is_gone_stands_where_it_is_read() {
    GraphView view;
    for (char const* name : {"weights", "pad", "conv", "copy", "relu", "unread"})
      view.nodes_before.push_back({.id = int(view.nodes_before.size()), .name = name});
    view.edges_before = {{0, 2, "w"}, {-1, 1, "x"}, {1, 2, "padded"},
                         {2, 3, "c"}, {3, 4, "d"},  {4, -1, "y"}};
    view.nodes = {{.id = 7, .name = "conv"}, {.id = 8, .name = "clip"}};
    view.edges = {{-1, 7, "x"}, {7, 8, "c"}, {8, -1, "y"}};
    NodePairs pairs = pair_nodes(view);
    std::map<int, int> after(pairs.after.begin(), pairs.after.end());
    // "relu" has another name, but makes the same value.
    QCOMPARE(after, (std::map<int, int>{{0, 7}, {1, 7}, {2, 7}, {3, 8}, {4, 8}}));
    QCOMPARE(pairs.before[7], (std::vector<int>{0, 1, 2}));
  }

  void random_graphs_fold_without_cycles_and_keys_are_apart() {
    Rng rng(5);
    for (int round = 0; round < 300; ++round) {
      int count = 2 + int(rng.below(80));
      std::vector<GroupItem> items;
      Edges edges;
      for (int i = 0; i < count; ++i) {
        std::string name;
        for (int64_t depth = rng.below(3); depth > 0; --depth)
          name += "s" + std::to_string(rng.below(3)) + "/";
        items.push_back({name + "n" + std::to_string(i), rng.below(2) ? "8x8x8" : "8x4x4"});
        for (int64_t more = rng.below(3); more > 0; --more)
          edges.push_back({int(rng.below(i + 1)) - 1, i});
      }
      ItemGroups made = group_items(items, edges);
      QVERIFY(folds_without_cycles(items.size(), made, edges));
      std::set<std::string> keys;
      for (size_t g = 0; g < made.groups.size(); ++g) {
        QVERIFY(keys.insert(made.groups[g].key).second);
        QVERIFY(made.groups[g].parent < int(g));
      }
    }
  }

  void frames_hold_their_cards_and_lines_reach_them() {
    Rng rng(9);
    for (int round = 0; round < 100; ++round) {
      FramedLayout layout;
      int frames = int(rng.below(5));
      bool nested = rng.below(2) == 1;
      for (int f = 0; f < frames; ++f) layout.frames.push_back({nested ? f - 1 : -1, 60});
      for (int i = 0; i < 24; ++i)  // frames are stretches, so that they make no cycle
        layout.cards.push_back(
            {80 + double(rng.below(90)), 40, frames == 0 ? -1 : i * frames / 24});
      for (int i = 1; i < 24; ++i) layout.edges.push_back({int(rng.below(i)), i, {}});
      for (FramedCard& card : layout.cards) QVERIFY(card.frame < frames);
      lay_out(layout);
      for (FramedCard const& card : layout.cards) {
        if (card.frame < 0) continue;
        Frame const& frame = layout.frames[size_t(card.frame)];
        QVERIFY(card.x >= frame.x && card.x + card.width <= frame.x + frame.width + 0.1);
        QVERIFY(card.y >= frame.y + kFrameHead && card.y + card.height <= frame.y + frame.height);
      }
      for (size_t a = 0; a < layout.cards.size(); ++a)
        for (size_t b = a + 1; b < layout.cards.size(); ++b) {
          FramedCard const &one = layout.cards[a], &other = layout.cards[b];
          QVERIFY(one.x + one.width <= other.x || other.x + other.width <= one.x ||
                  one.y + one.height <= other.y || other.y + other.height <= one.y);
        }
      for (FramedEdge const& edge : layout.edges) {
        FramedCard const &from = layout.cards[size_t(edge.from)],
                         &to = layout.cards[size_t(edge.to)];
        QCOMPARE(edge.points.front().second, from.y + from.height);
        QCOMPARE(edge.points.back().second, to.y);
        for (size_t i = 1; i < edge.points.size(); ++i)
          QVERIFY(std::abs(edge.points[i].first - edge.points[i - 1].first) < 0.6 ||
                  std::abs(edge.points[i].second - edge.points[i - 1].second) < 0.6);
      }
    }
  }
};

QTEST_APPLESS_MAIN(GraphGroupsTest)
#include "graph_groups_test.moc"
