// What single instructions do to memories, and what is refused before anything changes.
#include <QtTest>

#include "targets/vta/hardware/assembly.h"
#include "targets/vta/simulator/machine.h"

using namespace tw;
using namespace tw::vta;

namespace {

/// Elements of two bytes in INP and OUT, four in WGT, eight in ACC; 16 of each.
Configuration small(IsaVersion isa = IsaVersion::kV1) {
  Configuration c{.name = "small", .isa = isa, .log_block = 1, .acc8 = true, .pad_wgt = true};
  c.log_uop_bytes = isa == IsaVersion::kV1 ? 6 : 7;
  c.log_inp_bytes = 5, c.log_wgt_bytes = 6, c.log_acc_bytes = 7;
  return c;
}

std::vector<std::byte> numbered_dram(size_t bytes = 256) {
  std::vector<std::byte> dram(bytes);
  for (size_t i = 0; i < bytes; ++i) dram[i] = std::byte(i + 1);
  return dram;
}

Status run(Machine& machine, std::string const& line, Dram dram) {
  auto instruction = parse_line(line);
  if (!instruction) qFatal("%s", to_sentence(instruction.error()).c_str());
  return machine.execute(*instruction, dram);
}

/// The bytes of some elements, as numbers.
std::vector<int> bytes(Machine const& machine, Memory memory, size_t begin, size_t count) {
  std::vector<int> numbers;
  std::vector<std::byte> all = machine.contents(memory);
  for (size_t i = begin; i < begin + count; ++i) numbers.push_back(int(all[i]));
  return numbers;
}
using Bytes = std::vector<int>;

std::string why(std::string const& line, Configuration const& c = small()) {
  Machine machine(c);
  std::vector<std::byte> dram = numbered_dram(), before = dram;
  // Something in every memory, so that a change would show.
  for (char const* load : {"load inp y=1 x=16", "load wgt y=1 x=16", "load acc y=1 x=16"})
    if (!run(machine, load, dram)) qFatal("%s", load);
  Machine const as_it_was = machine;
  Status done = run(machine, line, dram);
  if (done) return "";
  if (!(machine == as_it_was) || dram != before) return "something changed";
  return done.error().code + ": " + done.error().message;
}

}  // namespace

class MachineTest : public QObject {
  Q_OBJECT
private slots:
  void a_load_copies_rows_that_lie_apart() {
    Machine machine(small());
    auto dram = numbered_dram();
    QVERIFY(run(machine, "load inp sram=1 dram=4 y=2 x=2 stride=8", dram));
    QCOMPARE(bytes(machine, Memory::kInp, 0, 12),
             (Bytes{0, 0, 9, 10, 11, 12, 25, 26, 27, 28, 0, 0}));
    QCOMPARE(machine.counters().inp_bytes, int64_t(8));
  }

  void padding_is_zero_dense_and_not_counted() {
    Machine machine(small());
    auto dram = numbered_dram();
    QVERIFY(run(machine, "load inp dram=8 y=1 x=16 stride=16", dram));
    QVERIFY(run(machine, "load inp sram=1 dram=0 y=2 x=1 stride=4 pad=1,0,1,1", dram));
    Bytes expected{17, 18};                             // is left
    for (int i = 0; i < 8; ++i) expected.push_back(0);  // the row above and what is left of 1
    for (int byte : {1, 2, 0, 0, 0, 0, 9, 10, 0, 0, 37, 38}) expected.push_back(byte);
    QCOMPARE(bytes(machine, Memory::kInp, 0, 22), expected);
    QCOMPARE(machine.counters().inp_bytes, int64_t(32 + 4));
  }

  void version_2_pads_with_the_lowest_and_highest_values() {
    Machine machine(small(IsaVersion::kV2));
    auto dram = numbered_dram();
    QVERIFY(run(machine, "load inp y=1 x=1 pad=0,0,1,0 value=lowest", dram));
    QCOMPARE(bytes(machine, Memory::kInp, 0, 4), (Bytes{128, 128, 1, 2}));
    QVERIFY(run(machine, "load acc y=1 x=1 pad=0,0,0,1 value=highest", dram));
    QCOMPARE(bytes(machine, Memory::kAcc, 8, 8), (Bytes{255, 255, 255, 127, 255, 255, 255, 127}));
    QVERIFY(run(machine, "load acc8 y=1 x=1 pad=0,0,0,1 value=lowest", dram));
    QCOMPARE(bytes(machine, Memory::kAcc, 8, 4), (Bytes{128, 255, 255, 255}));
  }

  void bytes_are_widened_into_accumulators() {
    Machine machine(small());
    auto dram = numbered_dram();
    dram[3] = std::byte(0xFE);
    QVERIFY(run(machine, "load acc8 sram=2 dram=1 y=1 x=1", dram));
    QCOMPARE(bytes(machine, Memory::kAcc, 16, 8), (Bytes{3, 0, 0, 0, 0xFE, 255, 255, 255}));
    QCOMPARE(machine.counters().acc_bytes, int64_t(2));
  }

