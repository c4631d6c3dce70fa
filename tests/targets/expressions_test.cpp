// Random expressions of all types, functions and operators, on hostile values, behind guards: the
// reference interpreter and every target's code against exact arithmetic, plain and scheduled.
#include <QtTest>

#include <map>

#include "engine/backend/target_table.h"
#include "engine/device/device_runtime_table.h"
#include "engine/ir/interpreter.h"
#include "tests/support/paths.h"
#include "tests/support/random_expressions.h"
#include "tests/support/random_schedules.h"
#include "tests/support/target_runs.h"

using namespace tw;

namespace {

constexpr int kStages = 6;  // of a kernel, each an expression

/// A kernel of some expressions, and what each of its elements is worth.
struct Drawn {
  std::string text;
  te::Kernel kernel;
  std::vector<testing::ExpressionPointer> expressions;
};

std::string head() {
  std::string inputs;
  for (DType type : testing::kExpressionTypes)
    inputs += fmt::format("{}X_{}: {}[{}]", inputs.empty() ? "" : ", ", to_text(type),
                          to_text(type), testing::kExpressionElements);
  return inputs;
}

std::string text_of(std::vector<testing::ExpressionPointer> const& expressions) {
  std::string names, stages;
  for (size_t k = 0; k < expressions.size(); ++k) {
    names += fmt::format("{}Y{}", k ? ", " : "", k);
    stages += fmt::format("  Y{}[i in {}] = {}\n", k, testing::kExpressionElements,
                          expressions[k]->text());
  }
  return fmt::format("kernel e({}) -> {}\n{}", head(), names, stages);
}

/// Expressions that the front door takes; what it refuses is counted by the reason.
Drawn draw(Rng& rng, std::map<std::string, int>& refused) {
  Drawn drawn;
  while (drawn.expressions.size() < kStages) {
    DType type = testing::kExpressionTypes[rng.below(11)];
    auto one = testing::random_result(type, int(rng.between(1, 4)), rng);
    auto parsed = testing::parsed_kernel(text_of({one}));
    if (parsed)
      drawn.expressions.push_back(one);
    else
      ++refused[parsed.error().code];
  }
  drawn.text = text_of(drawn.expressions);
  drawn.kernel = testing::parsed_kernel(drawn.text).value();
  return drawn;
}

/// Empty, or the first element that is wrong.
std::string wrong_element(Drawn const& drawn, testing::ExpressionInputs const& inputs,
                          std::vector<NDArray> const& made, int64_t& judged) {
  for (size_t k = 0; k < drawn.expressions.size(); ++k)
    for (int64_t i = 0; i < made[k].size(); ++i) {
      testing::ExactValue wanted = drawn.expressions[k]->value(inputs, i);
      judged += wanted.known;
      if (testing::agrees(wanted, made[k], i)) continue;
      return fmt::format("Y{}[{}] is {} and not {} or {}: {}", k, i, made[k].value_at(i),
                         testing::digits(wanted.whole), wanted.number,
                         drawn.expressions[k]->text());
    }
  return "";
}

int kernels() {
  return qEnvironmentVariableIsSet("TW_TEST_TRACES")
             ? qEnvironmentVariableIntValue("TW_TEST_TRACES")
             : 150;
}
uint64_t seed() {
  return qEnvironmentVariableIsSet("TW_TEST_SEED")
             ? qEnvironmentVariable("TW_TEST_SEED").toULongLong()
             : 20261127;
}

}  // namespace

class ExpressionsTest : public QObject {
  Q_OBJECT
private slots:
  void the_reference_is_right() {
    Rng rng(seed());
    std::map<std::string, int> refused;
    int64_t judged = 0;
    for (int number = 0; number < kernels(); ++number) {
      Drawn drawn = draw(rng, refused);
      testing::ExpressionInputs inputs = testing::hostile_inputs(rng);
      auto program = te::to_program(drawn.kernel);
      QVERIFY2(program, program ? "" : (to_sentence(program.error()) + drawn.text).c_str());
      auto made = ir::interpret(*program, inputs.arrays);
      QVERIFY2(made, made ? "" : (to_sentence(made.error()) + "\n" + drawn.text).c_str());
      std::string wrong = wrong_element(drawn, inputs, *made, judged);
      QVERIFY2(wrong.empty(), wrong.c_str());
    }
    report(refused, judged);
  }

