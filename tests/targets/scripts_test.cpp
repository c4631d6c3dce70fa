// Products of matrices as scripts for machines that are made up: blocks of threads with shared and
// local memories and asynchronous copies, and scratchpads with a matrix unit. Both bring what they
// need next while they compute. Their code is interpreted, and each of its waits and barriers is
// needed.
#include <fmt/format.h>

#include <QtTest>
#include <fstream>
#include <sstream>

#include "engine/backend/target_table.h"
#include "engine/compile/kernel_code.h"
#include "engine/device/local_device.h"
#include "engine/measure/kernel_bench.h"
#include "engine/schedule/explain.h"
#include "engine/schedule/trace.h"
#include "engine/te/expected.h"
#include "engine/te/te.h"
#include "tests/support/changed_code.h"
#include "tests/support/paths.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

char const* const kScripts = testing::source("/tests/targets/scripts/");

te::Kernel product(int i, int j, int k) {
  return te::parse_kernel(
             fmt::format(
                 "tilewright te 1\nkernel product(A: f32[{0}, {2}], B: f32[{2}, {1}]) -> C\n"
                 "  C[i in {0}, j in {1}] = sum[k in {2}] A[i, k] * B[k, j]\n",
                 i, j, k))
      .value();
}

std::string script_of(std::string const& name) {
  std::ifstream file(kScripts + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// With one text in place of another, which is there.
std::string with(std::string text, std::string const& old, std::string const& now) {
  size_t at = text.find(old);
  return at == std::string::npos ? "" : text.replace(at, old.size(), now);
}

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

/// A kernel under a script, as a machine of the tests runs it.
struct Made {
  te::Kernel kernel;
  std::shared_ptr<Backend const> backend;
  Schedule schedule;
  std::string text;  ///< of the code
  ir::KernelIr code;
  ir::Sharing sharing;
  std::vector<NDArray> inputs;
  te::Expected expected;
};

std::shared_ptr<Backend const> backend_of(std::string const& target) {
  return create_backend(target_hardware(target).value()).value();
}

Result<Made> made(std::string const& target, te::Kernel kernel, std::string const& script) {
  auto backend = backend_of(target);
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  TRY_ASSIGN(Script steps, parse_script(script, "script"));
  auto schedule = replay(Schedule(program, backend->shared_target()), steps);
  if (!schedule)
    return refused(schedule.error().code,
                   fmt::format("line {}: {}", schedule.error().line, schedule.error().message));
  TRY_ASSIGN(auto stages, lower(schedule->program(), backend->target(), backend->passes(),
                                {.verify = VerifyPasses::kEach}));
  Rng rng(5);
  Made result{std::move(kernel),
              backend,
              std::move(*schedule),
              "",
              stages.back().kernel,
              backend->target().sharing(),
              {},
              {}};
  result.text = ir::print(result.code).text;
  result.inputs = testing::random_inputs(result.kernel, rng);
  result.expected = testing::expected_of(result.kernel, result.inputs);
  return result;
}

/// In several orders of the threads, and on the device.
void is_right(Made const& made) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    auto outputs =
        ir::interpret(made.code, made.inputs.size(), made.inputs,
                      {.shuffle_seed = seed, .sharing = &made.sharing, .registers = true});
    QVERIFY2(outputs, (sentence(outputs) + "\n" + made.text).c_str());
    QVERIFY2(te::judge(*outputs, made.expected).equal, made.text.c_str());
  }
  LocalDevice device(
      {.program = testing::built("/tests/test-device"), .target = made.backend->target().name});
  auto code = compile_kernel(made.schedule.program(), *made.backend, CodeTier::kFull);
  QVERIFY2(code, sentence(code).c_str());
  KernelBench bench(device, made.schedule.program(), made.inputs);
  auto outputs = bench.run(*code, {});
  QVERIFY2(outputs, sentence(outputs).c_str());
  QVERIFY(te::judge(*outputs, made.expected).equal);
}