  void out_is_written_by_computing_alone() {
    Machine machine(small());
    auto dram = numbered_dram();
    QVERIFY(run(machine, "load acc y=1 x=2 stride=2", dram));
    QVERIFY(run(machine, "store out dram=100 y=1 x=2 stride=2", dram));
    QCOMPARE(int(dram[200]), 0);
    // Micro-op 0 as it is: element 0.
    QVERIFY(run(machine, "alu shr uops=0..1 outer=2 dst=1,0 imm=0", dram));
    QVERIFY(run(machine, "store out dram=100 y=1 x=2 stride=2", dram));
    QCOMPARE((Bytes{int(dram[200]), int(dram[201]), int(dram[202]), int(dram[203])}),
             (Bytes{1, 5, 9, 13}));
    QVERIFY(run(machine, "gemm reset uops=0..1", dram));
    QCOMPARE(bytes(machine, Memory::kOut, 0, 4), (Bytes{0, 0, 9, 13}));
    QCOMPARE(bytes(machine, Memory::kAcc, 0, 8), Bytes(8, 0));
    Counters const& n = machine.counters();
    QVERIFY(n.alu_uops == 2 && n.reset_uops == 1 && n.gemm_uops == 0 && n.out_bytes == 8);
  }

  void a_store_cuts_off_and_version_2_saturates_if_asked() {
    Machine machine(small(IsaVersion::kV2));
    auto dram = numbered_dram();
    QVERIFY(run(machine, "alu move uops=0..1 imm=300", dram));
    QVERIFY(run(machine, "store out dram=0 y=1 x=1", dram));
    QVERIFY(run(machine, "store out dram=1 y=1 x=1 saturate", dram));
    QCOMPARE((Bytes{int(dram[0]), int(dram[1]), int(dram[2]), int(dram[3])}),
             (Bytes{44, 44, 127, 127}));
  }

  void operands_of_four_bits_lie_two_to_a_byte() {
    Configuration c = small();
    c.log_inp_bits = 2;
    c.log_inp_bytes = 4;
    Machine machine(c);
    auto dram = numbered_dram();
    dram[0] = std::byte(0x2F);  // -1, 2
    dram[4] = std::byte(3), dram[5] = std::byte(5);
    QVERIFY(run(machine, "load inp y=1 x=1", dram));
    QVERIFY(run(machine, "load wgt dram=1 y=1 x=1", dram));
    QVERIFY(run(machine, "gemm uops=0..1", dram));
    // 3 * -1 + 5 * 2 = 7, 7 * -1 + 8 * 2 = 9, which four bits hold as -7.
    QCOMPARE(bytes(machine, Memory::kAcc, 0, 8), (Bytes{7, 0, 0, 0, 9, 0, 0, 0}));
    QCOMPARE(bytes(machine, Memory::kOut, 0, 1), (Bytes{0x97}));
    QCOMPARE(bytes(machine, Memory::kInp, 0, 1), (Bytes{0x2F}));
  }

  void micro_ops_are_decoded_as_they_are_loaded() {
    Configuration c = small();
    Machine machine(c);
    std::vector<std::byte> dram(64);
    uint64_t bits = encode(c, MicroOp{.dst = 3, .src = 2, .wgt = 1}).value();
    for (size_t i = 0; i < 4; ++i) dram[4 + i] = std::byte(bits >> 8 * i);
    QVERIFY(run(machine, "load uop sram=5 dram=1 y=1 x=1", dram));
    QVERIFY(machine.uops()[5] == (MicroOp{.dst = 3, .src = 2, .wgt = 1}));
    QCOMPARE(bytes(machine, Memory::kUop, 20, 4),
             (Bytes{int(dram[4]), int(dram[5]), int(dram[6]), int(dram[7])}));
  }