  void every_target_is_right_plain_and_scheduled_data() {
    QTest::addColumn<QString>("target");
    for (TargetEntry const* entry : target_table())
      QTest::newRow(entry->name.c_str()) << QString::fromStdString(entry->name);
  }
  void every_target_is_right_plain_and_scheduled() {
    QFETCH(QString, target);
    std::string name = target.toStdString();
    auto found = find_runtime(name);
    if (!found) QSKIP(qPrintable(QString::fromStdString(found.error().message)));
    auto backend = create_backend(found->hardware).value();  // which may have more types
    for (DType type : testing::kExpressionTypes)
      if (!backend->target().computes_with(type))
        QSKIP("the target does not compute with every type");
    Rng rng(seed() + 1);
    int64_t judged = 0;
    std::map<std::string, int> refused;
    for (int left = kernels(); left > 0; left -= kTogether)
      judge_some(*backend, name, std::min(left, kTogether), rng, refused, judged);
    report(refused, judged);
    QVERIFY(judged > kernels() * kStages * testing::kExpressionElements / 4);
  }

private:
  static constexpr int kTogether = 100;  // kernels of one library

  static void report(std::map<std::string, int> const& refused, int64_t judged) {
    for (auto const& [code, count] : refused) qInfo("%d refused: %s", count, code.c_str());
    qInfo("seed %llu: %d expressions, %lld elements judged",
          static_cast<unsigned long long>(seed()), kernels() * kStages,
          static_cast<long long>(judged));
  }

  struct Case {
    Drawn drawn;
    testing::ExpressionInputs inputs;
    testing::Taken taken;
  };

  /// Half of them with the target's own schedule, half with random steps; now and then optimized.
  static std::optional<testing::Taken> take(Backend const& backend, Drawn const& drawn,
                                            testing::ExpressionInputs const& inputs, int number,
                                            Rng& rng, std::map<std::string, int>& refused) {
    ir::Program program = te::to_program(drawn.kernel).value();
    program.name += "_" + std::to_string(number);
    Schedule schedule(program, backend.shared_target());
    // What nobody has bound to threads runs nowhere, on a machine of threads.
    if (number % 2 == 0 || backend.target().threads_per_block > 0)
      if (auto by_rule = backend.default_schedule(program)) schedule = *by_rule;
    for (int64_t tries = number % 2 ? rng.between(0, 40) : 0; tries > 0; --tries)
      if (auto next =
              schedule.apply(testing::propose_step(schedule.program(), rng, backend.target())))
        schedule = std::move(*next);
    auto stages = lower(schedule.program(), backend.target(), backend.passes());
    auto tier = number % 5 == 0 ? CodeTier::kFull : CodeTier::kFast;
    auto code = stages ? backend.generate(stages->back().kernel, tier, CodeTexts::kNone, {})
                       : std::unexpected(stages.error());
    if (code)
      return testing::Taken{
          program, drawn.text + schedule.script(), inputs.arrays, {}, std::move(*code)};
    ++refused[code.error().code];
    return std::nullopt;
  }

  static void judge_some(Backend const& backend, std::string const& name, int count, Rng& rng,
                         std::map<std::string, int>& refused, int64_t& judged) {
    std::vector<Case> cases;
    std::map<std::string, int> at_the_door;
    for (int number = 0; number < count; ++number) {
      Drawn drawn = draw(rng, at_the_door);
      testing::ExpressionInputs inputs = testing::hostile_inputs(rng);
      if (auto taken = take(backend, drawn, inputs, number, rng, refused))
        cases.push_back({drawn, inputs, std::move(*taken)});
    }
    std::vector<testing::Taken> taken;
    for (Case const& one : cases) taken.push_back(one.taken);
    LocalDevice device({.program = testing::built("/tests/test-device"), .target = name});
    auto loaded = testing::load_all(device, backend, taken);
    QVERIFY2(loaded, loaded ? "" : to_sentence(loaded.error()).c_str());
    for (Case const& one : cases) {
      auto made = testing::run_taken(device, *loaded, one.taken);
      if (!made) fmt::print(stderr, "{}\n", one.taken.text);  // whole: what Qt prints is cut
      QVERIFY2(made, made ? "" : (to_sentence(made.error()) + "\n" + one.taken.text).c_str());
      std::string wrong = wrong_element(one.drawn, one.inputs, *made, judged);
      QVERIFY2(wrong.empty(), (wrong + "\n" + one.taken.text).c_str());
    }
  }
};

QTEST_GUILESS_MAIN(ExpressionsTest)
#include "expressions_test.moc"
