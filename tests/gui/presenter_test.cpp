// Text for a room full of people: larger while one presents, and back as it was.
#include <QtTest>

#include <QSettings>
#include <QSplitter>

#include "tests/gui/workplace.h"
#include "widgets/loop_nest/loop_nest_view.h"

using namespace tw;

class PresenterTest : public QObject {
  Q_OBJECT
private slots:
  void a_key_makes_all_larger_and_takes_it_back() {
    Workplace place(false);
    place.open_matmul();
    QCOMPARE(place.lines("scale text 110\n"), std::string());
    auto* loop_nest = place.window->findChild<LoopNestView*>("loopNest");
    QTest::keyClick(place.window.get(), Qt::Key_F9);
    QCOMPARE(place.lines("expect text.scale = 150\n"), std::string());
    QCOMPARE(loop_nest->unit(), 1.5);
    QVERIFY(place.recorded().find("presenter on") != std::string::npos);
    // The next start has the scale that was chosen.
    QCOMPARE(QSettings(place.folder.filePath("state/settings.ini"), QSettings::IniFormat)
                 .value("scale")
                 .toInt(),
             110);
    QTest::keyClick(place.window.get(), Qt::Key_F9);
    QCOMPARE(place.lines("expect text.scale = 110\n"), std::string());
    QCOMPARE(loop_nest->unit(), 1.1);
  }

  /// Large text makes a small window larger: who stops presenting has the window that one had.
  void the_window_has_its_size_and_its_panes_again() {
    Workplace place(false);
    place.open_matmul();
    MainWindow& window = *place.window;
    window.resize(1000, 640);
    place.settle();
    QCOMPARE(place.lines("panes whole 380 200\n"), std::string());
    place.settle();
    QSize size = window.size();
    auto panes = [&] { return window.findChild<QSplitter*>("whole")->sizes(); };
    QList<int> sizes = panes();
    QTest::keyClick(&window, Qt::Key_F9);
    place.settle();
    QVERIFY(window.height() > size.height());
    QTest::keyClick(&window, Qt::Key_F9);
    place.settle();
    QCOMPARE(window.size(), size);
    QVERIFY2(std::abs(panes()[0] - sizes[0]) <= 2, qPrintable(QString::number(panes()[0])));
    // One that was pulled at meanwhile stays.
    QTest::keyClick(&window, Qt::Key_F9);
    window.resize(1700, 1000);
    QTest::keyClick(&window, Qt::Key_F9);
    QCOMPARE(window.size(), QSize(1700, 1000));
  }

  void a_journal_and_the_palette_do_it_too() {
    Workplace place(false);
    QVERIFY(place.window->action_names().contains("Presenter scale"));
    place.window->run_action("Presenter scale");
    QCOMPARE(place.lines("expect text.scale = 150\npresenter on\nexpect text.scale = 150\n"
                         "presenter off\nexpect text.scale = 100\npresenter off\n"
                         "expect text.scale = 100\n"),
             std::string());
  }

  /// One who chooses a scale while presenting keeps it; larger text is not made smaller.
  void a_scale_that_is_chosen_stays() {
    Workplace place(false);
    QCOMPARE(place.lines("presenter on\nscale text 125\npresenter off\nexpect text.scale = 125\n"
                         "scale text 175\npresenter on\nexpect text.scale = 175\npresenter off\n"
                         "expect text.scale = 175\n"),
             std::string());
  }
};

QTEST_MAIN(PresenterTest)
#include "presenter_test.moc"
