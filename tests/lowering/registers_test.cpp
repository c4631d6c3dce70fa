// Instructions that work by the state of their machine: random schedules run with their registers
// set, and every setting is needed.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/kernel.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/lowering/passes.h"
#include "tests/support/matrix_machine.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

ir::Intrinsic setter_of(std::string const& name) {
  return ir::declare({.name = "set_" + name,
                      .params = {ir::scalar_param("value")},
                      .sets = {{name, ir::var("value")}}})
      .value();
}

/// What the machine of matrices has, by modes and lengths: those of any length need it in a
/// register.
std::shared_ptr<Target const> machine_with_state() {
  static auto const target = [] {
    auto made = std::make_shared<Target>(*testing::matrix_machine());
    int64_t mode = 0;
    for (TensorIntrinsic& one : made->intrinsics) {
      ir::IntrinsicNode node = *one.declaration;
      node.needs.push_back({"mode", ir::int_imm(mode++ / 2)});
      if (!node.params[0].buffer && node.params[0].name() == "n")
        node.needs.push_back({"length", ir::var("n")});
      one.declaration = ir::declare(std::move(node)).value();
    }
    made->configure = {setter_of("mode"), setter_of("length")};
    return std::shared_ptr<Target const>(std::move(made));
  }();
  return target;
}

std::vector<Pass> passes() {
  return {hoist_reduction_init(), lower_blocks(), simplify_kernel().because("for the test"),
          compact_tensors(), insert_mode_switches()};
}

bool sets(ir::Stmt const& s) {
  auto const* call = s.as<ir::IntrinsicCall>();
  return call && !call->intrinsic->sets.empty();
}

int settings_in(ir::KernelIr const& kernel) {
  int count = 0;
  ir::walk(kernel.host.body, [&](ir::Stmt const& s) { return count += sets(s), true; });
  return count;
}

/// With `by` in the place of setting `number`.
ir::KernelIr changed(ir::KernelIr kernel, int number, ir::Stmt const& by) {
  int at = 0;
  kernel.host.body = ir::rewrite_stmts(kernel.host.body, [&](ir::Stmt const& s) -> ir::Stmt {
    return sets(s) && at++ == number ? by : ir::Stmt();
  });
  return kernel;
}

/// Why it does not run; empty: it does.
std::string fault(ir::KernelIr const& kernel, std::vector<NDArray> const& inputs) {
  auto outputs = ir::interpret(kernel, inputs.size(), inputs, {.registers = true});
  return outputs ? "" : outputs.error().code;
}

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

}  // namespace

