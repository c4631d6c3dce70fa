// Sums of threads by shuffles: what the program says, what its code computes on this machine's
// processor, what ptxas makes of it, and that what stands where it must not is refused.
#include <QtTest>

#include <fmt/format.h>

#include "engine/ir/kernel.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/trace.h"
#include "targets/cuda/compiler/toolkit.h"
#include "targets/cuda/compiler/warp_shuffles.h"
#include "tests/support/cuda_gpus.h"
#include "tests/support/emitted_runs.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

constexpr char kSums[] = R"(kernel sums(A: {1}[{2}, {0}]) -> S
  S[i in {2}] = {3}[k in {0}] A[i, k]
)";
constexpr char kSumSteps[] = R"(tilewright schedule 1
cache_write(S, scope=shared)
compute_at(S, S_write.d0)
bind(S.k, axis=threadIdx.x)
bind(S_write.d0, axis=blockIdx.x)
)";
constexpr char kSoftmax[] = R"(kernel softmax(A: f32[3, {0}]) -> Y
  M[i in 3] = max[k in {0}] A[i, k]
  E[i in 3, k in {0}] = exp(A[i, k] - M[i])
  S[i in 3] = sum[k in {0}] E[i, k]
  Y[i in 3, k in {0}] = E[i, k] / S[i]
)";
constexpr char kNorm[] = R"(kernel norm(X: f32[5, {0}], G: f32[{0}]) -> Y
  M[i in 5] = sum[k in {0}] X[i, k]
  V[i in 5] = sum[k in {0}] (X[i, k] - M[i] / {0}.0) * (X[i, k] - M[i] / {0}.0)
  Y[i in 5, k in {0}] = (X[i, k] - M[i] / {0}.0) / sqrt(V[i] / {0}.0 + 0.001) * G[k]
)";
constexpr char kGreatest[] = R"(kernel place(A: f32[3, {0}]) -> P
  M[i in 3] = max[k in {0}] A[i, k]
  P[i in 3] = min[k in {0}] select(A[i, k] == M[i], k, {0})
)";

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

struct Made {
  te::Kernel kernel;
  Schedule schedule;
  ir::KernelIr lowered;
};

Result<Made> made(std::string const& text, std::string const& steps, Backend const& backend) {
  TRY_ASSIGN(te::Kernel kernel, testing::parsed_kernel(text));
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  TRY_ASSIGN(Schedule schedule, backend.default_schedule(program));
  if (!steps.empty()) {
    TRY_ASSIGN(Script script, parse_script(steps));
    auto done = replay(Schedule(program, backend.shared_target()), script);
    if (!done) return refused(done.error().code, done.error().message);
    schedule = *done;
  }
  TRY_ASSIGN(auto stages, lower(schedule.program(), backend.target(), backend.passes(),
                                {.off = {}, .verify = VerifyPasses::kEach, .observe = {}}));
  return Made{std::move(kernel), std::move(schedule), std::move(stages.back().kernel)};
}

struct Calls {
  int barriers = 0, shuffles = 0, shared = 0;
};

Calls calls_of(ir::KernelIr const& kernel) {
  Calls calls;
  for (ir::Function const& function : kernel.device)
    ir::walk(function.body, [&](ir::Stmt const& s) {
      auto const* call = s.as<ir::IntrinsicCall>();
      auto const* alloc = s.as<ir::Alloc>();
      calls.barriers += call && call->intrinsic->barrier;
      calls.shuffles += call && ir::shuffles(call->intrinsic->completion);
      calls.shared += alloc && alloc->buffer->scope == kSharedScope;
      return true;
    });
  return calls;
}

}  // namespace

class ShufflesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    backend_ = testing::backend_for("h100");
    if (__builtin_cpu_supports("fma"))
      machine_.emplace(Machine::create({.triple = {}, .cpu = "x86-64-v3", .features = {}}).value());
  }

  void sums_of_any_number_of_threads_data() {
    QTest::addColumn<int>("threads");
    for (int threads : {2, 3, 7, 16, 20, 31, 32, 33, 64, 100, 255, 256, 512, 1000, 1024})
      QTest::addRow("%d", threads) << threads;
  }
  /// In their registers where a warp suffices; else by two warps' worth of steps, which meet once.
  void sums_of_any_number_of_threads() {
    QFETCH(int, threads);
    std::vector<std::string> types{"f32", "f64", "f16", "i64"};
    if (threads == 100) types.insert(types.end(), {"bf16", "i8", "u8", "i16", "u16", "i32", "u32"});
    for (std::string const& type : types) {
      std::string text =
          fmt::format(kSums, threads, type, 3, type == "f32" || type == "f64" ? "sum" : "max");
      auto one = made(text, kSumSteps, *backend_);
      QVERIFY2(one, (text + sentence(one)).c_str());
      Calls calls = calls_of(one->lowered);
      QCOMPARE(calls.barriers, threads > 32 ? 1 : 0);
      QCOMPARE(calls.shared, threads > 32 ? 1 : 0);
      QVERIFY(calls.shuffles >= 1 && calls.shuffles <= 10);
      is_right(*one);
    }
  }

  void kernels_of_rows_data() {
    QTest::addColumn<QString>("text");
    for (auto [name, text] :
         {std::pair{"softmax", kSoftmax}, {"norm", kNorm}, {"place", kGreatest}})
      for (int columns : {2, 17, 32, 97, 256, 1000, 2050})
        QTest::addRow("%s %d", name, columns)
            << QString::fromStdString(fmt::format(fmt::runtime(text), columns));
  }
  void kernels_of_rows() {
    QFETCH(QString, text);
    auto one = made(text.toStdString(), "", *backend_);
    QVERIFY2(one, sentence(one).c_str());
    is_right(*one);
  }

  /// On devices without shuffles the same schedule is a tree with barriers.
  void barriers_go_away() {
    std::string text = fmt::format(kSoftmax, 256);
    auto now = made(text, "", *backend_);
    QVERIFY2(now, sentence(now).c_str());
    Target without = backend_->target();
    without.shuffles = {};
    auto before = lower(now->schedule.program(), without, backend_->passes(), {});
    QVERIFY2(before, sentence(before).c_str());
    QVERIFY(calls_of(now->lowered).shuffles > 0);
    QCOMPARE(calls_of(before->back().kernel).shuffles, 0);
    QCOMPARE(calls_of(before->back().kernel).barriers, 6);
    QCOMPARE(calls_of(now->lowered).barriers, 2);
  }

  void ptxas_makes_shuffles_of_them_data() {
    QTest::addColumn<QString>("gpu");
    for (char const* gpu : {"a100", "h100"}) QTest::newRow(gpu) << gpu;
  }
  void ptxas_makes_shuffles_of_them() {
    QFETCH(QString, gpu);
    auto backend = testing::backend_for(gpu.toStdString());
    cuda::Toolkit toolkit = cuda::find_toolkit();
    for (std::string const& text :
         {fmt::format(kSoftmax, 1000), fmt::format(kNorm, 100), fmt::format(kGreatest, 257),
          fmt::format(kSums, 64, "f64", 8, "sum"), fmt::format(kSums, 20, "f16", 8, "max")}) {
      auto one = made(text, text.starts_with("kernel sums") ? kSumSteps : "", *backend);
      QVERIFY2(one, sentence(one).c_str());
      auto code = backend->generate(one->lowered, CodeTier::kFull, CodeTexts::kAll, {});
      QVERIFY2(code, sentence(code).c_str());
      QVERIFY2(code->listings[0].text.contains("__shfl_xor_sync("), code->listings[0].text.c_str());
      QVERIFY2(code->listings[1].text.contains("shfl.sync.bfly.b32"),
               code->listings[1].text.c_str());
      if (toolkit.ptxas.empty()) continue;
      QVERIFY2(code->listings[3].text.contains("spills         none"),
               code->listings[3].text.c_str());
      bool shown = !code->listings[2].text.starts_with("no nvdisasm");
      QVERIFY2(!shown || code->listings[2].text.contains("SHFL.BFLY"),
               code->listings[2].text.c_str());
    }
    if (toolkit.ptxas.empty()) QSKIP("there is no ptxas here: nothing was assembled");
  }

  void where_lanes_do_not_all_stand_it_is_refused() {
    auto one = made(fmt::format(kSums, 64, "f32", 3, "sum"), kSumSteps, *backend_);
    QVERIFY2(one, sentence(one).c_str());
    QVERIFY(cuda::check_shuffles(one->lowered));
    for (auto [condition, is_whole] : {std::pair{"threadIdx.x < 32", true},
                                       {"threadIdx.x < 33", false},
                                       {"d0 < 2", true},
                                       {"d0+threadIdx.x < 32", false},
                                       {"A[threadIdx.x] < 1.0", false}}) {
      std::string text = ir::print(one->lowered).text;
      size_t at = text.find("call shuffle_xor"), begin = text.rfind('\n', at) + 1,
             end = text.find('\n', at) + 1;
      std::string line = text.substr(begin, end - begin), indent = text.substr(begin, at - begin);
      text.replace(begin, end - begin, indent + "if " + condition + "\n  " + line);
      auto parsed = ir::parse_kernel(text);
      QVERIFY2(parsed, (text + sentence(parsed)).c_str());
      Status checked = cuda::check_shuffles(*parsed);
      QCOMPARE(bool(checked), is_whole);
      if (!is_whole) QCOMPARE(checked.error().code, std::string("divergent_shuffle"));
    }
  }

private:
  /// As code for this processor, and as interpreted threads.
  void is_right(Made const& one) {
    Rng rng(7);
    std::vector<NDArray> inputs = testing::random_inputs(one.kernel, rng);
    te::Expected expected = testing::expected_of(one.kernel, inputs);
    if (!machine_) QSKIP("this processor has no fused products and sums");
    auto run = testing::run_emitted(*machine_, one.lowered, one.schedule.origin(), inputs);
    QVERIFY2(run, sentence(run).c_str());
    Comparison judged = te::judge(run->outputs, expected);
    std::string said = fmt::format("element {} differs by {} of {}", judged.worst_index,
                                   judged.max_abs_diff, judged.max_abs_ref);
    QVERIFY2(judged.equal, (said + "\n" + ir::print(one.lowered).text).c_str());
  }

  std::shared_ptr<Backend const> backend_;
  std::optional<Machine> machine_;
};

QTEST_GUILESS_MAIN(ShufflesTest)
#include "shuffles_test.moc"
