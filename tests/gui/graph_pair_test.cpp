// The graph before and after fusion, side by side and in step; reasons that folds hide.
#include <QtTest>

#include <QImageReader>
#include <QLabel>
#include <QPushButton>
#include <algorithm>

#include "tests/gui/dense_graph.h"
#include "tests/gui/painted_texts.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/graph/graph_pair.h"

using namespace tw;
using namespace tw::testing;

namespace {

/// How far a node stands in one from what stands for it in the other, down the window, in units;
/// nothing: one of them is not shown.
std::optional<double> apart(GraphPair& pair, int node_before) {
  GraphView &before = pair.view(true), &after = pair.view(false);
  std::vector<int> counterparts = pair.pairing().counterparts(true, {node_before});
  QRectF here = box_of(before.cards(), {node_before}), there = box_of(after.cards(), counterparts);
  if (!pair.is_both() || here.isEmpty() || there.isEmpty()) return {};
  return before.camera().to_canvas(here).center().y() -
         after.camera().to_canvas(there).center().y();
}

}  // namespace

class GraphPairTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    place_->window->resize(1600, 1000);
    QCOMPARE(place_->lines("sample resnet18\ngraph both\nexpect view = graph\n"
                           "expect view.graph.form = both\n"),
             std::string());
    settle();
  }
  void cleanup() { place_.reset(); }

  void what_is_chosen_before_fusion_is_its_kernel_after() {
    int normalization = node_of(true, "batch_norm");
    auto kernel = pair().pairing().computed_in(true, normalization).kernel;
    QVERIFY(kernel >= 0);
    QCOMPARE(place_->lines("choose in graph before #" + std::to_string(normalization) +
                           "\nexpect view.graph.chosen_before 1\nexpect view.graph.chosen 1\n"),
             std::string());
    level(normalization);
    click(true, node_of(true, "add"));
    std::string text = place_->recorded();
    QVERIFY2(text.find("choose in graph before ") != std::string::npos, text.c_str());
    QVERIFY2(text.find("\nkernel ") != std::string::npos, text.c_str());
    QCOMPARE(place_->session->snapshot().kernel,
             pair().pairing().computed_in(true, node_of(true, "add")).kernel);
  }

  void what_is_chosen_after_fusion_is_all_its_operators_before() {
    auto const graph = place_->session->snapshot().graph;
    session::NodePairs pairs = session::pair_nodes(*graph);
    auto const& group = graph->groups.at(4);
    std::set<int> operators;
    for (int node : group.nodes)
      for (int before : pairs.before[node]) operators.insert(before);
    QVERIFY(operators.size() >= 2);
    QCOMPARE(place_->lines("choose in graph after #" + std::to_string(group.nodes.front()) +
                           "\nexpect view.graph.chosen_before " + std::to_string(operators.size()) +
                           "\n"),
             std::string());
    QVERIFY(view(true).camera().shows(
        box_of(view(true).cards(), {operators.begin(), operators.end()})));
    QCOMPARE(place_->lines("choose in graph after nothing\nexpect error contains has no node\n"
                           "graph after\nchoose in graph after #1\n"
                           "expect error contains one graph alone is shown\n"),
             std::string());
  }

  void keys_go_from_operator_to_operator_and_from_group_to_group() {
    int first = view(true).cards()->cards[1].chips.front().node->id;
    QCOMPARE(place_->lines("choose in graph before #" + std::to_string(first) + "\n"),
             std::string());
    QTest::keyClick(&view(true), Qt::Key_Down);
    place_->settle();
    int second = view(true).cards()->cards[2].chips.front().node->id;
    QCOMPARE(view(true).marks().marked(), std::vector<int>{second});
    QVERIFY(!view(false).marks().marked().empty());
    QTest::keyClick(&view(true), Qt::Key_Right);
    QCOMPARE(view(false).marks().chosen_group(), view(true).marks().chosen_group());
    QTest::keyClick(&view(true), Qt::Key_Space);
    settle();
    QCOMPARE(folded_count(view(false).cards()), size_t(1));
    QCOMPARE(folded_count(view(true).cards()), size_t(1));
    QVERIFY(place_->recorded().find("choose in graph before layer") != std::string::npos);
  }

  void the_pointer_hints_at_what_stands_for_it() {
    int add = node_of(true, "add");
    view(true).camera().bring_into_view(box_of(view(true).cards(), {add}));
    QTest::mouseMove(&view(true), at(true, add));
    QCOMPARE(view(true).marks().hinted(), std::vector<int>{add});
    QVERIFY(!view(false).marks().hinted().empty());
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&view(true), &leave);
    QVERIFY(view(false).marks().hinted().empty() && view(true).marks().hinted().empty());
  }

  void moving_and_zooming_one_moves_the_other() {
    for (bool before : {false, true}) {
      GraphView& one = view(before);
      for (int step = 1; step < 6; ++step) {
        auto const& cards = one.cards()->cards;
        size_t card = cards.size() * size_t(step) / 6;
        std::vector<int> nodes = nodes_at(one.cards(), int(card));
        QPointF middle(one.unit_width() / 2, one.unit_height() / 2);
        one.camera().look_at(1, middle - cards[card].box.center());
        wheel(one, {});  // a little further
        wheel(one, Qt::ControlModifier);
        QCOMPARE(view(true).camera().scale(), view(false).camera().scale());
        int operator_before = before ? nodes.front() : counterpart(nodes.front());
        if (operator_before < 0) continue;
        auto gap = apart(pair(), operator_before);
        // An operator stands within its kernel's operators, which may be eight cards high.
        QVERIFY(gap && std::abs(*gap) < 700);
      }
    }
    // The middle itself is exact: a kernel's operators are about the middle of the other.
    auto const& cards = view(false).cards()->cards;
    auto pairs = session::pair_nodes(*place_->session->snapshot().graph);
    std::vector<int> operators;
    for (int node : nodes_at(view(false).cards(), 5))
      for (int one : pairs.before[node]) operators.push_back(one);
    QVERIFY(operators.size() > 1);
    view(false).marks().mark({});
    view(true).marks().mark({});
    QPointF middle(view(false).unit_width() / 2, view(false).unit_height() / 2);
    QPointF corner = middle - cards[5].box.center();
    QCOMPARE(place_->lines(
                 QString("look at graph 1 %1 %2\n").arg(corner.x()).arg(corner.y()).toStdString()),
             std::string());
    QRectF box = box_of(view(true).cards(), operators);
    double y = box.center().y() * view(true).camera().scale() + view(true).camera().origin().y();
    QVERIFY(std::abs(y - view(true).unit_height() / 2) < 2);
  }

  void folding_finding_and_overlays_act_on_both() {
    QCOMPARE(place_->lines("fold graph layer2\nexpect view.graph.folded 1\n"), std::string());
    settle();
    QCOMPARE(folded_count(view(true).cards()), size_t(1));
    QVERIFY(!view(true).layout().is_open("layer2") && view(true).layout().is_open("layer3"));
    QCOMPARE(place_->lines("unfold graph\noverlay bytes\nfind layer3.1\n"), std::string());
    settle();
    QVERIFY(view(true).search().count() > view(false).search().count());
    QVERIFY(view(false).search().count() > 0);
    QCOMPARE(view(true).overlay().name(), std::string("bytes"));
    QCOMPARE(place_->lines("match next\n"), std::string());
    settle();
    QVERIFY(view(true).camera().shows(box_of(view(true).cards(), view(true).marks().marked())));
    QCOMPARE(view(false).marks().marked(),
             nodes_beside(view(false).cards(), view(false).search().node()));
    // What fusion folded away is found before it.
    QCOMPARE(place_->lines("find batch_norm\nexpect find.matches >= 15\nmatch next\n"
                           "expect find.current 2\nfind\nfit graph\n"),
             std::string());
    QCOMPARE(view(true).camera().scale(), view(false).camera().scale());
  }

  void all_of_both_is_never_shown_too_small_to_be_read() {
    QCOMPARE(place_->lines("unfold graph\n"), std::string());
    settle();
    QVERIFY(std::min(view(false).camera().fit_scale(), view(true).camera().fit_scale()) < 0.5);
    QCOMPARE(place_->lines("fit graph\n"), std::string());
    settle();
    QVERIFY2(view(false).camera().scale() * view(false).unit() >= 0.84,
             qPrintable(QString::number(view(false).camera().scale())));
    QCOMPARE(view(true).camera().scale(), view(false).camera().scale());
    QVERIFY(folded_count(view(true).cards()) > 0 && folded_count(view(false).cards()) > 0);
  }

  void all_that_is_fitted_is_seen_in_columns_data() {
    QTest::addColumn<QString>("form");
    QTest::addColumn<QSize>("size");
    for (char const* form : {"both", "after", "before"})
      for (QSize size : {QSize(1600, 1000), QSize(2560, 1440), QSize(1280, 800)})
        QTest::addRow("%s %d", form, size.width()) << QString(form) << size;
  }
  void all_that_is_fitted_is_seen_in_columns() {
    QFETCH(QString, form);
    QFETCH(QSize, size);
    place_->window->resize(size);
    QCOMPARE(place_->lines("graph " + form.toStdString() + "\nunfold graph\nfit graph\n"),
             std::string());
    settle();
    for (GraphView* one : pair().shown()) {
      // Names of 13 px are of 11 at least.
      QVERIFY2(one->camera().scale() * one->unit() >= 0.84,
               qPrintable(QString::number(one->camera().scale())));
      // Two in half of a small window each are seen from their beginning, in one column.
      if (form == "both" && size.width() < 1600) {
        QVERIFY(!one->layout().flows() && folded_count(one->cards()) > 0);
        continue;
      }
      QVERIFY(one->camera().shows_all());
      QRectF seen;
      for (graph::Card const& card : one->cards()->cards) seen |= card.box;
      QVERIFY2(seen.width() > seen.height() / 3, "one thread of cards");
      for (graph::Card const& card : one->cards()->cards)
        for (graph::Card const& other : one->cards()->cards)
          QVERIFY(&card == &other || !card.box.intersects(other.box));
      // What is said of a line stands beside the cards, not behind them.
      for (graph::Border const& border : one->cards()->borders)
        for (graph::Card const& card : one->cards()->cards) {
          QRectF around = card.box.adjusted(0, 0, card.fold >= 0 ? 8 : 0, card.fold >= 0 ? 8 : 0);
          QVERIFY2(!border.label.intersects(around), qPrintable(card.title));
        }
    }
    // It fits again in a window of another size, and another graph stands in one column.
    if (pair().main().layout().flows()) {
      place_->window->resize(1700, 1000);
      settle();  // until it has begun to fit
      settle();
      for (GraphView* one : pair().shown()) QVERIFY(one->camera().shows_all());
    }
    QCOMPARE(place_->lines("sample dqn\n"), std::string());
    settle();
    for (GraphView* one : pair().shown()) QVERIFY(!one->layout().flows());
  }

  void what_is_fitted_stays_while_one_chooses() {
    QCOMPARE(place_->lines("fit graph\n"), std::string());
    settle();
    QPointF before = view(true).camera().origin(), after = view(false).camera().origin();
    QCOMPARE(place_->lines("kernel gemm_1000\n"), std::string());
    settle();
    QCOMPARE(view(true).camera().origin(), before);
    QCOMPARE(view(false).camera().origin(), after);
    // Larger, what stands for the middle of one is in sight in the other.
    GraphView& one = view(false);
    std::vector<int> nodes =
        graph::nodes_of_kernel(one.layout().graph().get(), place_->session->snapshot().kernel);
    QPointF middle(one.unit_width() / 2, one.unit_height() / 2);
    one.camera().look_at(2, middle - box_of(one.cards(), nodes).center() * 2);
    wheel(one, {});
    QPointF there = box_of(view(true).cards(), {counterpart(nodes.front())}).center();
    QVERIFY(view(true).camera().shows(QRectF(there - QPointF(5, 5), QSizeF(10, 10))));
  }

  void a_found_node_in_a_folded_group_is_opened_in_both() {
    QCOMPARE(place_->lines("fold graph\nfind layer2.1 conv2d\nmatch next\n"), std::string());
    settle();
    for (bool before : {false, true}) QVERIFY(view(before).layout().is_open("layer2.1"));
    QVERIFY(!view(false).marks().marked().empty());
    // Its operators are taller than the view: some of them are seen.
    auto is_seen = [&](int node) {
      return view(true).camera().shows(box_of(view(true).cards(), {node}));
    };
    QVERIFY(std::ranges::count_if(view(true).marks().marked(), is_seen) >= 2);
  }

  void it_stands_one_above_the_other_where_there_is_more_height() {
    GraphPair alone;
    alone.set_theme(Theme::load("dark"));
    alone.show_graph(dense_graph(90), nullptr, -1);
    alone.show_form("both");
    for (auto [size, wanted] :
         {std::pair{QSize(900, 500), Qt::Horizontal}, {QSize(500, 900), Qt::Vertical}}) {
      alone.resize(size);
      alone.show();
      QCOMPARE(alone.orientation(), wanted);
      for (int share : alone.sizes()) QVERIFY(share > 200);
    }
  }

  void the_form_is_kept_in_a_project_and_chosen_in_the_bar() {
    QString file = place_->folder.filePath("p.twproj");
    QCOMPARE(place_->lines("overlay bytes\nproject save " + file.toStdString() +
                           "\ngraph after\noverlay time\nproject open " + file.toStdString() +
                           "\nexpect view.graph.form = both\nexpect view.graph.overlay = bytes\n"),
             std::string());
    auto press = [&](char const* name) {
      place_->window->findChild<QPushButton*>(name)->click();
      return pair().form();
    };
    QCOMPARE(press("form_before"), std::string("before"));
    QVERIFY(view(true).isVisible() && !view(false).isVisible());
    QCOMPARE(press("form_both"), std::string("both"));
    QVERIFY(view(true).isVisible() && view(false).isVisible());
    QCOMPARE(press("form_after"), std::string("after"));
    place_->window->run_action("Graph before and after fusion, side by side");
    QCOMPARE(pair().form(), std::string("both"));
  }

  void no_word_is_cut_or_covered_data() {
    QTest::addColumn<QSize>("size");
    for (QSize size : {QSize(1000, 700), QSize(1280, 800), QSize(1600, 1000), QSize(2560, 1440)})
      QTest::addRow("%dx%d", size.width(), size.height()) << size;
  }
  void no_word_is_cut_or_covered() {
    QFETCH(QSize, size);
    place_->window->resize(size);
    for (char const* place : {"1 20 20", "1 20 -700", "1 -100 -1400", "0.7 20 -300", "0.3 20 20"}) {
      place_->lines(std::string("look at graph ") + place + "\n");
      settle();
      QStringList wrong;
      int texts = painted_texts(*place_->window->findChild<GraphPair*>(), 1, wrong);
      texts += look_at_view(*place_->window->findChild<QWidget*>("graphLegend"), 1, wrong);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
      QVERIFY(texts > 6);
    }
  }

  void a_picture_holds_both() {
    QString file = place_->folder.filePath("both.png");
    QCOMPARE(place_->lines("picture graph " + file.toStdString() + "\n"), std::string());
    QImageReader reader(file);
    QImageReader::setAllocationLimit(0);
    QImage image = reader.read();
    double wide = view(true).whole_size().width() + view(false).whole_size().width();
    double high = std::max(view(true).whole_size().height(), view(false).whole_size().height());
    QVERIFY(image.width() > 0);
    // Two pixels for each, above the graphs their names and the bar.
    QVERIFY(image.width() >= 2 * int(wide) && image.width() < 2 * (wide + 40));
    QVERIFY(image.height() >= 2 * int(high) && image.height() < 2 * (high + 160));
    QVERIFY2(view(true).unit_width() < 1600 && pair().sizes().front() > 200, "it is as it was");
  }

  void a_reason_in_a_folded_group_opens_it() {
    auto [from, to] = judged_edge("layer3.1", false);
    for (char const* form : {"after", "both"}) {
      std::string lines = std::string("graph ") + form + "\nfold graph\nwhy " + from + " " + to;
      QCOMPARE(place_->lines(lines + "\nexpect view.graph.edge 1\n"
                                     "expect view.why contains Not fused\n"),
               std::string());
      settle();
      QVERIFY(view(false).layout().is_open("layer3") && view(false).layout().is_open("layer3.1"));
      QVERIFY(!view(false).layout().is_open("layer2"));
      if (pair().is_both())
        QVERIFY(view(true).layout().is_open("layer3.1") && !view(true).layout().is_open("layer2"));
      auto const nodes = ids(from, to);
      QVERIFY(view(false).camera().shows(box_of(view(false).cards(), {nodes.first})));
      QVERIFY(view(false).camera().shows(box_of(view(false).cards(), {nodes.second})));
      // The fold hides it again, and opens with it.
      QCOMPARE(place_->lines("fold graph layer3\nexpect view.graph.edge 0\nunfold graph layer3\n"
                             "expect view.graph.edge 1\n"),
               std::string());
    }
  }

  void the_second_view_opens_at_the_edge_that_is_chosen() {
    for (char const* scope : {"layer1.0", "layer4.1"}) {
      auto [from, to] = judged_edge(scope, false);
      auto const nodes = ids(from, to);
      QCOMPARE(place_->lines("graph after\nunfold graph\nwhy " + from + " " + to +
                             "\nexpect view.graph.edge 1\n"),
               std::string());
      settle();
      QCOMPARE(place_->lines("graph both\n"), std::string());
      settle();
      for (int turns = 0; turns < 5; ++turns) QApplication::processEvents();
      QVERIFY(view(false).camera().shows(box_of(view(false).cards(), {nodes.first})));
      QVERIFY(view(false).camera().shows(box_of(view(false).cards(), {nodes.second})));
      QVERIFY(view(false).reason().edge() >= 0);
      for (int node : {nodes.first, nodes.second}) {
        QRectF box = box_of(view(true).cards(), {counterpart(node)});
        QVERIFY2(view(true).camera().shows(box), scope);
      }
      keep_picture(*place_->window, QString("graph_both_at_edge_") + scope);
    }
  }

  void why_one_joined_is_told_where_it_stands_in_a_kernel() {
    auto [from, to] = judged_edge("layer3.1", true);
    QCOMPARE(place_->lines("graph after\nfold graph\nwhy " + from + " " + to +
                           "\nexpect view.why contains Fused: \nfold graph\nwhy " + to +
                           "\nexpect view.why contains joins\n"),
             std::string());
    settle();
    QVERIFY(view(false).layout().is_open("layer3.1"));
    QVERIFY(view(false).camera().shows(box_of(view(false).cards(), {ids(from, to).second})));
    QCOMPARE(place_->lines("why " + to + " " + from + "\nexpect error contains did not consider\n"),
             std::string());
  }

  void groups_say_what_they_hold_and_which_are_built_alike() {
    graph::Cards const& made = *view(false).cards();
    auto group = std::ranges::find(made.groups, "layer3.0", &graph::Group::key);
    QVERIFY(group != made.groups.end());
    QCOMPARE(group->alike, QString("same operators as layer2.0, layer4.0"));
    auto stage = std::ranges::find(made.groups, "layer1", &graph::Group::key);
    QCOMPARE(stage->contents, QString("2 blocks · 4 × conv2d"));
    QCOMPARE(stage->words, QString("4 kernels"));
    auto* legend = place_->window->findChild<QWidget*>("graphLegend");
    auto const parts = dynamic_cast<HasParts*>(legend)->parts();
    auto const snapshot = place_->session->snapshot();
    QVERIFY(parts.size() >= 3);
    QVERIFY(parts[0].name.startsWith(
        QString("%1 operators → ").arg(snapshot.graph->nodes_before.size())));
    QVERIFY(parts[0].name.contains("laid out in"));
    QVERIFY(parts[1].name.startsWith("injective, "));
  }

