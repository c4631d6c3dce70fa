// Blocks of a graph that are built alike: found, marked, named and gone through.
#include <QtTest>

#include <QLabel>
#include <QPushButton>

#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/graph/block_bar.h"
#include "widgets/graph/graph_contents.h"
#include "widgets/graph/graph_pair.h"

using namespace tw;

class BlocksAlikeTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    place_->window->resize(1600, 1000);
    lines("sample resnet18\nshow graph\n");
  }
  void cleanup() { place_.reset(); }

  void all_blocks_of_the_same_operators_are_marked_and_named() {
    lines("blocks like layer1.0\nexpect blocks.count >= 2\nexpect blocks.group = layer1.0\n");
    GraphView& view = graph();
    // By hand: every group, or none of those in it, whose operators are the same in their order.
    std::vector<std::string> of_this = operators("layer1.0"), wanted;
    QVERIFY(!of_this.empty());
    for (graph::Group const& group : view.cards()->groups)
      if (operators(group.key) == of_this) wanted.push_back(group.key);
    QCOMPARE(view.alike().count(), int(wanted.size()));
    QString words = view.alike().words();
    QVERIFY2(words.startsWith(QString("%1 blocks of conv2d, ").arg(wanted.size())),
             qPrintable(words));
    for (std::string const& key : wanted)
      QVERIFY2(words.contains(QString::fromStdString(key)), qPrintable(words));
    auto* label = graph().findChild<QLabel*>("blockWords");
    QVERIFY(label && label->isVisible());
    QCOMPARE(label->text(), words);
    int named = 0;
    for (Part const& part : view.parts()) named += part.name.contains("of the same structure");
    QCOMPARE(named, view.alike().count());
  }

  void keys_go_through_them_and_escape_ends_it() {
    GraphView& view = graph();
    lines("unfold graph\n");
    view.marks().choose_group("layer1.0");
    place_->window->run_action("Blocks built like this");
    int count = view.alike().count();
    QVERIFY(count >= 2);
    QVERIFY(view.hasFocus());
    QCOMPARE(view.alike().current(), 0);
    QTest::keyClick(&view, Qt::Key_Return);
    place_->settle();
    QCOMPARE(view.alike().current(), 1 % count);
    QCOMPARE(view.marks().chosen_group(), view.alike().stood_at());
    QTest::keyClick(&view, Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClick(&view, Qt::Key_Return, Qt::ShiftModifier);
    place_->settle();
    QCOMPARE(view.alike().current(), count - 1);
    auto* bar = graph().findChild<BlockBar*>("blockBar");
    QVERIFY(bar->isVisible());
    auto* next = bar->findChild<QPushButton*>("blockNext");
    QVERIFY(next->focusPolicy() & Qt::TabFocus);
    QCOMPARE(next->accessibleName(), QString("Next block"));
    next->setFocus();
    QTest::keyClick(next, Qt::Key_Space);
    QCOMPARE(view.alike().current(), 0);
    QTest::keyClick(next, Qt::Key_Escape);
    QCOMPARE(view.alike().count(), 0);
    QVERIFY(!bar->isVisible());
    QVERIFY(view.hasFocus());
    std::string text = place_->recorded();
    for (char const* wanted :
         {"blocks like layer1.0\n", "block next\n", "block previous\n", "block end\n"})
      QVERIFY2(text.find(wanted) != std::string::npos, text.c_str());
  }

  void one_that_is_folded_away_is_opened_when_it_is_stepped_to() {
    lines("fold graph\nunfold graph layer1\nblocks like layer1.0\nexpect blocks.count >= 2\n");
    GraphView& view = graph();
    for (int i = 0; i < view.alike().count(); ++i) {
      lines("block next\n");
      std::string key = view.alike().stood_at();
      auto group = std::ranges::find(view.cards()->groups, key, &graph::Group::key);
      QVERIFY2(group->seen(), key.c_str());
      QRectF box = group->card >= 0 ? view.cards()->cards[size_t(group->card)].box : group->frame;
      QRectF shown(box.topLeft() * view.camera().scale() + view.camera().origin(),
                   box.size() * view.camera().scale());
      QVERIFY2(view.unit_rect().contains(shown.topLeft()), key.c_str());
      QVERIFY(!view.pixels(shown).intersects(view.findChild<BlockBar*>("blockBar")->geometry()));
    }
    QCOMPARE(view.alike().stood_at(), std::string("layer1.0"));
  }

  void one_sentence_says_that_there_is_none() {
    lines("blocks like nothing\nexpect error contains has no group 'nothing'\n");
    lines("block next\nexpect error contains no blocks are marked\n");
    // The first kernel is in no group; that of a block stands for it.
    lines("blocks like\nexpect error contains no block is chosen\n");
    lines("kernel conv2d_64x56x56_3x3\nblocks like\nexpect blocks.group = layer1.0\nblock end\n");
    std::string alone;
    for (graph::Group const& group : graph().cards()->groups)
      if (graph::built_alike(*graph().cards(), int(&group - graph().cards()->groups.data()))
              .size() == 1)
        alone = group.key;
    QVERIFY(!alone.empty());
    lines("blocks like " + alone + "\nexpect error contains no other block is built like " + alone +
          "\nexpect blocks.count = 0\n");
  }

  void finding_ends_the_marks_and_marking_ends_the_search() {
    lines(
        "blocks like layer1.0\nfind relu\nexpect blocks.count = 0\nexpect find.matches > 5\n"
        "blocks like layer1.0\nexpect blocks.count >= 2\nexpect find.matches = 0\n");
    QVERIFY(!graph().findChild<QWidget*>("findBar")->isVisible());
  }

  void both_sides_of_fusion_are_marked() {
    lines("graph both\nblocks like layer1.0\nblock next\n");
    auto* pair = place_->window->findChild<GraphPair*>("graphs");
    QVERIFY(pair->view(false).alike().count() >= 2);
    QCOMPARE(pair->view(true).alike().count(), pair->view(false).alike().count());
    QCOMPARE(pair->view(true).alike().stood_at(), pair->view(false).alike().stood_at());
    keep_picture(*place_->window, "alike_both");
    lines("block end\nexpect blocks.count = 0\n");
    QCOMPARE(pair->view(true).alike().count(), 0);
    // Another graph has its own blocks.
    lines("blocks like layer1.0\ngraph before\nexpect blocks.count = 0\n");
  }

  void the_menu_of_a_place_speaks_of_the_block_that_is_there() {
    lines("unfold graph\n");
    GraphView& view = graph();
    auto const& groups = view.cards()->groups;
    auto inner = std::ranges::find(groups, std::string("layer1.1"), &graph::Group::key);
    QVERIFY(inner != groups.end() && !inner->frame.isEmpty());
    view.camera().look_at(1, -inner->frame.topLeft() + QPointF(40, 40));
    QCOMPARE(block_at(view.cards(), view.camera().to_graph({44, 44})), std::string("layer1.1"));
    QCOMPARE(block_at(view.cards(), view.camera().to_graph({-1e6, -1e6})), std::string());
  }

  void nothing_is_cut_or_covered_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QString>("size");
    QTest::addColumn<int>("scale");
    for (char const* theme : {"dark", "light", "high-contrast"}) {
      QTest::addRow("%s", theme) << theme << "1600 1000" << 100;
      QTest::addRow("%s small", theme) << theme << "960 620" << 100;
      QTest::addRow("%s large letters", theme) << theme << "1280 800" << 150;
    }
  }
  void nothing_is_cut_or_covered() {
    QFETCH(QString, theme);
    QFETCH(QString, size);
    QFETCH(int, scale);
    lines(QString("theme %1\nscale text %2\nsize %3\nfold graph\nunfold graph layer1\n"
                  "blocks like layer1.0\nblock next\n")
              .arg(theme)
              .arg(scale)
              .arg(size)
              .toStdString());
    auto* bar = graph().findChild<BlockBar*>("blockBar");
    QVERIFY(bar->isVisible());
    QVERIFY(graph().rect().contains(bar->geometry()));
    auto* words = bar->findChild<QLabel*>("blockWords");
    QVERIFY(words->height() >= words->heightForWidth(words->width()));
    QString wrong = wrong_words(*bar);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    keep_picture(*place_->window,
                 QString("alike_%1_%2_%3").arg(theme, size).arg(scale).replace(' ', '_'));
    lines("fit graph\n");
    keep_picture(*place_->window, "alike_fit_" + theme);
  }

private:
  GraphView& graph() { return *place_->window->findChild<GraphView*>("graph"); }
  void lines(std::string const& text) {
    std::string wrong = place_->lines(text);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
  /// Of the nodes in a group, each with what stands beside it.
  std::vector<std::string> operators(std::string const& key) {
    std::vector<std::string> list;
    for (int id : nodes_of_group(graph().cards(), key))
      for (session::GraphNodeView const& node : graph().cards()->graph->nodes)
        if (node.id == id) list.push_back(node.op + " " + node.detail);
    return list;
  }

  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(BlocksAlikeTest)
#include "blocks_alike_test.moc"
