// Kernels whose bound loops run as blocks and threads: what they compute, and every way in which
// they can be wrong.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/kernel.h"

using namespace tw;
using namespace tw::ir;

namespace {

/// Rows of four turned around within each of two blocks, through a tensor that threads share.
constexpr char kReverse[] = R"(tilewright kernel 1
intrinsic sync_threads() barrier
host reverse(A: f32[8], C: f32[8])
  bind(blockIdx.x) b in 2
    bind(threadIdx.x) t in 4
      alloc S: f32[4] @shared
      S[t] = A[b*4+t]
      call sync_threads()
      C[b*4+t] = S[3-t]
)";

/// A sum of neighbours, step by step: in each a row is shared and read by all.
constexpr char kSteps[] = R"(tilewright kernel 1
intrinsic sync_threads() barrier
host steps(A: f32[3, 4], C: f32[4])
  bind(threadIdx.x) t in 4
    alloc S: f32[4] @shared
    alloc own: f32[1] @local
    own[0] = 0.0
    for k in 3
      S[t] = A[k, t]
      call sync_threads()
      own[0] = own[0]+S[(t+1)%4]
      call sync_threads()
    C[t] = own[0]
)";

/// Rows brought ahead by each thread, two groups under way.
constexpr char kCopies[] = R"(tilewright kernel 1
intrinsic copy(write to: f32[1] @local, read from: f32[1]) async
  to[0] = from[0]
intrinsic commit() commits
intrinsic wait(scalar n: i64) waits
host sums(A: f32[3, 4], C: f32[4])
  bind(threadIdx.x) t in 4
    alloc own: f32[2] @local
    call copy(own[0] over (a in 1), A[0, t] over (b in 1))
    call commit()
    C[t] = 0.0
    for k in 2
      call copy(own[(k+1)%2] over (a in 1), A[k+1, t] over (b in 1))
      call commit()
      call wait(1)
      C[t] = C[t]+own[k%2]
    call wait(0)
    C[t] = C[t]+own[0]
)";

/// Products that update one sum in turn, in a queue of their own, beside copies.
constexpr char kQueues[] = R"(tilewright kernel 1
intrinsic add(update to: f32[1] @local, read from: f32[1]) async in sums
  to[0] = to[0]+from[0]
intrinsic commit_sums() commits in sums
intrinsic wait_sums(scalar n: i64) waits in sums
intrinsic copy(write to: f32[1] @local, read from: f32[1]) async
  to[0] = from[0]
intrinsic commit() commits
intrinsic wait(scalar n: i64) waits
host sums(A: f32[3, 4], C: f32[4])
  bind(threadIdx.x) t in 4
    alloc own: f32[2] @local
    own[0] = 0.0
    for k in 2
      call add(own[0] over (a in 1), A[k, t] over (b in 1))
      call commit_sums()
    call copy(own[1] over (a in 1), A[2, t] over (b in 1))
    call commit()
    call wait_sums(0)
    C[t] = own[0]
    call wait(0)
    C[t] = C[t]+own[1]
)";

/// Virtual threads of each thread, with a sum of their own.
constexpr char kVirtual[] = R"(tilewright kernel 1
host virtual(A: f32[2, 4], C: f32[2, 2])
  bind(threadIdx.x) t in 2
    alloc row: f32[4] @local
    for i in 4
      row[i] = A[t, i]
    bind(vthread) v in 2
      alloc sum: f32[1] @local
      sum[0] = row[v*2]+row[v*2+1]
      C[t, v] = sum[0]
)";

/// Sums of four neighbours in each of two groups, which all of them get.
constexpr char kShuffles[] = R"(tilewright kernel 1
intrinsic sync_threads() barrier
intrinsic shuffle(write to: f32[], read from: f32[], scalar lanes: i64, scalar step: i64) shuffles
host sums(A: f32[8], C: f32[8])
  bind(threadIdx.y) u in 2
    bind(threadIdx.x) t in 4
      alloc own: f32[1] @local
      alloc other: f32[1] @local
      own[0] = A[u*4+t]
      call shuffle(other[0], own[0], 4, 2)
      own[0] = own[0]+other[0]
      call shuffle(other[0], own[0], 4, 1)
      C[u*4+t] = own[0]+other[0]
)";

std::string replaced(std::string text, std::string const& what, std::string const& by) {
  size_t at = text.find(what);
  return at == std::string::npos ? "not there: " + what : text.replace(at, what.size(), by);
}

NDArray counted(Shape const& shape) {
  NDArray array = NDArray::create(DType::kF32, shape).value();
  for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, double(i));
  return array;
}

Result<std::vector<NDArray>> run(std::string const& text, uint64_t seed = 1) {
  static Sharing const sharing{
      {{"threadIdx.x", Level::kThread},
       {"threadIdx.y", Level::kThread},
       {"vthread", Level::kThread},
       {"blockIdx.x", Level::kBlock},
       {"blockIdx.y", Level::kBlock}},
      {{"global", Level::kDevice}, {"shared", Level::kBlock}, {"local", Level::kThread}},
      {"vthread"}};
  TRY_ASSIGN(KernelIr kernel, parse_kernel(text));
  Shape shape = constant_shape(*kernel.host.params[0]).value();
  return interpret(kernel, 1, {counted(shape)}, {.shuffle_seed = seed, .sharing = &sharing});
}

