// Finding in the graph: tensors beside nodes, each word where it is meant, the match that is
// chosen, and all else dimmed.
#include <QtTest>

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>

#include "tests/gui/workplace.h"
#include "widgets/graph/graph_pair.h"
#include "widgets/palette/palette.h"

using namespace tw;
using namespace tw::testing;

class GraphFindTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    place_->window->resize(1280, 800);
    expect("sample resnet18\nshow graph\n");
  }
  void cleanup() { place_.reset(); }

  void tensors_are_found_at_the_nodes_that_make_or_read_them() {
    expect(
        "find layer1.0.conv1.weight\nexpect find.matches 1\nexpect find.node = layer1.0.conv1\n"
        "expect find.what = layer1.0.conv1.weight, read by layer1.0.conv1 before fusion\n"
        "find layer1.0.conv1.weight scaled\nexpect find.what contains scaled by layer1.0.bn1\n"
        "find input\nexpect find.what = input, read by conv1\n"
        "find layer1.0.add.out\nexpect find.what = layer1.0.add.out, made by layer1.0.add\n"
        "find fc.bias\nexpect find.matches 1\n"
        "find conv2d layer4 weight\nexpect find.matches 5\n");
  }

  void what_fusion_took_away_is_found_where_it_went() {
    expect(
        "find layer1.0.bn1.running_mean\nexpect find.matches 1\n"
        "expect find.what contains read by layer1.0.bn1 before fusion\n"
        "expect find.node = layer1.0.conv1\n"
        "graph before\nexpect find.node = layer1.0.bn1\n"
        "expect find.what = layer1.0.bn1.running_mean, read by layer1.0.bn1\n");
  }

  void a_word_is_looked_for_where_it_is_meant() {
    expect(
        "find op:conv2d\nexpect find.matches = 20\nfind op:layer1\nexpect find.matches 0\n"
        "find name:add\nexpect find.matches 8\nfind name:weight\nexpect find.matches 0\n"
        "find tensor:fc\nexpect find.matches >= 1\nfind op:relu name:layer2\n"
        "expect find.matches 4\nfind op:\nexpect find.matches 0\n");
    auto shown = place_->session->snapshot().graph;
    auto const& groups = shown->groups;
    auto group = std::ranges::find(groups, 0, &session::GraphGroupView::kernel);
    expect("find kernel:" + group->name +
           "\nexpect find.matches >= " + std::to_string(group->nodes.size()) + "\nfind " +
           group->name + "\nfind kernel:nothing\nexpect find.matches 0\n");
  }

  void a_name_that_is_just_that_is_the_first_match() {
    expect(
        "find layer1.0.relu1\nexpect find.current 1\nexpect find.node = layer1.0.relu1\n"
        "find maxpool.out\nexpect find.what = maxpool.out, made by maxpool\n"
        "find tensor:layer4.1.relu2.out\nexpect find.node = layer4.1.relu2\n");
  }

  void the_match_is_chosen_with_its_kernel() {
    expect("find op:conv2d layer3\nmatch current\n");
    QString first = graph().search().name();
    QVERIFY(graph().marks().chosen_count() >= 1);
    expect_chosen();
    place_->window->run_action("Next match in the graph");
    place_->settle();
    QVERIFY(graph().search().name() != first);
    expect_chosen();
    place_->window->run_action("Previous match in the graph");
    place_->settle();
    QCOMPARE(graph().search().name(), first);
    expect_chosen();
    std::string text = place_->recorded();
    QVERIFY2(text.find("match next\nmatch previous\n") != std::string::npos, text.c_str());
    QVERIFY2(text.find("kernel ") == std::string::npos, "the kernel comes with the match");
  }

  void before_fusion_the_card_of_the_match_is_marked() {
    expect(
        "graph before\nunfold graph\nfind layer2.0.bn1.running_mean\nmatch current\n"
        "expect view.graph.chosen 1\n");
    expect_chosen();
  }

  void a_tensor_in_a_folded_group_comes_into_view_from_the_palette() {
    expect("fold graph\nexpect view.graph.folded 4\nshow code\n");
    place_->window->show_palette();
    auto* palette = place_->window->findChild<Palette*>("palette");
    QVERIFY(palette);
    auto* line = palette->findChild<QLineEdit*>();
    QTest::keyClicks(line, "Tensor layer3.1.conv2.weight");
    QCOMPARE(palette->shown().front(), QString("Tensor layer3.1.conv2.weight"));
    QTest::keyClick(line, Qt::Key_Return);
    place_->settle();
    expect("expect find.node = layer3.1.conv2\nexpect view = graph\n");
    QVERIFY(graph().layout().is_open("layer3") && graph().layout().is_open("layer3.1"));
    QVERIFY(graph().camera().shows(box_of(graph().cards(), {graph().search().node()})));
    QVERIFY(place_->recorded().ends_with("find layer3.1.conv2.weight\nmatch current\n"));
    expect_chosen();
  }

  void a_match_is_not_below_the_bar() {
    expect("find op:conv2d\n");
    auto* bar = graph().findChild<FindBar*>();
    for (int i = 0; i < graph().search().count(); ++i) {
      expect("match next\n");
      QRectF box = box_of(graph().cards(), {graph().search().node()});
      QRectF shown(box.topLeft() * graph().camera().scale() + graph().camera().origin(),
                   box.size() * graph().camera().scale());
      QVERIFY2(!graph().pixels(shown).intersects(bar->geometry()),
               qPrintable(graph().search().name()));
    }
  }

  void all_else_is_dimmed_while_something_is_found() {
    expect(
        "unfold graph\nfind op:add\nexpect find.dimmed 0\nonly matches on\n"
        "expect find.dimmed >= 10\n");
    int cards = int(card_count(graph().cards())), dimmed = graph().search().dimmed_count();
    QVERIFY(cards - dimmed <= 8 && cards > dimmed);
    QImage filtered = graph().grab().toImage();
    expect("only matches off\nexpect find.dimmed 0\n");
    QVERIFY(filtered != graph().grab().toImage());
    expect(
        "only matches on\nfind op:nothing\nexpect find.dimmed 0\nfind op:add\n"
        "expect find.dimmed >= 10\nfind\nexpect find.dimmed 0\n");
  }

  void a_folded_group_that_holds_a_match_is_not_dimmed() {
    expect("fold graph\nfind name:layer2\nonly matches on\n");
    QCOMPARE(graph().search().dimmed_count(), int(card_count(graph().cards())) - 1);
  }

  void the_bar_says_what_is_found_and_filters() {
    expect("dialog find\n");
    auto* line = graph().findChild<QLineEdit*>("findLine");
    auto* only = graph().findChild<QCheckBox*>("findOnly");
    auto* what = graph().findChild<QLabel*>("findWhat");
    QVERIFY2(what->text().contains("op:"), qPrintable(what->text()));
    QTest::keyClicks(line, "tensor:conv1.weight");
    QVERIFY(graph().search().count() > 1);
    QVERIFY2(what->toolTip().contains(", read by "), qPrintable(what->toolTip()));
    QVERIFY(!only->isChecked());
    only->click();
    QVERIFY(only->isChecked() && graph().search().dimmed_count() > 0);
    QTest::keyClick(line, Qt::Key_Return);
    QTest::keyClick(only, Qt::Key_Escape);
    QVERIFY(!line->isVisible());
    QCOMPARE(graph().search().dimmed_count(), 0);
    std::string text = place_->recorded();
    QVERIFY2(text.find("find tensor:conv1.weight\nonly matches on\nmatch next\nfind\n") !=
                 std::string::npos,
             text.c_str());
  }

  void the_bar_is_not_wider_than_the_view() {
    expect("graph both\ndialog find\n");
    GraphView& view = place_->window->findChild<GraphPair*>("graphs")->main();
    auto* bar = view.findChild<FindBar*>();
    QVERIFY(bar->isVisible());
    QVERIFY2(bar->x() >= 0 && bar->geometry().right() < view.width(),
             qPrintable(QString("%1 wide in a view of %2").arg(bar->width()).arg(view.width())));
    int narrow = bar->width();
    expect("graph after\ndialog find\n");
    QVERIFY(bar->width() > narrow);
  }

  void side_by_side_both_graphs_are_filtered() {
    expect("graph both\nunfold graph\nfind tensor:layer1.0.conv1.weight\nonly matches on\n");
    auto* pair = place_->window->findChild<GraphPair*>("graphs");
    for (bool before : {false, true}) {
      QCOMPARE(pair->view(before).search().count(), 1);
      QCOMPARE(pair->view(before).search().dimmed_count(),
               int(card_count(pair->view(before).cards())) - 1);
    }
    expect("match current\nexpect view.graph.chosen_before >= 1\n");
    expect_chosen();
  }

private:
  void expect(std::string const& lines) {
    std::string wrong = place_->lines(lines);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
  GraphView& graph() const {
    return place_->window->findChild<GraphPair*>("graphs")->search().found_in();
  }
  /// The kernel that computes the match is the one that all views are about.
  void expect_chosen() {
    auto* pair = place_->window->findChild<GraphPair*>("graphs");
    GraphView& found = graph();
    session::ComputedIn in =
        pair->pairing().computed_in(found.layout().before(), found.search().node());
    QVERIFY(in.kernel >= 0);
    QCOMPARE(place_->session->snapshot().kernel, in.kernel);
  }

  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(GraphFindTest)
#include "graph_find_test.moc"
