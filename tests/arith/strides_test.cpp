// Strides against a search by hand, for shapes with extents of 1 and alignments of any dimension.
#include "engine/ir/strides.h"

#include <QtTest>

#include "engine/arith/simplify.h"
#include "engine/ir/op.h"
#include "engine/ir/program.h"
#include "engine/ir/text.h"
#include "engine/support/base/random.h"

using namespace tw;
using namespace tw::ir;

namespace {

constexpr uint64_t kSeed = 20261129;

BufferNode drawn(Rng& rng) {
  BufferNode node;
  node.name = "T";
  auto rank = size_t(rng.between(1, 4));
  for (size_t d = 0; d < rank; ++d) {
    node.shape.push_back(int_imm(rng.between(1, 9)));
    if (rng.between(0, 1) == 0) continue;
    int64_t factor = rng.between(1, 40);
    node.alignments.push_back({int(d), factor, rng.between(0, factor - 1)});
  }
  return node;
}

/// The least strides at which no two elements meet and each is as it is asked to be.
std::vector<int64_t> searched(BufferNode const& buffer) {
  std::vector<int64_t> strides(buffer.shape.size());
  int64_t stride = 1;
  for (size_t d = buffer.shape.size(); d-- > 0;) {
    for (StrideAlignment const& asked : buffer.alignments)
      while (asked.dimension == int(d) && stride % asked.factor != asked.offset) ++stride;
    strides[d] = stride;
    stride *= *as_int(buffer.shape[d]);
  }
  strides.push_back(stride);
  return strides;
}

}  // namespace

class StridesTest : public QObject {
  Q_OBJECT
private slots:
  void strides_are_those_of_a_search() {
    qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
    Rng rng(kSeed);
    for (int turn = 0; turn < 2000; ++turn) {
      BufferNode buffer = drawn(rng);
      std::vector<int64_t> expected = searched(buffer), got = *strides_of(buffer);
      QCOMPARE(int64_t(*elements_in_memory(buffer)), expected.back());
      OpenStrides open = open_strides_of(buffer);
      QCOMPARE(as_int(arith::simplify(open.elements)), std::optional(expected.back()));
      expected.pop_back();
      QCOMPARE(got, expected);
      for (size_t d = 0; d < got.size(); ++d)
        QCOMPARE(as_int(arith::simplify(open.strides[d])), std::optional(expected[d]));
      Buffer padded = with_padded_shape(std::make_shared<BufferNode const>(buffer));
      if (padded) QCOMPARE(*strides_of(*padded), expected);
    }
  }

  void text_and_back() {
    std::string const text =
        "tilewright program 1\n"
        "program p(X: f32[4, 6]) -> (Y: f32[4, 6])\n"
        "  alloc T: f32[4, 6] align(0, 8, 1) align(1, 2, 0) @global\n"
        "  for i in 4\n"
        "    for j in 6\n"
        "      block T(vi: 4 = i, vj: 6 = j)\n"
        "        T[vi, vj] = X[vi, vj]\n"
        "  for i in 4\n"
        "    for j in 6\n"
        "      block Y(vi: 4 = i, vj: 6 = j)\n"
        "        Y[vi, vj] = T[vi, vj]\n";
    auto program = parse_program(text);
    QVERIFY2(program, program ? "" : to_sentence(program.error()).c_str());
    QCOMPARE(to_text(*program), text);
    auto aligned_otherwise = [&](std::string by) {
      std::string other = text;
      return other.replace(other.find("align(0, 8, 1)"), 14, by);
    };
    auto other = parse_program(aligned_otherwise("align(0, 8, 2)"));
    QVERIFY(other);
    QVERIFY(hash(*other) != hash(*program));
    for (char const* wrong : {"align(2, 8, 1)", "align(0, 8, 8)", "align(0, 0, 0)",
                              "align(-1, 8, 1)", "align(1, 8, 1)", "align(0, 99999999, 1)"})
      QVERIFY2(!parse_program(aligned_otherwise(wrong)), wrong);
  }
};

QTEST_GUILESS_MAIN(StridesTest)
#include "strides_test.moc"
