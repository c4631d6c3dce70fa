// The start page: what it tells, where it stands in windows of any size, and how the keyboard goes
// through it.
#include <QtTest>

#include <QSettings>

#include "engine/session/start_page_data.h"
#include "tests/gui/painted_texts.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/start/sample_button.h"
#include "widgets/start/start_page.h"

using namespace tw;
using namespace tw::session;

namespace {

/// With every kind of thing that the page can show.
void fill(StartPage& page) {
  QDateTime now = QDateTime::currentDateTime();
  page.show_recent(
      {{"/home/someone/models/resnet18.onnx",
        Reached{"conv2d_64x56x56_3x3 · 5 steps", "226.6 GFLOP/s", KernelState::kHand, now}},
       {"/home/someone/a/folder/with/a/rather/long/name/mobilenet_of_many_words_quantized.onnx",
        Reached{"depthwise_conv2d_512x14x14_3x3 · 12 steps", "41.2 GFLOP/s", KernelState::kTuned,
                now.addDays(-1)}},
       {"sample:lstm", Reached{"", "5.8 ms", KernelState::kDefault, now.addDays(-3)}},
       {"/nowhere/matmul.te", {}}});
  auto machine = std::make_shared<MachineView>();
  machine->device = "local";
  machine->name = "This machine · 2 cores";
  machine->target = "x86-64 with AVX-512";
  machine->detail = "48 KB L1, 1 MB L2, 32 MB L3";
  machine->roofs_known = true;
  machine->roofs = {{"FMA f32", true, 280, 2}, {"FMA f32, one core", true, 140, 1},
                    {"L1", false, 578, 2},     {"L2", false, 279, 2},
                    {"L3", false, 128, 2},     {"DRAM", false, 44, 2}};
  page.show_machine(machine, now.addSecs(-130));
  SampleSummary story{70, 23, "conv2d_64x56x56_3x3", {}, 14.4, {}};
  for (int i = 0; i < 9; ++i) story.loops.push_back({i % 6, i / 6, int64_t(3) << i});
  for (StartSample const& one : start_samples())
    page.show_story(QString::fromStdString(one.source), story);
}

QStringList descriptions(StartPage const& page) {
  QStringList words;
  for (auto* row : page.findChildren<QPushButton*>())
    if (row->objectName().startsWith("recent_") && row->isVisible())
      words << row->accessibleName() + ": " + row->accessibleDescription();
  return words;
}

}  // namespace

