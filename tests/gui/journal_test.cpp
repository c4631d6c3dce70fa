// Journals: the text both ways, what is recorded, and every journal of the folder replayed.
#include <QtTest>

#include <sys/resource.h>
#include <QDialog>
#include <QDir>
#include <QImage>
#include <QTabBar>
#include <csignal>
#include <fstream>
#include <set>
#include <typeinfo>

#include "app/window/panes/graph/journal.h"
#include "engine/session/commands/command_row.h"
#include "engine/support/base/random.h"
#include "engine/support/files.h"
#include "tests/gui/workplace.h"
#include "tests/support/paths.h"
#include "widgets/loop_nest/loop_nest_view.h"

using namespace tw;

namespace {

QString const kFolder = testing::source("/tests/gui/journals");

std::string error_of(std::string const& text) {
  auto journal = journal::parse(text, "f");
  return journal ? "" : to_sentence(journal.error());
}

struct Run {
  int code = -1;
  QString err;
};
Run tilewright(QStringList const& arguments) {
  QProcess process;
  process.start(testing::built("/bin/tilewright"), arguments);
  process.waitForFinished(120000);
  QStringList lines;
  for (QString const& line : QString::fromUtf8(process.readAllStandardError()).split('\n'))
    if (line.startsWith("tilewright: ")) lines << line;
  return {process.exitCode(), lines.join('\n')};
}

/// While it lives, no file grows.
class NoDisk {
public:
  NoDisk() {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit none{0, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~NoDisk() { setrlimit(RLIMIT_FSIZE, &before_); }

private:
  rlimit before_{};
};

}  // namespace

class JournalTest : public QObject {
  Q_OBJECT
private slots:
  void every_action_that_exists_has_a_form_and_the_window_carries_it_out() {
    Workplace place(false);
    std::vector<journal::Action> all = journal::one_of_each();
    QVERIFY(all.size() > 50);
    for (journal::Action const& action : all) {
      std::string line = journal::to_text(action);
      auto const* command = action.as<session::Command>();
      QVERIFY2(journal::has_form(action), command ? command->kind().name() : action.kind().name());
      if (command) continue;
      Status status = place.window->perform(action);
      QVERIFY2(status || status.error().code != "unknown_action", line.c_str());
      for (QDialog* dialog : place.window->findChildren<QDialog*>()) dialog->close();
    }
  }

  void every_command_of_the_session_is_a_line_of_a_journal() {
    std::set<std::type_index> lines;
    for (journal::Action const& action : journal::one_of_each())
      if (auto const* command = action.as<session::Command>()) lines.insert(command->kind());
    lines.insert(typeid(session::SelectKernel));  // written by name: `kernel NAME`
    std::span<session::CommandRow const* const> table = session::command_table();
    QVERIFY(table.size() > 40);
    for (session::CommandRow const* row : table)
      QVERIFY2(lines.contains(row->kind), row->kind.name());
    QCOMPARE(lines.size(), table.size());
  }

  void what_is_printed_is_read_back_whatever_the_words_are() {
    Rng rng(11);
    auto words = [&] {
      static std::string const kLetters = "ab \"\\#\n\t\x01\x7fxn01=;()\xc3\xa4";
      std::string text;
      for (int64_t n = rng.below(12); n >= 0; --n)
        text += kLetters[size_t(rng.below(int64_t(kLetters.size())))];
      return text;
    };
    auto one = [&]() -> std::variant<journal::Action, journal::Expect> {
      using session::Command;
      switch (rng.below(9)) {
        case 0:
          return Command(session::OpenModel{words()});
        case 1:
          return Command(session::ApplyStep{words()});
        case 2:
          return Command(session::SetNote{int(rng.below(900)), words()});
        case 3:
          return journal::ShowDialog{words(), rng.below(2) ? words() : ""};
        case 4:
          return journal::ExplainFusion{words(), rng.below(2) ? words() : ""};
        case 5:
          return journal::LookAtGraph{rng.uniform(), rng.normal() * 1e3, rng.normal() * 1e-9};
        case 6:
          return Command(session::MeasureRoofs{rng.below(2) == 1});
        case 7:
          return journal::Expect{"error", journal::Compare::kContains, 0, words()};
        default:
          return journal::Expect{"kernel.time", journal::Compare::kLess, rng.uniform() * 1e4, ""};
      }
    };
    for (int round = 0; round < 5000; ++round) {
      journal::Journal written{"", {{2, one()}, {3, one()}}};
      std::string text = journal::to_text(written);
      auto read = journal::parse(text);
      QVERIFY2(read, (text + (read ? "" : to_sentence(read.error()))).c_str());
      QCOMPARE(read->lines.size(), size_t(2));
      QCOMPARE(journal::to_text(*read), text);
      for (size_t i = 0; i < 2; ++i)
        QCOMPARE(read->lines[i].what.index(), written.lines[i].what.index());
      if (auto* expect = std::get_if<journal::Expect>(&written.lines[0].what))
        QCOMPARE(std::get<journal::Expect>(read->lines[0].what), *expect);
    }
  }