class RegistersTest : public QObject {
  Q_OBJECT
private slots:
  void declarations_say_what_they_need_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    QTest::newRow("twice") << "intrinsic a(update c: f32[1]) needs m = 1, m = 2\n  c[0] = 0.0\n"
                           << "the intrinsic a: the register m has two values";
    QTest::newRow("of data") << "intrinsic a(update c: i64[1]) needs m = c[0]\n  c[0] = 0\n"
                             << "the intrinsic a: the value of the register m is not an integer "
                                "expression of its scalar parameters";
    QTest::newRow("no whole number")
        << "intrinsic a(update c: f32[1]) needs m = 1.5\n  c[0] = 0.0\n"
        << "the intrinsic a: the value of the register m is not an integer expression "
           "of its scalar parameters";
    QTest::newRow("more than that") << "intrinsic a(update c: f32[1]) sets m = 1\n  c[0] = 0.0\n"
                                    << "the intrinsic a: what sets registers does nothing else";
    QTest::newRow("by another one") << "intrinsic a(scalar n: i64) needs k = 1 sets m = n\n"
                                    << "the intrinsic a: what sets registers does nothing else";
  }
  void declarations_say_what_they_need() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    auto parsed = ir::parse_program("tilewright program 1\n" + text.toStdString() +
                                    "program f(X: f32[1]) -> (Y: f32[1])\n  block Y()\n"
                                    "    Y[0] = X[0]\n");
    QVERIFY(!parsed);
    QVERIFY2(QString::fromStdString(parsed.error().message).contains(message),
             parsed.error().message.c_str());
  }

  void a_call_without_its_register_is_found_with_the_iteration() {
    std::string const text =
        "tilewright kernel 1\n"
        "intrinsic set_mode(scalar value: i64) sets mode = value\n"
        "intrinsic add(update c: f32[1]) needs mode = 2\n"
        "  c[0] = c[0]+1.0\n"
        "host f(C: f32[3])\n"
        "  for i in 3\n"
        "    C[i] = 0.0\n"
        "    call set_mode(2-i)\n"
        "    call add(C[i+x] over (x in 1))\n";
    auto kernel = ir::parse_kernel(text, "kernel");
    QVERIFY2(kernel, sentence(kernel).c_str());
    QCOMPARE(ir::print(*kernel).text, text);
    QVERIFY(ir::interpret(*kernel, 0, {}));  // not asked for
    auto run = ir::interpret(*kernel, 0, {}, {.registers = true});
    QVERIFY(!run);
    QCOMPARE(run.error().message, std::string("add needs mode = 2, but in iteration i=1 it is 1"));
    Status holds = verify_kernel(*kernel, {Invariant::kSetRegisters});
    QVERIFY(!holds);
    QCOMPARE(holds.error().message,
             std::string("set_registers does not hold (calls have the registers that they need): "
                         "call add(C[i+x] over (x in 1))"));
  }

  /// TW_TEST_SEED and TW_SCHEDULES choose others, and more of them.
  void random_schedules_set_what_is_needed_and_no_more() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261126;
    int schedules = qEnvironmentVariableIntValue("TW_SCHEDULES");
    if (schedules <= 0) schedules = 400;
    qInfo("seed %llu, %d schedules", static_cast<unsigned long long>(seed), schedules);
    Rng rng(seed);
    int with_calls = 0, several = 0, taken_away = 0, never_run = 0, by_chance = 0;
    for (int i = 0; i < schedules; ++i) {
      std::string text = testing::test_kernel(i, testing::kernel_set(), rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Schedule schedule(te::to_program(kernel).value(), machine_with_state());
      for (int64_t tries = rng.between(5, 40); tries > 0; --tries)
        if (auto next =
                schedule.apply(testing::propose_step(schedule.program(), rng, schedule.target())))
          schedule = std::move(*next);
      auto stages =
          lower(schedule.program(), schedule.target(), passes(), {.verify = VerifyPasses::kEach});
      std::string shown = text + schedule.script() + sentence(stages);
      QVERIFY2(stages, shown.c_str());
      ir::KernelIr const& code = stages->back().kernel;
      int settings = settings_in(code);
      if (settings == 0) continue;
      ++with_calls;
      several += settings > 2;
      shown += ir::print(code).text;
      std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
      auto outputs = ir::interpret(code, inputs.size(), inputs, {.registers = true});
      QVERIFY2(outputs, (shown + sentence(outputs)).c_str());
      QVERIFY2(te::judge(*outputs, testing::expected_of(kernel, inputs)).equal, shown.c_str());
      for (int one = 0; one < settings; ++one, ++taken_away) {
        if (fault(changed(code, one, ir::seq({})), inputs) == "wrong_register") continue;
        ir::Stmt stops = ir::make<ir::Store>(
            code.host.params.back(),
            std::vector<ir::Expr>(code.host.params.back()->shape.size(), ir::int_imm(1 << 20)),
            ir::cast(code.host.params.back()->type, ir::int_imm(0)));
        std::string which = "setting " + std::to_string(one) + "\n" + shown;
        bool runs = !fault(changed(code, one, stops), inputs).empty();
        ++(runs ? by_chance : never_run);
        // Behind a guard that does not hold in the last iteration a register may have the value
        // that comes next already, which no pass knows. The text is longer than a failure shows.
        bool told = runs && !ir::print(code).text.contains("  if ");
        if (told) qWarning("%s", which.c_str());
        QVERIFY(!told);
      }
    }
    qInfo(
        "%d with calls, %d with several settings; %d settings taken away, %d of them never run, %d "
        "not needed on the way that the guards take",
        with_calls, several, taken_away, never_run, by_chance);
    QVERIFY(with_calls * 5 >= schedules);
    QVERIFY(several * 40 >= schedules);
    QVERIFY(never_run * 20 <= taken_away);
    QVERIFY(by_chance * 100 <= taken_away);
  }
};

QTEST_GUILESS_MAIN(RegistersTest)
#include "registers_test.moc"
