// What surrounds the commands: slips and what was meant, manual pages, completion, the version, the
// folders that are read and written.
#include <sys/stat.h>
#include <unistd.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include "tests/cli/run_program.h"
#include "tests/support/paths.h"

using namespace command_line;

namespace {

constexpr char kTwo[] =
    "\xEF\xBB\xBFtilewright te 1\n"
    "kernel matmul(A: f32[32, 24], B: f32[24, 40]) -> C\n"
    "  C[i in 32, j in 40] = sum[k in 24] A[i, k] * B[k, j]\n";

/// Words of the line that are commands, at the left.
QStringList commands_in_help(QString const& help) {
  QStringList commands;
  bool here = false;
  for (QString const& line : help.split('\n')) {
    if (here && line.startsWith("  ") && !line.startsWith("   "))
      commands << line.simplified().section(' ', 0, 0);
    here = here || line.startsWith("Subcommands:");
  }
  return commands;
}

}  // namespace

class CommandsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { write("m.te", kTwo); }

  void a_code_is_explained() {
    Run one = run_tw({"errors", "too_many_lanes"});
    QCOMPARE(one.code, 0);
    QCOMPARE(one.out, QString("too_many_lanes (Schedule steps, scripts and macros; exit 1)\n"
                              "  The loop has more iterations than a vector has lanes.\n"
                              "  Split the loop and vectorize the inner one.\n"));
    QJsonObject row =
        QJsonDocument::fromJson(run_tw({"errors", "too_many_lanes", "--json"}).out.toUtf8())
            .object();
    QCOMPARE(row["exits"].toArray(), QJsonArray{1});
    QCOMPARE(row["remedy"].toString(), QString("Split the loop and vectorize the inner one."));
    Run all = run_tw({"errors", "--json"});
    QCOMPARE(all.code, 0);
    QVERIFY(QJsonDocument::fromJson(all.out.toUtf8()).array().size() > 500);
    QVERIFY(run_tw({"errors"}).out.contains("\nThe VTA accelerator:\n  accelerator_busy "));
    Run slip = run_tw({"errors", "to_many_lanes"});
    QCOMPARE(slip.code, 2);
    QVERIFY2(slip.err.contains("no error code 'to_many_lanes'; did you mean too_many_lanes"),
             qPrintable(slip.err));
    QVERIFY(run_tw({"errors", "xyzzy"}).err.contains("`tw errors` lists them"));
  }

  void a_slip_is_answered_with_what_was_meant_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("sentence");
    auto row = [](QStringList const& arguments, QString const& sentence) {
      QTest::newRow(qPrintable(arguments.join(' '))) << arguments << sentence;
    };
    row({"inspcet", "m.te"}, "tw has no command 'inspcet'; did you mean inspect?");
    row({"exprot"}, "tw has no command 'exprot'; did you mean export?");
    row({"device", "server"}, "tw device has no command 'server'; did you mean serve?");
    row({"models", "lsit"}, "tw models has no command 'lsit'; did you mean list?");
    row({"run", "m.te", "--thread", "2"}, "tw run has no option --thread; did you mean --threads?");
    row({"run", "m.te", "--rnds=2"}, "tw run has no option --rnds; did you mean --rounds?");
    row({"kernels", "m.te", "--jsno"}, "tw kernels has no option --jsno; did you mean --json?");
    row({"kernels", "m.te", "--frobnicate"},
        "tw kernels has no option --frobnicate; 'tw kernels --help' lists its options");
    row({"models", "xyzzy"}, "tw models has no command 'xyzzy'; the commands are list, write");
    row({"--verison"}, "tw has no option --verison; did you mean --version?");
  }
  void a_slip_is_answered_with_what_was_meant() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, sentence);
    Run run = run_tw(arguments);
    QCOMPARE(run.err, "tw: " + sentence + "\n");
    QCOMPARE(run.code, 2);
  }

  void what_no_option_is_is_not_taken_for_a_slip() {
    // A value that looks like a command, and one that begins like an option.
    Run run = run_tw({"lower", at("m.te"), "--kernel", "inspcet"});
    QVERIFY2(run.err.startsWith("tw: there is no kernel 'inspcet'"), qPrintable(run.err));
    Run help = run_tw({"run", "--help"});
    QVERIFY2(help.code == 0 && help.out.contains("--rounds"), qPrintable(help.err));
  }

  void to_verify_nothing_is_an_error() {
    QDir(folder_.path()).mkpath("none/deep");
    Run run = run_tw({"verify", at("none")});
    QCOMPARE(run.err,
             "tw: " + at("none") + ": has no test_data_set_N folder beside a model.onnx\n");
    QCOMPARE(run.code, 2);
  }

  void a_byte_order_mark_is_skipped() {
    write("marked.tws", "\xEF\xBB\xBFtilewright schedule 1\nparallel(C.i)\n");
    Run run = run_tw({"check", at("m.te"), "--script", at("marked.tws")});
    QVERIFY2(run.code == 0 && run.out.startsWith("1 step legal; output right"),
             qPrintable(run.out + run.err));
  }

  void too_much_is_refused_with_its_number_before_it_is_made() {
    write("many.te",
          "tilewright te 1\nkernel many(A: f32[20000, 20000], B: f32[20000, 20000]) -> C\n"
          "  C[i in 20000, j in 20000] = sum[k in 20000] A[i, k] * B[k, j]\n");
    Run run = run_tw({"check", at("many.te")});
    QCOMPARE(run.err, "tw: many runs 8e+12 iterations; results can only be compared up to 6e+10\n");
    QCOMPARE(run.code, 1);
    write("huge.te",
          "tilewright te 1\nkernel huge(X: f32[1000000, 1000000]) -> Y\n"
          "  Y[i in 1000000, j in 1000000] = X[i, j] + 1.0\n");
    run = run_tw({"run", at("huge.te")});
    QVERIFY2(run.err.startsWith("tw: the tensors of huge need 8000.0 GB; on this machine tensors "
                                "of up to "),
             qPrintable(run.err));
    QCOMPARE(run.code, 2);
  }

  /// `script` gives the program a terminal.
  void a_long_reference_says_how_long_it_has_been_and_ends_at_once() {
    if (QStandardPaths::findExecutable("script").isEmpty()) QSKIP("there is no 'script' here");
    write("long.te",
          "tilewright te 1\nkernel long(A: f32[3000, 3000], B: f32[3000, 3000]) -> C\n"
          "  C[i in 3000, j in 3000] = sum[k in 3000] A[i, k] * B[k, j]\n");
    QElapsedTimer timer;
    timer.start();
    Run run = shell("script -qec \"timeout -s INT 5 $0 check " + at("long.te") + "\" /dev/null");
    QVERIFY2(timer.elapsed() < 20'000, qPrintable(QString::number(timer.elapsed())));
    QVERIFY2(run.out.contains("long: running its unscheduled nest of 2.7e+10 iterations for the "
                              "reference result, in seconds (2 of 27)"),
             qPrintable(run.out));
  }

  void the_for_line_of_a_script_is_heeded() {
    write("other.tws", "tilewright schedule 1\nfor conv\nparallel(C.i)\n");
    for (char const* command : {"check", "lower", "analyze"}) {
      Run run = run_tw({command, at("m.te"), "--script", at("other.tws")});
      QCOMPARE(run.err,
               "tw: " + at("other.tws") +
                   ":2: other_kernel: the script is for the kernel conv, not for matmul\n");
      QCOMPARE(run.code, 1);
    }
    // Where nobody says which kernel, the script does.
    QCOMPARE(run_tw({"models", "write", "dqn", at("dqn.onnx")}).code, 0);
    Run kernels = shell("\"$0\" kernels " + at("dqn.onnx"));
    QString last = kernels.out.trimmed().section('\n', -1).section(' ', 0, 0);
    write("last.tws", ("tilewright schedule 1\nfor " + last + "\n").toUtf8().constData());
    Run lowered =
        run_tw({"lower", at("dqn.onnx"), "--script", at("last.tws"), "--stage", "expression"});
    QVERIFY2(lowered.code == 0 && lowered.out.contains("kernel " + last + "("),
             qPrintable(lowered.out + lowered.err));
  }

  void missing_folders_for_outputs_are_made() {
    Run run = run_tw({"run", at("m.te"), "--rounds", "1", "--output-folder", at("to/come"),
                      "--write-inputs", at("also/to/come")});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QCOMPARE(QFileInfo(at("to/come/output_0.bin")).size(), qint64(32 * 40 * 4));
    QCOMPARE(QFileInfo(at("also/to/come/1.bin")).size(), qint64(24 * 40 * 4));
    run = run_tw({"run", at("m.te"), "--rounds", "1", "--output-folder", at("m.te")});
    QCOMPARE(run.code, 3);
    QVERIFY2(run.err.startsWith("tw: " + at("m.te") + ": the folder cannot be created: "),
             qPrintable(run.err));
  }

  void missing_folders_of_single_files_are_made_data() {
    QTest::addColumn<QStringList>("words");
    auto row = [](QStringList const& words) { QTest::newRow(qPrintable(words[0])) << words; };
    row({"graph", "m.te", "--out"});
    row({"replay", "m.te", "--script", "default", "--on", "matmul", "--out"});
    row({"completion", "bash", "--out"});
    row({"models", "write", "dqn"});
    row({"export", "example:softmax", "--out"});
    row({"manual", "--out"});
  }
  void missing_folders_of_single_files_are_made() {
    QFETCH(QStringList, words);
    QString file = at("deep/" + words[0] + "/er/file.onnx");
    if (words.size() > 1 && words[1] == "m.te") words[1] = at("m.te");
    Run run = run_tw(words << file);
    QVERIFY2(run.code == 0, qPrintable(run.out + run.err));
    QVERIFY(QFileInfo::exists(file));
  }

  void what_cannot_be_written_is_called_by_the_name_that_was_given() {
    Run full =
        shell("trap '' XFSZ; ulimit -f 64; exec \"$0\" export example:softmax --out " + at("full"));
    QCOMPARE(full.code, 3);
    QVERIFY2(full.err.startsWith("tw: " + at("full") + "/") && full.err.count('\n') == 1,
             qPrintable(full.err));
    QVERIFY2(!full.err.contains(".part"), qPrintable(full.err));
    QCOMPARE(QDir(folder_.path()).entryList({"full*"}), QStringList());
  }

  void a_mode_is_taken_as_it_is_stored() {
    QString model = "/usr/share/libonnx-testdata/data/node/test_if/model.onnx";
    if (!QFileInfo::exists(model)) QSKIP("libonnx-testdata is not installed");
    Run stored = run_tw({"run", model, "--rounds", "1", "--write-inputs", at("stored")});
    QVERIFY2(stored.out.contains("inputs random, seed 1; cond=true as stored beside the model"),
             qPrintable(stored.out + stored.err));
    QFile cond(at("stored/0.bin"));
    QVERIFY(cond.open(QIODevice::ReadOnly));
    QCOMPARE(cond.readAll(), QByteArray("\1"));
    // Without what is stored it is said what is taken, and how another is given.
    QFile::copy(model, at("if.onnx"));
    Run random = run_tw({"run", at("if.onnx"), "--rounds", "1"});
    QVERIFY2(random.out.contains("cond=false, which may decide what is computed: --input "
                                 "cond=FILE sets it"),
             qPrintable(random.out + random.err));
  }

  void a_mode_that_is_not_stored_is_what_its_operator_documents() {
    QString model = "/usr/share/libonnx-testdata/data/node/test_loop11/model.onnx";
    if (!QFileInfo::exists(model)) QSKIP("libonnx-testdata is not installed");
    QFile::copy(model, at("loop.onnx"));
    Run run = run_tw({"run", at("loop.onnx"), "--rounds", "1", "--write-inputs", at("usual")});
    QVERIFY2(run.out.contains("cond=true, trip_count=1, which"), qPrintable(run.out + run.err));
    QFile rounds(at("usual/0.bin"));
    QVERIFY(rounds.open(QIODevice::ReadOnly));
    QCOMPARE(rounds.readAll(), QByteArray("\1\0\0\0\0\0\0\0", 8));
    // Modes may be given alone.
    write("three", QByteArray("\3\0\0\0\0\0\0\0", 8));
    run = run_tw({"run", at("loop.onnx"), "--rounds", "1", "--input", "trip_count=" + at("three")});
    QVERIFY2(run.out.contains("random, seed 1; trip_count=3 as given; cond=true, which"),
             qPrintable(run.out + run.err));
  }

  void progress_is_shown_on_a_terminal_only() {
    QString command = "export " + at("m.te") + " --out " + at("module") + " --threads 1";
    Run piped = shell("\"$0\" " + command);
    QVERIFY2(piped.code == 0 && piped.err.isEmpty(), qPrintable(piped.err));
    if (QStandardPaths::findExecutable("script").isEmpty()) QSKIP("script(1) is not installed");
    Run terminal =
        run_program("script", {"-qec", tw::testing::built("/bin/tw ") + command, "/dev/null"});
    QVERIFY2(terminal.out.contains("running the exported model"), qPrintable(terminal.out));
    Run json = run_program("script",
                           {"-qec", tw::testing::built("/bin/tw --json ") + command, "/dev/null"});
    QVERIFY2(!json.out.contains("running the exported model"), qPrintable(json.out));
  }

  void the_version_names_the_commit() {
    Run run = run_tw({"--version"});
    QVERIFY2(QRegularExpression("^tw \\d+\\.\\d+\\.\\d+( \\(commit [0-9a-f]{7,}\\))?\n$")
                 .match(run.out)
                 .hasMatch(),
             qPrintable(run.out));
    QString project = run_program("sed", {"-nE", "s/^project\\(.* VERSION ([0-9.]+) .*/\\1/p",
                                          tw::testing::source("/CMakeLists.txt")})
                          .out.trimmed();
    QVERIFY2(!project.isEmpty() && run.out.startsWith("tw " + project), qPrintable(run.out));
    Run head = run_program("git", {"-C", tw::testing::source(), "rev-parse", "--short=10", "HEAD"});
    if (head.code == 0 && QFileInfo::exists(tw::testing::source("/.git")))
      QVERIFY2(run.out.contains("(commit "), qPrintable(run.out));
  }

  void every_command_has_a_manual_page_of_all_its_options() {
    QVERIFY(run_tw({"manual", "--out", at("man")}).code == 0);
    QStringList commands = commands_in_help(run_tw({"--help"}).out);
    QVERIFY(commands.size() >= 17);
    QString all = read("man/tw.1");
    for (QString const& command : commands) {
      QVERIFY2(all.contains("\\fB" + command + "\\fR"), qPrintable(command));
      QString page = read("man/tw-" + command + ".1"), help = run_tw({command, "--help"}).out;
      QVERIFY2(page.startsWith(".TH TW\\-" + command.toUpper() + " 1 "), qPrintable(page));
      auto options = QRegularExpression("--[a-z-]+").globalMatch(help.section("Options:", 1));
      while (options.hasNext()) {
        QString option = options.next().captured();
        QVERIFY2(page.contains(option.replace("-", "\\-")), qPrintable(command + " " + option));
      }
    }
    if (QStandardPaths::findExecutable("groff").isEmpty()) return;
    for (QString const& file : QDir(at("man")).entryList(QDir::Files)) {
      Run drawn = run_program("groff", {"-man", "-ww", "-z", at("man/" + file)});
      QVERIFY2(drawn.code == 0 && drawn.err.isEmpty(), qPrintable(file + ": " + drawn.err));
    }
  }

  void every_option_is_explained() {
    QStringList open{""};
    int options = 0;
    while (!open.isEmpty()) {
      QString command = open.takeFirst();
      if (command == " device serve") continue;  // becomes another program, with its own words
      QString help = run_tw((command + " --help").split(' ', Qt::SkipEmptyParts)).out;
      for (QString const& inner : commands_in_help(help)) open << command + " " + inner;
      for (QString const& line : help.section("Options:", 1).split('\n')) {
        if (!line.startsWith("  -")) continue;
        ++options;
        static QRegularExpression const type("--[a-z-]+ (TEXT|INT|UINT|FLOAT)\\b");
        QVERIFY2(!type.match(line).hasMatch(), qPrintable(command + ": " + line));
      }
      static QRegularExpression const bare(
          "\n  (-[^ \n]+|[A-Z_]+)( [A-Z]+)*( REQUIRED)? *(\n  [^ ]|\n\n|$)");
      auto found = bare.match(help);
      QVERIFY2(!found.hasMatch(), qPrintable(command + " does not explain" + found.captured()));
    }
    QVERIFY(options > 60);
  }

  void bash_completes_commands_options_and_files_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("offers");
    QTest::newRow("a command") << "tw ins"
                               << "inspect";
    QTest::newRow("one below") << "tw device ser"
                               << "serve";
    QTest::newRow("an option") << "tw export m.te --tar"
                               << "--target";
    QTest::newRow("one of all commands") << "tw run --js"
                                         << "--json";
    QTest::newRow("a file") << "tw run m"
                            << "";
  }
  void bash_completes_commands_options_and_files() {
    QFETCH(QString, line);
    QFETCH(QString, offers);
    Run run = shell("set -u; source <(\"$0\" completion bash); COMP_WORDS=(" + line +
                    "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tw; echo ${COMPREPLY[@]+"
                    "\"${COMPREPLY[@]}\"}");
    QCOMPARE(run.out, offers + "\n");
    QCOMPARE(run.err, QString());
  }

  void other_shells_read_their_scripts() {
    for (QString const shell_name : {"zsh", "fish"}) {
      Run script = run_tw({"completion", shell_name});
      QVERIFY2(script.code == 0 && script.out.contains("analyze"), qPrintable(script.err));
      if (QStandardPaths::findExecutable(shell_name).isEmpty()) continue;
      write("script", script.out.toUtf8().constData());
      Run read = run_program(shell_name, {"-n", at("script")});
      QVERIFY2(read.code == 0 && read.err.isEmpty(), qPrintable(shell_name + read.err));
    }
    QCOMPARE(run_tw({"completion", "tcsh"}).code, 2);
  }

  void kernels_need_no_folder_for_temporary_files() {
    QString temporary = at("temporary");
    QDir().mkpath(temporary);
    for (QString const& folder : {temporary, at("m.te")}) {
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      environment.insert("TMPDIR", folder);
      environment.insert("TW_CACHE_DIR", at("empty_cache"));
      Run run = run_program(tw::testing::built("/bin/tw"), {"run", at("m.te")}, environment);
      QVERIFY2(run.code == 0, qPrintable(run.err));
    }
    QVERIFY(QDir(temporary).isEmpty());
  }

  void a_cache_folder_that_others_may_write_is_not_used() {
    QDir(folder_.path()).mkpath("cache");
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TW_CACHE_DIR", at("cache"));
    environment.insert("TMPDIR", at("tmp"));
    QDir(folder_.path()).mkpath("tmp");
    auto run = [&] {
      return run_program(tw::testing::built("/bin/tw"), {"run", "sample:dqn", "--rounds", "1"},
                         environment);
    };
    QString own = at(QString("tmp/tilewright-%1").arg(::geteuid()));
    ::chmod(qPrintable(at("cache")), 0777);
    Run open = run();
    QVERIFY2(open.code == 0, qPrintable(open.err));
    QCOMPARE(open.err, QString("tw: the cache folder %1 can be written by others and is not used; "
                               "%2 is used instead\n")
                           .arg(at("cache"), own));
    QVERIFY(QDir(at("cache")).isEmpty() && QDir(own + "/kernels").exists());
    QCOMPARE(QFileInfo(own).permissions() & 0x077, QFileDevice::Permissions());
    ::chmod(qPrintable(at("cache")), 0755);
    if (::chown(qPrintable(at("cache")), 12345, gid_t(-1)) != 0)
      QSKIP("only root gives files away");
    QVERIFY(run().err.contains("belongs to user 12345 and is not used"));
    // Nor is one among the temporary ones where somebody was first.
    QCOMPARE(::chown(qPrintable(own), 12345, gid_t(-1)), 0);
    Run taken = run();
    QVERIFY2(taken.code == 0 && taken.err.contains(own + "-"), qPrintable(taken.err));
  }

  void kernels_are_sorted_and_filtered() {
    auto names = [](QStringList const& more) {
      Run run = run_tw(QStringList{"kernels", "sample:dqn", "--json"} + more);
      QStringList found;
      for (auto row : QJsonDocument::fromJson(run.out.toUtf8()).array())
        found << row.toObject()["name"].toString();
      return found;
    };
    QStringList all = names({}), by_bytes = names({"--sort", "bytes"});
    QCOMPARE(all.size(), 6);
    QCOMPARE(by_bytes.front(), QString("gemm_512"));
    QCOMPARE(QSet<QString>(by_bytes.begin(), by_bytes.end()),
             QSet<QString>(all.begin(), all.end()));
    QCOMPARE(names({"--sort", "bytes", "--reverse"}).back(), QString("gemm_512"));
    QCOMPARE(names({"--filter", "op:gemm", "--sort", "name"}),
             (QStringList{"gemm_18", "gemm_512"}));
    QCOMPARE(names({"--filter", "gemm nowhere"}), QStringList());
    Run wrong = run_tw({"kernels", "sample:dqn", "--sort", "speed"});
    QCOMPARE(wrong.code, 2);
    QVERIFY2(wrong.err.contains("kernels have no column 'speed'"), qPrintable(wrong.err));
  }

private:
  QString at(QString const& name) { return folder_.filePath(name); }
  QString read(QString const& name) {
    QFile file(at(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }
  void write(QString const& name, QByteArray const& text) {
    QFile file(at(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(CommandsTest)
#include "commands_test.moc"
