// `tw lower` and the environment: passes listed, timed, checked, dumped and left out.
#include <QtTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/cli/run_program.h"
#include "tests/support/paths.h"

using namespace command_line;

namespace {

QStringList const kPasses{"hoist_reduction_init", "lower_blocks",         "simplify",
                          "unswitch_symbolic",    "inline_calls",         "compact_tensors",
                          "peel_symbolic_tails",  "bound_symbolic_loops", "partition_loops",
                          "predicate_updates",    "flatten_buffers",      "vectorize_loops",
                          "lower_intrinsics",     "unroll_loops",         "simplify.2",
                          "promote_accumulators", "plan_workspace",       "read_sizes"};

/// `tw` without what the tests' own environment says of passes, and with `more`.
Run tw_with(QMap<QString, QString> const& more, QStringList const& arguments) {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.remove("TW_VERIFY_PASSES");
  for (auto [name, value] : more.asKeyValueRange()) environment.insert(name, value);
  return run_program(tw::testing::built("/bin/tw"), arguments, environment);
}

QStringList lower(QStringList const& more) {
  return QStringList{"lower", "example:softmax", "--default"} + more;
}

}  // namespace

class LowerTest : public QObject {
  Q_OBJECT
private slots:
  void passes_have_their_former_names_too() {
    Run now = tw_with({}, lower({"--stage", "lower_intrinsics"}));
    Run before = tw_with({}, lower({"--stage", "lower_calls"}));
    QCOMPARE(now.code, 0);
    QVERIFY(!now.out.isEmpty());
    QCOMPARE(before.out, now.out);
    Run dumped = tw_with({{"TW_DUMP_AFTER", "lower_calls"}}, lower({"--stage", "assembly"}));
    QVERIFY2(dumped.err.contains(" after lower_intrinsics"), qPrintable(dumped.err.left(300)));
  }

