// What GEMM and ALU compute: by definition, fast, and lane by lane.
#include <QtTest>
#include <limits>

#include "engine/support/base/random.h"
#include "targets/vta/simulator/alu.h"

using namespace tw;
using namespace tw::vta;

namespace {

/// Memories of a random product, with the extremes among their values.
struct Product {
  int64_t batch, block;
  std::vector<int8_t> inp, wgt, out, out_saturated;
  std::vector<int16_t> pairs;
  std::vector<int32_t> acc;
  std::vector<MicroOp> uops;
  Nest nest;

  Product(Rng& rng, int64_t rows, int64_t columns) : batch(rows), block(columns) {
    constexpr int64_t kDepth = 40;
    auto fill = [&](auto& values, int64_t size) {
      values.resize(size_t(size));
      for (auto& value : values)
        value = rng.below(4) ? decltype(+value)(rng.next())
                             : std::numeric_limits<std::decay_t<decltype(value)>>::min();
    };
    fill(inp, kDepth * batch * block);
    fill(wgt, kDepth * block * block);
    fill(acc, kDepth * batch * block);
    out.resize(acc.size());
    out_saturated.resize(acc.size());
    pairs.resize(wgt.size());
    for (int64_t i = 0; has_pairs(block) && i < kDepth; ++i)
      make_pairs(block, wgt.data() + i * block * block, pairs.data() + i * block * block);
    for (int64_t i = rng.between(0, 9); i > 0; --i)
      uops.push_back({uint32_t(rng.below(20)), uint32_t(rng.below(20)), uint32_t(rng.below(20))});
    nest = {.uop_end = uint32_t(uops.size()),
            .outer = uint32_t(rng.below(4)),
            .inner = uint32_t(rng.below(4)),
            .dst = random_factors(rng),
            .src = random_factors(rng),
            .wgt = random_factors(rng)};
  }
  static Factors random_factors(Rng& rng) {
    return {uint32_t(rng.below(4)), uint32_t(rng.below(4))};
  }
  GemmCall call(bool v2) {
    return {.nest = nest,
            .uops = uops,
            .batch = batch,
            .block = block,
            .inp = inp.data(),
            .wgt = wgt.data(),
            .wgt_pairs = has_pairs(block) ? pairs.data() : nullptr,
            .acc = acc.data(),
            .out = out.data(),
            .out_saturated = v2 ? out_saturated.data() : nullptr};
  }
};

constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr int32_t kMost = std::numeric_limits<int32_t>::max();

}  // namespace

class ProductsTest : public QObject {
  Q_OBJECT
private slots:
  void fast_products_are_those_of_the_definition() {
    for (uint64_t seed = 0; seed < 2000; ++seed) {
      Rng rng(seed);
      int64_t blocks[] = {1, 4, 8, 16, 32, 64};
      Product fast(rng, int64_t(1) << rng.below(3), blocks[rng.below(6)]);
      Product slow = fast;
      bool v2 = rng.below(2);
      gemm_fast(fast.call(v2));
      gemm_by_definition(slow.call(v2));
      bool same =
          fast.acc == slow.acc && fast.out == slow.out && fast.out_saturated == slow.out_saturated;
      QVERIFY2(same, ("seed " + std::to_string(seed)).c_str());
    }
  }

  void a_product_of_two_rows_by_hand() {
    std::vector<int8_t> inp{1, 2, 3, 4}, wgt{5, 6, 7, -8}, out(4);
    std::vector<int32_t> acc{100, 0, 0, kMost};
    std::vector<MicroOp> uops{{}};
    Nest nest{.uop_end = 1};
    gemm_fast({.nest = nest,
               .uops = uops,
               .batch = 2,
               .block = 2,
               .inp = inp.data(),
               .wgt = wgt.data(),
               .acc = acc.data(),
               .out = out.data()});
    // Row b, output o: sum over k of inp[b][k] wgt[o][k]; the last one wraps to the lowest values.
    QVERIFY(acc == (std::vector<int32_t>{117, -9, 39, kMost - 11}));
    QVERIFY(out == (std::vector<int8_t>{117, -9, 39, int8_t(-12)}));
  }

