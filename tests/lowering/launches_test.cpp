// Nests of bound loops become device functions that the host launches: what they compute stays the
// same, what runs on no thread is refused, and the kernel is equal to its text.
#include <QtTest>

#include "engine/ir/intrinsic.h"
#include "engine/ir/kernel.h"
#include "engine/ir/launches.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"
#include "tests/support/thread_passes.h"

using namespace tw;

namespace {

std::vector<Pass> launch_passes() {
  std::vector<Pass> passes = testing::thread_passes();
  for (Pass const& pass : {flatten_buffers(), plan_workspace(), cut_launches(), read_sizes()})
    passes.push_back(pass.because("for the test"));
  return passes;
}

Result<ir::KernelIr> lowered(ir::Program const& program) {
  TRY_ASSIGN(std::vector<LoweredStage> stages,
             lower(program, *testing::thread_machine(), launch_passes(),
                   {.off = {}, .verify = VerifyPasses::kEach, .observe = {}}));
  return stages.back().kernel;
}

Schedule scheduled(std::string const& kernel, std::string const& script) {
  auto program = te::to_program(testing::parsed_kernel(kernel).value()).value();
  auto done = replay(Schedule(program, testing::thread_machine()),
                     parse_script("tilewright schedule 1\n" + script).value());
  if (!done) qFatal("%s", done.error().message.c_str());
  return std::move(*done);
}

constexpr char kProduct[] =
    "kernel product(A: f32[24, 12], B: f32[12, 20]) -> C\n"
    "  C[i in 24, j in 20] = sum[k in 12] A[i, k] * B[k, j]\n";
constexpr char kProductScript[] =
    "cache_write(C, scope=local)\n"
    "by, i1 = split(C.i, factor=8)\n"
    "bx, j1 = split(C.j, factor=8)\n"
    "ty, i2 = split(i1, factor=2)\n"
    "tx, j2 = split(j1, factor=2)\n"
    "k0, k1 = split(C.k, factor=4)\n"
    "reorder(by, bx, ty, tx, k0, k1, i2, j2)\n"
    "reverse_compute_at(C_write, tx)\n"
    "bind(by, axis=blockIdx.y)\n"
    "bind(bx, axis=blockIdx.x)\n"
    "bind(ty, axis=threadIdx.y)\n"
    "bind(tx, axis=threadIdx.x)\n"
    "cache_read(C, tensor=A, scope=shared)\n"
    "compute_at(A_cache, k0)\n"
    "bind(A_cache.d1, axis=threadIdx.x)\n";
constexpr char kTwo[] =
    "kernel two(X: f32[40]) -> Y, M\n"
    "  D[i in 40] = X[i] + X[i]\n"
    "  Y[i in 40] = D[39 - i] * X[i]\n"
    "  M[] = max[i in 40] D[i]\n";
constexpr char kTwoScript[] =
    "o, t = split(D.i, factor=16)\n"
    "bind(o, axis=blockIdx.x)\n"
    "bind(t, axis=threadIdx.x)\n"
    "bind(Y.i, axis=threadIdx.x)\n";

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

}  // namespace

class LaunchesTest : public QObject {
  Q_OBJECT
private slots:
  void nests_become_functions_that_compute_the_same_data() {
    QTest::addColumn<QString>("kernel");
    QTest::addColumn<QString>("script");
    QTest::addColumn<int>("launches");
    QTest::newRow("product") << kProduct << kProductScript << 1;
    QTest::newRow("two and one element") << kTwo << kTwoScript << 3;
  }
  void nests_become_functions_that_compute_the_same() {
    QFETCH(QString, kernel);
    QFETCH(QString, script);
    Schedule schedule = scheduled(kernel.toStdString(), script.toStdString());
    auto made = lowered(schedule.program());
    QVERIFY2(made, sentence(made).c_str());
    QTEST(int(made->device.size()), "launches");
    Rng rng(5);
    auto inputs = testing::random_inputs(testing::parsed_kernel(kernel.toStdString()).value(), rng);
    auto wanted = ir::interpret(schedule.origin(), inputs).value();
    ir::Sharing sharing = placed_sharing(*testing::thread_machine());
    auto outputs = ir::interpret(*made, inputs.size(), inputs,
                                 {.shuffle_seed = 7, .sizes = {}, .sharing = &sharing, .stop = {}});
    QVERIFY2(outputs, sentence(outputs).c_str());
    for (size_t o = 0; o < wanted.size(); ++o)
      for (int64_t e = 0; e < wanted[o].size(); ++e)
        QVERIFY(std::abs(wanted[o].value_at(e) - (*outputs)[o].value_at(e)) < 1e-4);
    auto again = ir::parse_kernel(ir::print(*made).text);
    QVERIFY2(again, sentence(again).c_str());
    QVERIFY(equal(*again, *made));
  }

