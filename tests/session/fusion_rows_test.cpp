// What fusion made of each part of a model: every operator and every kernel once, and bytes that
// add up.
#include "engine/session/views/fusion_rows.h"

#include <QtTest>

#include <map>
#include <set>

#include "app/shared/environment.h"
#include "engine/session/model/loaded_model.h"

using namespace tw;
using namespace tw::session;

namespace {

/// "a b | c": names of the operators of each row.
std::string text_of(GraphView const& graph, FusionRows const& made) {
  std::string text;
  for (FusedRow const& row : made.rows) {
    text += text.empty() ? "" : " | ";
    text += row.title + ":";
    for (FusedOperator const& one : row.operators)
      text += " " + graph.nodes_before[size_t(one.node)].name;
    text += " ->";
    for (FusedKernel const& kernel : row.kernels)
      text += " " + graph.groups[size_t(kernel.group)].name;
  }
  return text;
}

/// A convolution with what follows it, twice, and a sum with what came in.
GraphView block_and_head() {
  GraphView view;
  char const* names[] = {"stem", "block.conv1", "block.relu", "block.conv2", "block.add", "head"};
  for (int i = 0; i < 6; ++i)
    for (auto* nodes : {&view.nodes_before, &view.nodes})
      nodes->push_back({.id = i, .name = names[i], .op = names[i], .group = i / 2});
  view.edges_before = {{-1, 0, "x", "", 10}, {0, 1, "a", "", 8}, {1, 2, "b", "", 4},
                       {2, 3, "c", "", 4},   {3, 4, "d", "", 4}, {0, 4, "a", "", 8},
                       {4, 5, "e", "", 4},   {5, -1, "y", "", 1}};
  view.edges = view.edges_before;
  for (GraphEdgeView& edge : view.edges) edge.reason = edge.value + " stays";
  view.groups = {{.id = 0, .kernel = 0, .name = "first", .nodes = {0}},
                 {.id = 1, .kernel = 1, .name = "conv_relu", .nodes = {1, 2}},
                 {.id = 2, .kernel = 2, .name = "conv_add", .nodes = {3, 4}},
                 {.id = 3, .kernel = 3, .name = "last", .nodes = {5}}};
  return view;
}

}  // namespace

class FusionRowsTest : public QObject {
  Q_OBJECT
private slots:
  void a_block_is_a_row_with_its_bytes() {
    GraphView view = block_and_head();
    FusionRows made = fusion_rows(view);
    QCOMPARE(text_of(view, made),
             std::string("stem: stem -> first | block: block.conv1 block.relu block.conv2 "
                         "block.add -> conv_relu conv_add | head: head -> last"));
    FusedRow const& block = made.rows[1];
    // Before: a is read by conv1 and by add; b, c, d are written and read, e is written.
    QCOMPARE(block.moved_before, int64_t(8 + 8 + 3 * 8 + 4));
    // After: a is read by both kernels, c is written and read, e is written.
    QCOMPARE(block.moved_after, int64_t(8 + 8 + 8 + 4));
    QCOMPARE(block.kernels[0].moved + block.kernels[1].moved, block.moved_after);
    QCOMPARE(made.moved_before, int64_t(10 + 8 + 44 + 4 + 1));
    QCOMPARE(block.operators[3].reads, std::vector<int>{2});
    QVERIFY(block.operators[3].from_outside && !block.operators[1].from_outside);
    QCOMPARE(block.kernels[1].reads, std::vector<int>{0});
    QCOMPARE(block.reasons, std::vector<std::string>{"c stays"});
  }

  void what_is_in_no_block_is_named_by_its_operators() {
    GraphView view;
    for (int i = 0; i < 14; ++i)
      view.nodes_before.push_back({.id = i, .name = "n" + std::to_string(i)});
    QCOMPARE(fusion_rows(view).operators, 14);  // without an input nothing is left out
    FusionRows made = fusion_rows(view);
    std::vector<std::string> titles;
    size_t operators = 0;
    for (FusedRow const& row : made.rows) {
      titles.push_back(row.title);
      operators += row.operators.size();
      QVERIFY(row.operators.size() <= 12);
    }
    QCOMPARE(operators, size_t(14));
    QCOMPARE(titles, (std::vector<std::string>{"n0 to n11", "n12 to n13"}));
    QVERIFY(fusion_rows(GraphView()).rows.empty());
  }

  /// Weights that the model computes, and the shapes of its tensors.
  void what_no_input_leads_to_is_left_out() {
    GraphView view = block_and_head();
    view.nodes_before.push_back({.id = 6, .name = "fill"});
    view.nodes_before.push_back({.id = 7, .name = "scale"});
    view.edges_before.push_back({6, 7, "f", "", 100});
    view.edges_before.push_back({7, 1, "w", "", 100});
    FusionRows made = fusion_rows(view);
    QCOMPARE(made.left_out, 2);
    QCOMPARE(made.operators, 6);
    QCOMPARE(made.moved_before, fusion_rows(block_and_head()).moved_before);
    QVERIFY(!made.rows[1].operators[0].from_outside || made.rows[1].operators[0].reads.empty());
  }

  void every_operator_and_kernel_of_the_samples_is_there_once() {
    Environment environment = make_environment().value();
    for (char const* sample : {"resnet18", "mobilenet", "dqn", "dcgan", "lstm"}) {
      auto model = load_model(std::string("sample:") + sample, {}, *environment.backend);
      QVERIFY2(model, sample);
      GraphView view = graph_view(**model);
      FusionRows made = fusion_rows(view);
      std::map<int, int> operators, kernels;
      int64_t before = 0, after = 0;
      for (FusedRow const& row : made.rows) {
        QVERIFY(!row.title.empty() && !row.operators.empty());
        for (FusedOperator const& one : row.operators) {
          ++operators[one.node];
          for (int read : one.reads) QVERIFY(read >= 0 && read < int(row.operators.size()));
        }
        int64_t moved = 0;
        for (FusedKernel const& kernel : row.kernels)
          ++kernels[kernel.group], moved += kernel.moved;
        QCOMPARE(moved, row.moved_after);
        before += row.moved_before;
        after += row.moved_after;
      }
      QCOMPARE(int(operators.size()), made.operators);
      QCOMPARE(made.operators + made.left_out, int(view.nodes_before.size()));
      QCOMPARE(kernels.size(), view.groups.size());
      for (auto const* all : {&operators, &kernels})
        for (auto const& [index, count] : *all) QCOMPARE(count, 1);
      QCOMPARE(before, made.moved_before);
      QCOMPARE(after, made.moved_after);
      qInfo("%s: %zu rows, %lld bytes before, %lld after", sample, made.rows.size(),
            static_cast<long long>(before), static_cast<long long>(after));
      QVERIFY(after <= before);
    }
  }

  void blocks_of_a_network_have_their_names() {
    Environment environment = make_environment().value();
    GraphView view = graph_view(*load_model("sample:resnet18", {}, *environment.backend).value());
    std::set<std::string> titles;
    for (FusedRow const& row : fusion_rows(view).rows) titles.insert(row.title);
    for (int layer = 1; layer <= 4; ++layer)
      for (int block = 0; block < 2; ++block)
        QVERIFY2(titles.contains("layer" + std::to_string(layer) + "." + std::to_string(block)),
                 text_of(view, fusion_rows(view)).c_str());
  }
};

QTEST_GUILESS_MAIN(FusionRowsTest)
#include "fusion_rows_test.moc"
