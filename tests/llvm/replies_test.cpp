// What a code generator may answer that has lost its senses: each answer is read whole or is one
// clear error, and nobody waits for what never comes.
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QtTest>

#include <cmath>
#include <fstream>
#include <random>
#include <thread>

#include "targets/cpu/compiler/cpu_machine.h"
#include "targets/cpu/hardware/detect.h"
#include "targets/shared/llvm/generator_messages.h"
#include "targets/shared/llvm/machine.h"
#include "tests/device/test_kernels.h"

using namespace tw;

namespace {

constexpr char kAssembly[] = "a:\n vmovups (%rax), %ymm0\n add $1, %rbx\n jne a\n ret\n";
constexpr char kUnreadable[] =
    "LLVM cannot compile the kernel: its process gave an answer that cannot be read";

Emitted some_code() {
  Emitted emitted;
  for (int i = 0; i < 200; ++i) emitted.object.push_back(std::byte(i * 37));
  emitted.assembly = kAssembly;
  emitted.source_line = {0, 3, 4, 4, 0};
  emitted.instructions = 4;
  emitted.instructions_located = 3;
  emitted.ir = "define void @kernel() {\n  ret void\n}\n";
  return emitted;
}

CodeReport some_report() {
  CodeReport report;
  for (int32_t line = 1; line < 5; ++line) {
    InstructionFacts facts;
    facts.line = line;
    facts.name = "vmovups";
    facts.intel = "vmovups ymm0, [rax]";
    facts.reads = {"rax", "flags"};
    facts.writes = {"ymm0"};
    facts.loads = true;
    facts.operations = 2;
    facts.latency = 7;
    facts.interval = 0.5;
    report.instructions.push_back(facts);
  }
  report.loop.processor = "znver4";
  report.loop.cycles = 12.5;
  report.loop.ports = {{"FP0", 3}, {"FP1", 12.5}};
  report.loop.lines = {{1, 10}, {2, 2.5}};
  report.loop.bottleneck = "FP1 is busy in all cycles.";
  return report;
}

std::vector<CodeRemark> some_remarks() {
  return {{CodeRemark::Kind::kDone, "licm", 3, "hoisted"},
          {CodeRemark::Kind::kReason, "loop-vectorize", 0, "it is cheaper as it is"}};
}

/// Answers that are damaged as a crash, a mixed-up build or a bit of memory would: some thousand.
std::vector<std::string> damaged(std::string const& whole) {
  std::vector<std::string> all;
  for (size_t end = 0; end < whole.size(); ++end) all.push_back(whole.substr(0, end));
  for (size_t at = 0; at < whole.size(); ++at)
    for (int bit : {0, 3, 7}) {
      all.push_back(whole);
      all.back()[at] = char(all.back()[at] ^ (1 << bit));
    }
  for (uint64_t huge : {~uint64_t(0), uint64_t(1) << 63, uint64_t(1) << 40, uint64_t(1) << 31})
    for (size_t at = 0; at + 8 <= whole.size(); at += 4) {
      all.push_back(whole);
      std::memcpy(all.back().data() + at, &huge, 8);
    }
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string one = whole;
    size_t from = random() % one.size(), count = random() % 40, to = random() % one.size();
    one.insert(to, whole.substr(from, count));
    if (i % 3 == 0) one.erase(random() % one.size(), random() % 20);
    all.push_back(one);
  }
  all.push_back(whole + '\0');
  return all;
}

bool is_usable(Error const& error) { return error.fault <= Fault::kEnvironment; }
bool is_usable(Emitted const& emitted) {
  return emitted.instructions >= 0 && emitted.instructions_located >= 0;
}
bool is_amount(double value) { return std::isfinite(value) && value >= 0; }
bool is_usable(CodeReport const& report) {
  for (InstructionFacts const& facts : report.instructions)
    if (facts.line < 0 || facts.operations < 0 || !is_amount(facts.interval)) return false;
  for (PortUse const& port : report.loop.ports)
    if (!is_amount(port.cycles)) return false;
  for (LineCost const& line : report.loop.lines)
    if (line.line < 0 || !is_amount(line.cycles)) return false;
  return is_amount(report.loop.cycles);
}
bool is_usable(std::vector<CodeRemark> const& remarks) {
  return std::ranges::all_of(remarks, [](CodeRemark const& one) {
    return one.kind <= CodeRemark::Kind::kReason && one.line >= 0;
  });
}

/// How many of the damaged answers could be read all the same, and are usable then; -1: one is not.
template <typename Read>
int read_all(std::string const& whole, Read read) {
  int usable = 0;
  for (std::string const& bytes : damaged(whole)) {
    auto reply = read(bytes);
    if (!reply) continue;
    bool good = reply->has_value() ? is_usable(**reply) : is_usable(reply->error());
    if (!good) return -1;
    ++usable;
  }
  return usable;
}

/// A code generator that answers the same whatever it is asked, and stays.
Machine that_answers(QTemporaryDir const& folder, std::string const& bytes, bool stays) {
  std::string answer = folder.filePath("answer").toStdString();
  std::ofstream(answer, std::ios::binary) << bytes;
  std::string program = folder.filePath("generator").toStdString();
  std::ofstream(program) << "#!/bin/bash\nhead -c 1 <&3 >/dev/null\ncat " << answer << " >&3\n"
                         << (stays ? "exec sleep 600\n" : "");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  return create_cpu_machine(detect_host(), program).value();
}

