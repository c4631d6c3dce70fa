// How the window starts and ends, and what makes it usable on any screen: sizes, text scale,
// tooltips, keys, what it remembers.
#include <QtTest>

#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <QTabBar>
#include <QToolTip>

#include "tests/gui/workplace.h"
#include "tests/support/paths.h"
#include "widgets/loop_nest/loop_nest_view.h"

using namespace tw;
using namespace tw::session;

namespace {

struct Run {
  int code = -1;
  QString out, err;
};

/// The program where there is no display of any kind.
Run without_display(QStringList const& arguments) {
  QProcess process;
  auto environment = QProcessEnvironment::systemEnvironment();
  for (char const* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
    environment.remove(name);
  process.setProcessEnvironment(environment);
  process.start(testing::built("/bin/tilewright"), arguments);
  process.waitForFinished(60000);
  return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
          QString::fromUtf8(process.readAllStandardError())};
}

}  // namespace

class StartTest : public QObject {
  Q_OBJECT
private slots:
  void help_and_version_need_no_display_and_a_window_says_that_it_does() {
    for (char const* option : {"--help", "-h"}) {
      Run run = without_display({option});
      QCOMPARE(run.code, 0);
      QVERIFY(run.out.contains("--sample") && run.out.contains("--scale"));
    }
    for (char const* option : {"--version", "-v"})
      QVERIFY(without_display({option}).out.startsWith("tilewright "));
    Run run = without_display({});
    QCOMPARE(run.code, 3);
    QVERIFY2(run.err.contains("there is no display"), qPrintable(run.err));
  }

  void a_scale_that_is_none_is_said() {
    for (char const* scale : {"banana", "79", "201"}) {
      Run run = without_display({"--screenshot", "x.png", "--scale", scale});
      QCOMPARE(run.code, 2);
      QVERIFY2(run.err.contains("--scale takes a percentage from 80 to 200"), qPrintable(run.err));
    }
  }

  void the_window_fits_its_screen() {
    Workplace place(false);
    QSize room = place.window->screen()->availableSize();
    QSize shown = place.window->size(), least = place.window->minimumSize();
    QVERIFY(shown.width() <= room.width() && shown.height() <= room.height());
    place.window->set_text_scale(200);
    least = place.window->minimumSize();
    QVERIFY(least.width() <= room.width() && least.height() <= room.height());
  }

  /// The size of the last session is taken, unless one was asked for.
  void a_size_that_was_asked_for_wins() {
    QTemporaryDir kept;
    Workplace first(false);
    first.open_matmul();
    first.window->resize(1500, 950);
    first.settle();
    first.window->projects().close();
    for (bool wished : {false, true}) {
      QString state = kept.filePath(wished ? "wished" : "free");
      QVERIFY(QDir().mkpath(state));
      QVERIFY(
          QFile::copy(first.folder.filePath("state/session.twproj"), state + "/session.twproj"));
      Workplace next(false, state);
      QVERIFY(next.window->perform(journal::ResizeWindow{1100, 720}));
      if (wished) next.window->projects().keep_size();
      QVERIFY(next.window->projects().keeper().restore_last());
      next.settle();
      QCOMPARE(next.window->size(), wished ? QSize(1100, 720) : QSize(1500, 950));
    }
  }

  void control_q_ends_it() {
    Workplace place(false);
    QTest::keyClick(place.window.get(), Qt::Key_Q, Qt::ControlModifier);
    QVERIFY(!place.window->isVisible());
  }

  void a_sample_is_among_the_recent_ones_and_can_be_taken_off() {
    Workplace place(false);
    place.window->execute(OpenSample{"dqn"});
    place.settle();
    place.window->execute(CloseModel{});
    place.settle();
    auto recent = [&] { return place.window->findChild<QPushButton*>("recent_0"); };
    QVERIFY(recent() && recent()->isVisible());
    QCOMPARE(recent()->accessibleName(), QString("DQN"));
    recent()->click();
    place.settle();
    QCOMPARE(place.lines("expect model = dqn\nclose\n"), std::string());
    recent()->actions().value(0)->trigger();
    QSettings settings(place.folder.filePath("state/settings.ini"), QSettings::IniFormat);
    QVERIFY(settings.value("recent").toStringList().isEmpty());
  }