  /// Journals that were written before say the same, and are printed with the words of today.
  void former_words_are_read_and_no_more_written() {
    std::vector<std::string> lines;
    for (journal::Action const& action : journal::one_of_each())
      lines.push_back(journal::to_text(action));
    int former = 0;
    for (journal::FormInfo const& form : journal::form_list()) {
      if (form.former.empty()) continue;
      ++former;
      auto one = std::ranges::find_if(lines, [&](std::string const& line) {
        return line.starts_with(form.words + " ") || line == form.words;
      });
      QVERIFY2(one != lines.end(), form.words.c_str());
      std::string before = form.former + one->substr(form.words.size());
      auto read = journal::parse(std::string(journal::kHeader) + "\n" + before);
      auto now = journal::parse(std::string(journal::kHeader) + "\n" + *one);
      if (!now) {  // one whose fields have no default
        QVERIFY(!read && read.error().code == now.error().code);
        continue;
      }
      QVERIFY2(read, read ? "" : to_sentence(read.error()).c_str());
      QCOMPARE(journal::to_text(*read), std::string(journal::kHeader) + "\n" + *one + "\n");
    }
    QVERIFY(former > 8);
    for (journal::FactInfo const& fact : journal::facts()) {
      if (fact.former.empty()) continue;
      std::string rest = fact.in_words() ? " = one" : " = 1";
      auto read = journal::parse(std::string(journal::kHeader) + "\nexpect " + fact.former + rest);
      QVERIFY2(read, fact.former.c_str());
      QCOMPARE(std::get<journal::Expect>(read->lines.at(0).what).fact, fact.name);
    }
    QCOMPARE(journal::view_called("next"), std::string("suggestions"));
    QCOMPARE(journal::view_called("loops"), std::string("loops"));
  }

  void quotes_give_the_words_back() {
    auto journal = journal::parse(
        "# said before\r\n\r\n  tilewright journal 1\r\nnote 3 \"two\\nlines \\x01 \\\\ "
        "\\\"\"\r\n");
    QVERIFY(journal);
    auto const& line = std::get<journal::Action>(journal->lines.at(0).what);
    auto const& note = *line.as<session::SetNote>();
    QCOMPARE(note.note, std::string("two\nlines \x01 \\ \""));
    QCOMPARE(note.history_node, 3);
  }

  void mistakes_are_one_sentence_with_their_line_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("sentence");
    auto row = [](char const* line, char const* sentence) {
      QTest::newRow(line) << line << sentence;
    };
    row("jumpp 3", "f:2:1: there is no action 'jumpp'");
    row("jump", "f:2:5: STEP is missing");
    row("jump x", "f:2:6: STEP must be an integer, not 'x'");
    row("jump 99999999999", "f:2:6: STEP must be an integer, not '99999999999'");
    row("undo 3", "f:2:6: '3' is not expected here");
    row("note 1 \"open", "f:2:8: the closing quote is missing");
    row("note 1 \"a\"b", "f:2:11: a space must follow a quote");
    row("note 1 \"\\q\"",
        "f:2:10: in quotes, a \\ can only be followed by \\\", \\\\, \\n or \\x with two digits");
    row("look at graph nan 0 0", "f:2:15: SCALE must be a number, not 'nan'");
    row("changes maybe", "f:2:9: STATE is on or off, not 'maybe'");
    row("expect kernel.time < fast", "f:2:22: what is expected must be a number, not 'fast'");
    row("expect kernel.time contains 3",
        "f:2:20: kernel.time is a number: use a comparison, not contains");
    row("expect theme < dark", "f:2:14: theme is text: use =, != or contains");
    row("expect kernels > 3 ms", "f:2:20: 'ms' is not expected here");
    row("expect", "f:2:7: a fact is missing");
  }
  void mistakes_are_one_sentence_with_their_line() {
    QFETCH(QString, line);
    QFETCH(QString, sentence);
    QCOMPARE(QString::fromStdString(error_of("tilewright journal 1\n" + line.toStdString())),
             sentence);
  }

