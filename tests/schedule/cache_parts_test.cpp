// Copies of what loops around a block make part by part.
#include <QtTest>
#include <map>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

/// In each, C reads T, which another block makes.
char const* const kKernels[] = {
    "kernel rows(X: f32[9, 8]) -> C\n"
    "  T[i in 9, j in 8] = X[i, j] * 2.0\n"
    "  C[i in 8, j in 8] = T[i, j] + T[i+1, 7-j]\n",
    "kernel product(X: f32[8, 12], B: f32[12, 8]) -> C\n"
    "  T[i in 8, k in 12] = max(X[i, k], 0.0)\n"
    "  C[i in 8, j in 8] = sum[k in 12] T[i, k] * B[k, j]\n",
    "kernel sums(X: f32[8, 5], B: f32[5, 8]) -> C\n"
    "  T[i in 8] = sum[k in 5] X[i, k]\n"
    "  C[i in 8, j in 8] = sum[k in 5] T[i] * B[k, j]\n",
    "kernel window(X: f32[8, 8], W: f32[3, 3]) -> C\n"
    "  T[y in 10, x in 10] = select(1 <= y && y < 9 && 1 <= x && x < 9, X[y-1, x-1], 0)\n"
    "  C[y in 8, x in 8] = sum[r in 3, s in 3] T[y+r, x+s] * W[r, s]\n",
};

struct Drawn {
  explicit Drawn(std::string text)
      : kernel(std::move(text)),
        plain(te::to_program(testing::parsed_kernel(kernel).value()).value()),
        schedule(plain, testing::thread_machine()) {}

  bool take(Step const& step) {
    auto next = schedule.apply(step);
    if (next) schedule = std::move(*next);
    return next.has_value();
  }
  /// A loop around the block, within the outermost ones, as many as said.
  std::string loop(std::string const& block, Rng& rng, size_t from = 0) const {
    auto loops = find_block(schedule.program(), block)->loops;
    return reference_of(schedule.program(),
                        loops[from + size_t(rng.below(int64_t(loops.size() - from)))]->id);
  }
  std::string fault(Rng& rng) const {
    std::vector<NDArray> inputs = testing::random_inputs(plain, rng);
    auto expected = ir::interpret(plain, inputs).value();
    auto actual = ir::interpret(schedule.program(), inputs, {.shuffle_seed = rng.next() | 1});
    if (!actual) return to_sentence(actual.error());
    return compare((*actual)[0], expected[0], 1e-4).equal ? "" : "another result";
  }

  std::string kernel;
  ir::Program plain;
  Schedule schedule;
};

}  // namespace

class CachePartsTest : public QObject {
  Q_OBJECT
private slots:
  void a_part_is_copied_in_the_loops_that_make_it() {
    qInfo("seed 4105");
    Rng rng(4105);
    std::map<std::string, int> refused;
    int bound = 0, taken = 0, moved = 0;
    for (int draw = 0; draw < 300; ++draw) {
      Drawn one(kKernels[size_t(draw) % std::size(kKernels)]);
      for (int64_t splits = rng.between(0, 2); splits > 0; --splits)
        one.take({"split", {one.loop("C", rng)}, {{"factor", rng.between(2, 3)}}, {}});
      bool binds = rng.below(3) == 0 &&
                   one.take({"bind", {one.loop("C", rng)}, {{"axis", "threadIdx.x"}}, {}});
      if (!one.take({"compute_at", {"T", one.loop("C", rng)}, {}, {}})) continue;
      char const* const kScopes[] = {"global", "local", "shared"};
      Step copy{"cache_read", {"C"}, {{"tensor", "T"}, {"scope", kScopes[rng.below(3)]}}, {}};
      auto next = one.schedule.apply(copy);
      std::string text = one.kernel + one.schedule.script() + to_text(copy);
      if (!next) {
        QVERIFY2(binds, (text + "\n" + next.error().code + " " + next.error().message).c_str());
        ++refused[next.error().code];
        continue;
      }
      one.schedule = std::move(*next);
      ++taken;
      bound += binds;
      std::string fault = one.fault(rng);
      QVERIFY2(fault.empty(), (text + "\n" + fault).c_str());
      size_t around = find_block(one.schedule.program(), "T_cache")->loops.size();
      if (around == 0 || !one.take({"compute_at", {"T_cache", one.loop("C", rng)}, {}, {}}))
        continue;
      ++moved;
      fault = one.fault(rng);
      QVERIFY2(fault.empty(), (one.kernel + one.schedule.script() + fault).c_str());
    }
    qInfo("%d copies, %d of them in threads, %d moved", taken, bound, moved);
    for (auto const& [code, count] : refused) qInfo("%s: %d", code.c_str(), count);
    QVERIFY(taken > 150);
    QVERIFY(bound > 20);
    QVERIFY(moved > 60);
  }

  /// What an instruction brings is made like anything else.
  void a_part_is_copied_that_calls_bring() {
    Drawn one(kKernels[1]);
    auto script = parse_script(
        "tilewright schedule 1\n"
        "k0, k1 = split(C.k, factor=4)\n"
        "reorder(C.k0, C.i, C.j, C.k1)\n"
        "cache_read(C, tensor=B)\n"
        "compute_at(B_cache, C.k0)\n"
        "b0, b1 = split(B_cache.d1, factor=4)\n"
        "tensorize(b1, intrinsic=copy)\n");
    QVERIFY(script);
    auto called = replay(Schedule(one.plain, testing::matrix_machine()), *script);
    QVERIFY2(called, called ? "" : called.error().message.c_str());
    one.schedule = std::move(*called);
    QVERIFY(one.take({"cache_read", {"C"}, {{"tensor", "B_cache"}}, {}}));
    Rng rng(4106);
    QCOMPARE(QString::fromStdString(one.fault(rng)), QString());
    QVERIFY(one.take({"compute_at", {"B_cache_cache", "C.i"}, {}, {}}));
    QCOMPARE(QString::fromStdString(one.fault(rng)), QString());
  }
};

QTEST_GUILESS_MAIN(CachePartsTest)
#include "cache_parts_test.moc"
