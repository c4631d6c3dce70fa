// The table of kernels by itself and in the window: order, filter, columns, keys, what is painted.
// With TW_PICTURES set, pictures go to that folder.
#include <QtTest>

#include <QLineEdit>
#include <QSignalSpy>

#include <set>

#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/kernels/kernel_list.h"

using namespace tw;
using namespace tw::session;

namespace {

std::shared_ptr<KernelTable const> table() {
  auto made = std::make_shared<KernelTable>();
  for (int i = 0; i < 8; ++i) {
    KernelRow row;
    row.name = "conv2d_64x56x56_3x3_with_a_long_name_s2_" + std::to_string(i);
    row.operators = "pad conv2d bias_add relu";
    row.count = i + 1;
    row.flops = 231'000'000 / (i + 1);
    row.bytes = 1 << (20 - i);
    if (i != 3) row.time_ms = 0.1 * (i + 1);
    if (i == 2) row.disturbed = true;
    row.fraction_of_roof = 0.97 / (i + 1);
    row.state = KernelState(i % 4);
    made->rows.push_back(row);
  }
  return made;
}

QRectF part_called(HasParts const& view, QString const& name) {
  for (Part const& part : view.parts())
    if (part.name.startsWith(name)) return part.rect;
  return {};
}

}  // namespace

