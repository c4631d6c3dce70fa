// The commands that the VTA accelerator brings, as somebody types them.
#include <QtTest>

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "tests/cli/run_program.h"
#include "tests/support/paths.h"
#include "tests/support/vta_conv_text.h"

using namespace command_line;

namespace {

constexpr char const* kKernel = typed_kernels::kTypedConv;

QByteArray content(QString const& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QJsonObject json_of(Run const& run) { return QJsonDocument::fromJson(run.out.toUtf8()).object(); }

}  // namespace

class VtaTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    Run run = run_tw({"vta", "boards"});
    if (run.code == 2 && run.err.contains("no command 'vta'")) QSKIP("this build has no VTA");
    QVERIFY2(run.code == 0, qPrintable(run.err));
    run = run_tw({"lower", kKernel, "--target", "vta", "--default", "--stage", "instructions"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    stream_ = written("stream.vtas", run.out);
    lines_ = run.out.split('\n');
  }

  void boards_have_what_follows_from_their_settings() {
    Run run = run_tw({"vta", "boards"});
    QVERIFY2(run.out.contains(QRegularExpression(
                 "pynq-4x8 +4x8_i8w8a32_15_16_16_18 +1 +100 +64 +256 +51.2 GOP/s +480 KB")),
             qPrintable(run.out));
    run = run_tw({"vta", "boards", "--json"});
    QJsonObject first = QJsonDocument::fromJson(run.out.toUtf8()).array()[0].toObject();
    QCOMPARE(first["key"].toString(), QString("1x16_i8w8a32_15_15_18_17"));
    QCOMPARE(first["products_a_cycle"].toInt(), 256);
    QCOMPARE(first["sram_bytes"].toInt(), 480 * 1024);
    run = run_tw({"vta", "boards", "abacus"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("there is no board 'abacus'; the boards are pynq, "),
             qPrintable(run.err));
  }

  void a_configuration_is_checked_for_all_that_is_broken() {
    Run run = run_tw({"vta", "boards", "pynq"});
    QString settings = run.out;
    run = run_tw({"vta", "check", written("good.vta", settings)});
    QVERIFY2(run.code == 0 && run.out.startsWith("legal; 1x16_"), qPrintable(run.out + run.err));
    settings.replace("log_uop_bytes = 15", "log_uop_bytes = 17");
    settings.replace("log_acc_bytes = 17", "log_acc_bytes = 19");
    QString broken = written("broken.vta", settings);
    run = run_tw({"vta", "check", broken});
    QCOMPARE(run.code, 1);
    QVERIFY2(run.out.contains("4 conditions broken"), qPrintable(run.out));
    QVERIFY(run.out.contains("4 acc + 20 = 4 * 13 + 20 = 72 > 64"));
    run = run_tw({"vta", "check", broken, "--json"});
    QCOMPARE(run.code, 1);
    QCOMPARE(json_of(run)["broken"].toArray().size(), 4);
    settings = run_tw({"vta", "boards", "pynq"}).out;
    settings.replace("cpu:armv7", "banana");
    run = run_tw({"vta", "check", written("banana.vta", settings)});
    QCOMPARE(run.code, 2);
    QVERIFY2(
        run.err.contains("banana.vta: there is no processor 'banana'; the processors are any, "),
        qPrintable(run.err));
    settings.remove("log_block = 4\n");
    run = run_tw({"vta", "check", written("short.vta", settings)});
    QVERIFY2(run.err.contains("short.vta: a setting is missing: log_block"), qPrintable(run.err));
    run = run_tw({"vta", "check", written("none.vta", "no settings\n")});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("none.vta:1"), qPrintable(run.err));
  }

  void a_kernels_listing_is_a_stream_that_is_proven() {
    Run run = run_tw({"vta", "prove", stream_});
    QVERIFY2(run.code == 0, qPrintable(run.out + run.err));
    QVERIFY2(run.out.startsWith("no race, no deadlock: proved for "), qPrintable(run.out));
    run = run_tw({"vta", "lint", stream_});
    QVERIFY2(run.code == 0, qPrintable(run.out));
  }

  void text_survives_its_bits() {
    QString bits = folder_.filePath("stream.bin"), uops = folder_.filePath("stream.uops");
    Run run = run_tw({"vta", "assemble", stream_, "--out", bits, "--uops", uops, "--json"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QJsonObject made = json_of(run);
    QCOMPARE(content(bits).size(), made["instructions"].toInteger() * 16);
    QCOMPARE(content(uops).size(), made["uops"].toInteger() * 4);
    QString at = QString::number(made["uops_at"].toInteger());
    Run text = run_tw({"vta", "disassemble", stream_});
    Run again =
        run_tw({"vta", "disassemble", bits, "--board", "pynq", "--uops", uops, "--uops-at", at});
    QVERIFY2(again.code == 0, qPrintable(again.err));
    QCOMPARE(again.out, text.out);
    Run proved = run_tw({"vta", "prove", bits, "--uops", uops, "--uops-at", at});
    QVERIFY2(proved.code == 0, qPrintable(proved.out));
    Run other = run_tw({"vta", "prove", stream_, "--board", "pynq"});
    QCOMPARE(other.code, 2);
    QVERIFY2(other.err.contains("--board is for bits"), qPrintable(other.err));
    QFile file(bits);
    QVERIFY(file.resize(file.size() - 3));
    Run cut = run_tw({"vta", "disassemble", bits});
    QCOMPARE(cut.code, 2);
    QVERIFY2(cut.err.contains("stream.bin:"), qPrintable(cut.err));
  }

  /// Memory that nobody wrote reads as zeros: a verdict on such micro-ops would be of another
  /// program.
  void micro_ops_that_are_missing_are_an_error_and_no_verdict() {
    QString bits = folder_.filePath("whole.bin"), uops = folder_.filePath("whole.uops");
    Run run = run_tw({"vta", "assemble", stream_, "--out", bits, "--uops", uops, "--json"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QString at = QString::number(json_of(run)["uops_at"].toInteger());
    auto refused = [&](QStringList const& arguments, QString const& sentence) {
      for (char const* command : {"prove", "simulate", "step", "lint"}) {
        Run made = run_tw(QStringList{"vta", command} + arguments);
        if (made.code != 2 || !made.err.contains(QRegularExpression(sentence)))
          qFatal("%s: %d %s", command, made.code, qPrintable(made.out + made.err));
      }
    };
    refused({bits, "--uops", uops, "--uops-at", "100000"},
            "whole.uops: instruction \\d+ loads micro-ops " + at +
                " to \\d+, but the file has 100000 to ");
    refused({bits}, "whole.bin: instruction \\d+ loads micro-ops .*, but the file has none");
    refused({bits, "--uops-at", at}, "there is no --uops");
    QFile file(uops);
    QVERIFY(file.resize(file.size() - 4));
    refused({bits, "--uops", uops, "--uops-at", at}, "but the file has " + at + " to \\d+$");
    QStringList lines = lines_;
    lines.removeIf([](QString const& line) { return line.startsWith("uop "); });
    QString cut = written("no_uops.vtas", lines.join('\n'));
    refused({cut}, "no_uops.vtas: instruction \\d+ loads micro-op");
    QVERIFY(run_tw({"vta", "disassemble", bits}).code == 0);
    QCOMPARE(run_tw({"vta", "disassemble", bits, "--uops", uops, "--uops-at", "100000"}).code, 2);
  }

  void a_stream_that_is_cut_off_says_so() {
    QStringList lines = lines_;
    qsizetype finish = lines.indexOf(QRegularExpression(".*finish.*"));
    lines.removeAt(finish);
    QString cut = written("cut.vtas", lines.join('\n'));
    for (char const* command : {"prove", "simulate", "step"}) {
      Run run = run_tw({"vta", command, cut});
      QCOMPARE(run.code, 2);
      QVERIFY2(run.err.contains("cut.vtas: the stream of ") && run.err.contains("cut off"),
               qPrintable(run.err));
    }
  }

  void the_three_simulators_agree_and_one_counts() {
    QString out = folder_.filePath("run.timeline"), trace = folder_.filePath("run.json");
    Run run = run_tw({"vta", "simulate", stream_, "--data", "7", "--seed", "3", "--out", out,
                      "--chrome", trace, "--json"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QJsonObject json = json_of(run);
    QVERIFY(json["agree"].toBool());
    QCOMPARE(json["memory"].toObject()["events"], json["memory"].toObject()["timed"]);
    QVERIFY(json["moved"].toObject()["gemm_uops"].toInt() == 2 * 36 * 2 * 9);
    Run other = run_tw({"vta", "simulate", stream_, "--data", "8", "--json"});
    QVERIFY(json_of(other)["memory"] != json["memory"]);
    QCOMPARE(json_of(other)["cycles"], json["cycles"]);
    QJsonArray events = QJsonDocument::fromJson(content(trace)).object()["traceEvents"].toArray();
    QVERIFY(events.size() > 100);
    Run shown = run_tw({"timeline", "--from", out, "--json"});
    QVERIFY2(json_of(shown)["proven"].toBool(), qPrintable(shown.err));
  }

  void a_stream_runs_on_data_of_ones_own() {
    QTemporaryDir folder;
    QString before = folder.filePath("before.bin"), after = folder.filePath("after.bin"),
            again = folder.filePath("again.bin");
    Run run = run_tw({"vta", "simulate", stream_, "--data", "7", "--memory-out", after});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QByteArray digest = QCryptographicHash::hash(content(after), QCryptographicHash::Sha256);
    QVERIFY2(run.out.contains(digest.toHex().left(16)), qPrintable(run.out));
    run = run_tw(
        {"vta", "step", stream_, "--instruction", "0", "--data", "7", "--memory-out", before});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QVERIFY(content(before).size() == content(after).size() && content(before) != content(after));
    run = run_tw({"vta", "simulate", stream_, "--memory", before, "--memory-out", again});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QCOMPARE(content(again), content(after));
    run = run_tw({"vta", "step", stream_, "--memory", before, "--memory-out", again});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QCOMPARE(content(again), content(after));
    run = run_tw({"vta", "simulate", stream_, "--memory", before, "--data", "7"});
    QVERIFY2(run.code == 2 && run.err.contains("--memory"), qPrintable(run.err));
    run = run_tw({"vta", "simulate", stream_, "--memory", folder.filePath("none.bin")});
    QVERIFY2(run.code == 2, qPrintable(run.err));
  }

  void a_run_stops_where_it_is_told_and_goes_back() {
    auto at = [&](QStringList const& where) {
      Run run = run_tw(QStringList{"vta", "step", stream_, "--json"} + where);
      if (run.code != 0) qFatal("%s", qPrintable(run.err));
      return json_of(run);
    };
    auto compute = [](QJsonObject const& state) {
      return state["modules"].toArray()[1].toObject();
    };
    qsizetype gemm = lines_.indexOf(QRegularExpression(".*gemm .*pop_prev.*"));
    QString number = lines_[gemm].trimmed().section(' ', 0, 0);
    QJsonObject there = at({"--instruction", number});
    QCOMPARE(compute(there)["does"].toString(), QString("runs"));
    QCOMPARE(compute(there)["instruction"].toInt(), number.toInt());
    QJsonObject before = at({"--instruction", number, "--back", "1"});
    QCOMPARE(before["step"].toInteger(), there["step"].toInteger() - 1);
    QCOMPARE(compute(before)["does"].toString(), QString("waits for a token of load -> compute"));
    QJsonObject pushed = at({"--push", "load->compute", "--times", "2"});
    QCOMPARE(pushed["tokens"].toArray()[0].toObject()["pushed"].toInt(), 2);
    QJsonObject cycle = at({"--cycle", "1000"});
    QVERIFY(cycle["cycle"].toDouble() <= 1000 && cycle["until"].toDouble() > 1000);
    QJsonObject end = at({});
    QVERIFY(end["done"].toBool());
    for (auto const& queue : end["tokens"].toArray())
      QCOMPARE(queue.toObject()["waiting"].toInt(), 0);
    Run run = run_tw({"vta", "step", stream_, "--push", "up"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("--push takes one of load->compute, "), qPrintable(run.err));
    run = run_tw({"vta", "step", stream_, "--times", "3"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("--times counts pushes or pops"), qPrintable(run.err));
    run = run_tw({"vta", "step", stream_, "--push", "load -> compute", "--times", "1000"});
    QCOMPARE(run.code, 1);
    QVERIFY2(run.out.contains(
                 QRegularExpression("^load -> compute was pushed to \\d+ times, not 1000 times\n")),
             qPrintable(run.out));
    run = run_tw({"vta", "step", stream_, "--instruction", "100000"});
    QVERIFY2(run.err.contains("there is no instruction 100000"), qPrintable(run.err));
  }

  /// The first token from load to compute is taken away, and with it the order of two instructions.
  void a_token_that_is_missing_is_a_race_with_its_places() {
    QStringList lines = lines_;
    qsizetype push = lines.indexOf(QRegularExpression(".*load .*push_next.*"));
    qsizetype pop = lines.indexOf(QRegularExpression(".*gemm .*pop_prev.*"));
    QVERIFY(push > 0 && pop > 0);
    lines[push].remove(" push_next");
    lines[pop].remove(" pop_prev");
    QString racing = written("racing.vtas", lines.join('\n'));
    Run run = run_tw({"vta", "prove", racing, "--json"});
    QCOMPARE(run.code, 1);
    QJsonObject json = json_of(run);
    QVERIFY(!json["proven"].toBool());
    QJsonArray races = json["races"].toArray();
    QVERIFY(!races.isEmpty());
    QString sentence = races[0].toObject()["sentence"].toString();
    QVERIFY2(sentence.contains(QRegularExpression("instructions \\d+ .* and \\d+ .* element \\d+")),
             qPrintable(sentence));
    lines = lines_;
    lines[push].remove(" push_next");
    run = run_tw({"vta", "simulate", written("stuck.vtas", lines.join('\n'))});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("token"), qPrintable(run.err));
  }

  /// No race, and yet the next run or the host finds what it should not.
  void what_is_wrong_without_a_race_ends_with_one() {
    QString head = "tilewright vta 1\nuop 0: dst=0\nload uop x=1 y=1\n";
    Run run = run_tw({"vta", "prove",
                      written("left.vtas", head + "alu add uops=0..1 imm=1 push_prev\n"
                                                  "finish\n")});
    QCOMPARE(run.code, 1);
    QVERIFY2(run.out.contains("proved for 3 instructions; one thing is wrong all the same\n") &&
                 run.out.contains("left_over_token") &&
                 run.out.contains("it stays for the next run"),
             qPrintable(run.out));
    run = run_tw({"vta", "prove",
                  written("stale.vtas", head + "load acc x=1 y=1 push_next\n"
                                               "store out dram=64 x=1 y=1 pop_prev "
                                               "push_prev\nload uop pop_next\n"
                                               "finish\n"),
                  "--json"});
    QCOMPARE(run.code, 1);
    QVERIFY(json_of(run)["proven"].toBool() && !json_of(run)["all_is_well"].toBool());
  }

  void a_simulation_ends_when_it_is_told_to() {
    QString lines = "tilewright vta 1\nuop 0: dst=0\nload uop x=1 y=1\n";
    for (int i = 0; i < 200; ++i) lines += "gemm uops=0..1 outer=16383 inner=4095\n";
    QString slow = written("slow.vtas", lines + "finish\n");
    for (char const* command : {"simulate", "step"}) {
      QProcess process;
      process.start(tw::testing::built("/bin/tw"), {"vta", command, slow});
      QVERIFY(process.waitForStarted());
      QTest::qWait(500);
      process.terminate();
      QVERIFY(process.waitForFinished(20000));
      QCOMPARE(process.exitStatus(), QProcess::CrashExit);
    }
  }

  void a_lint_names_who_disagrees() {
    Run run = run_tw({"vta", "lint",
                      written("shift.vtas",
                              "tilewright vta 1\nuop 0: dst=0\nload uop x=1 y=1\n"
                              "alu shr uops=0..1 imm=20\nfinish\n")});
    QCOMPARE(run.code, 1);
    QVERIFY2(run.out.contains("shift_range"), qPrintable(run.out));
  }

  void designs_are_a_table_with_its_front_and_a_picture() {
    QString picture = folder_.filePath("designs.svg");
    QStringList small{"--block", "16",    "--batch", "1",     "--inp",
                      "32",      "--wgt", "256",     "--acc", "64,128"};
    Run run = run_tw(QStringList{"vta", "explore", "--svg", picture} + small);
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QVERIFY2(run.out.startsWith("2 designs (0 more cannot be built)"), qPrintable(run.out));
    QVERIFY(run.out.contains(
        QRegularExpression("\\* 1x16_i8w8a32_15_15_18_17 +64 +256 +480 KB +\\d+ +8\\d\\.\\d ms")));
    QVERIFY(content(picture).contains("<circle"));
    run = run_tw(QStringList{"vta", "explore", kKernel, "--json"} + small);
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QJsonArray designs = json_of(run)["designs"].toArray();
    QCOMPARE(designs.size(), 2);
    QVERIFY(designs[0].toObject()["front"].toBool());
    run = run_tw({"vta", "explore", "--block", "12"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("--block takes powers of two"), qPrintable(run.err));
    run = run_tw({"vta", "explore", "sample:dqn", "--block", "16", "--batch", "1"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("no convolution of bytes"), qPrintable(run.err));
  }

  void an_exploration_ends_when_it_is_told_to() {
    QProcess process;
    process.start(tw::testing::built("/bin/tw"),
                  {"vta", "explore", "--isa", "1,2", "--port", "64,128"});
    QVERIFY(process.waitForStarted());
    QTest::qWait(500);
    process.terminate();
    QVERIFY(process.waitForFinished(10000));
    QCOMPARE(process.exitStatus(), QProcess::CrashExit);  // by the signal, as who sent it expects
    QCOMPARE(process.exitCode(), 15);
    QVERIFY(process.readAllStandardOutput().isEmpty());
  }

  void help_pages_and_suggestions_know_the_group() {
    Run run = run_tw({"vta", "prov", "x"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("tw vta has no command 'prov'; did you mean prove?"),
             qPrintable(run.err));
    run = run_tw({"vta", "prove", "--mots", "3", "x"});
    QVERIFY2(run.err.contains("did you mean --most?"), qPrintable(run.err));
    run = run_tw({"manual", "vta"});
    QVERIFY2(run.out.contains("\\fBexplore\\fR") && run.out.contains("sram\\-max"),
             qPrintable(run.out));
    run = run_tw({"completion", "bash"});
    QVERIFY2(run.out.contains("'tw vta explore'"), qPrintable(run.out));
    run = run_tw({"vta", "simulate", stream_, "--seed", "x"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("'x' is not an integer from 0 to "), qPrintable(run.err));
  }

private:
  QString written(QString const& name, QString const& text) {
    QFile file(folder_.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) qFatal("%s cannot be written", qPrintable(name));
    file.write(text.toUtf8());
    return file.fileName();
  }

  QTemporaryDir folder_;
  QString stream_;
  QStringList lines_;
};

QTEST_GUILESS_MAIN(VtaTest)
#include "vta_test.moc"