  void what_is_no_journal_is_said_so() {
    QCOMPARE(error_of(""), "f:1: a journal begins with 'tilewright journal 1'");
    QCOMPARE(error_of("undo\n"), "f:1: a journal begins with 'tilewright journal 1'");
    QCOMPARE(error_of("tilewright journal 7\n"),
             "f:1: the journal has version 7; this version of Tilewright reads version 1");
    QVERIFY(error_of("tilewright journal 1\nexpect nothing 3")
                .starts_with("f:2:8: there is no fact 'nothing'; the facts are model, "));
  }

  void units_of_time_are_read_as_milliseconds() {
    for (auto [line, ms] : {std::pair{"5", 5.0}, {"5 ms", 5}, {"2 s", 2000}, {"7 us", 0.007}}) {
      auto journal =
          journal::parse(std::string("tilewright journal 1\nexpect kernel time < ") + line);
      QVERIFY(journal);
      QCOMPARE(std::get<journal::Expect>(journal->lines.at(0).what).number, ms);
    }
  }

  void every_journal_of_the_folder_holds_data() {
    QTest::addColumn<QString>("file");
    QStringList files = QDir(kFolder).entryList({"*.journal"}, QDir::Files, QDir::Name);
    QVERIFY(files.size() >= 4);
    for (QString const& file : files) QTest::newRow(qPrintable(file)) << file;
  }
  void every_journal_of_the_folder_holds() {
    QFETCH(QString, file);
    std::string path = (kFolder + "/" + file).toStdString();
    Workplace place(true);
    Status status = place.replay(read_file(path).value(), path);
    QVERIFY2(status, status ? "" : to_sentence(status.error()).c_str());
  }

  void a_failing_expectation_says_what_was_there_instead() {
    Workplace place(false);
    auto sentence = [&](std::string const& line) {
      Status status = place.replay("tilewright journal 1\n" + line, "f");
      return status ? std::string() : to_sentence(status.error());
    };
    QCOMPARE(sentence("expect theme light"),
             std::string("f:2: 'expect theme = light' does not hold: it is 'dark'"));
    QCOMPARE(sentence("\nexpect kernels >= 3"),
             std::string("f:3: 'expect kernels >= 3' does not hold: it is 0"));
    QCOMPARE(
        sentence("expect kernel.time < 5 s"),
        std::string("f:2: 'expect kernel.time < 5000 ms' does not hold: its value is not known"));
    QVERIFY(sentence("open /nowhere/m.te").starts_with("f:2: /nowhere/m.te: cannot be read"));
    QVERIFY(sentence("kernel x").starts_with("f:2: no model is open"));
    QCOMPARE(sentence("kernel x\nexpect error contains no model"), std::string());
  }

  void every_fact_is_known_in_a_workbench() {
    Workplace place(true);
    QVERIFY(place.replay("tilewright journal 1\nopen " + kFolder.toStdString() +
                         "/matmul.te\nselect C.i\nmeasure model\ntune trials 2\n"));
    for (journal::FactInfo const& fact : journal::facts()) {
      if (fact.name == "elapsed") continue;                                           // of a replay
      if (fact.name == "model.time" || fact.name == "model.modelled_time") continue;  // of networks
      if (fact.name.starts_with("timeline.")) continue;  // of a target with a simulator
      auto value = place.window->fact(fact.name);
      if (!value) place.settle();  // code is generated when it is asked for
      if (!value) value = place.window->fact(fact.name);
      QVERIFY2(value, fact.name.c_str());
      QCOMPARE(std::holds_alternative<std::string>(*value), fact.in_words());
    }
  }

  void every_command_of_the_palette_leaves_a_line_that_can_be_replayed() {
    Workplace place(false);
    QVERIFY(place.replay("tilewright journal 1\nopen " + kFolder.toStdString() + "/matmul.te\n"));
    QStringList names = place.window->action_names();
    QVERIFY(names.size() > 30);
    for (QString const& name : names) {
      if (name == "Quit") continue;  // a journal ends with its window
      if (!place.session->snapshot().model)
        QVERIFY(place.replay("tilewright journal 1\nopen " + kFolder.toStdString() +
                             "/matmul.te\nselect C.i\n"));
      size_t before = place.window->recorder().size();
      std::string text = place.recorded();
      place.window->run_action(name);
      QVERIFY2(place.window->recorder().size() > before || place.recorded() != text,
               qPrintable(name + " leaves nothing in the journal"));
      settle(*place.window, *place.session);
      for (QDialog* dialog : place.window->findChildren<QDialog*>()) dialog->close();
    }
    auto journal = journal::parse(place.recorded(), "recorded");
    QVERIFY2(journal, journal ? "" : to_sentence(journal.error()).c_str());
    QVERIFY2(!place.recorded().empty() && place.recorded().find("# an action") == std::string::npos,
             place.recorded().c_str());
    Workplace again(false);
    Status status = tw::replay(*again.window, *again.session, *journal);
    QVERIFY2(status, status ? "" : (to_sentence(status.error()) + "\n" + place.recorded()).c_str());
    QCOMPARE(again.session->save(), place.session->save());
  }