  void assembly_is_printed_with_what_its_hot_loop_costs() {
    QStringList const znver3{"lower",     "sample:resnet18", "--kernel", "conv2d_64x56x56_3x3",
                             "--default", "--stage",         "assembly"};
    Run plain = tw_with({}, znver3);
    Run run = tw_with({}, znver3 + QStringList{"--mca"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QVERIFY2(run.out.contains("cycles an iteration, modelled for ") ||
                 run.out.contains("the hot loop is not modelled"),
             qPrintable(run.out.right(400)));
    Run json = tw_with({}, znver3 + QStringList{"--mca", "--json"});
    QJsonObject whole = QJsonDocument::fromJson(json.out.toUtf8()).object();
    QJsonObject model = whole["model"].toObject();
    QCOMPARE(whole["text"].toString(), plain.out);
    if (model.contains("cycles")) {
      double sum = 0;
      for (QJsonValue const& line : model["lines"].toArray())
        sum += line.toObject()["cycles"].toDouble();
      QVERIFY(sum > 1 && std::abs(sum - model["cycles"].toDouble()) < 1e-6 * sum);
      QVERIFY(!model["ports"].toArray().isEmpty());
      QVERIFY(model["vector_registers"].toInt() > 4);  // a tile of registers
      QVERIFY(run.out.contains(model["bottleneck"].toString()));
    }
  }

  void assembly_has_two_syntaxes_on_this_kind_and_hides_what_is_asked() {
    Run att = tw_with({}, lower({"--stage", "assembly", "--syntax", "att"}));
    Run plain = tw_with({}, lower({"--stage", "assembly"}));
    QCOMPARE(att.out, plain.out);
    if (plain.out.contains('%')) {
      Run intel = tw_with({}, lower({"--stage", "assembly", "--syntax", "intel"}));
      QVERIFY(!intel.out.contains('%') && intel.out.count('\n') == plain.out.count('\n'));
    }
    Run less =
        tw_with({}, lower({"--stage", "assembly", "--hide", "directives", "--hide", "labels"}));
    QVERIFY(plain.out.contains(".globl") && !less.out.contains(".globl"));
    QVERIFY(less.out.count('\n') < plain.out.count('\n'));
    Run wrong = tw_with({}, lower({"--mca"}));
    QCOMPARE(wrong.code, 2);
    QVERIFY2(wrong.err.contains("--syntax, --hide and --mca are for --stage assembly alone"),
             qPrintable(wrong.err));
  }

  void remarks_stand_below_the_lines_that_they_are_about() {
    Run run = tw_with({}, lower({"--stage", "remarks"}));
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QStringList lines = run.out.trimmed().split('\n');
    QVERIFY(!lines[0].startsWith(' '));
    QVERIFY(std::ranges::any_of(lines, [](QString const& line) {
      return line.startsWith("  missed") || line.startsWith("  passed") ||
             line.startsWith("  analysis");
    }));
  }

  void every_pass_has_a_row_with_its_time_and_what_it_did() {
    Run run = tw_with({}, lower({"--passes", "--json"}));
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QJsonArray rows = QJsonDocument::fromJson(run.out.toUtf8()).array();
    QCOMPARE(rows.size(), kPasses.size() + 1);
    QCOMPARE(rows[0].toObject()["pass"].toString(), "program");
    for (int i = 0; i < kPasses.size(); ++i) {
      QJsonObject row = rows[i + 1].toObject();
      QCOMPARE(row["pass"].toString(), kPasses[i]);
      QVERIFY(row["ran"].toBool() && row["ms"].toDouble() > 0 && row["statements"].toInt() > 0);
      QCOMPARE(row["verify_ms"].toDouble(), 0.0);
    }
    QCOMPARE(rows[2].toObject()["gives"].toArray(), QJsonArray{"no_blocks"});
    QVERIFY(rows[2].toObject()["lines_removed"].toInt() > 0);
    QCOMPARE(rows[12].toObject()["gives_up"].toArray(), QJsonArray{"scalar_code"});
  }

  void the_table_says_the_same_in_words() {
    Run run = tw_with({}, lower({"--passes"}));
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QStringList lines = run.out.trimmed().split('\n');
    QCOMPARE(lines.size(), kPasses.size() + 2);
    QVERIFY2(lines[0].simplified() == "pass time statements lines establishes",
             qPrintable(lines[0]));
    QVERIFY(lines[1].startsWith("program ") && lines[1].endsWith("  loops_once, scalar_code"));
    for (int i = 0; i < kPasses.size(); ++i) QVERIFY(lines[i + 2].startsWith(kPasses[i] + " "));
    QVERIFY2(lines[13].endsWith("no_vector_loops, invalidates scalar_code"), qPrintable(lines[13]));
  }

  void a_check_of_every_stage_is_timed_too() {
    Run run = tw_with({}, lower({"--passes", "--verify", "--json"}));
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QJsonArray rows = QJsonDocument::fromJson(run.out.toUtf8()).array();
    for (auto const& row : rows) QVERIFY(row.toObject()["verify_ms"].toDouble() > 0);
    run = tw_with({{"TW_VERIFY_PASSES", "1"}}, lower({"--passes", "--json"}));
    QVERIFY(
        QJsonDocument::fromJson(run.out.toUtf8()).array()[3].toObject()["verify_ms"].toDouble() >
        0);
    // Without a table the kernel is shown as ever.
    Run shown = tw_with({}, lower({"--stage", "unroll_loops"}));
    Run verified = tw_with({}, lower({"--stage", "unroll_loops", "--verify"}));
    QCOMPARE(verified.out, shown.out);
    QVERIFY(shown.out.startsWith("tilewright kernel 1\nhost "));
  }

  void a_pass_can_be_left_out() {
    Run with = tw_with({}, lower({"--stage", "promote_accumulators"}));
    Run without = tw_with(
        {}, lower({"--stage", "promote_accumulators", "--without", "promote_accumulators"}));
    Run before = tw_with({}, lower({"--stage", "simplify.2"}));
    QVERIFY2(without.code == 0, qPrintable(without.err));
    QVERIFY(with.out.contains("acc.0"));
    QCOMPARE(without.out, before.out);
    // Several, down to the assembly; the table says so.
    QStringList several{"--without",    "simplify",  "--without",
                        "unroll_loops", "--without", "promote_accumulators"};
    Run assembly = tw_with({}, lower(several + QStringList{"--stage", "assembly"}));
    QVERIFY2(assembly.code == 0 && assembly.out.contains("ret"), qPrintable(assembly.err));
    Run table = tw_with({}, lower(several + QStringList{"--passes"}));
    QCOMPARE(table.out.count("left out"), 3);
    Run same = tw_with({{"TW_PASSES_OFF", "simplify,unroll_loops,promote_accumulators"}},
                       lower({"--stage", "assembly"}));
    QCOMPARE(same.out, assembly.out);
  }

  void code_for_a_machine_that_is_not_here_is_shown() {
    Run arm = tw_with({}, lower({"--target", "cpu:aarch64", "--stage", "assembly"}));
    QVERIFY2(arm.code == 0, qPrintable(arm.err));
    QVERIFY2(arm.out.contains(".4s"), qPrintable(arm.out));
    Run unknown = tw_with({}, lower({"--target", "abacus"}));
    QCOMPARE(unknown.code, 2);
    QVERIFY2(unknown.err.startsWith("tw: there is no target 'abacus'; the targets are cpu, "),
             qPrintable(unknown.err));
  }

  void this_machine_is_taken_as_a_target_by_name() {
    Run run = tw_with({}, {"run", "example:softmax", "--device", "local:cpu"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    run = tw_with({}, {"run", "example:softmax", "--device", "local:cpu:aarch64"});
    QCOMPARE(run.code, 2);
    QCOMPARE(run.err, "tw: 'cpu:aarch64' is another machine; this one can be 'local:cpu'\n");
  }

  void what_others_need_is_not_left_out_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<int>("code");
    QTest::newRow("needed") << QStringList{"--without", "flatten_buffers", "--stage", "llvm"}
                            << "tw: the pass flatten_buffers cannot be left out: vectorize_loops "
                               "needs flat_buffers (every tensor has one dimension)\n"
                            << 1;
    QTest::newRow("whatever is shown")
        << QStringList{"--without", "lower_blocks"}
        << "tw: the pass lower_blocks cannot be left out: unswitch_symbolic needs no_blocks (there "
           "are no blocks)\n"
        << 1;
    QTest::newRow("unknown") << QStringList{"--without", "inline", "--passes"}
                             << "tw: there is no pass 'inline'; the passes are " +
                                    kPasses.join(", ") + "\n"
                             << 2;
  }
  void what_others_need_is_not_left_out() {
    QFETCH(QStringList, words);
    QFETCH(QString, sentence);
    QFETCH(int, code);
    Run run = tw_with({}, lower(words));
    QCOMPARE(run.err, sentence);
    QCOMPARE(run.code, code);
  }

  void any_command_obeys_the_environment() {
    QStringList words{"check", "example:softmax", "--script", "default"};
    Run plain = tw_with({}, words);
    QVERIFY2(plain.code == 0 && plain.err.isEmpty(), qPrintable(plain.err));
    Run dumped = tw_with({{"TW_DUMP_AFTER", "lower_blocks,plan_workspace"},
                          {"TW_TIME_PASSES", "1"},
                          {"TW_VERIFY_PASSES", "1"},
                          {"TW_PASSES_OFF", "simplify"}},
                         words);
    QVERIFY2(dumped.code == 0, qPrintable(dumped.err));
    QCOMPARE(dumped.out, plain.out);
    int kernels = int(dumped.err.count(": lower_blocks "));
    QVERIFY(kernels > 0);
    QCOMPARE(int(dumped.err.count(" after lower_blocks\ntilewright kernel 1\nhost ")), kernels);
    QCOMPARE(int(dumped.err.count(" after plan_workspace\ntilewright kernel 1\nhost ")), kernels);
    QCOMPARE(int(dumped.err.count(" after ")), 2 * kernels);
    QCOMPARE(int(dumped.err.count(": simplify left out")), kernels);
    QVERIFY(dumped.err.contains(QRegularExpression(": unroll_loops \\d+\\.\\d{3} ms\n")));
    Run refused = tw_with({{"TW_PASSES_OFF", "plan_workspace"}}, words);
    QVERIFY2(refused.code != 0 && refused.err.contains("read_sizes needs placed_buffers"),
             qPrintable(refused.err));
  }
};

QTEST_GUILESS_MAIN(LowerTest)
#include "lower_test.moc"
