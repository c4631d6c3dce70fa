// Streams as text, both ways; what implementations disagree on.
#include <QtTest>

#include "tests/support/vta_streams.h"

#include "targets/vta/hardware/assembly.h"
#include "targets/vta/hardware/boards.h"

using namespace tw;
using namespace tw::vta;

namespace {

std::string why(std::string const& text) {
  auto read = parse_assembly(text, "stream.vtas");
  return read ? std::string() : to_sentence(read.error());
}

std::vector<std::string> codes(std::string const& lines, Configuration const& c = {}) {
  std::string text = "tilewright vta 1\nconfiguration";
  text += c.isa == IsaVersion::kV2 ? " isa=2\n" : " isa=1\n";
  auto read = parse_assembly(text + lines);
  if (!read) qFatal("%s", to_sentence(read.error()).c_str());
  std::vector<std::string> found;
  for (LintFinding const& finding : lint(c, read->stream))
    found.push_back(std::to_string(finding.instruction) + " " + finding.code);
  return found;
}
using Found = std::vector<std::string>;

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

  void a_mistake_has_its_line_and_column() {
    std::string head = "tilewright vta 1\n";
    QCOMPARE(why(""), std::string("stream.vtas:1:1: the first line is not 'tilewright vta 1'"));
    QCOMPARE(why(head + "\n  jump 3\n"),
             std::string("stream.vtas:3:3: there is no instruction 'jump'"));
    QCOMPARE(why(head + "load inp sram=x"),
             std::string("stream.vtas:2:10: 'x' is no value of sram"));
    QCOMPARE(why(head + "load inp pad=1,2,3"),
             std::string("stream.vtas:2:10: '1,2,3' is no value of pad"));
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
             std::string("stream.vtas:3:1: the configuration stands before instructions and "
                         "micro-ops"));
    QVERIFY(why(head + "configuration log_acc_bytes=18")
                .starts_with("stream.vtas:2:1: the fields of a micro-op do not fit 32 bits"));
    QCOMPARE(why(head + "configuration log_block"),
             std::string("stream.vtas:2:15: a setting is 'name=value'"));
  }

  void what_everybody_does_alike_is_not_found() {
    QVERIFY(codes("load inp y=2 x=2 stride=2 pad=1,1,1,1\n"
                  "gemm reset uops=0..1\ngemm uops=0..1\nalu shr uops=0..1 imm=15\n"
                  "alu min uops=0..1\nstore out y=1 x=1\nfinish\n")
                .empty());
  }

  void each_row_of_what_differs_is_found() {
    QCOMPARE(codes("alu mul uops=0..1 imm=3"), Found{"0 alu_mul"});
    QCOMPARE(codes("load acc8 y=1 x=1"), Found{"0 acc_byte_load"});
    QCOMPARE(codes("alu shr uops=0..1 imm=16"), Found{"0 shift_range"});
    QCOMPARE(codes("alu shr uops=0..1 imm=-16"), Found{"0 shift_range"});
    QCOMPARE(codes("alu shr uops=0..1"), Found{"0 shift_register"});
    QCOMPARE(codes("load wgt y=1 x=1 pad=0,0,0,1"), Found{"0 padded_weights"});
    QCOMPARE(codes("load acc y=1 x=1 pad=0,0,0,1"), Found{"0 padded_accumulators"});
    QCOMPARE(codes("finish pop_prev"), Found{"0 finish_tokens"});
    Configuration two;
    two.log_batch = 1;
    QCOMPARE(codes("alu min uops=0..1", two), Found{"0 alu_batch"});
    Configuration v2{.isa = IsaVersion::kV2};
    QCOMPARE(codes("alu clip uops=0..1 imm=3", v2), Found{"0 version_2"});
    QCOMPARE(codes("store out y=1 x=1 saturate", v2), Found{"0 version_2"});
  }

  void storing_what_was_only_loaded_is_found_until_something_computes() {
    QCOMPARE(codes("load acc y=1 x=4 stride=4\nstore out sram=3 y=1 x=1"), Found{"1 stale_out"});
    QVERIFY(codes("load acc y=1 x=4 stride=4\nstore out sram=4 y=1 x=1").empty());
    QVERIFY(codes("load acc y=1 x=4\nalu shr uops=0..1 imm=0\nstore out y=1 x=1").empty());
    QCOMPARE(codes("gemm reset uops=0..1\nstore out y=1 x=1"), Found{"1 out_after_reset"});
  }
};

QTEST_GUILESS_MAIN(AssemblyTest)
#include "assembly_test.moc"
