// Each term of a sum once, until the element starts again.
#include "engine/ir/terms.h"

#include <QtTest>

#include "engine/ir/text.h"

using namespace tw;

namespace {

/// "right", or the code of what is wrong.
QString verdict(std::string const& nest) {
  auto program = ir::parse_program(
      "tilewright program 1\n"
      "program p(X: f32[8], W: f32[3]) -> (R: f32[8])\n" +
      nest);
  if (!program) return QString::fromStdString(to_sentence(program.error()));
  std::vector<NDArray> inputs{NDArray::create(DType::kF32, {8}).value(),
                              NDArray::create(DType::kF32, {3}).value()};
  Status status = ir::verify_terms(*program, inputs);
  return status ? "right" : QString::fromStdString(status.error().message);
}

}  // namespace

class TermsTest : public QObject {
  Q_OBJECT
private slots:
  void a_plain_sum_is_right() {
    QCOMPARE(verdict("  for i in 8\n"
                     "    for k in 3\n"
                     "      block R(vi: 8 = i, reduce vk: 3 = k)\n"
                     "        init R[vi] = 0.0\n"
                     "        R[vi] = R[vi]+X[vi]*W[vk]\n"),
             QString("right"));
  }

  void a_sum_that_starts_again_is_right() {
    QCOMPARE(verdict("  for j in 2\n"
                     "    for i in 8\n"
                     "      for k in 3\n"
                     "        block R(vi: 8 = i, reduce vk: 3 = k)\n"
                     "          init R[vi] = 0.0\n"
                     "          R[vi] = R[vi]+X[vi]*W[vk]\n"),
             QString("right"));
  }

  /// Instances that are computed more than once, with the start of their sum taken out: the last
  /// case of a set of schedules that were accepted and wrong.
  void a_term_that_comes_twice_is_named() {
    QCOMPARE(verdict("  for j in 2\n"
                     "    for i in 8\n"
                     "      block R_init(vi: 8 = i)\n"
                     "        R[vi] = 0.0\n"
                     "  for j in 2\n"
                     "    for i in 8\n"
                     "      for k in 3\n"
                     "        block R(vi: 8 = i, reduce vk: 3 = k)\n"
                     "          R[vi] = R[vi]+X[vi]*W[vk]\n"),
             QString("block R adds the term vk = 0 a second time, to element 0 of R"));
  }

  void a_maximum_may_see_a_term_twice() {
    QCOMPARE(verdict("  for i in 8\n"
                     "    for k in 3\n"
                     "      for again in 2\n"
                     "        block R(vi: 8 = i, reduce vk: 3 = k)\n"
                     "          init R[vi] = -inf\n"
                     "          R[vi] = max(R[vi], X[vi]*W[vk])\n"),
             QString("right"));
  }
};

QTEST_GUILESS_MAIN(TermsTest)
#include "terms_test.moc"