QString text_of(Result<std::vector<NDArray>> const& result) {
  if (!result) return QString::fromStdString(result.error().code + ": " + result.error().message);
  QStringList values;
  for (int64_t i = 0; i < result->back().size(); ++i)
    values += QString::number(result->back().value_at(i));
  return values.join(' ');
}

}  // namespace

class ThreadsTest : public QObject {
  Q_OBJECT
private slots:
  void threads_meet_at_barriers_in_any_order() {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      QCOMPARE(text_of(run(kReverse, seed)), QString("3 2 1 0 7 6 5 4"));
      QCOMPARE(text_of(run(kSteps, seed)), QString("15 18 21 12"));
    }
  }

  void copies_go_on_until_they_are_waited_for() {
    for (uint64_t seed = 0; seed < 20; ++seed)
      QCOMPARE(text_of(run(kCopies, seed)), QString("12 15 18 21"));
  }

  void what_is_in_a_queue_is_waited_for_by_itself() {
    for (uint64_t seed = 0; seed < 20; ++seed)
      QCOMPARE(text_of(run(kQueues, seed)), QString("12 15 18 21"));
    KernelIr kernel = parse_kernel(kQueues).value();
    QVERIFY(print(kernel).text.contains("async in sums"));
    QVERIFY(equal(parse_kernel(print(kernel).text).value(), kernel));
  }

  void virtual_threads_have_instances_of_their_own() {
    for (uint64_t seed = 0; seed < 20; ++seed)
      QCOMPARE(text_of(run(kVirtual, seed)), QString("1 5 9 13"));
  }

  void a_copy_that_is_used_too_early_names_both_iterations() {
    QCOMPARE(text_of(run(replaced(kCopies, "wait(1)", "wait(2)"), 0)),
             QString("used_in_flight: iteration t=0 k=0 reads own[0], which the copy that "
                     "iteration t=0 started still fills: it was not waited for"));
  }

  void threads_hand_each_other_values() {
    for (uint64_t seed = 0; seed < 20; ++seed)
      QCOMPARE(text_of(run(kShuffles, seed)), QString("6 6 6 6 22 22 22 22"));
    // Those of one group may do so while others do not.
    std::string one = replaced(kShuffles, "      call shuffle(other[0], own[0], 4, 1)\n",
                               "      other[0] = 0.0\n      if u == 0\n"
                               "        call shuffle(other[0], own[0], 4, 1)\n");
    for (uint64_t seed = 0; seed < 20; ++seed)
      QCOMPARE(text_of(run(one, seed)), QString("6 6 6 6 10 12 10 12"));
    KernelIr kernel = parse_kernel(kShuffles).value();
    QVERIFY(equal(parse_kernel(print(kernel).text).value(), kernel));
  }

  void what_is_wrong_is_said_with_both_iterations_data() {
    QTest::addColumn<QString>("kernel");
    QTest::addColumn<QString>("said");
    std::string barrier = "      call sync_threads()\n";
    auto add = [](char const* name, std::string const& text, char const* said) {
      QTest::newRow(name) << QString::fromStdString(text) << said;
    };
    add("no barrier", replaced(kReverse, barrier, ""), "race on S[");
    add("the first barrier of a step gone", replaced(kSteps, barrier, ""), "race on S[");
    std::string second = kSteps;
    second.replace(second.rfind(barrier), barrier.size(), "");
    add("the second one gone", second, "race on S[");
    add("blocks that meet", replaced(kReverse, "C[b*4+t] = ", "C[t] = "), "race on C[");
    add("a barrier under a condition",
        replaced(kReverse, barrier, "      if t < 2\n        call sync_threads()\n"),
        "divergent_barrier: a condition is 1 in iteration b=");
    add("a barrier in a loop of different length",
        replaced(kReverse, barrier, "      for i in t\n        call sync_threads()\n"),
        "divergent_barrier: the extent of i is 0 in iteration b=");
    add("a tensor of one thread used by others",
        R"(tilewright kernel 1
host outside(A: f32[4], C: f32[4])
  alloc own: f32[4] @local
  bind(threadIdx.x) t in 4
    own[t] = A[t]
    C[t] = own[t]
)",
        "another_instance: iteration t=");
    add("an axis that is bound twice",
        replaced(kReverse, "      C[b*4+t] = S[3-t]",
                 "      bind(threadIdx.x) u in 4\n        C[b*4+u] = S[3-u]"),
        "not_launched: the loop u is bound to threadIdx.x inside of the loop t");
    add("blocks inside of threads",
        replaced(kReverse, "      C[b*4+t] = S[3-t]",
                 "      bind(blockIdx.y) u in 1\n        C[b*4+t] = S[3-t]"),
        "not_launched: the loop u is bound to blockIdx.y inside of the loop t");
    add("virtual threads that share a sum",
        replaced(replaced(kVirtual, "      alloc sum: f32[1] @local\n", ""), "    bind(vthread)",
                 "    alloc sum: f32[1] @local\n    bind(vthread)"),
        "race on sum[0]: iteration t=");
    add("no wait in the loop", replaced(kCopies, "      call wait(1)\n", ""),
        "used_in_flight: iteration t=");
    add("no wait at the end", replaced(kCopies, "    call wait(0)\n", ""),
        "used_in_flight: iteration t=");
    add("copies in no group", replaced(kCopies, "      call commit()\n", ""), "used_in_flight: ");
    add("a place filled again too early", replaced(kCopies, "own[(k+1)%2]", "own[0]"),
        "_in_flight: iteration t=");
    add("a copy's source overwritten",
        replaced(kCopies, "    C[t] = 0.0\n",
                 "    call copy(own[1] over (a in 1), C[t] over (b in 1))\n    C[t] = 0.0\n"),
        "overwritten_in_flight: iteration t=");
    add("a copy that nobody waits for",
        replaced(kCopies, "    C[t] = C[t]+own[0]\n",
                 "    C[t] = C[t]+own[0]\n    call copy(own[1] over (a in 1), A[0, t] over (b in "
                 "1))\n    call commit()\n"),
        "released_in_flight: own goes away in iteration t=");
    add("a copy out of the thread that nobody waits for",
        replaced(replaced(kCopies, "write to: f32[1] @local", "write to: f32[1]"),
                 "    C[t] = C[t]+own[0]\n",
                 "    C[t] = C[t]+own[0]\n    call copy(C[t] over (a in 1), A[0, t] over (b in "
                 "1))\n    call commit()\n"),
        "never_waited_for: the copy that iteration t=");
    add("another queue's wait", replaced(kQueues, "    call wait_sums(0)\n", "    call wait(0)\n"),
        "used_in_flight: iteration t=");
    add("one of two sums waited for", replaced(kQueues, "wait_sums(0)", "wait_sums(1)"),
        "used_in_flight: iteration t=");
    add("a sum written while it is updated",
        replaced(kQueues, "    call copy(own[1]", "    own[0] = 0.0\n    call copy(own[1]"),
        "used_in_flight: iteration t=");
    add("copies that update in no queue",
        replaced(replaced(kQueues, "async in sums", "async"), "call commit_sums()",
                 "call commit()"),
        "used_in_flight: iteration t=");
    add("a shuffle that some threads leave out",
        replaced(kShuffles, "      call shuffle(other[0], own[0], 4, 1)\n",
                 "      if t < 3\n        call shuffle(other[0], own[0], 4, 1)\n"),
        "divergent_shuffle: iteration u=");
    add("a group that is larger than the block",
        replaced(kShuffles, "own[0], 4, 2", "own[0], 16, 8"), "divergent_shuffle: iteration u=");
    add("a step out of the group", replaced(kShuffles, "own[0], 4, 2", "own[0], 4, 4"),
        "call_not_interpreted: shuffle cannot be interpreted: 4 of 4 lanes is no step");
    add("a shuffle of what nobody has set",
        replaced(kShuffles, "      own[0] = A[u*4+t]\n", "      if t < 2\n        own[0] = A[t]\n"),
        "");
    add("an axis that there is not", replaced(kReverse, "threadIdx.x", "lane"),
        "unknown_axis: the loop t is bound to lane");
  }
  void what_is_wrong_is_said_with_both_iterations() {
    QFETCH(QString, kernel);
    QFETCH(QString, said);
    for (uint64_t seed = 0; seed < 5; ++seed) {
      QString text = text_of(run(kernel.toStdString(), seed));
      QVERIFY2(text.contains(said), qPrintable(text));
      if (said.startsWith("race")) QVERIFY2(text.count("iteration ") == 2, qPrintable(text));
    }
  }

  void a_race_names_the_element_and_both_iterations() {
    std::string text = replaced(kReverse, "      call sync_threads()\n", "");
    QCOMPARE(text_of(run(text, 0)),
             QString("race: race on S[2]: iteration b=0 t=1 reads it, and iteration b=0 t=2 writes "
                     "it, with no barrier between the two"));
  }

  void launches_are_ordered() {
    QCOMPARE(text_of(run(R"(tilewright kernel 1
host two(A: f32[4], C: f32[4])
  alloc T: f32[4] @global
  bind(blockIdx.x) b in 4
    T[b] = A[b]
  bind(blockIdx.x) c in 4
    C[c] = T[3-c]
)")),
             QString("3 2 1 0"));
  }

  /// Without those that share, iterations run one after the other and nothing is looked for.
  void without_sharing_a_barrier_among_iterations_is_refused() {
    KernelIr kernel = parse_kernel(kReverse).value();
    auto result = interpret(kernel, 1, {counted({8})});
    QVERIFY(!result);
    QCOMPARE(QString::fromStdString(result.error().code), QString("call_not_interpreted"));
  }
};

QTEST_GUILESS_MAIN(ThreadsTest)
#include "threads_test.moc"
