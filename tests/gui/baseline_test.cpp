// Stars, names, filters and the baseline of a history, through the window and by themselves. With
// TW_PICTURES set, pictures go to that folder.
#include <QtTest>

#include <QLineEdit>

#include "engine/session/bookmarks.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/compare/difference_chart.h"
#include "widgets/history/history_panel.h"
#include "widgets/kernels/kernel_list.h"

using namespace tw;
using namespace tw::session;

namespace {

QRectF part_called(HasParts const& view, QString const& name) {
  for (Part const& part : view.parts())
    if (part.name.startsWith(name)) return part.rect;
  return {};
}

}  // namespace

class BaselineTest : public QObject {
  Q_OBJECT
private slots:
  void a_state_is_tagged_named_and_made_the_baseline_by_keys() {
    Workplace place(false);
    place.open_matmul();
    place.window->apply_line("i.0, i.1 = split(C.i, factor=8)");
    auto* map = place.window->findChild<tw::HistoryView*>("history");
    map->setFocus();
    QTest::keyClick(map, Qt::Key_T);
    QTest::keyClick(map, Qt::Key_B);
    QTest::keyClick(map, Qt::Key_F2);
    auto* line = map->findChild<QLineEdit*>("nameEdit");
    QVERIFY(line->isVisible());
    QTest::keyClicks(line, "tiles of 8");
    QTest::keyClick(line, Qt::Key_Return);
    QVERIFY(!line->isVisible());
    int leaf = place.session->snapshot().history->current;
    auto marks = place.session->marks();
    QVERIFY(marks->states.at(leaf).tagged);
    QCOMPARE(marks->states.at(leaf).name, std::string("tiles of 8"));
    QCOMPARE(marks->baseline, leaf);
    QString said = name_of_current(*map);
    for (char const* words : {"tiles of 8: ", "tagged", "the baseline"})
      QVERIFY2(said.contains(words), qPrintable(said));
    std::string text = place.recorded();
    for (std::string words : {"star ", "name ", "baseline "})
      QVERIFY(text.find(words + std::to_string(leaf)) != std::string::npos);
    QVERIFY(place.window->windowTitle().endsWith("Tilewright"));
    QTest::keyClick(map, Qt::Key_T);
    QTest::keyClick(map, Qt::Key_B);
    QCOMPARE(place.session->marks()->baseline, -1);
    QVERIFY(!place.session->marks()->states.at(leaf).tagged);
    QVERIFY2(wrong_words(*map).isEmpty(), qPrintable(wrong_words(*map)));
  }

  void a_filter_leaves_the_ways_to_what_is_looked_for() {
    // 0-1-2-3-4-5, a branch 6-7 from 1.
    auto view = std::make_shared<session::HistoryView>();
    for (int parent : {-1, 0, 1, 2, 3, 4, 1, 6}) {
      HistoryNodeView node;
      node.id = int(view->nodes.size());
      node.parent = parent;
      node.label = "split";
      view->nodes.push_back(node);
    }
    std::set<int> const only{7};
    HistoryLayout layout = lay_out_history(*view, {}, {}, &only);
    QVERIFY(layout.places[0].shown && layout.places[7].shown);
    for (size_t id : {2, 3, 4, 5}) QVERIFY(!layout.places[id].shown);
    QCOMPARE(layout.folds.size(), size_t(1));  // 1 and 6
    QCOMPARE(layout.folds[0].count, 2);
    view->current = 5;
    layout = lay_out_history(*view, {}, {}, &only);
    QVERIFY(layout.places[5].shown && layout.places[7].shown && layout.places[1].shown);
  }

  void the_baseline_stands_in_every_view() {
    Workplace place(true);
    place.open_matmul();
    place.window->execute(SetBaseline{0});
    place.window->apply_line("parallel(C.i)");
    place.settle();
    auto* map = place.window->findChild<tw::HistoryView*>("history");
    auto* list = place.window->findChild<KernelList*>("kernels");
    auto* bar = place.window->findChild<QWidget*>("topBar");
    QVERIFY2(bar->accessibleDescription().contains(" baseline"),
             qPrintable(bar->accessibleDescription()));
    QVERIFY2(name_of_current(*map).contains(" baseline"), qPrintable(name_of_current(*map)));
    QVERIFY2(list->parts()[0].name.contains(" baseline"), qPrintable(list->parts()[0].name));
    QCOMPARE(place.lines("expect history.to_baseline > 0.01\n"), std::string());
    auto* below = dynamic_cast<HasParts*>(place.window->findChild<QWidget*>("roofline"));
    if (place.session->snapshot().machine->roofs_known)
      QVERIFY(!part_called(*below, "baseline: plain").isEmpty());
    QCOMPARE(place.lines("compare 0 2\nshow each_kernel\n"), std::string());
    auto* chart = place.window->findChild<DifferenceChart*>("differences");
    QCOMPARE(chart->parts().size(), size_t(1));
    QVERIFY2(chart->parts()[0].name.startsWith("matmul: "), qPrintable(chart->parts()[0].name));
    QVERIFY2(wrong_words(*place.window).isEmpty(), qPrintable(wrong_words(*place.window)));
    keep_picture(*place.window, "baseline_window");
    place.window->execute(ClearBaseline{});
    QVERIFY(!bar->accessibleDescription().contains("baseline"));
  }

  void bars_of_a_difference_go_both_ways() {
    DifferenceChart chart;
    chart.set_theme(Theme::load("dark"));
    chart.resize(420, 300);
    chart.show_differences({{0, "conv2d_64x56x56_3x3_add", 4, "plain", "unroll", 8.0, 2.0},
                            {1, "gemm_1000", 1, "plain", "split", 1.0, 1.5},
                            {2, "max_pool", 1, "plain", "split", 1.0, {}},
                            {3, "add", 2, "plain", "split", 0.2, 0.2}},
                           "nothing");
    QCOMPARE(chart.parts().size(), size_t(3));  // one has no time
    QVERIFY(chart.parts()[0].name.contains("4.00× faster"));
    QVERIFY(chart.parts()[1].name.contains("1.50× slower"));
    QVERIFY(chart.parts()[2].name.contains("the same"));
    QCOMPARE(chart.bar(0).left(), chart.bar(1).right());
    QVERIFY(chart.bar(0).width() > chart.bar(1).width());
    chart.show();
    QVERIFY2(wrong_words(chart).isEmpty(), qPrintable(wrong_words(chart)));
    keep_picture(chart, "differences");
    chart.show_differences({}, "nothing");
    QVERIFY(chart.parts().empty());
  }

private:
  static QString name_of_current(tw::HistoryView const& map) {
    for (Part const& part : map.parts())
      if (part.selected) return part.name;
    return {};
  }
};

QTEST_MAIN(BaselineTest)
#include "baseline_test.moc"
