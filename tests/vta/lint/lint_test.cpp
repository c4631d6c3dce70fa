// What implementations disagree on, and what none can run: a stream for each row.
#include "targets/vta/lint/lint.h"

#include <QtTest>
#include <cstring>

#include "targets/vta/hardware/assembly.h"
#include "targets/vta/hardware/boards.h"
#include "targets/vta/hardware/encoding.h"

using namespace tw;
using namespace tw::vta;

namespace {

constexpr int64_t kUops = 8;  ///< micro-op k is of accumulator k, INP k and WGT 0

std::vector<std::byte> memory_of(Configuration const& c) {
  std::vector<std::byte> dram(1 << 20);
  for (uint32_t k = 0; k < kUops; ++k) {
    uint64_t bits = encode(c, MicroOp{k, k, 0}).value();
    std::memcpy(&dram[k * size_t(c.uop_bytes())], &bits, size_t(c.uop_bytes()));
  }
  return dram;
}

std::vector<LintFinding> found(std::string const& lines, Configuration const& c) {
  std::string text = "tilewright vta 1\n" + configuration_line(c) + "\n" + lines;
  auto read = parse_assembly(text);
  if (!read) qFatal("%s", to_sentence(read.error()).c_str());
  return lint(c, read->stream, memory_of(c));
}

/// Of what stands between the load of the micro-ops and the end: "INDEX code", counted from there.
using Found = std::vector<std::string>;
Found codes(std::string const& lines, Configuration const& c = {}) {
  Found all;
  for (LintFinding const& one : found("load uop y=1 x=8 stride=8\n" + lines + "\nfinish\n", c))
    all.push_back(std::to_string(one.instruction - 1) + " " + one.code);
  return all;
}

std::string repeated(int times, std::string const& line) {
  std::string all;
  for (int i = 0; i < times; ++i) all += line + "\n";
  return all;
}

}  // namespace

class LintTest : public QObject {
  Q_OBJECT
private slots:
  void what_everybody_does_alike_is_not_found() {
    QCOMPARE(codes("load inp y=2 x=2 stride=2 pad=1,1,1,1\n"
                   "gemm reset uops=0..1\ngemm uops=0..1\nalu shr uops=0..1 imm=15\n"
                   "alu min uops=0..1\nstore out dram=64 y=1 x=1"),
             Found{});
  }

  void what_one_instruction_shows() {
    Configuration const& able = *find_board("sim");
    QCOMPARE(codes("alu mul uops=0..1 imm=3", able), Found{"0 alu_mul"});
    QCOMPARE(codes("load acc8 y=1 x=1", able), Found{"0 acc_byte_load"});
    QCOMPARE(codes("alu mul uops=0..1 imm=3"), (Found{"0 alu_mul", "0 not_in_design"}));
    QCOMPARE(codes("load acc8 y=1 x=1"), (Found{"0 acc_byte_load", "0 not_in_design"}));
    QCOMPARE(codes("load uop y=2 x=1 stride=1", able), Found{"0 micro_op_rows"});
    QCOMPARE(codes("load uop y=2 x=1 stride=1"), (Found{"0 micro_op_rows", "0 not_in_design"}));
    QCOMPARE(codes("load inp y=1 pad=0,0,1,0"), Found{"0 pad_only_load"});
    QCOMPARE(codes("load inp x=1 pad=1,0,0,0"), Found{});
    QCOMPARE(codes("alu shr uops=0..1 imm=16"), Found{"0 shift_range"});
    QCOMPARE(codes("alu shr uops=0..1 imm=-16"), Found{"0 shift_range"});
    QCOMPARE(codes("alu shr uops=0..1"), Found{"0 shift_register"});
    QCOMPARE(codes("load wgt y=1 x=1 pad=0,0,0,1", able), Found{"0 padded_weights"});
    QCOMPARE(codes("load wgt y=1 x=1 pad=0,0,0,1"), (Found{"0 padded_weights", "0 not_in_design"}));
    QCOMPARE(codes("load acc y=1 x=1 pad=0,0,0,1"), Found{"0 padded_accumulators"});
    Configuration two;
    two.log_batch = 1;
    QCOMPARE(codes("alu min uops=0..1", two), Found{"0 alu_batch"});
    Configuration v2{.isa = IsaVersion::kV2};
    QCOMPARE(codes("alu clip uops=0..1 imm=3", v2), Found{"0 version_2"});
    QCOMPARE(codes("alu add uops=0..1\nstore out dram=64 y=1 x=1 saturate", v2),
             Found{"1 version_2"});
    QCOMPARE(found("load inp push_next\nfinish pop_prev\n", {})[0].code,
             std::string("finish_tokens"));
  }

  /// Over all loops, which its pipeline goes through without a pause.
  void a_result_that_the_alu_needs_at_once_stops_one_design() {
    QCOMPARE(codes("alu add uops=0..1 outer=3 imm=1"), Found{"0 alu_reuse"});
    QCOMPARE(codes("alu add uops=0..1 outer=3 dst=1,0 src=0,0"), Found{"0 alu_reuse"});
    QCOMPARE(codes("alu add uops=0..2 outer=3 imm=1"), Found{});
    QCOMPARE(codes("gemm reset uops=0..1 outer=3\ngemm uops=0..1 outer=3"), Found{});
  }

