// Where things stand: nothing moves when a measurement starts, and a wide window gives its room to
// what is cut otherwise.
#include <QtTest>

#include <QSplitter>
#include <map>

#include "tests/gui/workplace.h"
#include "widgets/code/code_view.h"
#include "widgets/ladder/ladder_view.h"

using namespace tw;
using namespace tw::session;

namespace {

/// Of all that is seen, in the window's pixels.
std::map<QWidget*, QRect> places(MainWindow& window) {
  std::map<QWidget*, QRect> all;
  for (QWidget* one : window.findChildren<QWidget*>())
    if (one->isVisible()) all[one] = QRect(one->mapTo(&window, QPoint(0, 0)), one->size());
  return all;
}

}  // namespace

class RoomTest : public QObject {
  Q_OBJECT
private slots:
  void nothing_moves_while_a_kernel_is_measured() {
    Workplace place(true);
    place.open_matmul();
    place.window->execute(ApplyStep{"vectorize(C.j)"});
    place.settle();
    std::map<QWidget*, QRect> const before = places(*place.window);
    QVERIFY(before.size() > 20);
    place.window->execute(MeasureAgain{});
    bool measured = false;
    QElapsedTimer timer;
    timer.start();
    QStringList moved;
    while (timer.elapsed() < 20'000 && !(measured && !place.session->snapshot().job)) {
      QApplication::processEvents(QEventLoop::AllEvents, 5);
      measured = measured || place.session->snapshot().job != nullptr;
      for (auto const& [widget, at] : places(*place.window))
        if (auto was = before.find(widget); was != before.end() && was->second != at)
          moved << widget->objectName() + " " + widget->metaObject()->className();
    }
    QVERIFY(measured);
    moved.removeDuplicates();
    QVERIFY2(moved.isEmpty(), qPrintable(moved.join(", ")));
  }

  void footprints_stand_in_a_usual_window() {
    Workplace place(false);
    QCOMPARE(place.lines("size 1600 1000\nsample resnet18\n"), std::string());
    auto* ladder = place.window->findChild<LadderView*>("ladder");
    QVERIFY2(ladder->width() > 680, qPrintable(QString::number(ladder->width())));
  }

  void a_wide_window_gives_its_room_to_code() {
    Workplace place(false);
    place.open_matmul();
    auto* ladder = place.window->findChild<LadderView*>("ladder");
    auto* code = place.window->findChild<CodeView*>("code");
    place.settle();
    int loops = ladder->width(), lines = code->width();
    place.window->resize(2560, 1440);
    place.settle();
    QVERIFY2(code->width() - lines > 2 * (ladder->width() - loops),
             qPrintable(QString("%1 %2").arg(code->width() - lines).arg(ladder->width() - loops)));
    double right = 0;
    for (LadderView::Item const& item : ladder->items())
      if (item.bar) right = std::max(right, item.rect.right());
    QVERIFY(ladder->footprint_left() - right < 200);
  }
};

QTEST_MAIN(RoomTest)
#include "room_test.moc"
