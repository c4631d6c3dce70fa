// A journal that is played at a speed one can follow: by keys, by the bar, and at its own pace.
#include <QtTest>

#include <QComboBox>
#include <QProcess>
#include <QPushButton>

#include "app/window/playback.h"
#include "tests/gui/workplace.h"
#include "tests/support/paths.h"

using namespace tw;

namespace {

constexpr char kJournal[] =
    "tilewright journal 1\n"
    "theme light\n"
    "expect theme = light\n"
    "select C.i\n"
    "step parallel(C.i)\n"
    "expect loops.parallel = 1\n"
    "theme dark\n";

}  // namespace

class PlaybackTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    place_->open_matmul();
    QCOMPARE(place_->lines("theme dark\n"), std::string());
    place_->window->activateWindow();
  }
  void cleanup() { place_.reset(); }

  void it_plays_to_the_end_and_records_each_line() {
    QSignalSpy ended(&playback(), &Playback::ended);
    QVERIFY(place_->window->play_journal(journal(kJournal), 4));
    QVERIFY(bar().isVisible());
    QVERIFY(playback().state().playing);
    QCOMPARE(playback().state().line, 1);
    QCOMPARE(bar().words(), QString("theme light"));
    QVERIFY(ended.wait(20000));
    QCOMPARE(ended.front().front().toBool(), true);
    QVERIFY(playback().state().over && !playback().state().playing);
    QCOMPARE(place_->lines("expect loops.parallel = 1\nexpect loop = C.i\n"), std::string());
    QVERIFY(place_->recorded().find("step parallel(C.i)") != std::string::npos);
    // Again from its beginning.
    place_->window->run_action("Play or pause the journal");
    QCOMPARE(playback().state().line, 1);
    QVERIFY(playback().state().playing);
  }

  void twice_the_speed_takes_half_the_pause() {
    auto seconds = [&](double speed) {
      QSignalSpy ended(&playback(), &Playback::ended);
      QElapsedTimer timer;
      timer.start();
      if (!place_->window->play_journal(
              journal("tilewright journal 1\nselect C.i\nselect C.j\nselect C.i\n"), speed) ||
          !ended.wait(30000))
        return 0.0;
      return double(timer.elapsed()) * 1e-3;
    };
    double fast = seconds(4), slow = seconds(1);
    constexpr double kPauses = 3 * 1.5 * 0.95;  // Qt's timers may be 5 percent early
    QVERIFY2(fast >= kPauses / 4 && slow >= kPauses,
             qPrintable(QString("%1 %2").arg(fast).arg(slow)));
    QVERIFY(slow - fast > 1.5);  // 3.4 s less of pauses
  }

  void keys_pause_step_and_change_the_speed() {
    QVERIFY(place_->window->play_journal(journal(kJournal), 1));
    key(Qt::Key_F5);
    QVERIFY(!playback().state().playing);
    QCOMPARE(play()->text(), QString("Play"));
    QCOMPARE(place_->window->theme_name(), QString("dark"));  // the first line was only shown
    key(Qt::Key_F6);
    QTRY_COMPARE(playback().state().line, 2);
    QCOMPARE(place_->window->theme_name(), QString("light"));
    QCOMPARE(bar().words(), QString("expect theme = light"));
    QTest::qWait(300);
    QCOMPARE(playback().state().line, 2);  // nobody asked for more
    key(Qt::Key_F8);
    QCOMPARE(playback().state().speed, 2.0);
    key(Qt::Key_F8);
    key(Qt::Key_F8);
    QCOMPARE(playback().state().speed, 4.0);
    for (int i = 0; i < 4; ++i) key(Qt::Key_F7);
    QCOMPARE(playback().state().speed, 0.5);
    auto* speed = bar().findChild<QComboBox*>("playbackSpeed");
    QCOMPARE(speed->currentText(), QString::fromUtf8("0.5×"));
    speed->setCurrentIndex(3);
    emit speed->activated(3);
    QCOMPARE(playback().state().speed, 4.0);
    bar().findChild<QPushButton*>("playbackStep")->click();
    QTRY_COMPARE(playback().state().line, 3);
    bar().findChild<QPushButton*>("playbackClose")->click();
    QVERIFY(!bar().isVisible() && !playback().is_open());
    key(Qt::Key_F5);  // there is nothing to play any more
    QVERIFY(!playback().is_open());
  }

  void it_stops_where_something_is_not_as_expected() {
    QSignalSpy ended(&playback(), &Playback::ended);
    QVERIFY(place_->window->play_journal(
        journal("tilewright journal 1\nselect C.j\nexpect loop = C.i\nselect C.k\n"), 4));
    QVERIFY(ended.wait(20000));
    QCOMPARE(ended.front().front().toBool(), false);
    QVERIFY(bar().words().contains("'expect loop = C.i' does not hold: it is 'C.j'"));
    QCOMPARE(playback().state().line, 3);
    QVERIFY(!playback().state().playing && !playback().state().over);
    place_->window->run_action("Play or pause the journal");  // who watches may go on
    QVERIFY(ended.wait(20000));
    QCOMPARE(place_->lines("expect loop = C.k\n"), std::string());
  }

  /// Where nobody looks it ends with the journal.
  void the_program_plays_one_and_ends() {
    QString file = journal(
        "tilewright journal 1\ntheme light\nexpect theme = light\n"
        "expect theme = dark\n");
    auto run = [](QStringList const& arguments) {
      QProcess program;
      program.setProcessChannelMode(QProcess::MergedChannels);
      program.start(testing::built("/bin/tilewright"), arguments);
      program.waitForFinished(120000);
      return QString("%1 ").arg(program.exitCode()) + QString::fromUtf8(program.readAll());
    };
    QString said = run({"--journal", file, "--speed", "4"});
    QVERIFY2(said.startsWith('1') && said.contains(":4: 'expect theme = dark' does not hold"),
             qPrintable(said));
    QVERIFY(run({"--journal", file, "--speed", "3"}).contains("--speed takes 0.5, 1, 2 or 4"));
    QVERIFY(run({"--speed", "1"}).contains("--speed needs a journal"));
    file = journal("tilewright journal 1\ntheme light\nexpect theme = light\n");
    said = run({"--journal", file, "--speed", "4"});
    QVERIFY2(said.startsWith('0'), qPrintable(said));
  }

  void what_is_no_journal_is_said() {
    Status status = place_->window->play_journal(journal("step x\n"), 1);
    QVERIFY(!status);
    QVERIFY(!playback().is_open() && !bar().isVisible());
    QCOMPARE(place_->lines("dialog play-journal\nexpect dialog = playJournalDialog\n"
                           "close dialog\n"),
             std::string());
  }

private:
  Playback& playback() const { return place_->window->playback(); }
  PlaybackBar& bar() const { return *place_->window->findChild<PlaybackBar*>(); }
  QPushButton* play() const { return bar().findChild<QPushButton*>("playbackPlay"); }
  void key(Qt::Key key) const { QTest::keyClick(place_->window.get(), key); }
  QString journal(char const* text) const {
    QString file = place_->folder.filePath("played.journal");
    std::ofstream(file.toStdString()) << text;
    return file;
  }

  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(PlaybackTest)
#include "playback_test.moc"
