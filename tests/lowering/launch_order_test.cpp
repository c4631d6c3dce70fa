// Whether barriers and waits suffice, by an order course: for rings made at random, as many turns
// as the interpreter runs; what faults are called; and that long rings take no longer.
#include "engine/lowering/launch_order.h"

#include <fmt/format.h>

#include <QElapsedTimer>
#include <QtTest>

#include "engine/ir/kernel.h"
#include "engine/support/base/random.h"
#include "tests/support/changed_code.h"
#include "tests/support/launch_faults.h"
#include "tests/support/thread_machine.h"

using namespace tw;

namespace {

constexpr uint64_t kSeed = 20261130;
constexpr int kRings = 400;

constexpr char kDeclarations[] =
    "tilewright kernel 1\n"
    "intrinsic copy_async(write to: f32[4] @shared, read from: f32[4] @global) async\n"
    "  for i in 4\n"
    "    to[i] = from[i]\n"
    "intrinsic commit_copies() commits\n"
    "intrinsic wait_copies(scalar n: i64) waits\n"
    "intrinsic sync_threads() barrier\n";

/// Two threads; each brings four elements a turn into a slot of a ring, and reads four of its own
/// or of the other one's, maybe of an earlier turn.
struct Ring {
  int64_t places = 2, ahead = 1, turns = 8, waits = 1, late = 0;
  bool others = true, barrier_after_wait = true, barrier_at_end = true, copies_last = false;
  bool waits_at_end = true;
};

Ring random_ring(Rng& rng) {
  Ring ring;
  ring.places = rng.between(1, 4);
  ring.ahead = rng.between(0, ring.places - 1);
  ring.turns = rng.between(1, 19);
  ring.waits = rng.between(std::max<int64_t>(ring.ahead - 1, 0), ring.ahead + 1);
  ring.late = rng.below(4) == 0 && ring.ahead > 0 ? 1 : 0;
  ring.others = rng.below(4) != 0;
  ring.barrier_after_wait = rng.below(4) != 0;
  ring.barrier_at_end = rng.below(2);
  ring.copies_last = rng.below(3) == 0;
  ring.waits_at_end = rng.below(8) != 0;
  return ring;
}

std::string copy_of(std::string const& turn, int64_t places, std::string const& indent) {
  return fmt::format(
      "{0}call copy_async(S[({1})%{2}*8+t*4+a] over (a in 4), X[({1})*8+t*4+c] over (c in 4))\n"
      "{0}call commit_copies()\n",
      indent, turn, places);
}

std::string text_of(Ring const& ring) {
  std::string in = "      ", deep = in + "  ";
  std::string text = fmt::format("{}host ring(X: f32[{}], Y: f32[{}])\n", kDeclarations,
                                 (ring.turns + ring.ahead) * 8, 8);
  text += "  bind(blockIdx.x) b in 1\n    bind(threadIdx.x) t in 2\n";
  text += fmt::format("{}alloc S: f32[{}] @shared\n", in, ring.places * 8);
  for (int64_t i = 0; i < ring.ahead; ++i) text += copy_of(std::to_string(i), ring.places, in);
  text += fmt::format("{}for k in {}\n", in, ring.turns);
  std::string copy = copy_of(fmt::format("k+{}", ring.ahead), ring.places, deep);
  if (!ring.copies_last) text += copy;
  text += fmt::format("{}call wait_copies({})\n", deep, ring.waits);
  if (ring.barrier_after_wait) text += deep + "call sync_threads()\n";
  text += fmt::format("{}for i in 4\n{}  Y[t*4+i] = S[(k+{})%{}*8+{}*4+i]\n", deep, deep, ring.late,
                      ring.places, ring.others ? "(1-t)" : "t");
  if (ring.barrier_at_end) text += deep + "call sync_threads()\n";
  if (ring.copies_last) text += copy;
  if (ring.waits_at_end) text += in + "call wait_copies(0)\n";
  return text;
}

}  // namespace

class LaunchOrderTest : public QObject {
  Q_OBJECT
private slots:
  void rings_are_judged_as_the_interpreter_judges_them() {
    qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
    Rng rng(kSeed);
    ir::Sharing sharing = testing::thread_machine()->sharing();
    int wrong = 0;
    for (int i = 0; i < kRings; ++i) {
      Ring ring = random_ring(rng);
      std::string text = text_of(ring);
      NDArray x = NDArray::create(DType::kF32, {(ring.turns + ring.ahead) * 8}).value();
      for (int64_t e = 0; e < x.size(); ++e) x.set_value(e, double(e));
      LaunchOrder order = testing::order_of(text);
      QVERIFY2(order.undecided.empty(), order.undecided.c_str());
      bool found = testing::is_found(testing::launches_of(text), {x}, sharing);
      QVERIFY2(order.faults.empty() != found,
               (fmt::format("ring {}: ", i) + testing::said(order) + "\n" + text).c_str());
      wrong += found;
    }
    qInfo("%d of %d rings have a fault", wrong, kRings);
    QVERIFY(wrong > kRings / 5 && wrong < kRings * 4 / 5);
  }

