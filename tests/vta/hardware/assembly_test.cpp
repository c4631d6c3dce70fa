// Streams as text, both ways.
#include <QtTest>

#include "tests/support/paths.h"
#include "tests/support/vta_streams.h"

#include "targets/vta/hardware/assembly.h"

using namespace tw;
using namespace tw::vta;

namespace {

std::string why(std::string const& text) {
  auto read = parse_assembly(text, "stream.vtas");
  return read ? std::string() : to_sentence(read.error());
}

}  // namespace

class AssemblyTest : public QObject {
  Q_OBJECT
private slots:
  void a_line_says_what_is_not_at_its_default() {
    char const* lines[] = {
        "load inp dram=64 y=4 x=14 stride=56 pad=1,0,1,1 pop_next push_next",
        "load acc8 sram=3 x=1",
        "store out y=1 x=2 stride=2 saturate pop_prev push_prev",
        "load wgt value=lowest",
        "gemm reset uops=0..16 push_prev",
        "gemm uops=16..17 outer=16 dst=1,0 src=1,2 wgt=0,3",
        "alu max uops=0..1 inner=4 dst=0,1 imm=0 push_next",
        "alu shr uops=0..1 idle_imm=-7",
        "finish",
    };
    for (char const* line : lines) {
      auto read = parse_line(line);
      QVERIFY2(read, line);
      QCOMPARE(to_line(*read), std::string(line));
    }
  }

  void streams_survive_their_text() {
    for (uint64_t seed = 0; seed < 300; ++seed) {
      Rng rng(seed);
      auto [configuration, stream, dram] = vta::testing::random_stream(rng);
      Assembly assembly{configuration, stream, {{seed, {.dst = 1, .src = 2, .wgt = 3}}, {0, {}}}};
      auto again = parse_assembly(to_text(assembly));
      QVERIFY2(again && *again == assembly, ("seed " + std::to_string(seed)).c_str());
    }
  }

  void numbers_before_instructions_say_nothing_and_micro_ops_may_come_last() {
    std::string head = "tilewright vta 1\nconfiguration name=pynq\n";
    auto plain = parse_assembly(head + "uop 7: dst=1 src=2 wgt=3\nload inp x=1 y=1\nfinish\n");
    auto listed =
        parse_assembly(head + "    0  load inp x=1 y=1\n    9  finish\nuop 7: dst=1 src=2 wgt=3\n");
    QVERIFY(plain && listed);
    QVERIFY(*plain == *listed);
    QCOMPARE(why(head + "  12 \n"), std::string("stream.vtas:3:3: there is no instruction '12'"));
    QCOMPARE(why(head + "3 4 finish"), std::string("stream.vtas:3:3: there is no instruction '4'"));
    QCOMPARE(why(head + "finish\n" + head),
             std::string("stream.vtas:4:1: a second stream begins here: a text holds one"));
  }

  void the_examples_of_the_grammars_are_read() {
    QFile page(tw::testing::source("/resources/docs/grammars.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    static QRegularExpression const kExample("```vtas\n(.*?)```",
                                             QRegularExpression::DotMatchesEverythingOption);
    int read = 0;
    for (auto found = kExample.globalMatch(QString::fromUtf8(page.readAll())); found.hasNext();
         ++read)
      QCOMPARE(why(found.next().captured(1).toStdString()), std::string());
    QVERIFY(read > 0);
  }

  void a_mistake_has_its_line_and_column() {
    std::string head = "tilewright vta 1\n";
    QCOMPARE(why(""), std::string("stream.vtas:1:1: the first line is not 'tilewright vta 1'"));
    QCOMPARE(why(head + "\n  jump 3\n"),
             std::string("stream.vtas:3:3: there is no instruction 'jump'"));
    QCOMPARE(
        why(head + "load inp sram=x"),
        std::string("stream.vtas:2:10: 'x' is no value of sram, which is an integer from 0 on"));
    QCOMPARE(why(head + "load inp pad=1,2,3"),
             std::string("stream.vtas:2:10: '1,2,3' is no value of pad, which is four integers, "
                         "ABOVE,BELOW,LEFT,RIGHT"));
    QCOMPARE(why(head + "alu add imm=40000"),
             std::string("stream.vtas:2:9: '40000' is no value of imm, which is an integer from "
                         "-32768 to 32767"));
    QCOMPARE(why(head + "gemm sram=3"), std::string("stream.vtas:2:6: a gemm has no field 'sram'"));
    QCOMPARE(why(head + "load bank"), std::string("stream.vtas:2:6: 'bank' is no memory"));
    QCOMPARE(why(head + "alu"), std::string("stream.vtas:2:1: '' is no operation of the alu"));
    QCOMPARE(why(head + "load inp sram=70000"),
             std::string("stream.vtas:2:1: sram_base of a load is 70000, which does not fit 16 "
                         "bits"));
    QCOMPARE(why(head + "uop 0 dst=1"),
             std::string("stream.vtas:2:1: a micro-op's line is 'uop ADDRESS: dst=... src=... "
                         "wgt=...'"));
    QCOMPARE(why(head + "uop 0: dst=1 sum=2"),
             std::string("stream.vtas:2:14: 'sum=2' is no field of a micro-op"));
    QCOMPARE(why(head + "finish\nconfiguration isa=2"),
             std::string(
                 "stream.vtas:3:1: the configuration must come before instructions and micro-ops"));
    QVERIFY(why(head + "configuration log_acc_bytes=18")
                .starts_with("stream.vtas:2:1: the fields of a micro-op do not fit 32 bits"));
    QCOMPARE(why(head + "configuration log_block"),
             std::string("stream.vtas:2:15: a setting is 'name=value'"));
  }
};

QTEST_GUILESS_MAIN(AssemblyTest)
#include "assembly_test.moc"