  void sums_wrap_to_the_bits_of_accumulators() {
    std::vector<int8_t> inp{127}, wgt{127}, out(1), saturated(1);
    std::vector<int32_t> acc{32000};
    std::vector<MicroOp> uops{{}};
    Nest nest{.uop_end = 1};
    gemm_fast({.nest = nest,
               .uops = uops,
               .batch = 1,
               .block = 1,
               .acc_bits = 16,
               .out_bits = 4,
               .inp = inp.data(),
               .wgt = wgt.data(),
               .acc = acc.data(),
               .out = out.data(),
               .out_saturated = saturated.data()});
    QCOMPARE(acc[0], 32000 + 127 * 127 - 65536);
    QCOMPARE(int(out[0]), 1);  // ...0001
    QCOMPARE(int(saturated[0]), -8);
  }

  void the_alu_computes_what_its_table_says() {
    struct Row {
      AluOp op;
      int32_t value, source, result;
    };
    Row const rows[] = {
        {AluOp::kMin, -3, 2, -3},        {AluOp::kMax, -3, 2, 2},
        {AluOp::kAdd, kMost, 1, kLeast}, {AluOp::kShr, -5, 1, -3},
        {AluOp::kShr, 5, -3, 40},        {AluOp::kShr, -5, 31, -1},
        {AluOp::kShr, -5, 40, -1},       {AluOp::kShr, 5, 32767, 0},
        {AluOp::kShr, 3, -31, kLeast},   {AluOp::kShr, 3, -32, 0},
        {AluOp::kShr, 3, kLeast, 0},     {AluOp::kShr, kLeast, kMost, -1},
        {AluOp::kMul, 65536, 65536, 0},  {AluOp::kMul, -7, 6, -42},
        {AluOp::kClip, 200, 127, 127},   {AluOp::kClip, -200, 127, -127},
        {AluOp::kClip, 5, 127, 5},       {AluOp::kMove, 5, -9, -9},
        {AluOp::kMulByte, 0x1FF, 3, -3}, {AluOp::kMulByte, -128, -128, 16384},
    };
    for (Row const& row : rows) QCOMPARE(alu_of(row.op, row.value, row.source), row.result);
  }

  /// Every lane of every step, in order, by `alu_of`.
  void alu_instructions_are_their_lanes() {
    for (uint64_t seed = 0; seed < 2000; ++seed) {
      Rng rng(seed);
      Product fast(rng, 1, 4);
      Product slow = fast;
      Instruction instruction{.opcode = Opcode::kAlu, .nest = fast.nest};
      instruction.alu = AluOp(rng.below(8));
      instruction.use_immediate = rng.below(2);
      instruction.immediate = int32_t(rng.between(-40, 40));
      run_alu({.instruction = instruction,
               .uops = fast.uops,
               .lanes = 4,
               .acc_bits = 32,
               .out_bits = 8,
               .acc = fast.acc.data(),
               .out = fast.out.data()});
      for (uint32_t o = 0; o < slow.nest.outer; ++o)
        for (uint32_t i = 0; i < slow.nest.inner; ++i)
          for (MicroOp const& uop : slow.uops)
            for (size_t lane = 0; lane < 4; ++lane) {
              size_t dst = uop.dst + o * slow.nest.dst.outer + i * slow.nest.dst.inner;
              size_t src = uop.src + o * slow.nest.src.outer + i * slow.nest.src.inner;
              int32_t source =
                  instruction.use_immediate ? instruction.immediate : slow.acc[src * 4 + lane];
              int32_t& value = slow.acc[dst * 4 + lane];
              value = alu_of(instruction.alu, value, source);
              slow.out[dst * 4 + lane] = int8_t(value);
            }
      QVERIFY2(fast.acc == slow.acc && fast.out == slow.out,
               ("seed " + std::to_string(seed)).c_str());
    }
  }
};

QTEST_GUILESS_MAIN(ProductsTest)
#include "products_test.moc"
