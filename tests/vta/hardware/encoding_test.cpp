// Bits of instructions: literal words put together by hand from the published layout, and every
// field there and back.
#include <QtTest>

#include "engine/support/base/random.h"
#include "targets/vta/hardware/boards.h"
#include "targets/vta/hardware/encoding.h"

using namespace tw;
using namespace tw::vta;

namespace {

Configuration const kPynq{.name = "pynq"};

struct Known {
  Instruction instruction;
  uint64_t low, high;
};

Instruction transfer(Opcode opcode, Tokens tokens, Transfer const& moved) {
  return {.opcode = opcode, .tokens = tokens, .transfer = moved};
}
Instruction nest(Opcode opcode, Tokens tokens, Nest const& steps) {
  return {.opcode = opcode, .tokens = tokens, .nest = steps};
}

/// A product of a 16x16 matrix with relu, as small as a stream can be: micro-ops, reset, operands,
/// product, relu, store, and tokens only until all are back. Each word is a sum of fields: opcode
/// at bit 0, tokens from bit 3 on, memory at 7, places at 10 and 26; sizes at 0, 16 and 32 of the
/// high word.
std::vector<Known> smallest_stream() {
  uint64_t const pop_prev = 8, pop_next = 16, push_prev = 32, push_next = 64;
  uint64_t const one_row = 1, rows_16 = 16;
  Known uop_reset{
      transfer(Opcode::kLoad, {},
               {.memory = Memory::kUop, .dram = 0x1000, .y_size = 1, .x_size = 16, .x_stride = 16}),
      0ull | 0ull << 7 | 0x1000ull << 26, one_row | 16ull << 16 | 16ull << 32};
  Known reset{
      nest(Opcode::kGemm, {.push_prev = true}, {.reset = true, .uop_begin = 0, .uop_end = 16}),
      2ull | push_prev | 1ull << 7 | 16ull << 21 | 1ull << 35 | 1ull << 49, 0};
  Known inp{
      transfer(Opcode::kLoad, {.pop_next = true},
               {.memory = Memory::kInp, .dram = 0x40, .y_size = 16, .x_size = 1, .x_stride = 1}),
      0ull | pop_next | 2ull << 7 | 0x40ull << 26, rows_16 | 1ull << 16 | 1ull << 32};
  Known wgt{
      transfer(Opcode::kLoad, {.push_next = true},
               {.memory = Memory::kWgt, .dram = 0x20, .y_size = 1, .x_size = 1, .x_stride = 1}),
      0ull | push_next | 1ull << 7 | 0x20ull << 26, one_row | 1ull << 16 | 1ull << 32};
  Known uop_gemm{transfer(Opcode::kLoad, {.pop_prev = true},
                          {.memory = Memory::kUop,
                           .sram = 16,
                           .dram = 0x1010,
                           .y_size = 1,
                           .x_size = 1,
                           .x_stride = 1}),
                 0ull | pop_prev | 16ull << 10 | 0x1010ull << 26,
                 one_row | 1ull << 16 | 1ull << 32};
  Known gemm{
      nest(Opcode::kGemm, {},
           {.uop_begin = 16, .uop_end = 17, .outer = 16, .inner = 1, .dst = {1, 0}, .src = {1, 0}}),
      2ull | 16ull << 8 | 17ull << 21 | 16ull << 35 | 1ull << 49, 1ull | 1ull << 22};
  Instruction max =
      nest(Opcode::kAlu, {.push_next = true},
           {.uop_begin = 16, .uop_end = 17, .outer = 16, .inner = 1, .dst = {1, 0}, .src = {1, 0}});
  max.alu = AluOp::kMax;
  max.use_immediate = true;
  Known relu{max, 4ull | push_next | 16ull << 8 | 17ull << 21 | 16ull << 35 | 1ull << 49,
             1ull | 1ull << 22 | 1ull << 44 | 1ull << 47};
  Known store{
      transfer(Opcode::kStore, {.pop_prev = true, .push_prev = true},
               {.memory = Memory::kOut, .dram = 0x80, .y_size = 16, .x_size = 1, .x_stride = 1}),
      1ull | pop_prev | push_prev | 4ull << 7 | 0x80ull << 26, rows_16 | 1ull << 16 | 1ull << 32};
  Known nop_load{transfer(Opcode::kLoad, {.push_next = true}, {.memory = Memory::kInp}),
                 0ull | push_next | 2ull << 7, 0};
  Known nop_compute{
      transfer(Opcode::kLoad, {.pop_prev = true, .pop_next = true}, {.memory = Memory::kUop}),
      0ull | pop_prev | pop_next, 0};
  Known finish{{.opcode = Opcode::kFinish}, 3, 0};
  return {uop_reset, reset, inp, wgt, uop_gemm, gemm, relu, store, nop_load, nop_compute, finish};
}

/// Words written as numbers alone, no shifts: a second pair of eyes on the sums above.
std::vector<Known> literal_words() {
  Instruction load = transfer(Opcode::kLoad, {.pop_next = true, .push_next = true},
                              {.memory = Memory::kInp,
                               .sram = 0x123,
                               .dram = 0x89ABCDEF,
                               .y_size = 4,
                               .x_size = 14,
                               .x_stride = 56,
                               .y_pad_before = 1,
                               .y_pad_after = 2,
                               .x_pad_before = 3,
                               .x_pad_after = 4});
  Instruction shift = nest(Opcode::kAlu, {},
                           {.uop_begin = 1,
                            .uop_end = 8192,
                            .outer = 16383,
                            .inner = 16383,
                            .dst = {2047, 2047},
                            .src = {2047, 2047}});
  shift.alu = AluOp::kShr;
  shift.use_immediate = true;
  shift.immediate = -1;
  Instruction gemm = nest(Opcode::kGemm, {},
                          {.uop_begin = 0, .uop_end = 0, .outer = 0, .inner = 0, .wgt = {1023, 0}});
  return {{load, 0x0226AF37BC048D50, 0x4321'0038'000E'0004},
          {shift, 0x7FFF'FFFC'0000'0104, 0xFFFF'BFFF'FFFF'FFFF},
          {gemm, 2, 0x003F'F000'0000'0000}};
}

/// Sets one field of an instruction's words to a value, the way a device would.
void put(Words& words, Field const& field, uint64_t value) {
  words[size_t(field.word)] |= value << field.bit;
}

uint64_t highest(Field const& field) { return (uint64_t(1) << field.width) - 1; }

/// Random values that stand for something in the fields that number things.
uint64_t meaningful(Configuration const& c, Field const& field, Opcode opcode, uint64_t value) {
  if (field.name == "opcode") return uint64_t(opcode);
  if (field.name == "memory") return value % 6;
  if (field.name == "pad_value") return value % 3;
  if (field.name == "alu_opcode" && c.isa == IsaVersion::kV1) return value % 5;
  return value & highest(field);
}

}  // namespace

class EncodingTest : public QObject {
  Q_OBJECT
private slots:
  void the_smallest_stream_has_the_published_bits() {
    for (Known const& known : smallest_stream()) {
      Words words = encode(kPynq, known.instruction).value();
      QCOMPARE(words[0], known.low);
      QCOMPARE(words[1], known.high);
      QVERIFY(decode(kPynq, {known.low, known.high}).value() == known.instruction);
    }
  }

  void words_written_as_numbers_are_what_they_say() {
    for (Known const& known : literal_words()) {
      Words words = encode(kPynq, known.instruction).value();
      QCOMPARE(words[0], known.low);
      QCOMPARE(words[1], known.high);
      QVERIFY(decode(kPynq, {known.low, known.high}).value() == known.instruction);
    }
  }

  void a_micro_op_has_the_published_bits() {
    QCOMPARE(encode(kPynq, MicroOp{.dst = 1, .src = 2, .wgt = 3}).value(),
             uint64_t(1 | 2 << 11 | 3 << 22));
    QCOMPARE(encode(kPynq, MicroOp{.dst = 2047, .src = 2047, .wgt = 1023}).value(),
             uint64_t(0xFFFFFFFF));
    QVERIFY(decode_uop(kPynq, 0x00C01001) == (MicroOp{.dst = 1, .src = 2, .wgt = 3}));
  }

  void fields_of_version_1_lie_where_the_table_says() {
    std::string text;
    for (Opcode opcode : {Opcode::kLoad, Opcode::kGemm, Opcode::kAlu}) {
      for (Field const& f : fields_of(kPynq, opcode))
        text += f.name + " " + std::to_string(64 * f.word + f.bit + f.width - 1) + ":" +
                std::to_string(64 * f.word + f.bit) + "\n";
    }
    std::string head = "opcode 2:0\npop_prev 3:3\npop_next 4:4\npush_prev 5:5\npush_next 6:6\n";
    std::string range =
        "reset 7:7\nuop_begin 20:8\nuop_end 34:21\niter_outer 48:35\niter_inner 62:49\n"
        "dst_factor_outer 74:64\ndst_factor_inner 85:75\nsrc_factor_outer 96:86\n"
        "src_factor_inner 107:97\n";
    QCOMPARE(text, head +
                       "memory 9:7\nsram_base 25:10\ndram_base 57:26\ny_size 79:64\nx_size 95:80\n"
                       "x_stride 111:96\ny_pad_before 115:112\ny_pad_after 119:116\n"
                       "x_pad_before 123:120\nx_pad_after 127:124\n" +
                       head + range + "wgt_factor_outer 117:108\nwgt_factor_inner 127:118\n" +
                       head + range +
                       "alu_opcode 110:108\nuse_immediate 111:111\nimmediate 127:112\n");
  }

  /// Each field alone at 0, 1, its highest and random values, then all fields random.
  void every_field_of_every_board_goes_there_and_back() {
    Rng rng(20261125);
    for (Configuration const& c : boards())
      for (Opcode opcode :
           {Opcode::kLoad, Opcode::kStore, Opcode::kGemm, Opcode::kFinish, Opcode::kAlu}) {
        std::vector<Field> fields = fields_of(c, opcode);
        for (Field const& field : fields)
          for (uint64_t value : {uint64_t(0), uint64_t(1), highest(field), rng.next(), rng.next()})
            round_trip(c, opcode, fields,
                       [&](Field const& f) { return f.name == field.name ? value : uint64_t(0); });
        for (int i = 0; i < 300; ++i)
          round_trip(c, opcode, fields, [&](Field const&) { return rng.next(); });
      }
  }

  void every_micro_op_goes_there_and_back() {
    Rng rng(5);
    for (Configuration const& c : boards())
      for (int i = 0; i < 300; ++i) {
        std::vector<Field> f = uop_fields(c);
        MicroOp uop{.dst = uint32_t(rng.next() & highest(f[0])),
                    .src = uint32_t(rng.next() & highest(f[1])),
                    .wgt = uint32_t(rng.next() & highest(f[2]))};
        QVERIFY(decode_uop(c, encode(c, uop).value()) == uop);
      }
  }

  void fields_do_not_overlap_and_stay_inside_of_their_word() {
    for (Configuration const& c : boards())
      for (Opcode opcode :
           {Opcode::kLoad, Opcode::kStore, Opcode::kGemm, Opcode::kFinish, Opcode::kAlu}) {
        Words used{};
        for (Field const& field : fields_of(c, opcode)) {
          QVERIFY(field.word < c.instruction_bytes() / 8 && field.bit + field.width <= 64);
          uint64_t bits = highest(field) << field.bit;
          QVERIFY((used[size_t(field.word)] & bits) == 0);
          used[size_t(field.word)] |= bits;
        }
      }
  }

  void what_does_not_fit_is_named_with_its_width() {
    auto why = [](Instruction const& i) { return encode(kPynq, i).error().message; };
    QCOMPARE(why(transfer(Opcode::kLoad, {}, {.sram = 65536})),
             std::string("sram_base of a load is 65536, which does not fit 16 bits"));
    QCOMPARE(why(transfer(Opcode::kLoad, {}, {.y_pad_before = 16})),
             std::string("y_pad_before of a load is 16, which does not fit 4 bits"));
    QCOMPARE(why(nest(Opcode::kGemm, {}, {.wgt = {1024, 0}})),
             std::string("wgt_factor_outer of a gemm is 1024, which does not fit 10 bits"));
    Instruction alu{.opcode = Opcode::kAlu, .use_immediate = true, .immediate = 40000};
    QCOMPARE(why(alu),
             std::string("immediate of an alu instruction is 40000, which does not fit 16 bits"));
    alu = {.opcode = Opcode::kAlu, .alu = AluOp::kClip};
    QCOMPARE(why(alu), std::string("version 1 of the instruction set has no alu clip"));
    QCOMPARE(why({.opcode = Opcode::kFinish, .transfer = {.x_size = 1}}),
             std::string("a field is set that a finish does not have"));
    QCOMPARE(encode(kPynq, MicroOp{.wgt = 1024}).error().message,
             std::string("wgt of a micro-op is 1024, which does not fit 10 bits"));
  }

  void what_is_no_instruction_is_refused_with_its_bits() {
    auto why = [](Words const& words) { return decode(kPynq, words).error().message; };
    QCOMPARE(why({5, 0}),
             std::string("0x00000000000000000000000000000005 is no instruction: there is no opcode "
                         "5"));
    QVERIFY(why({0x300, 0}).ends_with("there is no memory 6"));
    QVERIFY(why({uint64_t(1) << 60, 0}).ends_with("bit 60 is set, where a load has no field"));
    QVERIFY(why({4, uint64_t(5) << 44}).ends_with("version 1 has no ALU operation 5"));
    QVERIFY(why({3 | 1 << 7, 0}).ends_with("bit 7 is set, where a finish has no field"));
  }

  void a_stream_goes_there_and_back_and_says_where_it_is_cut() {
    for (Configuration const& c : {*find_board("pynq"), *find_board("sim-v2")}) {
      Stream stream;
      for (Known const& known : smallest_stream()) stream.push_back(known.instruction);
      std::vector<std::byte> bytes = encode(c, stream).value();
      QCOMPARE(int64_t(bytes.size()), int64_t(stream.size()) * c.instruction_bytes());
      QVERIFY(decode(c, bytes).value() == stream);
      bytes.pop_back();
      QVERIFY(decode(c, bytes).error().message.starts_with("instruction 10 is cut off: it has "));
      bytes[0] = std::byte(7);
      bytes.resize(size_t(c.instruction_bytes()));
      QVERIFY(decode(c, bytes).error().message.starts_with("instruction 0: 0x"));
    }
    Stream bad(3);
    bad[1].opcode = Opcode::kLoad;
    bad[1].transfer.sram = 1 << 20;
    QVERIFY(encode(kPynq, bad).error().message.starts_with("instruction 1: sram_base"));
  }

private:
  template <typename ValueOf>
  static void round_trip(Configuration const& c, Opcode opcode, std::vector<Field> const& fields,
                         ValueOf value_of) {
    Words words{};
    for (Field const& field : fields)
      put(words, field, meaningful(c, field, opcode, value_of(field)));
    auto instruction = decode(c, words);
    QVERIFY2(instruction, instruction ? "" : instruction.error().message.c_str());
    QVERIFY(encode(c, *instruction).value() == words);
  }
};

QTEST_GUILESS_MAIN(EncodingTest)
#include "encoding_test.moc"