/// Without any wait or barrier, and with any wait that lets a group more be under way, a fault is
/// found.
void needs_everything(Made const& made) {
  using namespace testing;
  auto found = [&](ir::KernelIr const& code) { return is_found(code, made.inputs, made.sharing); };
  for (int i = 0; i < count_in(made.code, is_wait); ++i) {
    std::string which = fmt::format("wait {}\n{}", i, made.text);
    QVERIFY2(found(changed(made.code, i, is_wait, nothing)), which.c_str());
    QVERIFY2(found(changed(made.code, i, is_wait, with_one_more)), which.c_str());
  }
  for (int i = 0; i < count_in(made.code, is_barrier); ++i)
    QVERIFY2(found(changed(made.code, i, is_barrier, nothing)),
             fmt::format("barrier {}\n{}", i, made.text).c_str());
}

/// How often each instruction is called in the text of the code.
std::map<std::string, int> calls_in(ir::KernelIr const& code) {
  std::map<std::string, int> calls;
  ir::walk(code.host.body, [&](ir::Stmt const& s) {
    if (auto const* call = s.as<ir::IntrinsicCall>()) ++calls[call->intrinsic->name];
    return true;
  });
  return calls;
}

bool computes_itself(ir::KernelIr const& code) {
  bool stores = false;
  ir::walk(code.host.body,
           [&](ir::Stmt const& s) { return stores = stores || s.as<ir::Store>(), true; });
  return stores;
}

}  // namespace

class ScriptsTest : public QObject {
  Q_OBJECT
private slots:
  void blocks_of_threads_bring_the_next_part_by_asynchronous_copies() {
    auto code = made("threads", product(32, 48, 20), script_of("product_threads.tws"));
    QVERIFY2(code, sentence(code).c_str());
    show(*code);
    std::map<std::string, int> const calls{
        {"copy_async", 4}, {"commit_copies", 2}, {"wait_copies", 2}, {"sync_threads", 3}};
    QCOMPARE(calls_in(code->code), calls);
    // In the loop one group stays under way while the block adds up; after it none is left.
    QCOMPARE(testing::waits_in(code->code), (std::vector<int64_t>{1, 0}));
    is_right(*code);
    needs_everything(*code);
  }

  void a_scratchpad_machine_multiplies_while_the_next_operands_come() {
    auto code = made("scratchpad", product(32, 48, 64), script_of("product_scratchpad.tws"));
    QVERIFY2(code, sentence(code).c_str());
    show(*code);
    QVERIFY2(!computes_itself(code->code), code->text.c_str());
    std::map<std::string, int> calls = calls_in(code->code);
    QCOMPARE(calls["gemm"], 2);
    QCOMPARE(calls["load"], 4);
    QCOMPARE(calls["store"], 1);
    QCOMPARE(calls["clear"], 1);
    is_right(*code);
    needs_everything(*code);
  }

  void virtual_threads_take_turns_at_the_matrix_unit() {
    auto code = made("scratchpad", product(32, 64, 48), script_of("product_turns.tws"));
    QVERIFY2(code, sentence(code).c_str());
    show(*code);
    QVERIFY2(!computes_itself(code->code), code->text.c_str());
    QCOMPARE(calls_in(code->code)["gemm"], 2);
    is_right(*code);
    needs_everything(*code);
  }

