// The report that the window saves: with the numbers that the window has.
#include <QtTest>

#include <QFileDialog>
#include <QProcess>

#include <fmt/format.h>

#include "engine/session/spread_words.h"
#include "engine/support/base/quantities.h"
#include "tests/gui/workplace.h"
#include "tests/support/paths.h"

using namespace tw;

class ReportDeskTest : public QObject {
  Q_OBJECT
private slots:
  void a_journal_saves_what_the_window_shows() {
    Workplace place(true);
    place.open_matmul();
    QString file = place.folder.filePath("kernel.html");
    QCOMPARE(place.lines("step parallel(C.i)\nreport kernel " + file.toStdString() + "\n"),
             std::string());
    QString page = read(file);
    auto ms = place.window->fact("kernel.time");
    QVERIFY(ms);
    QVERIFY(
        page.contains(QString("data-fact=\"kernel.time\" data-value=\"%1\"><b>%2</b>")
                          .arg(QString::fromStdString(exact(*ms)),
                               QString::fromStdString(milliseconds_text(std::get<double>(*ms))))));
    QVERIFY(page.contains("<code>parallel(C.i)</code>"));
    QVERIFY(page.contains("<details>"));
    QVERIFY(place.recorded().find("report kernel " + file.toStdString()) != std::string::npos);
    file = place.folder.filePath("model.html");
    QCOMPARE(place.lines("report model " + file.toStdString() + "\n"), std::string());
    QVERIFY(read(file).contains("data-kernel=\"matmul\""));
  }

  /// `tw` tells the same of a project as the window that saved it.
  void tw_reports_a_project_as_the_window_had_it() {
    Workplace place(true);
    place.open_matmul();
    std::string project = place.folder.filePath("p.twproj").toStdString();
    QString page = place.folder.filePath("p.html");
    QCOMPARE(place.lines("step parallel(C.i)\n"), std::string());
    auto current = [&] {
      session::Snapshot now = place.session->snapshot();
      return now.history->nodes[size_t(now.history->current)];
    };
    session::HistoryNodeView node = current();
    QCOMPARE(place.lines(fmt::format("note {} rows\n", node.id)), std::string());
    // A kernel is measured again where its times differ: what was saved is known when nothing came
    // in between.
    do {
      node = current();
      QCOMPARE(place.lines(fmt::format("project save {}\n", project)), std::string());
    } while (current().min_ms != node.min_ms);
    QProcess tw;
    tw.start(testing::built("/bin/tw"), {"report", "--project", QString::fromStdString(project),
                                         "--kernel", "matmul", "--out", page});
    QVERIFY(tw.waitForFinished(120000));
    QVERIFY2(tw.exitCode() == 0, tw.readAllStandardError().constData());
    QVERIFY(read(page).contains("<code>parallel(C.i)</code>"));
    QVERIFY(read(page).contains("<p>rows</p>"));
    QVERIFY(node.min_ms);
    std::string time = milliseconds_text(*node.min_ms) + " ";
    time += session::samples_words(*node.min_ms, node.spread, node.samples);
    QVERIFY2(read(page).contains(QString::fromStdString(time)), time.c_str());
  }

  void the_command_asks_for_a_file() {
    Workplace place(false);
    QVERIFY(!place.window->action_names().contains("Save report..."));
    place.open_matmul();
    place.window->run_action("Save report...");
    auto* dialog = place.window->findChild<QFileDialog*>("reportDialog");
    QVERIFY(dialog && dialog->isVisible());
    QString file = place.folder.filePath("chosen.html");
    emit dialog->fileSelected(file);
    dialog->reject();
    place.settle();
    QVERIFY(read(file).contains("<h1>matmul</h1>"));
    QVERIFY(place.recorded().find("report kernel " + file.toStdString()) != std::string::npos);
  }

  void what_cannot_be_saved_is_said() {
    Workplace place(false);
    QCOMPARE(place.lines("report kernel x.html\nexpect error contains no model is open\n"),
             std::string());
    place.open_matmul();
    QString taken = place.folder.filePath("taken");
    QVERIFY(QFile(taken).open(QIODevice::WriteOnly));
    std::string line = "report kernel " + taken.toStdString() + "/a.html\n";
    QCOMPARE(place.lines(line + "expect error contains " + taken.toStdString() + "\n"),
             std::string());
  }

private:
  static QString read(QString const& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }
  static std::string exact(session::FactValue const& value) {
    return fmt::format("{}", std::get<double>(value));
  }
};

QTEST_MAIN(ReportDeskTest)
#include "report_test.moc"