std::string framed(std::string const& bytes) {
  uint64_t count = bytes.size();
  return std::string(reinterpret_cast<char const*>(&count), 8) + bytes;
}

QString generate(Machine const& machine) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(test::common_kernels(), diagnostic, context);
  if (!module) return "the test's module is wrong";
  auto made = machine.generate(*module, CodeTier::kFast);
  return made ? QString() : QString::fromStdString(to_sentence(made.error()));
}

}  // namespace

class RepliesTest : public QObject {
  Q_OBJECT
private slots:
  void whole_answers_come_back_as_they_were() {
    auto report = report_from_bytes(to_bytes(Result<CodeReport>(some_report()))).value().value();
    QVERIFY(report.instructions == some_report().instructions);
    QVERIFY(report.loop == some_report().loop);
    Result<std::vector<CodeRemark>> remarks = some_remarks();
    QVERIFY(remarks_from_bytes(to_bytes(remarks)).value().value() == some_remarks());
    auto code = reply_from_bytes(to_bytes(Result<Emitted>(some_code()))).value().value();
    QVERIFY(code.object == some_code().object && code.source_line == some_code().source_line);
  }

  void damaged_answers_are_none_or_usable() {
    Result<Emitted> none = refused("code_generation_failed", "LLVM says no");
    QElapsedTimer timer;
    timer.start();
    for (Result<Emitted> const& reply : {Result<Emitted>(some_code()), none}) {
      int usable = read_all(to_bytes(reply), reply_from_bytes);
      QVERIFY(usable >= 0);
    }
    int reports = read_all(to_bytes(Result<CodeReport>(some_report())), report_from_bytes);
    int remarks =
        read_all(to_bytes(Result<std::vector<CodeRemark>>(some_remarks())), remarks_from_bytes);
    // Flipped letters of a text leave an answer that can be read; most damage does not.
    QVERIFY2(reports > 0 && remarks > 0, qPrintable(QString("%1 %2").arg(reports).arg(remarks)));
    QVERIFY2(timer.elapsed() < 60'000, qPrintable(QString::number(timer.elapsed())));
  }

  void truncated_answers_are_none() {
    std::string whole = to_bytes(Result<CodeReport>(some_report()));
    for (size_t end = 0; end < whole.size(); ++end)
      QVERIFY2(!report_from_bytes(whole.substr(0, end)), qPrintable(QString::number(end)));
    QVERIFY(!report_from_bytes(whole + "x"));
  }

  void a_report_names_only_lines_that_there_are() {
    CodeReport report = some_report();
    QVERIFY(is_about(report, kAssembly));
    report.loop.lines.back().line = 6;
    QVERIFY(!is_about(report, kAssembly));
    report = some_report();
    report.instructions.front().line = 1 << 30;
    QVERIFY(!is_about(report, kAssembly));
  }

  void a_length_takes_no_memory_before_its_bytes_are_there() {
    int ends[2];
    QCOMPARE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    uint64_t announced = (uint64_t(1) << 31) - 1;
    QCOMPARE(write(ends[1], &announced, 8), ssize_t(8));
    std::string bytes;
    using std::chrono::milliseconds;
    QVERIFY(receive_bytes(ends[0], bytes, milliseconds(50)) == Received::kLate);
    QVERIFY2(bytes.capacity() < (size_t(4) << 20), qPrintable(QString::number(bytes.capacity())));
    announced = ~uint64_t(0);
    QCOMPARE(write(ends[1], &announced, 8), ssize_t(8));
    QVERIFY(receive_bytes(ends[0], bytes, milliseconds(50)) == Received::kTooLong);
    // What is long and there arrives.
    std::string large(size_t(5) << 20, 'x');
    std::jthread sender([&] { (void)send_bytes(ends[1], large); });
    QVERIFY(receive_bytes(ends[0], bytes, milliseconds(10'000)) == Received::kWhole);
    QVERIFY(bytes == large);
    sender.join();
    close(ends[0]);
    close(ends[1]);
  }

  void each_is_one_clear_sentence_of_the_compiler() {
    std::string whole = to_bytes(Result<Emitted>(some_code()));
    std::string flipped = whole;
    flipped[0] = 5;  // neither an answer nor a refusal
    std::string counts = whole;
    std::memset(counts.data() + 8, 0xff, 8);
    std::string endless(8, '\xff');  // longer than any answer
    for (std::string const& bytes : {framed(""), framed("?"), framed(whole.substr(0, 100)),
                                     framed(flipped), framed(counts), framed(whole + "x"), endless})
      for (bool stays : {true, false}) {
        QTemporaryDir folder;
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(generate(that_answers(folder, bytes, stays)), QString(kUnreadable));
        QVERIFY2(timer.elapsed() < 20'000, qPrintable(QString::number(timer.elapsed())));
      }
    // Who says less than it announces and goes has ended.
    QTemporaryDir folder;
    QCOMPARE(generate(that_answers(folder, framed(whole).substr(0, 60), false)),
             QString("LLVM cannot compile the kernel: its process ended with code 0"));
    // And a whole answer is one.
    QTemporaryDir good;
    QCOMPARE(generate(that_answers(good, framed(whole), true)), QString());
  }
};

QTEST_GUILESS_MAIN(RepliesTest)
#include "replies_test.moc"