private:
  GraphPair& pair() const { return *place_->window->findChild<GraphPair*>(); }
  GraphView& view(bool before) const { return pair().view(before); }
  void settle() const {
    while (pair().busy()) QTest::qWait(1);
    QTest::qWait(1);
  }
  int node_of(bool before, std::string const& op) const {
    auto const graph = place_->session->snapshot().graph;
    auto const& nodes = before ? graph->nodes_before : graph->nodes;
    return std::ranges::find(nodes, op, &session::GraphNodeView::op)->id;
  }
  int counterpart(int after) const {
    auto pairs = session::pair_nodes(*place_->session->snapshot().graph);
    return pairs.before[after].empty() ? -1 : pairs.before[after].front();
  }
  QPoint at(bool before, int node) const {
    GraphView& one = view(before);
    return (box_of(one.cards(), {node}).center() * one.camera().scale() + one.camera().origin())
        .toPoint();
  }
  void click(bool before, int node) const {
    view(before).camera().bring_into_view(box_of(view(before).cards(), {node}));
    QTest::mouseClick(&view(before), Qt::LeftButton, {}, at(before, node));
    place_->settle();
    settle();
  }
  void level(int node_before) const {
    auto gap = apart(pair(), node_before);
    QVERIFY(gap && std::abs(*gap) < 1);
  }
  static void wheel(GraphView& one, Qt::KeyboardModifiers keys) {
    QPointF middle = one.rect().center();
    QWheelEvent event(middle, one.mapToGlobal(middle), {}, {0, -8}, Qt::NoButton, keys,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&one, &event);
  }
  /// Two nodes of that scope that fusion joined, or left apart, by name.
  std::pair<std::string, std::string> judged_edge(std::string const& scope, bool fused) const {
    auto const graph = place_->session->snapshot().graph;
    auto name = [&](int id) {
      return std::ranges::find(graph->nodes, id, &session::GraphNodeView::id)->name;
    };
    for (session::GraphEdgeView const& edge : graph->edges)
      if (edge.from >= 0 && edge.to >= 0 && !edge.rule.empty() && edge.fused == fused &&
          name(edge.from).starts_with(scope) && name(edge.to).starts_with(scope))
        return {name(edge.from), name(edge.to)};
    return {};
  }
  std::pair<int, int> ids(std::string const& from, std::string const& to) const {
    auto const graph = place_->session->snapshot().graph;
    auto id = [&](std::string const& name) {
      return std::ranges::find(graph->nodes, name, &session::GraphNodeView::name)->id;
    };
    return {id(from), id(to)};
  }

  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(GraphPairTest)
#include "graph_pair_test.moc"
