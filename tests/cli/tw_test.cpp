// The command line as a person uses it: results, exit codes, one clear sentence for each mistake.
#include <QtTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/cli/run_program.h"
#include "tests/support/paths.h"

using namespace command_line;

namespace {

constexpr char kMatmul[] =
    "tilewright te 1\n"
    "kernel matmul(A: f32[32, 24], B: f32[24, 40]) -> C\n"
    "  C[i in 32, j in 40] = sum[k in 24] A[i, k] * B[k, j]\n";

}  // namespace

class TwTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    write("m.te", kMatmul);
    write("good.tws",
          "tilewright schedule 1\nfor matmul\nj.0, j.1 = split(C.j, factor=8)\nreorder(C.j.0, C.k, "
          "C.j.1)\nvectorize(C.j.1)\nparallel(C.i)\n");
    write("one.tws", "tilewright schedule 1\nparallel(C.i)\n");
    write("bad.tws", "tilewright schedule 1\n\nparallel(C.k)\n");
    write("macro.tws", "tilewright schedule 1\nrows(C.i, lanes=8)\nparallel(C.i)\n");
    write("rows.twm",
          "tilewright macro 1\nmacro rows(loop i)\nnumber lanes from 2 to 64 = 4\nsteps\nouter, "
          "inner = split(i, factor=lanes)\nunroll(inner)\n");
    write("broken.twm", "tilewright macro 1\nmacro broken(loop i)\nsteps\nsplt(i)\n");
    write("broken.tws", "tilewright schedule 1\nsplit(C.i factor=8)\n");
  }

  void every_mistake_is_one_sentence_with_its_exit_code_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("sentence");
    auto row = [](char const* name, QStringList const& arguments, int code,
                  QString const& sentence) {
      QTest::newRow(name) << arguments << code << sentence;
    };
    row("unknown option", {"kernels", at("m.te"), "--frob"}, 2,
        "tw: tw kernels has no option --frob; 'tw kernels --help' lists its options");
    row("broken macro", {"macros", "check", at("broken.twm")}, 2,
        "tw: " + at("broken.twm") + ":4:1: there is no primitive or macro 'splt'");
    row("unknown macro", {"macros", "show", "rows"}, 2,
        "tw: there is no macro 'rows'; `tw macros list` lists them");
    row("macro that nobody knows", {"lower", at("m.te"), "--script", at("macro.tws")}, 2,
        "tw: " + at("macro.tws") + ":2:5: there is no primitive 'rows'");
    row("missing file", {"inspect", "/nowhere/x.onnx"}, 2,
        "tw: /nowhere/x.onnx: cannot be read: No such file or directory");
    row("missing kernel text", {"inspect", "/nowhere/x.te"}, 2,
        "tw: /nowhere/x.te: cannot be read: No such file or directory");
    QString text = tw::testing::source("/README.md");
    row("no model", {"inspect", text}, 2,
        "tw: " + text + ": this is not a model in a supported format (ONNX)");
    row("unknown sample", {"models", "write", "resnet99", at("x.onnx")}, 2,
        "tw: there is no sample 'resnet99'");
    row("unwritable", {"models", "write", "resnet18", "/proc/x.onnx"}, 3,
        "tw: /proc/x.onnx: cannot be written: No such file or directory");
    row("no folder", {"models", "write", "resnet18", at("m.te/x.onnx")}, 3,
        "tw: " + at("m.te") + ": the folder cannot be created: Not a directory");
    row("disk full", {"models", "write", "resnet18", "/dev/full"}, 3,
        "tw: /dev/full: cannot be written: No space left on device");
    row("bad fix", {"inspect", at("m.te"), "--shape", "data"}, 2,
        "tw: --shape takes NAME=SHAPE, as in data=1x3x224x224, not 'data'");
    row("fix twice", {"inspect", at("m.te"), "--shape", "A=32x24", "--shape", "A=32x25"}, 2,
        "tw: --shape gives 'A' twice");
    row("fix of an expression", {"inspect", at("m.te"), "--shape", "A=32x24"}, 2,
        "tw: a tensor expression gives all its shapes, so none can be set");
    row("fix of a sample", {"inspect", "sample:dqn", "--shape", "nothing=1"}, 2,
        "tw: the model has no input 'nothing' to set");
    row("unknown kernel", {"lower", at("m.te"), "--kernel", "conv"}, 2,
        "tw: there is no kernel 'conv'; 'kernels' lists them");
    row("unknown stage", {"lower", at("m.te"), "--stage", "ptx"}, 2,
        "tw: there is no stage 'ptx'; the stages are expression, program");
    row("broken script", {"check", at("m.te"), "--script", at("broken.tws")}, 2,
        "tw: " + at("broken.tws") + ":2:11: expected ',', found 'factor'");
    row("one script only", {"diff", at("m.te"), "--script", at("good.tws")}, 2,
        "tw: give --script twice: the schedule before and the one after");
    row("unknown kernel to replay on",
        {"replay", at("m.te"), "--script", at("good.tws"), "--on", "conv"}, 2,
        "tw: there is no kernel 'conv'; 'kernels' lists them");
    row("refused on its own kernel",
        {"replay", at("m.te"), "--script", at("bad.tws"), "--on", "matmul"}, 1,
        "tw: " + at("bad.tws") + ":3: ");
    row("unknown example", {"inspect", "example:frob"}, 2, "tw: there is no example 'frob'");
    row("missing input", {"run", at("m.te"), "--input", "A=" + at("m.te")}, 2,
        "tw: " + at("m.te") + ": has");
    row("some inputs", {"run", at("m.te"), "--input", "Z=" + at("m.te")}, 2,
        "tw: the model has no input 'Z'");
  }
  void every_mistake_is_one_sentence_with_its_exit_code() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, sentence);
    Run run = run_tw(arguments);
    QVERIFY2(run.err.startsWith(sentence), qPrintable(run.err));
    QCOMPARE(run.err.count('\n'), 1);
    QCOMPARE(run.code, code);
  }

  void a_tensor_that_claims_to_be_huge_is_refused_and_nothing_is_allocated() {
    write("big.te",
          "tilewright te 1\nkernel big(A: f32[10000000000]) -> B\n  B[i in 10000000000] = A[i] * "
          "2\n");
    write("wide.te",
          "tilewright te 1\nkernel wide(A: f32[8]) -> B\n  B[i in 10000000000] = A[0] * 2\n");
    for (char const* name : {"big.te", "wide.te"})
      for (char const* command : {"run", "inspect", "kernels"}) {
        Run run = run_tw({command, at(name)});
        if (QString(command) != "run")
          QCOMPARE(run.code, 0);
        else
          QVERIFY2(run.code == 2 && run.err.contains("the tensors of "), qPrintable(run.err));
      }
  }

  void errors_have_a_json_form() {
    Run run = run_tw({"--json", "check", at("m.te"), "--script", at("broken.tws")});
    QJsonObject error = QJsonDocument::fromJson(run.err.toUtf8()).object()["error"].toObject();
    QCOMPARE(error["code"].toString(), QString("expected_token"));
    QCOMPARE(error["place"].toObject()["line"].toInt(), 2);
    QCOMPARE(error["remedy"].toString(), QString("Write the sign that the message names."));
  }

  void a_name_that_is_no_text_has_its_json_form() {
    Run run = shell("exec \"$0\" --json inspect $'\\xff.te'");
    QCOMPARE(run.code, 2);
    QJsonObject error = QJsonDocument::fromJson(run.err.toUtf8()).object()["error"].toObject();
    QCOMPARE(error["code"].toString(), QString("file_unreadable"));
  }

  void a_result_that_cannot_be_written_is_no_success() {
    // More than one buffer, and less.
    for (char const* command : {"primitives", "models list", "--json inspect example:softmax"}) {
      Run full = shell(QString("exec \"$0\" %1 >/dev/full").arg(command));
      QVERIFY2(full.err.contains("the result cannot be written: No space left on device"),
               qPrintable(command + full.err));
      QCOMPARE(full.err.count('\n'), 1);
      QCOMPARE(full.code, 3);
      QCOMPARE(shell(QString("exec \"$0\" %1 >&-").arg(command)).code, 3);
    }
  }

  void a_good_script_is_right_and_a_bad_one_is_explained() {
    Run good = run_tw({"check", at("m.te"), "--script", at("good.tws"), "--time"});
    QVERIFY2(good.code == 0 && good.out.contains("4 steps legal; output right"),
             qPrintable(good.out + good.err));
    Run checked = run_tw({"check", at("m.te"), "--script", at("good.tws"), "--checked"});
    QVERIFY2(checked.code == 0 &&
                 checked.out.contains(
                     "run with checks: every access is in bounds and reads what was written"),
             qPrintable(checked.out + checked.err));
    Run rules = run_tw({"check", at("m.te"), "--default"});
    QVERIFY2(rules.code == 0 && rules.out.contains("output right"), qPrintable(rules.out));
    QVERIFY2(!rules.out.startsWith("0 steps"), qPrintable(rules.out));
    Run plain = run_tw({"check", at("m.te")});
    QVERIFY2(plain.code == 0 && plain.out.startsWith("0 steps legal"), qPrintable(plain.out));
    Run bad = run_tw({"check", at("m.te"), "--script", at("bad.tws")});
    QCOMPARE(bad.code, 1);
    QCOMPARE(bad.out.section('\n', 0, 0),
             QString("line 3: parallel(C.k) refused: reduction_carried"));
    QVERIFY2(bad.out.contains("iterations k=0 and k=1"), qPrintable(bad.out));
    QVERIFY2(bad.out.contains("legal instead: parallel(C.i)"), qPrintable(bad.out));
  }

  void two_schedules_are_compared() {
    Run text =
        run_tw({"diff", at("m.te"), "--script", "plain", "--script", at("good.tws"), "--time"});
    QVERIFY2(text.code == 0, qPrintable(text.err));
    for (char const* words : {"measured time", "bytes from L1", "arithmetic instructions",
                              "+ vectorize(C.j.1)", "-     for j in 40", " times ", " GFLOP/s"})
      QVERIFY2(text.out.contains(words), qPrintable(text.out));
    Run json = run_tw({"diff", at("m.te"), "--script", at("good.tws"), "--script", "default",
                       "--stage", "assembly", "--json"});
    QJsonObject result = QJsonDocument::fromJson(json.out.toUtf8()).object();
    QCOMPARE(result["stage"].toString(), QString("assembly"));
    QVERIFY(result["code"].toArray().size() > 10);
    QCOMPARE(result["roofline"].toArray().size(), 2);
  }

  void a_schedule_is_replayed_on_another_kernel() {
    write("other.te",
          "tilewright te 1\nkernel other(P: f32[10, 6], Q: f32[6, 20]) -> R\n"
          "  R[a in 10, b in 20] = sum[c in 6] P[a, c] * Q[c, b]\n");
    Run run = run_tw({"replay", at("m.te"), "--script", at("good.tws"), "--on", "other",
                      "--on-model", at("other.te"), "--out", at("moved.tws")});
    QVERIFY2(run.code == 0, qPrintable(run.out + run.err));
    QVERIFY2(run.out.contains("C.j is R.b (by kind)"), qPrintable(run.out));
    QVERIFY2(run.out.contains("does not divide the 20 iterations of R.b: the remainder is guarded"),
             qPrintable(run.out));
    Run checked = run_tw({"check", at("other.te"), "--script", at("moved.tws")});
    QVERIFY2(checked.code == 0 && checked.out.contains("4 steps legal; output right"),
             qPrintable(checked.out + checked.err));
    Run refused = run_tw({"replay", "example:convolution", "--script", "default", "--on", "matmul",
                          "--on-model", at("m.te"), "--json"});
    QCOMPARE(refused.code, 1);
    QVERIFY(QJsonDocument::fromJson(refused.out.toUtf8()).object()["steps"].toArray().size() > 3);
  }

  void stages_can_be_listed_and_each_can_be_printed() {
    Run list = run_tw({"lower", at("m.te"), "--stage", "list"});
    QCOMPARE(list.code, 0);
    QStringList stages;
    for (QString const& line : list.out.split('\n', Qt::SkipEmptyParts))
      stages << line.section(' ', 0, 0);
    QVERIFY(stages.size() >= 10);
    for (QString const& stage : stages) {
      Run text = run_tw({"lower", at("m.te"), "--default", "--stage", stage});
      QVERIFY2(text.code == 0 && text.out.size() > 40, qPrintable(stage + text.err));
    }
  }

  /// Three digits that count, the unit in which there is at least one, and a plural only of more.
  void numbers_are_spelled_alike() {
    static QRegularExpression const odd(
        "\\d\\.\\d{4,}|\\d{2,}\\.\\d{2,} |\\d{4,} (B|bytes|ms|µs|ns)\\b|\\bkB\\b|\\b1 "
        "(kernel|step|thread|"
        "core|run|operator)s\\b");
    for (QStringList const& words : std::vector<QStringList>{
             {"run", at("m.te"), "--rounds", "1", "--threads", "1"},
             {"run", "sample:dqn", "--rounds", "3"},
             {"kernels", at("m.te"), "--time", "--threads", "1"},
             {"kernels", "sample:dqn"},
             {"inspect", "sample:dqn"},
             {"check", at("m.te"), "--script", at("one.tws"), "--time"},
             {"diff", at("m.te"), "--script", "plain", "--script", at("one.tws"), "--time"},
             {"analyze", at("m.te"), "--default"},
             {"roofline"},
             {"graph", at("m.te"), "--out", at("m.svg")},
             {"export", at("m.te"), "--out", at("numbers"), "--threads", "1", "--compare"}}) {
      Run run = run_tw(words);
      QVERIFY2(run.code == 0, qPrintable(words.join(' ') + ": " + run.err));
      auto found = odd.match(run.out);
      QVERIFY2(!found.hasMatch(),
               qPrintable(words.join(' ') + ": " + found.captured() + "\n" + run.out));
    }
  }

  void a_share_of_a_roof_names_the_cores_whose_roof_it_is() {
    QVERIFY(run_tw({"kernels", at("m.te"), "--time", "--threads", "1"}).out.contains(" 1 core "));
    QString roofs = run_tw({"roofline"}).out;
    QVERIFY2(roofs.contains(QRegularExpression("one core +[0-9.]+ GFLOP/s, 1 core\n")),
             qPrintable(roofs));
    QVERIFY2(roofs.contains(QRegularExpression("DRAM +[0-9.]+ GB/s, [0-9]+ core")),
             qPrintable(roofs));
  }

  void a_journal_is_checked_without_a_window() {
    QString const folder = tw::testing::source("/tests/gui/journals/");
    Run run = run_tw({"journal", "check", "--whole", folder + "refusal_and_repair.journal"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QCOMPARE(run.out, QString("9 actions done, 11 expectations held, 0 lines skipped\n"));
    write("j.journal", "tilewright journal 1\nshow graph\nexpect model none\nexpect loops = 3\n");
    run = run_tw({"journal", "check", at("j.journal")});
    QCOMPARE(run.code, 1);
    QCOMPARE(run.err, "tw: " + at("j.journal") + ":4: 'expect loops = 3' does not hold: it is 0\n");
    write("j.journal", "tilewright journal 1\nshow graph\nexpect model none\n");
    QCOMPARE(run_tw({"journal", "check", at("j.journal")}).code, 0);
    run = run_tw({"journal", "check", "--whole", at("j.journal")});
    QCOMPARE(run.code, 1);
    QVERIFY2(run.out.contains("line 2 was skipped: show graph (only a window can do this)"),
             qPrintable(run.out));
    write("j.journal", "tilewright journal 1\nfly away\n");
    QCOMPARE(run_tw({"journal", "check", at("j.journal")}).code, 2);
    QJsonArray facts =
        QJsonDocument::fromJson(run_tw({"--json", "journal", "facts"}).out.toUtf8()).array();
    QVERIFY(facts.size() > 45);
    QCOMPARE(facts[0].toObject()["fact"].toString(), QString("model"));
  }

  void a_truncated_model_is_one_sentence() {
    QCOMPARE(run_tw({"models", "write", "resnet18", at("r.onnx")}).code, 0);
    QFile file(at("r.onnx"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray bytes = file.readAll();
    for (qsizetype size :
         {qsizetype(0), qsizetype(1), qsizetype(100), qsizetype(50000), bytes.size() - 1}) {
      QFile cut(at("cut.onnx"));
      QVERIFY(cut.open(QIODevice::WriteOnly));
      cut.write(bytes.left(size));
      cut.close();
      Run run = run_tw({"inspect", at("cut.onnx")});
      QVERIFY2(run.code == 2 && run.err.startsWith("tw: " + at("cut.onnx")), qPrintable(run.err));
    }
    Run kernels = run_tw({"--json", "kernels", at("r.onnx")});
    QVERIFY(QJsonDocument::fromJson(kernels.out.toUtf8()).isArray());
    Run picture = run_tw({"graph", at("r.onnx"), "--out", at("r.svg")});
    QCOMPARE(picture.code, 0);
    QVERIFY(QFileInfo(at("r.svg")).size() > 5000);
  }

  void macros_of_a_folder_are_used_and_said_in_primitives() {
    QString folder = QFileInfo(at("rows.twm")).path();
    Run said =
        run_tw({"--json", "check", at("m.te"), "--script", at("macro.tws"), "--macros", folder});
    QJsonArray steps = QJsonDocument::fromJson(said.out.toUtf8())["steps"].toArray();
    QCOMPARE(steps.at(0)["becomes"].toArray(),
             (QJsonArray{"i.0, i.1 = split(C.i, factor=8)", "unroll(C.i.1)"}));
    QCOMPARE(steps.at(1)["code"].toString(), QString("ambiguous_loop"));  // i.0 and i.1
    QCOMPARE(said.code, 1);
  }

  void an_input_is_not_overwritten_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("report") << QStringList{"report", "m.te", "--out", "m.te"};
    QTest::newRow("suggest") << QStringList{"suggest", "m.te", "--follow", "1", "--out", "./m.te"};
    QTest::newRow("tune") << QStringList{"tune", "m.te", "--trials", "1", "--out", "m.te"};
    QTest::newRow("graph") << QStringList{"graph", "m.te", "--out", "m.te"};
    QTest::newRow("quantize") << QStringList{"quantize", "m.te", "--out", "m.te"};
    QTest::newRow("a script") << QStringList{"report",   "m.te",  "--script",
                                             "good.tws", "--out", "good.tws"};
  }
  void an_input_is_not_overwritten() {
    QFETCH(QStringList, arguments);
    for (char const* name : {"m.te", "./m.te", "good.tws"}) {
      QString file = QString(name).remove("./");
      for (QString& argument : arguments)
        if (argument == QString(name)) argument = at(file);
    }
    QString input = arguments.last();
    auto content = [&] {
      QFile file(input);
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    QByteArray before = content();
    QVERIFY(!before.isEmpty());
    Run run = run_tw(arguments);
    QVERIFY2(run.err.contains("would overwrite"), qPrintable(run.err));
    QCOMPARE(run.code, 2);
    QVERIFY(content() == before);
  }

  void without_a_word_there_is_help() {
    Run run = run_tw({});
    QCOMPARE(run.code, 0);
    QVERIFY2(run.out.contains("inspect") && run.out.contains("--json"), qPrintable(run.out));
  }

  void primitives_of_the_target_name_its_instructions() {
    Run run = run_tw({"primitives", "tensorize"});
    QVERIFY2(run.code == 0 && run.out.contains("instructions of cpu"),
             qPrintable(run.out + run.err));
    run = run_tw({"primitives", "bind"});  // a processor has no axes
    QVERIFY2(run.code == 2 && run.err.contains("has nothing that 'bind' could use"),
             qPrintable(run.out + run.err));
    run = run_tw({"primitives", "bend"});
    QVERIFY2(run.code == 2 && run.err.contains("there is no primitive 'bend'"),
             qPrintable(run.out + run.err));
  }

private:
  QString at(QString const& name) { return folder_.filePath(name); }
  void write(QString const& name, char const* text) {
    QFile file(at(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TwTest)
#include "tw_test.moc"