  void gestures_tabs_and_pointers_are_recorded() {
    Workplace place(false);
    QVERIFY(place.replay("tilewright journal 1\nopen " + kFolder.toStdString() + "/matmul.te\n"));
    auto* loop_nest = place.window->findChild<LoopNestView*>("loopNest");
    auto middle = [&](std::string const& name) {
      for (auto const& item : loop_nest->scene().layout.items)
        if (item.bar && item.bar->name == name) return item.rect.center().toPoint();
      return QPoint();
    };
    QTest::mouseClick(loop_nest, Qt::LeftButton, {}, middle("j"));
    QTest::keyClick(loop_nest, Qt::Key_V);
    QTest::mouseClick(loop_nest, Qt::LeftButton, {}, middle("i"));
    QTest::keyClick(loop_nest, Qt::Key_S);
    QVERIFY(place.window->findChild<QDialog*>("stepDialog"));
    place.window->findChild<QDialog*>("stepDialog")->reject();
    auto* tabs = place.window->findChild<QTabBar*>("codeTabs");
    tabs->setCurrentIndex(3);
    place.window->resize(1500, 950);
    QApplication::processEvents();
    place.window->resize(1510, 960);
    QApplication::processEvents();
    std::string text = place.recorded();
    for (char const* line :
         {"select C.j\n", "step vectorize(C.j)\n", "select C.i\n",
          "dialog step split\nclose dialog\n", "show assembly\n", "size 1510 960\n"})
      QVERIFY2(text.find(line) != std::string::npos, (line + ("in:\n" + text)).c_str());
    QVERIFY2(text.find("size 1500") == std::string::npos, text.c_str());
  }

  void an_error_is_recorded_as_what_is_expected_the_next_time() {
    Workplace place(false);
    place.window->execute(session::Undo{});
    QVERIFY2(place.recorded().ends_with("undo\nexpect error contains no kernel is selected\n"),
             place.recorded().c_str());
    Workplace again(false);
    QVERIFY(again.replay(place.recorded()));
  }

  void the_journal_is_in_the_state_folder_before_anything_is_done() {
    Workplace place(false);
    place.window->execute(session::CloseModel{});
    QDir folder(place.folder.filePath("state/journals"));
    QStringList files = folder.entryList({"*.journal"});
    QCOMPARE(files.size(), 1);
    QCOMPARE(read_file(folder.filePath(files[0]).toStdString()).value(), place.recorded());
    // Ten are kept, the oldest go.
    for (int i = 0; i < 14; ++i)
      std::ofstream(
          folder.filePath(QString("2001-01-%1_000000_1.journal").arg(i + 10)).toStdString());
    Recorder another(folder.path().toStdString());
    another.add(journal::Action(journal::FitGraph{}));
    QCOMPARE(folder.entryList({"*.journal"}).size(), 10);
    QVERIFY(folder.exists(files[0]));
  }

  void a_very_long_journal_keeps_its_end() {
    QTemporaryDir folder;
    Recorder recorder(folder.path().toStdString());
    for (int i = 0; i < 25000; ++i)
      recorder.add(journal::Action(session::Command(session::JumpTo{i})));
    std::string text = recorder.text();
    QVERIFY(text.find("# 10000 earlier lines are not kept\njump 10000\n") != std::string::npos);
    QVERIFY(text.ends_with("jump 24999\n"));
    QVERIFY(journal::parse(text));
    QStringList files = QDir(folder.path()).entryList({"*.journal"});
    QCOMPARE(read_file(folder.filePath(files.at(0)).toStdString()).value(), text);
  }

