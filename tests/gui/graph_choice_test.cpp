// From an operator of the graph to its kernel and its loops: by mouse, by keys, in the menu.
#include <QtTest>

#include <QMenu>
#include <filesystem>

#include "tests/gui/dense_graph.h"
#include "tests/gui/workplace.h"
#include "tests/support/paths.h"
#include "widgets/graph/graph_pair.h"

using namespace tw;
using namespace tw::testing;

class GraphChoiceTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    place_->window->resize(1280, 800);
    open("sample resnet18\nshow graph\n");
  }
  void cleanup() { place_.reset(); }

  void a_click_before_fusion_chooses_the_kernel_that_computes_the_operator() {
    open("graph before\nunfold graph\n");
    for (char const* op : {"add", "batch_norm"}) {
      int node = node_of(true, op);
      click(true, node);
      QCOMPARE(place_->session->snapshot().kernel, pair().pairing().computed_in(true, node).kernel);
      QCOMPARE(view(true).marks().marked(), std::vector<int>{node});
      QCOMPARE(place_->lines("expect view.graph.chosen 1\nexpect view.graph.words none\n"
                             "expect view graph\n"),
               std::string());
    }
    std::string text = place_->recorded();
    QVERIFY2(text.find("choose in graph before ") != std::string::npos, text.c_str());
    // A kernel that is chosen elsewhere is all its operators here.
    QCOMPARE(place_->lines("kernel gemm_1000\n"), std::string());
    settle();
    auto const pairs = session::pair_nodes(*place_->session->snapshot().graph);
    size_t operators = 0;
    for (int node : graph::nodes_of_kernel(view(true).layout().graph().get(),
                                           place_->session->snapshot().kernel))
      if (auto all = pairs.before.find(node); all != pairs.before.end())
        operators += all->second.size();
    QVERIFY(operators > 0);
    QCOMPARE(view(true).marks().marked().size(), operators);
  }

  void keys_go_from_operator_to_operator_and_on_to_the_loops() {
    open("graph before\nunfold graph\n");
    int first = view(true).cards()->cards[1].chips.front().node->id;
    click(true, first);
    QTest::keyClick(&view(true), Qt::Key_Down);
    place_->settle();
    int second = view(true).cards()->cards[2].chips.front().node->id;
    QCOMPARE(view(true).marks().marked(), std::vector<int>{second});
    QTest::keyClick(&view(true), Qt::Key_Return);
    place_->settle();
    QCOMPARE(place_->lines("expect view loops\n"), std::string());
    QCOMPARE(place_->session->snapshot().kernel, pair().pairing().computed_in(true, second).kernel);
    QVERIFY(place_->window->findChild<QWidget*>("loopNest")->hasFocus());
    QVERIFY(place_->session->snapshot().nest);
    QVERIFY(place_->recorded().find("show loops\n") != std::string::npos);
  }

  void a_double_click_shows_the_loops_data() {
    QTest::addColumn<bool>("before");
    QTest::addColumn<int>("down");
    QTest::newRow("before") << true << 12;
    QTest::newRow("after") << false << 12;
    QTest::newRow("an operator, of which Why speaks") << false << 48;
  }
  void a_double_click_shows_the_loops() {
    QFETCH(bool, before);
    QFETCH(int, down);
    open(before ? "graph before\nunfold graph\n" : "unfold graph\n");
    int node = node_of(before, down > 40 ? "relu" : "max_pool");
    view(before).camera().bring_into_view(box_of(view(before).cards(), {node}));
    QTest::mouseClick(&view(before), Qt::LeftButton, {}, head_of(before, node, down));
    place_->settle();
    QCOMPARE(place_->lines("expect view graph\n"), std::string());
    QTest::mouseDClick(&view(before), Qt::LeftButton, {}, head_of(before, node, down));
    place_->settle();
    QCOMPARE(place_->lines("expect view loops\n"), std::string());
    QCOMPARE(place_->session->snapshot().kernel, pair().pairing().computed_in(before, node).kernel);
  }

  void a_double_click_that_opens_a_group_shows_no_loops() {
    open("fold graph layer1\n");
    Part group = part("layer1, folded group, 4 kernels");
    QPoint at = group.rect.center().toPoint();
    QTest::mouseClick(&view(false), Qt::LeftButton, {}, at);
    settle();
    QTest::mouseDClick(&view(false), Qt::LeftButton, {}, at);
    settle();
    QCOMPARE(place_->lines("expect view graph\n"), std::string());
  }

  void the_menu_of_a_card_leads_to_its_loops_and_inspects_it() {
    for (bool before : {false, true}) {
      open(before ? "graph before\nunfold graph\n" : "show graph\n");
      int node = node_of(before, "max_pool");
      view(before).camera().bring_into_view(box_of(view(before).cards(), {node}));
      QStringList entries = menu_at(before, head_of(before, node), "Show its loops");
      QCOMPARE(entries.mid(0, 2), QStringList({"Show its loops", "Inspect"}));
      place_->settle();
      QCOMPARE(place_->lines("expect view loops\nshow graph\n"), std::string());
      QCOMPARE(place_->session->snapshot().kernel,
               pair().pairing().computed_in(before, node).kernel);
      menu_at(before, head_of(before, node), "Inspect");
      place_->settle();
      QCOMPARE(place_->lines(before ? "expect inspected.kind imported\nexpect inspected maxpool\n"
                                    : "expect inspected.kind kernel\n"),
               std::string());
    }
  }

  void the_key_of_menus_is_about_the_chosen_card() {
    open("graph before\nunfold graph\n");
    click(true, node_of(true, "max_pool"));
    QContextMenuEvent asked(QContextMenuEvent::Keyboard, {5, 5}, {5, 5});
    QCOMPARE(menu_of(true, asked, "Show its loops").mid(0, 1), QStringList("Show its loops"));
    place_->settle();
    QCOMPARE(place_->lines("expect view loops\nexpect kernel contains max_pool\n"), std::string());
  }

  void arranging_stands_at_the_card_that_it_is_about() {
    auto arranging = [](QStringList const& entries) { return entries.filter("Graph option: "); };
    for (QString const& entry : arranging(menu_at(false, {3, 3})))
      QVERIFY2(entry.startsWith("Graph option: channel_block="), qPrintable(entry));
    int with_choices = 0;
    for (graph::Card const& card : view(false).cards()->cards) {
      view(false).camera().bring_into_view(card.box);
      QStringList own = arranging(menu_at(false, head_of(false, card.chips.front().node->id)));
      with_choices += !own.isEmpty();
      QVERIFY2(own.size() <= 6, qPrintable(own.join("\n")));
      for (QString const& entry : own)
        QVERIFY2(!entry.contains("channel_block="), qPrintable(entry));
    }
    QVERIFY(with_choices > 0);
  }

  void what_no_kernel_computes_says_so() {
    std::string model = testing::shared_models("/light/light_squeezenet/model.onnx");
    if (!std::filesystem::exists(model)) QSKIP(("the model is not here: " + model).c_str());
    open("open " + model + "\nshow graph\ngraph before\nunfold graph\n");
    auto const graph = place_->session->snapshot().graph;
    auto constant = std::ranges::find_if(graph->nodes_before, [&](auto const& node) {
      return pair().pairing().computed_in(true, node.id).why.find("depends on no input") !=
             std::string::npos;
    });
    QVERIFY(constant != graph->nodes_before.end());
    int kernel = place_->session->snapshot().kernel;
    click(true, constant->id);
    QCOMPARE(place_->session->snapshot().kernel, kernel);
    QCOMPARE(place_->lines("expect view.graph.words contains computed when the model was opened\n"),
             std::string());
    auto* legend = place_->window->findChild<QWidget*>("graphLegend");
    QVERIFY(dynamic_cast<HasParts*>(legend)->parts()[0].name.startsWith("No kernel computes "));
    // Neither has it loops, and what is chosen next takes the words away.
    QTest::keyClick(&view(true), Qt::Key_Return);
    place_->settle();
    QCOMPARE(place_->lines("expect view graph\n"), std::string());
    auto computed = std::ranges::find_if(graph->nodes_before, [&](auto const& node) {
      return pair().pairing().computed_in(true, node.id).why.empty();
    });
    click(true, computed->id);
    QCOMPARE(place_->lines("expect view.graph.words none\n"), std::string());
  }