  void what_is_outside_is_refused_before_anything_changes() {
    QCOMPARE(why("load inp sram=15 y=1 x=2"),
             std::string("sram_overflow: elements 15 to 16 of inp are touched, which has 16"));
    QCOMPARE(why("load wgt y=5 x=4"),
             std::string("sram_overflow: elements 0 to 19 of wgt are touched, which has 16"));
    QCOMPARE(why("load inp y=1 x=20"),
             std::string("sram_overflow: 1 rows of 20 elements are touched of inp, which has 16"));
    QCOMPARE(why("load inp dram=127 y=1 x=2"),
             std::string("dram_overflow: elements 127 to 128 of 2 bytes are touched in DRAM, which "
                         "has 256 bytes"));
    QCOMPARE(why("store out dram=4294967295 y=2 x=1 stride=65535"),
             std::string("dram_overflow: elements 4294967295 to 4295032830 of 2 bytes are touched "
                         "in DRAM, which has 256 bytes"));
    QCOMPARE(why("gemm uops=0..17"),
             std::string("sram_overflow: uop_end is 17, but uop has 16 elements"));
    QCOMPARE(why("gemm uops=2..3 outer=5 inner=3 dst=3,2"),
             std::string("sram_overflow: micro-op 2 reaches dst 16 in the last iteration: 0 + 16 = "
                         "16, but acc has 16 elements"));
    QCOMPARE(why("gemm uops=0..1 outer=5 src=4,0"),
             std::string("sram_overflow: micro-op 0 reaches src 16 in the last iteration: 0 + 16 = "
                         "16, but inp has 16 elements"));
    QCOMPARE(why("gemm uops=0..1 outer=5 wgt=4,0"),
             std::string("sram_overflow: micro-op 0 reaches wgt 16 in the last iteration: 0 + 16 = "
                         "16, but wgt has 16 elements"));
    QCOMPARE(why("alu add uops=0..1 outer=5 src=4,0"),
             std::string("sram_overflow: micro-op 0 reaches src 16 in the last iteration: 0 + 16 = "
                         "16, but acc has 16 elements"));
    QCOMPARE(why("alu add uops=0..1 outer=5 src=4,0 imm=1"), std::string());
  }

  void what_cannot_be_is_refused() {
    std::string code = "impossible_instruction: ";
    QCOMPARE(why("load out y=1 x=1"), code + "memory is out, which cannot be loaded");
    QCOMPARE(why("store acc y=1 x=1"), code + "memory is acc, of which nothing can be stored");
    QCOMPARE(why("store out y=1 x=1 pad=1,0,0,0"),
             code + "a padding is set, which a store does not have");
    QCOMPARE(why("store out y=1 x=1 saturate"),
             code + "saturate is set, which version 1 does not have");
    QCOMPARE(why("load inp y=1 x=1 value=lowest"),
             code + "pad_value is not 0, which version 1 does not have");
    QCOMPARE(why("gemm uops=4..3"), code + "uop_begin is 4, which is after uop_end = 3");
    QCOMPARE(why("alu min reset uops=0..1"),
             code + "reset is set, which an alu instruction does not have");
    QCOMPARE(why("alu clip uops=0..1"), code + "alu_opcode is 5, which version 1 does not have");
    QCOMPARE(why("gemm uops=0..1 outer=16384"),
             code + "a loop has 16384 iterations, but its field holds at most 16383");
    QCOMPARE(why("gemm uops=0..16 outer=16383 inner=16383"),
             code +
                 "it takes iter_outer 16383 times iter_inner 16383 times 16 micro-ops, which is "
                 "more than 268435456 steps");
  }

  void what_moves_nothing_is_allowed_anywhere() {
    for (char const* line : {"load inp sram=60000 dram=99999", "store out sram=60000 y=3",
                             "load uop y=3", "gemm uops=3..3 outer=9 dst=9,9", "finish"})
      QCOMPARE(why(line), std::string());
  }

  void a_stream_says_which_instruction_is_wrong() {
    auto sentence = [](std::string const& lines) {
      auto read = parse_assembly("tilewright vta 1\n" + lines);
      if (!read) qFatal("%s", to_sentence(read.error()).c_str());
      std::vector<std::byte> dram(64);
      auto run = run_behavioural(read->configuration, read->stream, dram);
      return run ? std::string() : run.error().code + ": " + run.error().message;
    };
    QCOMPARE(sentence("finish"), std::string());
    QCOMPARE(sentence("load inp"),
             std::string("no_finish: the stream of 1 instruction does not end with finish: it may "
                         "be cut off"));
    QCOMPARE(sentence(""),
             std::string("no_finish: the stream of 0 instructions does not end with finish: it may "
                         "be cut off"));
    QCOMPARE(sentence("finish\nfinish"),
             std::string("impossible_instruction: instruction 0 (finish; "
                         "0x00000000000000000000000000000003): nothing may follow finish, but "
                         "there is 1 instruction more"));
    QCOMPARE(sentence("load wgt\nload inp dram=9 y=1 x=1\nfinish"),
             std::string("dram_overflow: instruction 1 (load inp dram=9 y=1 x=1; "
                         "0x00000000000100010000000024000100): elements 9 to 9 of 16 bytes are "
                         "touched in DRAM, which has 64 bytes"));
    QCOMPARE(sentence("load inp pop_next\nfinish"),
             std::string("token_underflow: instruction 0 (load inp pop_next; "
                         "0x00000000000000000000000000000110): a token is popped from compute -> "
                         "load, but none was pushed before"));
    QVERIFY(sentence("load inp pop_prev\nfinish")
                .ends_with("pop_prev is set, but load has no neighbour there"));
  }
};

QTEST_GUILESS_MAIN(MachineTest)
#include "machine_test.moc"