  void missing_folders_for_pictures_and_journals_are_made() {
    QTemporaryDir folder;
    auto at = [&](char const* name) { return folder.filePath(name); };
    std::ofstream(at("j.journal").toStdString())
        << "tilewright journal 1\nopen " << kFolder.toStdString() << "/matmul.te\nproject save "
        << at("a/b/p.twproj").toStdString() << "\n";
    Run run = tilewright({"--journal", at("j.journal"), "--screenshot", at("c/d/s.png"), "--record",
                          at("e/f/r.journal")});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    for (char const* made : {"a/b/p.twproj", "c/d/s.png", "e/f/r.journal"})
      QVERIFY2(QFileInfo(at(made)).size() > 0, made);
    run = tilewright({"--journal", at("j.journal"), "--screenshot", at("j.journal/s.png")});
    QCOMPARE(run.code, 3);
    QVERIFY2(run.err.contains("j.journal: the folder cannot be created: Not a directory"),
             qPrintable(run.err));
  }

  void a_full_disk_ends_the_journal_with_a_sentence_and_loses_no_line() {
    QTemporaryDir folder;
    std::string copy = folder.filePath("copy.journal").toStdString();
    std::string line = journal::to_text(journal::Action(journal::FitGraph{})) + "\n";
    Recorder recorder(folder.filePath("journals").toStdString());
    QVERIFY(recorder.record_to(copy));
    recorder.add(journal::Action(journal::FitGraph{}));
    QVERIFY(recorder.finish());
    {
      NoDisk full;
      recorder.add(journal::Action(journal::FitGraph{}));
    }
    Status finished = recorder.finish();
    QVERIFY(!finished);
    QVERIFY(to_sentence(finished.error()).ends_with(".journal: cannot be written: File too large"));
    QVERIFY(recorder.text().ends_with("1\n" + line + line));
    QVERIFY(read_file(copy).value().ends_with("1\n" + line));
    QVERIFY(!Recorder(folder.filePath("journals").toStdString()).record_to("/dev/full"));

    Workplace place(false);
    {
      NoDisk full;
      (void)place.window->perform(journal::Action(journal::FitGraph{}));
    }
    QVERIFY2(place.window->said().startsWith("The journal is no longer written: "),
             qPrintable(place.window->said()));
    (void)place.window->perform(journal::Action(journal::FitGraph{}));
    QVERIFY2(!place.window->said().contains("journal"), qPrintable(place.window->said()));
    QVERIFY2(place.recorded().ends_with("1\n" + line + line), place.recorded().c_str());
  }

  void the_program_replays_takes_a_picture_and_says_what_is_wrong() {
    QTemporaryDir folder;
    auto write = [&](char const* name, std::string const& text) {
      std::ofstream(folder.filePath(name).toStdString()) << text;
      return folder.filePath(name);
    };
    QString good = write("good.journal",
                         "tilewright journal 1\nstep parallel(C.i)\n"
                         "expect state correct\ndialog palette\n");
    QString bad = write("bad.journal", "tilewright journal 1\nexpect loops = 9\n");
    QString rubbish = write("rubbish.journal", "tilewright journal 1\nfly away\n");
    QString model = kFolder + "/matmul.te", picture = folder.filePath("p.png");
    Run run = tilewright({model, "--journal", good, "--screenshot", picture, "--size", "1100x700",
                          "--theme", "light", "--record", folder.filePath("again.journal")});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QImage image(picture);
    QCOMPARE(image.size(), QSize(1100, 700));
    QVERIFY(image.pixelColor(550, 5).lightness() > 200);  // the light theme's bar
    std::string recorded = read_file(folder.filePath("again.journal").toStdString()).value();
    QVERIFY2(recorded.find("step parallel(C.i)\ndialog palette\n") != std::string::npos,
             recorded.c_str());
    run = tilewright({model, "--journal", bad});
    QCOMPARE(run.code, 1);
    QCOMPARE(run.err, "tilewright: " + bad + ":2: 'expect loops = 9' does not hold: it is 3");
    run = tilewright({"--journal", rubbish});
    QCOMPARE(run.code, 2);
    QCOMPARE(run.err, "tilewright: " + rubbish + ":2:1: there is no action 'fly'");
    QCOMPARE(tilewright({"--journal", "/nowhere.journal"}).code, 2);
    QCOMPARE(tilewright({model, "--screenshot", "/proc/p.png"}).code, 3);
    QCOMPARE(tilewright({"/nowhere.te", "--screenshot", picture}).code, 2);
    QCOMPARE(tilewright({"--screenshot", picture, "--size", "big"}).code, 2);
    QCOMPARE(tilewright({"--screenshot", picture, "--size", "3x3"}).code, 2);
  }
};

QTEST_MAIN(JournalTest)
#include "journal_test.moc"
