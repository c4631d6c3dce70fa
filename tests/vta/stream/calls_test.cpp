// Call programs as text: both ways, and what is no such text.
#include <QtTest>

#include "targets/vta/hardware/boards.h"
#include "targets/vta/hardware/description.h"
#include "tests/support/vta_calls.h"

using namespace tw;
using namespace tw::vta;
using namespace tw::vta::testing;

namespace {

char const kExample[] =
    "tilewright vta kernel 1\n"
    "symbol conv1\n"
    "configuration name=pynq\n"
    "tensor data bytes=4096\n"
    "tensor out bytes=4096 written\n"
    "load inp tensor=0 sram=4 dram=64 y=4 x=14 stride=56 pad=1,0,1,1 pop_next push_next line=7\n"
    "gemm reset dst=1 loop=4,16,0,0 loop=14,1,0,0 push_prev\n"
    "alu max imm=-3 dst=2 loop=4,1,1,0\n"
    "store out tensor=1 sram=1 y=1 x=2 stride=2 pop_prev\n"
    "end\n";

}  // namespace

class CallsTest : public QObject {
  Q_OBJECT
private slots:
  void a_program_prints_as_it_was_written() {
    auto programs = parse_call_programs(kExample);
    QVERIFY2(programs, programs ? "" : to_sentence(programs.error()).c_str());
    QCOMPARE(programs->size(), size_t(1));
    Call const& load = programs->front().calls[0];
    QCOMPARE(load.transfer.x_pad_before, uint32_t(1));
    QCOMPARE(load.line, 7);
    QCOMPARE(to_text(programs->front()), std::string(kExample));
  }

  void random_programs_survive_their_text() {
    std::string library = "tilewright vta library 1\n";
    std::vector<CallProgram> all;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
      Rng rng(seed);
      all.push_back(RandomCalls(rng).program(25, small_configuration(rng)));
      library += to_text(all.back());
    }
    QVERIFY(parse_call_programs(library).value() == all);
  }

  void an_accelerator_survives_its_description() {
    for (Configuration const& board : boards()) {
      Hardware hardware = describe(board);
      QVERIFY(configuration_of(hardware).value() == board);
      QCOMPARE(hardware.target, std::string("vta"));
      QVERIFY(hardware.caches().empty());
      QVERIFY(hardware.main_memory_bytes() > 0);
    }
    QVERIFY(!configuration_of(Hardware{}));
    Hardware other = describe(boards()[0]);
    other.code["configuration"] = "log_block=900";
    QVERIFY(!configuration_of(other));
  }

  void what_is_no_program_is_refused_with_its_line_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("words");
    auto row = [](char const* from, char const* to, int line, char const* words) {
      QTest::newRow(words) << from << to << line << words;
    };
    row("kernel 1", "kernel 2", 1, "a kernel begins with");
    row("end\n", "", 0, "is cut off");
    row("symbol conv1\n", "", 9, "has a symbol");
    row("name=pynq", "log_block=9", 3, "log");
    row("bytes=4096\n", "bytes=-1\n", 4, "not an integer");
    row("tensor=0", "tensor=2", 6, "there is no tensor 2");
    row("load inp", "load out", 6, "'out'");
    row("pad=1,0,1,1", "pad=1,0,1", 6, "4 numbers");
    row("pad=1,0,1,1", "pad=1,0,1,999", 6, "'999'");
    row("loop=4,16,0,0", "loop=0,16,0,0", 7, "at least once");
    row("dst=1 ", "dst=99999999999999999999 ", 7, "'99999999999999999999'");
    row("alu max", "alu most", 8, "'most'");
    row("imm=-3", "imm=40000", 8, "'40000'");
    row("pop_prev", "pop_more", 9, "'pop_more'");
  }
  void what_is_no_program_is_refused_with_its_line() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(int, line);
    QFETCH(QString, words);
    QString text = kExample;
    text.replace(text.indexOf(from), from.size(), to);
    auto programs = parse_call_programs(text.toStdString());
    QVERIFY(!programs);
    QCOMPARE(programs.error().code, std::string("bad_kernel"));
    QCOMPARE(programs.error().place.line, line);
    QVERIFY2(QString::fromStdString(programs.error().message).contains(words),
             programs.error().message.c_str());
  }
};

QTEST_GUILESS_MAIN(CallsTest)
#include "calls_test.moc"