class KernelsTest : public QObject {
  Q_OBJECT
private slots:
  void what_is_painted_is_whole_and_apart_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<int>("wide");
    for (char const* theme : {"dark", "light", "high_contrast"})
      for (int wide : {272, 360, 700}) QTest::addRow("%s %d", theme, wide) << theme << wide;
  }
  void what_is_painted_is_whole_and_apart() {
    QFETCH(QString, theme);
    QFETCH(int, wide);
    KernelList list;
    list.set_theme(Theme::load(theme));
    list.resize(wide, 900);
    list.show_kernels(table(), 2);
    list.show_baselines({{4, "k", 1, "plain", "unroll", 2.0, 0.5}, {5, "k", 1, "a", "b", 1.0, {}}});
    list.show();
    for (KernelKey key : {KernelKey::kModel, KernelKey::kRoof, KernelKey::kName}) {
      list.sort_by({key});
      QVERIFY2(wrong_words(list).isEmpty(), qPrintable(wrong_words(list)));
    }
    list.set_columns({KernelKey::kOperators, KernelKey::kState, KernelKey::kBytes, KernelKey::kWork,
                      KernelKey::kShare, KernelKey::kTime, KernelKey::kRoof, KernelKey::kCount,
                      KernelKey::kBound});
    list.resize(wide, 900);
    QVERIFY2(wrong_words(list).isEmpty(), qPrintable(wrong_words(list)));
    keep_picture(list, QString("kernels_%1_%2").arg(theme).arg(wide));
  }

  void names_that_begin_and_end_alike_stay_different_when_they_are_cut() {
    QFontMetricsF metrics(mono_font(12, 600));
    QStringList names{"conv2d_64x56x56_3x3_add_relu",
                      "conv2d_64x28x28_3x3_add_relu",
                      "conv2d_128x28x28_3x3_add_relu",
                      "conv2d_64x28x14_3x3_add_relu",
                      "dense_1000x512",
                      "conv2d_64x56x56_3x3_add_relu"};
    for (int letters : {8, 12, 16, 20, 28}) {
      double room = metrics.horizontalAdvance('0') * letters + 1;
      QStringList shown = elided_apart(names, metrics, room);
      for (qsizetype i = 0; i < names.size(); ++i) {
        QVERIFY2(metrics.horizontalAdvance(shown[i]) <= room, qPrintable(shown[i]));
        for (qsizetype j = 0; j < i; ++j)
          QVERIFY2((shown[i] == shown[j]) == (names[i] == names[j]),
                   qPrintable(QString("%1: %2 and %3").arg(letters).arg(shown[i], shown[j])));
      }
    }
    KernelList list;
    list.set_theme(Theme::load("dark"));
    list.resize(190, 500);
    auto made = std::make_shared<KernelTable>();
    for (QString const& name : names.first(5)) {
      made->rows.emplace_back();
      made->rows.back().name = name.toStdString();
    }
    list.show_kernels(made, 0);
    list.show();
    paint::TextLog log;
    list.grab();
    std::set<QString> seen;
    for (paint::PaintedText const& text : log.texts)
      if (text.words.contains("conv2d") || text.words.contains(QChar(0x2026)))
        seen.insert(text.words);
    QCOMPARE(seen.size(), size_t(4));
  }

  void arrows_go_by_what_is_seen_and_a_title_sorts() {
    KernelList list;
    list.set_theme(Theme::load("dark"));
    list.resize(300, 700);
    list.show_kernels(table(), 0);
    QSignalSpy chosen(&list, &KernelList::kernel_chosen);
    int sorted = 0;
    connect(&list, &KernelList::sort_asked, &list, [&](KernelOrder order) {
      list.sort_by(order);
      ++sorted;
    });
    QTest::mouseClick(&list, Qt::LeftButton, {},
                      part_called(list, "Sort by time").center().toPoint());
    QCOMPARE(sorted, 1);
    QVERIFY(list.order() == (KernelOrder{KernelKey::kTime, false}));
    QCOMPARE(list.shown().front(), 7);
    QCOMPARE(list.shown().back(), 3);  // it has no time
    list.show_kernels(table(), 7);
    QTest::keyClick(&list, Qt::Key_Down);
    QCOMPARE(chosen.takeFirst()[0].toInt(), 6);
    QTest::keyClick(&list, Qt::Key_End);
    QCOMPARE(chosen.takeFirst()[0].toInt(), 3);
    QTest::keyClick(&list, Qt::Key_Up);
    QCOMPARE(chosen.size(), 0);  // it is the first one
    QPoint title = part_called(list, "Sort by time").center().toPoint();
    QTest::mouseClick(&list, Qt::LeftButton, {}, title);
    QVERIFY(list.order().reversed);
    QTest::mouseClick(&list, Qt::LeftButton, {}, title);
    QVERIFY(list.order() == KernelOrder());
    QVERIFY(!list.row_rect(3).isEmpty());
    list.filter("s2_5");
    QCOMPARE(list.shown(), std::vector<int>{5});
    QVERIFY(list.row_rect(3).isEmpty());
    QTest::mouseClick(&list, Qt::LeftButton, {}, list.row_rect(5).center().toPoint());
    QCOMPARE(chosen.takeFirst()[0].toInt(), 5);
  }

  void names_that_differ_at_their_ends_stay_apart() {
    KernelList list;
    list.set_theme(Theme::load("dark"));
    list.resize(272, 700);
    list.show_kernels(table(), 0);
    paint::TextLog log;
    list.grab();
    QSet<QString> names;
    for (auto const& text : log.texts)
      if (text.words.startsWith("conv2d")) names.insert(text.words);
    QCOMPARE(names.size(), 8);
  }

  void columns_and_order_are_kept_for_the_next_window() {
    QTemporaryDir state;
    {
      Workplace place(false, state.path());
      place.open_matmul();
      auto* filter = place.window->findChild<QLineEdit*>("kernelFilter");
      QTest::keyClicks(filter, "mat");
      QCOMPARE(place.lines("kernel columns time share\nsort kernels share reversed\n"
                           "expect kernels.shown = 1\n"),
               std::string());
      QVERIFY(place.recorded().find("filter kernels mat\n") != std::string::npos);
    }
    Workplace place(false, state.path());
    place.open_matmul();
    QCOMPARE(place.lines("expect kernels.columns = time share\nexpect kernels.sorted = share\n"),
             std::string());
    auto* list = place.window->findChild<KernelList*>("kernels");
    QVERIFY(list->order().reversed);
  }
};

QTEST_MAIN(KernelsTest)
#include "kernels_test.moc"