  void micro_ops_that_the_stream_stores_are_found() {
    std::string made =
        "alu add uops=0..1 imm=1 push_next\n"
        "store out dram=16 y=1 x=1 pop_prev push_prev\n";
    QCOMPARE(codes(made + "load uop dram=64 y=1 x=1 pop_next"), Found{"2 stored_micro_ops"});
    QCOMPARE(codes(made + "load uop dram=68 y=1 x=1 pop_next"), Found{});
    QCOMPARE(codes("load uop dram=64 y=1 x=1\n" + made + "load uop pop_next"), Found{});
  }

  void what_is_stored_is_followed_element_by_element() {
    std::string add = "alu add uops=0..4 imm=1\n";
    QCOMPARE(codes("load acc y=1 x=4 stride=4\nstore out sram=3 dram=64 y=1 x=1"),
             Found{"1 stale_out"});
    QCOMPARE(codes(add + "load acc y=1 x=2\nstore out sram=2 dram=64 y=1 x=1"), Found{});
    QCOMPARE(codes("load acc y=1 x=4\nalu shr uops=0..4 imm=0\nstore out dram=64 y=1 x=4"),
             Found{});
    // What is computed is another element.
    QCOMPARE(codes("load acc y=1 x=4\nalu shr uops=1..2 imm=0\nstore out dram=64 y=1 x=1"),
             Found{"2 stale_out"});
    // The first of two loads is stored.
    QCOMPARE(codes(add + "load acc y=1 x=1\nload acc sram=50 y=1 x=1\nstore out dram=64 y=1 x=1"),
             Found{"3 stale_out"});
    QCOMPARE(codes("gemm reset uops=0..1\nstore out dram=64 y=1 x=1"), Found{"1 out_after_reset"});
    QCOMPARE(codes(add + "gemm reset uops=5..6\nstore out dram=64 y=1 x=4"), Found{});
    QCOMPARE(codes("gemm reset uops=0..8\nalu add uops=0..4 imm=1\nstore out sram=4 dram=64 y=1 "
                   "x=1"),
             Found{"2 out_after_reset"});
    QCOMPARE(codes(add + "store out sram=4 dram=64 y=1 x=1"), Found{"1 unwritten_out"});
    QCOMPARE(found("load acc y=1 x=4 stride=4\nstore out sram=3 y=1 x=1\nfinish", {})[0].sentence,
             std::string("out element 3 is stored, which was only loaded into ACC: designs store "
                         "what OUT held before, the functional simulator stores ACC"));
  }

  void indices_that_leave_their_memory_are_found() {
    QCOMPARE(codes("load wgt sram=65535 y=1 x=16 stride=16"), Found{"0 index_overflow"});
    QCOMPARE(codes("gemm uops=0..1 outer=3 dst=1024,0"), Found{"0 index_overflow"});
    QCOMPARE(codes("gemm uops=0..1 outer=3 wgt=512,0"), Found{"0 index_overflow"});
    QCOMPARE(codes("alu add uops=0..1 outer=3 src=1024,0"), Found{"0 index_overflow"});
    QCOMPARE(codes("gemm uops=0..9000"), Found{"0 index_overflow"});
  }

  void tokens_that_are_counted_lost_or_ignored_are_found() {
    std::string add = "alu add uops=0..1 imm=1 push_next", take = "store out pop_prev";
    QCOMPARE(codes(repeated(255, add) + repeated(255, take)), Found{});
    QCOMPARE(codes(repeated(300, add) + repeated(300, take)), Found{"255 token_depth"});
    Configuration small{.token_queue = 4};
    QCOMPARE(codes(repeated(5, add) + repeated(5, take), small), Found{"4 token_depth"});
    QCOMPARE(codes(add), Found{"0 left_over_token"});
    QCOMPARE(codes(take + "\n" + add), Found{"0 later_token"});
    QCOMPARE(codes(take), Found{"0 deadlock"});
  }

  void what_tokens_put_before_a_store_counts() {
    QCOMPARE(codes("load acc y=1 x=1\nstore out dram=64 y=1 x=1 pop_prev\n"
                   "alu add uops=0..1 imm=1 push_next"),
             Found{"1 later_token"});
  }

  void what_nobody_can_run_is_found() {
    QCOMPARE(codes("load inp y=1 x=1 pop_prev"), Found{"0 impossible_instruction"});
    QCOMPARE(codes("gemm uops=3..1"), Found{"0 impossible_instruction"});
    QCOMPARE(codes("finish"), Found{"0 impossible_instruction"});
    QCOMPARE(codes("gemm uops=7..9"), Found{"0 unloaded_uops"});
    std::vector<LintFinding> cut = found("load inp\nload inp\n", {});
    QCOMPARE(cut.size(), size_t(1));
    QCOMPARE(cut[0].code, std::string("no_finish"));
    QCOMPARE(cut[0].instruction, int64_t(1));
    QCOMPARE(found("", {})[0].instruction, int64_t(-1));
  }
};

QTEST_GUILESS_MAIN(LintTest)
#include "lint_test.moc"