  void what_launches_share_lies_in_the_hosts_workspace() {
    Schedule schedule = scheduled(kTwo, kTwoScript);
    ir::KernelIr made = lowered(schedule.program()).value();
    QCOMPARE(workspace_bytes(made), int64_t(160));
    for (ir::Function const& function : made.device)
      QVERIFY(
          std::ranges::any_of(function.params, [](ir::Buffer const& b) { return b->name == "D"; }));
  }

  void what_runs_on_no_thread_is_refused_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("words");
    QTest::newRow("one nest") << "bind(D.i, axis=threadIdx.x)\n"
                              << "unbound_work"
                              << "'for i in 40' runs on no thread";
    QTest::newRow("a loop around") << "bind(D.i, axis=threadIdx.x)\no, t = split(Y.i, factor=8)\n"
                                      "bind(t, axis=threadIdx.x)\n"
                                   << "blocks_not_outermost"
                                   << "'for o in 5' is around loops that are bound";
  }
  void what_runs_on_no_thread_is_refused() {
    QFETCH(QString, script);
    QFETCH(QString, words);
    auto made = lowered(scheduled(kTwo, script.toStdString()).program());
    QVERIFY(!made);
    QTEST(QString::fromStdString(made.error().code), "code");
    QVERIFY2(made.error().message.contains(words.toStdString()), made.error().message.c_str());
  }

  void sizes_are_handed_to_functions() {
    ir::Program program = ir::parse_program(R"(tilewright program 1
program scaled(X: f32[n*8]) -> (Y: f32[n*8])
  size n in 1..9
  bind(blockIdx.x) b in n
    bind(threadIdx.x) t in 8
      block Y(vi: n*8 = b*8+t)
        Y[vi] = X[vi] * f32(n)
)")
                              .value();
    auto made = lowered(program);
    QVERIFY2(made, sentence(made).c_str());
    QCOMPARE(made->device.size(), size_t(1));
    QCOMPARE(made->device[0].sizes.size(), size_t(1));
    QCOMPARE(made->host.params[0]->type, DType::kI64);
    NDArray sizes = NDArray::create(DType::kI64, {1}).value(),
            x = NDArray::create(DType::kF32, {24}).value();
    sizes.set_value(0, 3);
    for (int64_t i = 0; i < 24; ++i) x.set_value(i, double(i));
    auto outputs = ir::interpret(*made, 2, {sizes, x});
    QVERIFY2(outputs, sentence(outputs).c_str());
    for (int64_t i = 0; i < 24; ++i) QCOMPARE((*outputs)[0].value_at(i), 3.0 * double(i));
  }

  void steps_in_time_stay_the_hosts() {
    ir::Program program = ir::parse_program(R"(tilewright program 1
program steps(X: f32[4, 8]) -> (Y: f32[4, 8])
  alloc D: f32[4, 8] @global
  for t in 4
    bind(threadIdx.x) i in 8
      block D(ordered vt: 4 = t, vi: 8 = i)
        D[vt, vi] = select(1 <= vt, Y[vt-1, vi], 0.0)
    bind(threadIdx.x) j in 8
      block Y(ordered vt: 4 = t, vj: 8 = j)
        Y[vt, vj] = D[vt, 7-vj]+X[vt, vj]
)")
                              .value();
    auto made = lowered(program);
    QVERIFY2(made, sentence(made).c_str());
    QCOMPARE(made->device.size(), size_t(2));
    // The counter is an argument of both.
    for (ir::Function const& function : made->device) {
      QCOMPARE(function.sizes.size(), size_t(1));
      QCOMPARE(function.sizes[0].low, int64_t(0));
      QCOMPARE(function.sizes[0].high, int64_t(3));
    }
    auto again = ir::parse_kernel(ir::print(*made).text);
    QVERIFY2(again, sentence(again).c_str());
    QVERIFY(equal(*again, *made));
    NDArray x = NDArray::create(DType::kF32, {4, 8}).value();
    for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, double(i * 5 % 7));
    auto wanted = ir::interpret(program, {x}), outputs = ir::interpret(*made, 1, {x});
    QVERIFY2(outputs, sentence(outputs).c_str());
    for (int64_t i = 0; i < x.size(); ++i)
      QCOMPARE((*outputs)[0].value_at(i), (*wanted)[0].value_at(i));
  }

  void each_step_of_a_recurrence_is_a_launch() {
    ir::Program program = ir::parse_program(R"(tilewright program 1
program steps(X: f32[4, 8]) -> (Y: f32[4, 8])
  for t in 4
    bind(threadIdx.x) j in 8
      block Y(ordered vt: 4 = t, vj: 8 = j)
        Y[vt, vj] = select(1 <= vt, Y[vt-1, 7-vj], 0.0)+X[vt, vj]
)")
                              .value();
    auto made = lowered(program);
    QVERIFY2(made, sentence(made).c_str());
    QCOMPARE(made->device.size(), size_t(1));
    QCOMPARE(made->device[0].sizes.size(), size_t(1));
    NDArray x = NDArray::create(DType::kF32, {4, 8}).value();
    for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, double(i * 5 % 7));
    auto wanted = ir::interpret(program, {x}), outputs = ir::interpret(*made, 1, {x});
    QVERIFY2(outputs, sentence(outputs).c_str());
    for (int64_t i = 0; i < x.size(); ++i)
      QCOMPARE((*outputs)[0].value_at(i), (*wanted)[0].value_at(i));
  }

  /// What only goes on with its own element is faster with its loop inside of the launch.
  void each_term_of_a_sum_is_no_launch() {
    ir::Program program = ir::parse_program(R"(tilewright program 1
program sums(X: f32[8, 4]) -> (Y: f32[8])
  bind(threadIdx.x) i in 8
    block Y_init(vi: 8 = i)
      Y[vi] = 0.0
  for k in 4
    bind(threadIdx.x) i in 8
      block Y(vi: 8 = i, reduce vk: 4 = k)
        Y[vi] = Y[vi]+X[vi, vk]
)")
                              .value();
    auto made = lowered(program);
    QVERIFY(!made);
    QCOMPARE(made.error().code, std::string("blocks_not_outermost"));
  }

  void a_launch_that_is_none_is_no_kernel_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::newRow("no such function") << "device two_1"
                                      << "device other";
    QTest::newRow("another operand") << "device two_3(M: f32[1], D: f32[40] @workspace)"
                                     << "device two_3(D: f32[40] @workspace, M: f32[1])";
    QTest::newRow("two of a name") << "device two_2"
                                   << "device two_1";
  }
  void a_launch_that_is_none_is_no_kernel() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    std::string text = ir::print(lowered(scheduled(kTwo, kTwoScript).program()).value()).text;
    size_t at = text.find(from.toStdString());
    QVERIFY2(at != std::string::npos, text.c_str());
    text.replace(at, size_t(from.size()), to.toStdString());
    auto read = ir::parse_kernel(text);
    QVERIFY(!read);
    QCOMPARE(read.error().code, std::string("invalid_kernel"));
  }
};

QTEST_GUILESS_MAIN(LaunchesTest)
#include "launches_test.moc"