  /// Whatever looks like a button is one.
  void the_pills_of_the_top_bar_show_the_devices() {
    QTemporaryDir folder;
    Workplace place(folder.filePath("devices.json").toStdString());
    place.open_matmul();
    for (char const* name : {"machinePill", "targetPill"}) {
      auto* pill = place.window->findChild<QPushButton*>(name);
      QVERIFY(pill && pill->isVisible());
      QVERIFY(pill->x() >= 0 && pill->geometry().right() < place.window->width());
      pill->click();
      QCOMPARE(place.lines("expect view = devices\nshow loops\n"), std::string());
    }
  }

  /// None of them needs a key that one must know.
  void the_buttons_of_the_top_bar_export_tune_and_find_commands() {
    QTemporaryDir folder;
    Workplace place(folder.filePath("devices.json").toStdString());
    auto button = [&](char const* name) { return place.window->findChild<QPushButton*>(name); };
    QVERIFY(!button("exportModel")->isVisible() && !button("tuneKernel")->isVisible());
    place.open_matmul();
    for (QSize size : {QSize(960, 620), QSize(1280, 800), QSize(1600, 1000)}) {
      place.window->resize(size);
      place.settle();
      button("searchField")->click();
      QCOMPARE(place.lines("expect dialog = palette\nclose dialog\n"), std::string());
      button("exportModel")->click();
      std::string wrong = place.lines("expect dialog = exportDialog\nclose dialog\n");
      QVERIFY2(wrong.empty(), wrong.c_str());
      QCOMPARE(place.lines("show loops\n"), std::string());
      button("tuneKernel")->click();
      QCOMPARE(place.lines("expect view = tuning\n"), std::string());
      for (char const* name : {"searchField", "exportModel", "tuneKernel"})
        QVERIFY2(button(name)->isVisible() && button(name)->geometry().right() < size.width(),
                 name);
    }
  }

  void tooltips_are_in_the_text_s_font_and_no_wider_than_a_small_screen() {
    Workplace place(false);
    place.open_matmul();
    place.window->apply_line("split(C.i, factor=8)");
    place.settle();
    QCOMPARE(QToolTip::font().families(), ui_font(12).families());
    QFontMetrics letters(QToolTip::font());
    int seen = 0;
    for (QWidget* widget : place.window->findChildren<QWidget*>())
      for (QString const& line : widget->toolTip().split('\n')) {
        seen += !line.isEmpty();
        QVERIFY2(letters.horizontalAdvance(line) < 800, qPrintable(line));
      }
    QVERIFY(seen > 10);
  }

  void the_text_changes_its_size_at_once_and_is_remembered() {
    Workplace place(false);
    place.open_matmul();
    MainWindow& window = *place.window;
    auto* loop_nest = window.findChild<LoopNestView*>("loopNest");
    auto* tabs = window.findChild<QTabBar*>("codeTabs");
    int letters = tabs->fontMetrics().height(), tall = loop_nest->minimumHeight();
    QTest::keyClick(&window, Qt::Key_Plus, Qt::ControlModifier);
    QTest::keyClick(&window, Qt::Key_Plus, Qt::ControlModifier);
    QCOMPARE(place.lines("expect text.scale = 125\n"), std::string());
    QCOMPARE(loop_nest->unit(), 1.25);
    QApplication::processEvents();
    QVERIFY(tabs->fontMetrics().height() > letters);
    QVERIFY(loop_nest->minimumHeight() > tall);
    // What is seen is what is clicked.
    for (auto const& item : loop_nest->scene().layout.items)
      if (item.bar && item.bar->name == "k")
        QTest::mouseClick(loop_nest, Qt::LeftButton, {}, loop_nest->pixels(item.rect.center()));
    QCOMPARE(place.lines("expect loop = C.k\n"), std::string());
    for (Part const& part : loop_nest->parts())
      QVERIFY(loop_nest->rect().contains(loop_nest->pixels(part.rect)));
    QCOMPARE(QSettings(place.folder.filePath("state/settings.ini"), QSettings::IniFormat)
                 .value("scale")
                 .toInt(),
             125);
    QTest::keyClick(&window, Qt::Key_0, Qt::ControlModifier);
    QCOMPARE(loop_nest->unit(), 1.0);
    QCOMPARE(tabs->fontMetrics().height(), letters);
    QCOMPARE(place.lines("scale text 60\nexpect error contains 80 to 200 percent\n"),
             std::string());
  }
};

QTEST_MAIN(StartTest)
#include "start_test.moc"