class StartPageTest : public QObject {
  Q_OBJECT
private slots:
  void no_word_is_cut_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("scale");
    for (char const* theme : {"dark", "light", "high_contrast"})
      for (QSize size : {QSize(960, 620), QSize(1280, 800), QSize(1600, 1000), QSize(2560, 1440)})
        for (int scale : {100, 150})
          QTest::addRow("%s %d %d", theme, size.width(), scale) << theme << size << scale;
  }
  void no_word_is_cut() {
    QFETCH(QString, theme);
    QFETCH(QSize, size);
    QFETCH(int, scale);
    Workplace place(false);
    MainWindow& window = *place.window;
    window.set_theme(theme);
    window.set_text_scale(scale);
    window.resize(size);
    fill(window.start_page());
    for (bool lesson : {false, true}) {
      if (lesson)
        window.start_page().show_lesson(
            StartLesson{"first", "Twenty times faster in two moves",
                        "Tile a matrix product so that it fits the cache, then vectorize it.", 5});
      for (int i = 0; i < 4; ++i) QApplication::processEvents();
      QStringList wrong;
      int texts = testing::painted_texts(window, 1, wrong);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
      QVERIFY2(texts > 25, qPrintable(QString::number(texts)));
      keep_picture(
          window, QString("start_%1_%2_%3_%4").arg(theme).arg(size.width()).arg(scale).arg(lesson));
    }
    // Nothing reaches beyond the page.
    for (auto* card : window.start_page().findChildren<StartCard*>()) {
      if (!card->isVisible()) continue;
      int left = card->mapTo(&window, QPoint(0, 0)).x();
      QVERIFY2(left >= 0 && left + card->width() <= window.width(), qPrintable(card->objectName()));
    }
  }

  void a_wide_page_has_two_columns_and_a_narrow_one_has_one() {
    Workplace place(false);
    fill(place.window->start_page());
    auto beside = [&](int width, int height) {
      place.window->resize(width, height);
      for (int i = 0; i < 4; ++i) QApplication::processEvents();
      auto* recent = place.window->findChild<QPushButton*>("recent_0");
      auto* sample = place.window->findChild<QPushButton*>("sample_resnet18");
      return recent->mapTo(place.window.get(), QPoint()).x() >
             sample->mapTo(place.window.get(), QPoint()).x() + sample->width();
    };
    QVERIFY(!beside(960, 620));
    QVERIFY(beside(1280, 800));
    QVERIFY(beside(2560, 1440));
  }

  void arrows_move_among_the_cards_and_return_opens() {
    Workplace place(false);
    place.window->resize(1600, 1000);
    for (int i = 0; i < 4; ++i) QApplication::processEvents();
    auto at = [&] {
      QWidget* now = place.window->focusWidget();
      return now ? now->objectName() : QString();
    };
    auto press = [&](int key) { QTest::keyClick(place.window->focusWidget(), Qt::Key(key)); };
    QCOMPARE(at(), QString("sample_resnet18"));
    press(Qt::Key_Right);
    QCOMPARE(at(), QString("sample_mobilenet"));
    press(Qt::Key_Down);
    QCOMPARE(at(), QString("sample_lstm"));
    press(Qt::Key_Left);
    QCOMPARE(at(), QString("sample_dcgan"));
    press(Qt::Key_Down);
    QCOMPARE(at(), QString("machineCard"));
    press(Qt::Key_Up);
    press(Qt::Key_Right);
    press(Qt::Key_Right);
    QString last = at();
    QCOMPARE(last, QString("sample_matmul_1024"));
    press(Qt::Key_Return);
    place.settle();
    QCOMPARE(place.lines("expect kernel = matmul_1024\n"), std::string());
  }

  void everything_that_is_clicked_has_a_name() {
    Workplace place(false);
    fill(place.window->start_page());
    for (int i = 0; i < 4; ++i) QApplication::processEvents();
    int seen = 0;
    for (auto* button : place.window->findChildren<QPushButton*>()) {
      if (!button->isVisible()) continue;
      ++seen;
      QVERIFY2(!button->accessibleName().isEmpty() || !button->text().isEmpty(),
               qPrintable(button->objectName()));
      QVERIFY2(button->focusPolicy() & Qt::TabFocus, qPrintable(button->objectName()));
    }
    QVERIFY(seen >= 14);
  }

  void the_bar_finds_commands_and_the_machine_shows_devices() {
    QTemporaryDir folder;
    Workplace place(folder.filePath("devices.json").toStdString());
    place.window->findChild<QPushButton*>("searchField")->click();
    QCOMPARE(place.lines("expect dialog = palette\nclose dialog\n"), std::string());
    place.window->findChild<QPushButton*>("switchTheme")->click();
    QCOMPARE(place.window->theme_name(), QString("light"));
    place.window->findChild<QPushButton*>("machineCard")->click();
    QCOMPARE(place.lines("expect view = devices\n"), std::string());
  }

  void what_was_reached_is_kept_until_the_next_start() {
    QTemporaryDir state;
    {
      Workplace first(true, state.path());
      first.open_matmul();
      QCOMPARE(first.lines("step split(C.j, factor=16)\nstep vectorize(C.j.1)\n"), std::string());
      first.window->projects().close();
    }
    Workplace next(false, state.path());
    QStringList words = descriptions(next.window->start_page());
    QCOMPARE(words.size(), 1);
    QVERIFY2(words[0].startsWith("matmul.te: matmul · 2 steps, "), qPrintable(words[0]));
    QVERIFY2(words[0].contains("FLOP/s, today "), qPrintable(words[0]));
  }

  void a_model_in_which_nothing_was_done_was_not_started() {
    Workplace place(false);
    place.open_matmul();
    QCOMPARE(place.lines("close\n"), std::string());
    QStringList words = descriptions(place.window->start_page());
    QCOMPARE(words.size(), 1);
    QVERIFY2(words[0].startsWith("matmul.te: not started, today "), qPrintable(words[0]));
  }

  /// Settings of versions that kept paths alone, and damaged ones.
  void old_settings_are_still_read() {
    QTemporaryDir state;
    QSettings(state.filePath("settings.ini"), QSettings::IniFormat)
        .setValue("recent", QStringList{"/models/old.onnx", "sample:dqn"});
    Workplace place(false, state.path());
    QCOMPARE(descriptions(place.window->start_page()),
             (QStringList{"old.onnx: /models", "DQN: built in"}));
  }

  void samples_tell_their_stories_once_the_machine_is_idle() {
    QTemporaryDir cache;
    Workplace place(false);
    auto facts = std::make_shared<StartPageData const>(make_environment().value().backend,
                                                       cache.path().toStdString(), "1");
    place.window->use_start_facts(facts);
    place.settle();
    for (SampleButton* button : place.window->findChildren<SampleButton*>()) {
      std::string source = button->sample().source.toStdString();
      auto kept = facts->kept(source);
      QVERIFY2(kept, source.c_str());
      if (kept->operators > 0)
        QVERIFY2(button->accessibleDescription().startsWith(
                     QString("%1 operators").arg(kept->operators)),
                 qPrintable(button->accessibleDescription()));
    }
  }

  void times_in_words() {
    QDateTime now(QDate(2026, 11, 26), QTime(14, 0));
    QCOMPARE(day_words(now.addSecs(-3 * 3600), now), QString("today 11:00"));
    QCOMPARE(day_words(now.addDays(-1), now), QString("yesterday"));
    QCOMPARE(day_words(now.addDays(-3), now), QString("3 days ago"));
    QCOMPARE(day_words(now.addDays(-40), now), QString("17 October 2026"));
    QCOMPARE(ago_words(now.addSecs(-30), now), QString("a moment ago"));
    QCOMPARE(ago_words(now.addSecs(-60), now), QString("1 minute ago"));
    QCOMPARE(ago_words(now.addSecs(-7300), now), QString("2 hours ago"));
    QCOMPARE(ago_words(now.addDays(-2), now), QString("2 days ago"));
  }

  void a_lesson_is_offered_where_there_is_one() {
    StartPage page({});
    page.set_theme(Theme::load("dark"));
    page.show();
    auto* start = page.findChild<QPushButton*>("startLesson");
    QVERIFY(start && !start->isVisible());
    page.show_lesson(StartLesson{"tiling", "Tile", "Tile a product.", 5});
    QVERIFY(start->isVisible());
    QSignalSpy asked(&page, &StartPage::lesson_asked);
    start->click();
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked[0][0].toString(), QString("tiling"));
    page.show_lesson({});
    QVERIFY(!start->isVisible());
  }
};

QTEST_MAIN(StartPageTest)
#include "start_page_test.moc"