private:
  GraphPair& pair() const { return *place_->window->findChild<GraphPair*>(); }
  GraphView& view(bool before) const { return pair().view(before); }
  void open(std::string const& lines) {
    QCOMPARE(place_->lines(lines), std::string());
    settle();
  }
  void settle() const {
    place_->settle();
    while (pair().busy()) QTest::qWait(1);
    QTest::qWait(1);
  }
  int node_of(bool before, std::string const& op) const {
    auto const graph = place_->session->snapshot().graph;
    auto const& nodes = before ? graph->nodes_before : graph->nodes;
    return std::ranges::find(nodes, op, &session::GraphNodeView::op)->id;
  }
  /// Above the operators of its card, or further down.
  QPoint head_of(bool before, int node, int down = 12) const {
    GraphView& one = view(before);
    QPointF place = box_of(one.cards(), {node}).topLeft() + QPointF(30, down);
    return (place * one.camera().scale() + one.camera().origin()).toPoint();
  }
  void click(bool before, int node) const {
    view(before).camera().bring_into_view(box_of(view(before).cards(), {node}));
    QTest::mouseClick(&view(before), Qt::LeftButton, {}, head_of(before, node));
    settle();
  }
  Part part(QString const& name) const {
    for (Part const& one : view(false).parts())
      if (one.name == name) return one;
    return {};
  }
  QStringList menu_at(bool before, QPoint at, QString const& chosen = {}) {
    QContextMenuEvent asked(QContextMenuEvent::Mouse, at, view(before).mapToGlobal(at));
    return menu_of(before, asked, chosen);
  }
  /// The entries; one of them is chosen.
  QStringList menu_of(bool before, QContextMenuEvent& asked, QString const& chosen) {
    QApplication::sendEvent(&view(before), &asked);
    QStringList entries;
    QAction* wanted = nullptr;
    for (QMenu* menu : place_->window->findChildren<QMenu*>()) {
      if (!menu->isVisible()) continue;
      for (QAction* action : menu->actions()) {
        entries << action->text().section('\t', 0, 0);
        if (entries.back() == chosen) wanted = action;
      }
      if (wanted) wanted->trigger();
      menu->close();
    }
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    return entries;
  }

  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(GraphChoiceTest)
#include "graph_choice_test.moc"
