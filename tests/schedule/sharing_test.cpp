// Which tensors below a loop of threads each of them fills with the same, on programs by hand.
#include "engine/schedule/legality/sharing.h"

#include <QtTest>

#include "engine/ir/stmt.h"
#include "engine/ir/text.h"
#include "tests/support/thread_machine.h"

using namespace tw;

namespace {

using Names = std::set<std::string>;

/// In each step all of A is made of B, then B of C, as the step before left them, and then C.
std::string chain(std::string const& made_of) {
  return "tilewright program 1\n"
         "program chain(X: f32[4, 8]) -> (Y: f32[4, 8])\n"
         "  bind(threadIdx.x) x in 4\n"
         "    alloc A: f32[8] @shared\n"
         "      alloc B: f32[8] @shared\n"
         "        alloc C: f32[8] @shared\n"
         "          for t in 3\n"
         "            for i in 8\n"
         "              block A(ordered vt: 3 = t, vi: 8 = i)\n"
         "                A[vi] = select(1 <= vt, B[vi], 0.0)\n"
         "            for j in 8\n"
         "              block B(ordered vt: 3 = t, vj: 8 = j)\n"
         "                B[vj] = select(1 <= vt, C[vj], 0.0)\n"
         "            for k in 8\n"
         "              block C(ordered vt: 3 = t, vk: 8 = k)\n"
         "                C[vk] = " +
         made_of +
         "\n"
         "          for o in 8\n"
         "            block Y(vx: 4 = x, vo: 8 = o)\n"
         "              Y[vx, vo] = A[vo]\n";
}

Names replicated(std::string const& text) {
  ir::Program program = ir::parse_program(text).value();
  ir::For const& threads = *ir::loops_of(program.body).front().loop;
  return replicated_tensors(*testing::thread_machine(), threads);
}

}  // namespace

class SharingTest : public QObject {
  Q_OBJECT
private slots:
  void what_does_not_depend_on_the_thread_is_filled_together() {
    QCOMPARE(replicated(chain("X[0, vk]")), (Names{"A", "B", "C"}));
  }

  /// Who depends on the thread shows from the last block to the first: one look at each, in their
  /// order, finds C alone.
  void what_is_made_of_a_threads_own_values_is_not() {
    QCOMPARE(replicated(chain("X[x, vk]")), Names());
  }
};

QTEST_GUILESS_MAIN(SharingTest)
#include "sharing_test.moc"