  void what_does_not_fit_is_refused_with_the_sum_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("old");
    QTest::addColumn<QString>("now");
    QTest::addColumn<QString>("message");
    QTest::newRow("a part that is too large")
        << "product_scratchpad.tws"
        << "k0, k1 = split(C.k, factor=16)"
        << "k0, k1 = split(C.k, factor=80)"
        << "the memory 'inputs' has 4.0 KB, but 5.0 KB are needed at the same time: A_cache 5.0 KB";
    QTest::newRow("two parts, one of them filled ahead")
        << "product_scratchpad.tws"
        << "k0, k1 = split(C.k, factor=16)"
        << "k0, k1 = split(C.k, factor=40)"
        << "the memory 'inputs' has 4.0 KB, but 5.0 KB are needed at the same time: A_cache 5.0 KB";
  }
  void what_does_not_fit_is_refused_with_the_sum() {
    QFETCH(QString, script);
    QFETCH(QString, old);
    QFETCH(QString, now);
    QFETCH(QString, message);
    std::string text = with(script_of(script.toStdString()), old.toStdString(), now.toStdString());
    for (std::string tail = text; tail.find("tensorize(") != std::string::npos; tail = text) {
      size_t at = text.find("tensorize(");
      text.erase(at, text.find('\n', at) + 1 - at);
    }
    auto code = made("scratchpad", product(32, 48, 160), text);
    QVERIFY(!code);
    QCOMPARE(code.error().code, std::string("scope_overflow"));
    QVERIFY2(QString::fromStdString(code.error().message).contains(message),
             code.error().message.c_str());
  }

  void what_nobody_can_wait_for_is_not_started() {
    auto target = std::make_shared<Target>(backend_of("threads")->target());
    target->wait = nullptr;
    Schedule schedule(te::to_program(product(16, 16, 16)).value(), target);
    auto script = parse_script(
        "cache_read(C, tensor=B, scope=shared)\n"
        "b0, b1 = split(B_cache.d1, factor=4)\n"
        "tensorize(b1, intrinsic=copy_async)\n",
        "", true);
    auto refused = replay(schedule, script.value());
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, std::string("cannot_wait"));
    QCOMPARE(refused.error().message,
             std::string("copy_async is asynchronous, but the target threads cannot "
                         "wait for it"));
  }

  /// "needs 16, has 14", and the steps that are offered work.
  void a_shape_that_misses_the_unit_is_padded() {
    std::string const text = script_of("product_padded.tws");
    size_t padding = text.find("pad(C.i");
    QVERIFY(padding != std::string::npos);
    auto backend = backend_of("scratchpad");
    Schedule plain(te::to_program(product(14, 16, 16)).value(), backend->shared_target());
    auto schedule = replay(plain, parse_script(text.substr(0, padding), "").value());
    QVERIFY2(schedule, schedule ? "" : schedule.error().message.c_str());
    Step const wish = parse_step("tensorize(C.i, intrinsic=gemm)").value();
    auto refused = schedule->apply(parse_step("decompose_reduction(C.i)").value())->apply(wish);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, std::string("extent_differs"));
    QVERIFY2(refused.error().message.find("i of gemm needs 16, i has 14: pad the extent") !=
                 std::string::npos,
             refused.error().message.c_str());
    auto first = schedule->apply(wish);
    QVERIFY(!first);
    Refusal const offered = with_repairs(*schedule, wish, first.error());
    QCOMPARE(offered.repairs.size(), size_t(1));
    QCOMPARE(offered.repairs[0].step,
             std::string("pad(C.i, to=16); set_scope(A_cache_pad, scope=inputs); "
                         "decompose_padding(A_cache_pad); decompose_reduction(C.i); "
                         "tensorize(C.i, intrinsic=gemm)"));
    std::string steps = offered.repairs[0].step + "\n";
    for (size_t at; (at = steps.find("; ")) != std::string::npos;) steps.replace(at, 2, "\n");
    QVERIFY2(text.substr(padding).starts_with(steps), text.c_str());
    auto code = made("scratchpad", product(14, 16, 16), text);
    QVERIFY2(code, sentence(code).c_str());
    show(*code);
    QVERIFY2(!computes_itself(code->code), code->text.c_str());
    is_right(*code);
    needs_everything(*code);
  }

private:
  static void show(Made const& made) {
    if (qEnvironmentVariableIsSet("TW_SHOW"))
      qInfo("%s\n%s", ir::to_text(made.schedule.program()).c_str(), made.text.c_str());
  }
};

QTEST_GUILESS_MAIN(ScriptsTest)
#include "scripts_test.moc"
