// Facts that journals expect, and journals played in a session alone.
#include <QtTest>

#include <set>

#include "app/shared/journal/forms.h"
#include "app/shared/session_stage.h"
#include "engine/session/facts/facts.h"
#include "engine/support/files.h"
#include "tests/support/paths.h"
#include "tests/support/sessions.h"

using namespace tw;

namespace {

std::string const kFolder = testing::source("/tests/gui/journals/");

Result<journal::Played> play(std::string const& text, std::string const& file = "f") {
  auto journal = journal::parse("tilewright journal 1\n" + text, file);
  if (!journal) return std::unexpected(journal.error());
  auto session = testing::make_session(false);
  SessionStage stage(*session);
  return journal::play(*journal, stage);
}

std::string sentence(std::string const& text) {
  auto played = play(text, kFolder + "f");
  return played ? std::string() : to_sentence(played.error());
}

}  // namespace

class FactsTest : public QObject {
  Q_OBJECT
private slots:
  void every_fact_has_its_own_name_a_sentence_and_a_value_of_its_kind() {
    auto session = testing::make_session(true);
    testing::MatmulFile matmul;
    matmul.open(*session);
    QVERIFY(session->execute(session::MeasureModel{}));
    QVERIFY(session->execute(session::Tune{.trials = 2}));
    QVERIFY(session->wait_idle(60));
    session::Snapshot now = session->snapshot();
    int loop = session::loop_called(now, "C.i");
    QVERIFY(loop >= 0);
    std::set<std::string> names;
    for (session::Fact const& one : session::facts()) {
      QVERIFY2(names.insert(one.info.name).second, one.info.name.c_str());
      QVERIFY2(!one.info.doc.empty(), one.info.name.c_str());
      if (one.info.name == "model.time" || one.info.name == "model.modelled_time") continue;
      auto value = session::fact(one.info.name, now, {loop, -1});
      QVERIFY2(value, one.info.name.c_str());
      QCOMPARE(std::holds_alternative<std::string>(*value), one.info.in_words());
    }
    QVERIFY(names.size() >= 20);
    QVERIFY(!session::fact("window.width", now, {}));
    QCOMPARE(std::get<std::string>(*session::fact("loop", now, {loop, -1})), std::string("C.i"));
    QCOMPARE(std::get<double>(*session::fact("loop.extent", now, {loop, -1})), 96.0);
    // A percentage says of how many cores it is, as the bar at the top does.
    std::string peak = std::get<std::string>(*session::fact("kernel.peak", now, {}));
    QVERIFY2(peak.ends_with("FLOP/s of 1 core"), peak.c_str());
    QVERIFY2(now.history->roof && now.history->roof->words.find("FLOP/s of ") != std::string::npos,
             now.history->roof ? now.history->roof->words.c_str() : "no roof");
  }

  void the_innermost_loop_is_the_last_of_the_order() {
    auto session = testing::make_session(false);
    QVERIFY(!session::fact("loops.innermost", session->snapshot(), {}));
    testing::MatmulFile matmul;
    matmul.open(*session);
    session::Snapshot now = session->snapshot();
    std::string order = std::get<std::string>(*session::fact("loops.order", now, {}));
    auto innermost = session::fact("loops.innermost", now, {});
    QVERIFY(innermost && order.ends_with(", " + std::get<std::string>(*innermost)));
  }

  /// A pane may not take a name that the session or another pane has.
  void no_two_facts_and_no_two_forms_are_called_the_same() {
    std::set<std::string> facts, forms;
    for (journal::FactInfo const& fact : journal::facts())
      QVERIFY2(facts.insert(fact.name).second, fact.name.c_str());
    for (journal::FormInfo const& form : journal::form_list())
      QVERIFY2(forms.insert(form.words).second, form.words.c_str());
    QVERIFY(facts.size() > 45 && forms.size() > 50);
  }

  void journals_without_a_window_hold_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("skipped");
    QTest::newRow("steps") << "steps_and_history.journal" << 0;
    QTest::newRow("refusals") << "refusal_and_repair.journal" << 0;
    QTest::newRow("map") << "history_map.journal" << 23;
    QTest::newRow("dialogs") << "dialogs.journal" << 23;
  }
  void journals_without_a_window_hold() {
    QFETCH(QString, file);
    QFETCH(int, skipped);
    std::string path = kFolder + file.toStdString();
    auto journal = journal::parse(read_file(path).value(), path);
    QVERIFY(journal);
    auto session = testing::make_session(true);
    SessionStage stage(*session);
    auto played = journal::play(*journal, stage);
    QVERIFY2(played, played ? "" : to_sentence(played.error()).c_str());
    QCOMPARE(played->skipped.size(), size_t(skipped));
    QCOMPARE(played->actions + played->expectations + skipped, int(journal->lines.size()));
    QVERIFY(played->expectations >= 3);
  }

  void what_does_not_hold_is_said_with_its_line() {
    QCOMPARE(sentence("open matmul.te\nexpect loops = 9"),
             kFolder + "f:3: 'expect loops = 9' does not hold: it is 3");
    QCOMPARE(sentence("open matmul.te\nkernel x"), kFolder + "f:3: there is no kernel 'x'");
    QCOMPARE(sentence("open matmul.te\nkernel x\nexpect error contains no kernel 'x'"), "");
    QVERIFY(sentence("open matmul.te\nkernel x\nexpect error contains fine")
                .starts_with(kFolder + "f:4: 'expect error contains fine' does not hold: it is"));
    QCOMPARE(sentence("step parallel(C.i)"), kFolder + "f:2: no kernel is selected");
  }

  void the_selected_loop_is_followed_as_in_a_window() {
    QCOMPARE(sentence("open matmul.te\nselect C.j\nstep split(C.j, factor=8)\n"
                      "expect loop = C.j.1\nexpect loop.extent = 8\nundo\nexpect loop = C.j\n"
                      "hover C.k\nexpect hover = C.k\n"),
             "");
  }

  void what_needs_a_window_is_left_out_with_a_reason() {
    auto played = play(
        "show graph\nexpect view = graph\nexpect error = none\nundo\nexpect error contains no\n"
        "compare 0 1\nproject open nowhere.twproj\nexpect model = none\nundo\n");
    QVERIFY2(played, played ? "" : to_sentence(played.error()).c_str());
    QStringList said;
    for (journal::Skipped const& one : played->skipped)
      said << QString("%1: %2: %3").arg(one.line).arg(one.text.c_str(), one.why.c_str());
    QCOMPARE(
        said,
        (QStringList{
            "2: show graph: only a window can do this",
            "3: expect view = graph: only a window knows this fact",
            "4: expect error = none: line 2 was skipped",
            "7: compare 0 1: only a window can do this",
            "8: project open nowhere.twproj: only a window can do this",
            "9: expect model = none: only a window knows the state of the session after line 8",
            "10: undo: only a window knows the state of the session after line 8",
        }));
    QCOMPARE(played->actions, 1);
    QCOMPARE(played->expectations, 1);
  }
};

QTEST_GUILESS_MAIN(FactsTest)
#include "facts_test.moc"