  void a_ring_of_a_million_turns_is_as_good_as_a_short_one() {
    Ring ring{.places = 3, .ahead = 2, .turns = 1'000'000, .waits = 2};
    ring.barrier_at_end = true;
    QElapsedTimer clock;
    clock.start();
    LaunchOrder good = testing::order_of(text_of(ring));
    QVERIFY2(good.proven(), testing::said(good).c_str());
    QVERIFY(good.events < 300);
    ring.barrier_at_end = false;
    QCOMPARE(testing::order_of(text_of(ring)).faults.size(), size_t(1));
    qInfo("twice in %lld ms", static_cast<long long>(clock.elapsed()));
  }

  void faults_say_who_meets_whom() {
    Ring ring{.places = 2, .ahead = 1, .turns = 4, .waits = 1};
    ring.barrier_after_wait = false;
    QCOMPARE(testing::said(testing::order_of(text_of(ring))),
             std::string("race: a copy writes S[0%2*8+t*4+a] while another thread may read "
                         "S[(0+0)%2*8+(1-t)*4+i]\n"));
    ring = {.places = 2, .ahead = 1, .turns = 4, .waits = 2, .others = false};
    QCOMPARE(testing::said(testing::order_of(text_of(ring))),
             std::string("used_in_flight: a copy writes S[0%2*8+t*4+a] while its thread may read "
                         "S[(0+0)%2*8+t*4+i]\n"));
    ring = {.places = 2, .ahead = 1, .turns = 4, .waits = 1};
    ring.waits_at_end = false;
    QVERIFY(testing::said(testing::order_of(text_of(ring)))
                .contains("never_waited_for: a copy is not waited for"));
    std::string plain = fmt::format("{}host two(Y: f32[4])\n", kDeclarations) +
                        "  bind(threadIdx.x) t in 4\n    alloc S: f32[4] @shared\n"
                        "      S[t] = 1.0\n      Y[t] = S[3-t]\n";
    QCOMPARE(testing::said(testing::order_of(plain)),
             std::string("race: one thread writes S[t] and another one "
                         "reads S[3-t], with no barrier between\n"));
  }

  /// A condition that is alike in all threads is two kernels.
  void both_sides_of_a_block_are_looked_at() {
    std::string head = fmt::format("{}host two(X: f32[4], Y: f32[8])\n", kDeclarations);
    std::string launch =
        "  bind(blockIdx.x) b in 2\n    bind(threadIdx.x) t in 4\n"
        "      alloc S: f32[4] @shared\n        if b < 1\n          S[t] = 1.0\n"
        "          call sync_threads()\n          Y[b*4+t] = S[3-t]\n        else\n"
        "          S[t] = 2.0\n";
    std::string good = "          call sync_threads()\n", end = "          Y[b*4+t] = S[3-t]\n";
    QVERIFY2(testing::order_of(head + launch + good + end).proven(),
             testing::said(testing::order_of(head + launch + good + end)).c_str());
    QVERIFY(testing::said(testing::order_of(head + launch + end)).starts_with("race: "));
  }

  void what_is_not_looked_at_says_why() {
    std::string head = fmt::format("{}host two(X: f32[4], Y: f32[4])\n", kDeclarations);
    QCOMPARE(testing::order_of(head + "  bind(threadIdx.x) t in 4\n    if X[0] < 1.0\n"
                                      "      call sync_threads()\n    Y[t] = 1.0\n")
                 .undecided,
             std::string("a barrier or a wait stands below a condition"));
    LaunchOrder by_data =
        testing::order_of(fmt::format("{}host two(I: i64[4], Y: f32[4])\n", kDeclarations) +
                          "  bind(threadIdx.x) t in 4\n    Y[I[t]] = 1.0\n");
    QVERIFY(by_data.faults.empty());
    QCOMPARE(by_data.undecided,
             std::string("whether Y[I[t]] and Y[I[t]] are one element cannot be told"));
  }
};

QTEST_GUILESS_MAIN(LaunchOrderTest)
#include "launch_order_test.moc"
