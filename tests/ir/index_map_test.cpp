// Layouts by maps: as text and back, and whether every element has a place of its own beside a
// count of all places, for random maps of random shapes.
#include "engine/ir/index_map.h"

#include <fmt/format.h>

#include <QtTest>
#include <set>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/one_to_one.h"
#include "engine/ir/op.h"
#include "engine/ir/strides.h"
#include "engine/support/base/random.h"

using namespace tw;
using namespace tw::ir;

namespace {

constexpr uint64_t kSeed = 20261130;

std::string code_of(auto const& result) { return result ? "" : result.error().code; }

struct Drawn {
  std::string map;
  std::vector<int64_t> shape;
};

/// A part of an index: bits of it, moved, or something that is no such part.
std::string part(Rng& rng, std::string const& of) {
  int64_t power = int64_t(1) << rng.below(4), other = int64_t(1) << rng.below(4);
  switch (rng.below(8)) {
    case 0:
      return of;
    case 1:
      return fmt::format("{} // {}", of, power);
    case 2:
      return fmt::format("{} % {}", of, power);
    case 3:
      return fmt::format("{} // {} % {}", of, power, other);
    case 4:
      return fmt::format("{} % {} * {}", of, power, other);
    case 5:
      return fmt::format("({} + 1) % {}", of, power);
    case 6:
      return fmt::format("{} * 3 % 8", of);
    default:
      return fmt::format("{} // 3", of);
  }
}

Drawn drawn(Rng& rng) {
  Drawn made;
  std::vector<std::string> names{"i", "j", "k"};
  names.resize(size_t(rng.between(1, 3)));
  bool powers = rng.below(2) == 0;
  for (std::string const& name : names) {
    made.map += (made.map.empty() ? "" : ", ") + name;
    made.shape.push_back(powers ? int64_t(1) << rng.below(4) : rng.between(1, 12));
  }
  made.map += " -> ";
  // Mostly what has a chance: each index, changed by others.
  for (size_t d = 0; d < names.size(); ++d) {
    std::string index = rng.below(6) == 0 ? part(rng, names[d]) : names[d];
    if (rng.below(2) == 0) {
      std::string const& other = names[size_t(rng.below(int64_t(names.size())))];
      index = fmt::format("({}) {} ({})", index, rng.below(3) == 0 ? "+" : "^", part(rng, other));
    }
    if (rng.below(4) == 0) index = fmt::format("({0}) // 4, ({0}) % 4", index);
    made.map += (d ? ", " : "") + index;
  }
  return made;
}

/// Places of all elements; whether no two are one, and all are in the shape that the map has.
bool counted(IndexMap const& map, std::vector<int64_t> const& shape,
             std::vector<int64_t> const& in_memory) {
  ExprEvaluator evaluator;
  std::vector<int> counters;
  for (std::string const& name : map.from) counters.push_back(evaluator.slot(name));
  std::vector<Compiled> indices;
  for (Expr const& index : map.to) indices.push_back(evaluator.compile(index));
  int64_t all = 1;
  for (int64_t extent : shape) all *= extent;
  std::set<std::vector<int64_t>> places;
  for (int64_t number = 0; number < all; ++number) {
    int64_t rest = number;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      evaluator.set(counters[d], rest % shape[d]);
    std::vector<int64_t> place;
    for (size_t d = 0; d < indices.size(); ++d) {
      place.push_back(evaluator.integer(indices[d], 0));
      if (place.back() < 0 || place.back() >= in_memory[d]) qFatal("outside of its shape");
    }
    places.insert(std::move(place));
  }
  return int64_t(places.size()) == all;
}

}  // namespace

class IndexMapTest : public QObject {
  Q_OBJECT
private slots:
  void maps_are_text_and_back() {
    for (std::string const text :
         {"i, j -> i, (j//8 ^ i%8)*8+j%8", "i -> i", "a, b, c -> c, 7-b, a//2, a%2"}) {
      auto map = parse_index_map(text);
      QVERIFY2(map, text.c_str());
      QCOMPARE(to_text(**map), text);
      QVERIFY(equal(**map, **parse_index_map(to_text(**map))));
    }
    QVERIFY(!equal(**parse_index_map("i, j -> i, j"), **parse_index_map("i, j -> j, i")));
  }

  void what_is_no_map_is_refused() {
    for (char const* text :
         {"", "i", "i ->", "-> i", "i, i -> i, i", "i -> n", "i -> i / 2", "i -> i & 1",
          "i -> min(i, 2)", "i -> i <= 3", "i -> T[i]", "i -> i j", "i -> 1.5", "i, 2 -> i"})
      QCOMPARE(code_of(parse_index_map(text)), std::string("bad_map"));
  }

  void every_verdict_is_that_of_a_count() {
    qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
    Rng rng(kSeed);
    int good = 0, shared = 0;
    for (int turn = 0; turn < 4000; ++turn) {
      Drawn one = drawn(rng);
      auto map = parse_index_map(one.map);
      QVERIFY2(map, one.map.c_str());
      Status verdict = check_one_to_one(**map, one.shape);
      auto in_memory = mapped_shape(**map, one.shape);
      QCOMPARE(code_of(verdict) == "bad_map", !in_memory.has_value());
      if (!in_memory) continue;
      bool alone = counted(**map, one.shape, *in_memory);
      QVERIFY2(alone == bool(verdict), (one.map + ": " + code_of(verdict)).c_str());
      ++(alone ? good : shared);
    }
    qInfo("%d one to one, %d not", good, shared);
    QVERIFY(good > 500 && shared > 500);
  }

  /// By bits alone: no elements are tried.
  void large_tensors_are_decided_by_their_bits() {
    std::vector<int64_t> const large{1 << 20, 1 << 20}, odd{1000003, 999983};
    auto swizzle = *parse_index_map("i, j -> i, (j // 8 ^ i % 8) * 8 + j % 8");
    QVERIFY(check_one_to_one(*swizzle, large));
    QVERIFY(check_one_to_one(*swizzle, odd));
    QVERIFY(check_one_to_one(**parse_index_map("i, j -> j // 64, i, j % 64"), odd).has_value());
    auto lost = *parse_index_map("i, j -> i, (j // 8 ^ j // 16) * 8 + j % 4");
    Status verdict = check_one_to_one(*lost, large);
    QCOMPARE(code_of(verdict), std::string("not_one_to_one"));
    QVERIFY2(verdict.error().message.contains("[0, 0] and [0, "), verdict.error().message.c_str());
    QCOMPARE(code_of(check_one_to_one(**parse_index_map("i, j -> i * 3 % 7, j"), large)),
             std::string("map_undecided"));
  }

  void a_part_of_the_tensor_takes_the_room_of_its_map() {
    BufferNode tile = *make_buffer("T", DType::kF16, {64, 64});
    tile.map = *parse_index_map("i, j -> i, (j // 8 ^ i % 8) * 8 + j % 8");
    QCOMPARE(*elements_in_memory(tile), 64.0 * 64);
    tile.shape[1] = int_imm(32);  // pieces 0 to 3, at places 0 to 7
    QCOMPARE(*elements_in_memory(tile), 64.0 * 64);
    QVERIFY(!strides_of(tile));
  }
};

QTEST_GUILESS_MAIN(IndexMapTest)
#include "index_map_test.moc"
