// Which of several schedules a model takes for the fastest, and what is remembered of it.
#include <QtTest>

#include "engine/target/target.h"
#include "engine/te/te.h"
#include "targets/shared/gpu/judge.h"

using namespace tw;

class JudgeTest : public QObject {
  Q_OBJECT
private slots:
  void each_rule_has_an_answer_of_its_own_that_is_remembered() {
    gpu::Judge judge = judge_of({3, 1, 2});
    QCOMPARE(judge.fastest("product", program_, 3, candidate()), std::optional<size_t>(1));
    QCOMPARE(judge.fastest("convolution", program_, 1, candidate()), std::optional<size_t>(0));
    QCOMPARE(asked_, 4);
    QCOMPARE(judge.fastest("product", program_, 3, candidate()), std::optional<size_t>(1));
    QCOMPARE(asked_, 4);
  }

  void what_is_refused_is_left_out() {
    gpu::Judge judge = judge_of({3, 1, 2});
    auto without = [&](size_t i) { return i == 1 ? std::nullopt : candidate()(i); };
    QCOMPARE(judge.fastest("product", program_, 3, without), std::optional<size_t>(2));
    auto none = [](size_t) { return std::optional<Schedule>(); };
    QCOMPARE(judge.fastest("convolution", program_, 3, none), std::optional<size_t>());
  }

  void without_a_model_nothing_is_known() {
    QCOMPARE(gpu::Judge().fastest("product", program_, 3, candidate()), std::optional<size_t>());
    QCOMPARE(asked_, 0);
  }

  void init() { asked_ = 0; }

private:
  gpu::Judge judge_of(std::vector<double> const& seconds) {
    return gpu::Judge([this, seconds](ir::Program const&) {
      ++asked_;
      return std::optional(seconds[current_]);
    });
  }
  gpu::Judge::Candidate candidate() {
    return [this](size_t i) {
      current_ = i;
      return std::optional(Schedule(program_, std::make_shared<Target>()));
    };
  }

  ir::Program const program_ = te::to_program(te::parse_kernel("tilewright te 1\n"
                                                               "kernel copy(X: f32[4]) -> Y\n"
                                                               "  Y[i in 4] = X[i]\n")
                                                  .value())
                                   .value();
  size_t current_ = 0;
  int asked_ = 0;
};

QTEST_GUILESS_MAIN(JudgeTest)
#include "judge_test.moc"
