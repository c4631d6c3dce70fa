// Commands and options that were renamed: what was written before still works, and says what it is
// called now.
#include <QtTest>

#include <QJsonDocument>

#include "tests/cli/run_program.h"

using namespace command_line;

class FormerNamesTest : public QObject {
  Q_OBJECT
private slots:
  void what_was_written_before_does_the_same_data() {
    QTest::addColumn<QStringList>("before");
    QTest::addColumn<QStringList>("now");
    QTest::addColumn<QString>("said");
    auto row = [](char const* name, QStringList const& before, QStringList const& now,
                  char const* said) { QTest::newRow(name) << before << now << QString(said); };
    row("a command", {"legal", "none.te"}, {"suggest", "none.te"},
        "tw: 'legal' is now 'suggest'\n");
    row("a command behind options", {"--json", "legal", "none.te"},
        {"--json", "suggest", "none.te"}, "tw: 'legal' is now 'suggest'\n");
    row("a command with commands", {"history", "list", "--store", "/no/such/store"},
        {"records", "list", "--store", "/no/such/store"}, "tw: 'history' is now 'records'\n");
    row("an option", {"inspect", "sample:dqn", "--fix", "nothing=1"},
        {"inspect", "sample:dqn", "--shape", "nothing=1"}, "tw: '--fix' is now '--shape'\n");
    row("an option and its value in one word", {"kernels", "sample:dqn", "--arrange=blocks=plain"},
        {"kernels", "sample:dqn", "--graph-option=blocks=plain"},
        "tw: '--arrange' is now '--graph-option'\n");
    row("an option twice",
        {"kernels", "sample:dqn", "--arrange", "blocks=plain", "--arrange", "x=1"},
        {"kernels", "sample:dqn", "--graph-option", "blocks=plain", "--graph-option", "x=1"},
        "tw: '--arrange' is now '--graph-option'\n");
  }
  void what_was_written_before_does_the_same() {
    QFETCH(QStringList, before);
    QFETCH(QStringList, now);
    QFETCH(QString, said);
    Run old_words = run_tw(before), new_words = run_tw(now);
    QCOMPARE(old_words.code, new_words.code);
    QCOMPARE(old_words.out, new_words.out);
    QCOMPARE(old_words.err, said + new_words.err);
  }

  void a_file_of_a_former_name_is_a_file() {
    Run run = run_tw({"inspect", "legal"});
    QVERIFY2(!run.err.contains("is now"), qPrintable(run.err));
  }

  void help_lists_the_present_names_alone() {
    QString help = run_tw({"--help"}).out;
    QVERIFY(help.contains("suggest") && help.contains("records"));
    QVERIFY(!help.contains("\n  legal") && !help.contains("\n  history"));
  }
};

QTEST_GUILESS_MAIN(FormerNamesTest)
#include "former_names_test.moc"
