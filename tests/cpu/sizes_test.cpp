// One piece of code for every value of a size: what it computes, and how fast, beside the code that
// was made for each value.
#include <alloca.h>

#include <QtTest>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "engine/ir/interpreter.h"
#include "engine/schedule/open_sizes.h"
#include "engine/schedule/trace.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/support/compiled.h"
#include "tests/support/open_traces.h"
#include "tests/support/random_sizes.h"

using namespace tw;

namespace {

struct Case {
  char const* kernel;
  char const* script;
};

constexpr Case kProduct = {R"(kernel matmul(A: f32[256, 256], B: f32[256, 256]) -> C
  C[i in 256, j in 256] = sum[k in 256] A[i, k] * B[k, j]
)",
                           R"(tilewright schedule 1
i0, i1 = split(C.i, factor=8)
j0, j1 = split(C.j, factor=32)
ja, jb = split(j1, factor=16)
io, it = split_by_size(i0, size=T, low=1, high=10, at=4)
jo, jt = split_by_size(j0, size=U, low=1, high=8, at=2)
reorder(io, jo, it, jt, C.k, i1, ja, jb)
vectorize(jb)
unroll(ja)
unroll(i1)
)"};

constexpr Case kConvolution = {R"(kernel conv(X: f32[32, 30, 30], W: f32[4, 32, 3, 3, 16]) -> Y
  Y[o in 4, y in 28, x in 28, l in 16] = sum[c in 32, r in 3, s in 3] X[c, y+r, x+s] * W[o, c, r, s, l]
)",
                               R"(tilewright schedule 1
x0, x1 = split(Y.x, factor=14)
ct, c1 = split(Y.c, factor=8)
yo, yt = split_by_size(Y.y, size=T, low=1, high=28, at=7)
reorder(Y.o, yo, yt, x0, ct, c1, Y.r, Y.s, x1, Y.l)
vectorize(Y.l)
unroll(x1)
)"};

constexpr Case kDepthwise = {R"(kernel depthwise(X: f32[8, 58, 58, 16], W: f32[8, 3, 3, 16]) -> Y
  Y[c in 8, y in 56, x in 56, l in 16] = sum[r in 3, s in 3] X[c, y+r, x+s, l] * W[c, r, s, l]
)",
                             R"(tilewright schedule 1
x0, x1 = split(Y.x, factor=8)
yo, yt = split_by_size(Y.y, size=T, low=1, high=20, at=8)
reorder(Y.c, yo, x0, yt, Y.r, Y.s, x1, Y.l)
vectorize(Y.l)
unroll(x1)
)"};

constexpr Case kOpenProduct = {R"(kernel rows(A: f32[n, 256], B: f32[256, 256]) -> C
  size n in 1..128 = 64
  C[i in n, j in 256] = sum[k in 256] A[i, k] * B[k, j]
)",
                               R"(tilewright schedule 1
i0, i1 = split(C.i, factor=8)
j0, j1 = split(C.j, factor=32)
ja, jb = split(j1, factor=16)
reorder(j0, i0, C.k, i1, ja, jb)
vectorize(jb)
unroll(ja)
unroll(i1)
)"};

constexpr Case kOpenConvolution = {
    R"(kernel conv(X: f32[32, h + 2, 30], W: f32[4, 32, 3, 3, 16]) -> Y
  size h in 1..56 = 28
  Y[o in 4, y in h, x in 28, l in 16] = sum[c in 32, r in 3, s in 3] X[c, y+r, x+s] * W[o, c, r, s, l]
)",
    R"(tilewright schedule 1
x0, x1 = split(Y.x, factor=14)
ct, c1 = split(Y.c, factor=8)
reorder(Y.o, Y.y, x0, ct, c1, Y.r, Y.s, x1, Y.l)
vectorize(Y.l)
unroll(x1)
)"};

/// Lanes over the length, which is open; rows in fours.
constexpr Case kOpenNorm = {R"(kernel norm(X: f32[64, n], G: f32[n]) -> Y
  size n in 1..128 = 96
  S[i in 64] = sum[j in n] X[i, j]
  D[i in 64, j in n] = X[i, j] - S[i] / f32(n)
  V[i in 64] = sum[j in n] D[i, j] * D[i, j]
  R[i in 64] = 1.0 / sqrt(V[i] / f32(n) + 0.00001)
  Y[i in 64, j in n] = D[i, j] * R[i] * G[j]
)",
                            R"(tilewright schedule 1
s0, s1 = split(S.i, factor=16)
reorder(s0, S.j, s1)
vectorize(s1)
d0, d1 = split(D.j, factor=16)
vectorize(d1)
v0, v1 = split(V.i, factor=16)
reorder(v0, V.j, v1)
vectorize(v1)
r0, r1 = split(R.i, factor=16)
vectorize(r1)
y0, y1 = split(Y.j, factor=16)
vectorize(y1)
)"};

/// All stages of a row at once, in a row's own tensors.
constexpr Case kOpenSoftmax = {R"(kernel softmax(X: f32[n, 128]) -> Y
  size n in 1..128 = 64
  M[i in n] = max[j in 128] X[i, j]
  E[i in n, j in 128] = exp(X[i, j] - M[i])
  S[i in n] = sum[j in 128] E[i, j]
  Y[i in n, j in 128] = E[i, j] / S[i]
)",
                               R"(tilewright schedule 1
compute_at(S, Y.i)
compute_at(E, Y.i)
compute_at(M, Y.i)
e0, e1 = split(E.j_3, factor=16)
vectorize(e1)
y0, y1 = split(Y.j, factor=16)
vectorize(y1)
parallel(Y.i)
)"};
/// A product whose rows of a tile are a size: where it is 4, they are unrolled and their sums are
/// registers, 8 of them where vectors are of 32 bytes; elsewhere the sums are in memory.
constexpr char kTiledProduct[] =
    "kernel matmul(A: f32[256, 256], B: f32[256, 256]) -> C\n"
    "  C[i in 256, j in 256] = sum[k in 256] A[i, k] * B[k, j]\n";
constexpr char kSpecialized[] = R"(tilewright schedule 1
jo, j = split(C.j, factor=16)
io, i = split_by_size(C.i, size=T, low=2, high=6, at=4)
reorder(io, jo, C.k, i, j)
io4 = specialize(io, size=T, value=4)
vectorize(C.j)
vectorize(C_4.j)
unroll(C_4.i)
)";
constexpr char kOfTheValue[] = R"(tilewright schedule 1
jo, j = split(C.j, factor=16)
io, i = split(C.i, factor=4)
reorder(io, jo, C.k, i, j)
vectorize(j)
unroll(i)
)";

/// Code that can be called again and again on the same tensors.
class Code {
public:
  Code(Backend const& backend, ir::Program const& program, CodeTier tier) {
    auto stages =
        lower(program, backend.target(), backend.passes(), {.verify = VerifyPasses::kEach});
    if (!stages) qFatal("%s", to_sentence(stages.error()).c_str());
    auto compiled = backend.compile(stages->back().kernel, tier, CodeTexts::kNone);
    if (!compiled)
      qFatal(
          "%s",
          (to_sentence(compiled.error()) + "\n" + ir::print(stages->back().kernel).text).c_str());
    artifact_ = std::move(*compiled);
    module_.emplace(LoadedModule::load(artifact_.library).value());
    kernel_ = reinterpret_cast<TwKernel>(module_->symbol(artifact_.symbol).value());
    workspace_ = NDArray::create(DType::kU8, {artifact_.workspace_bytes + 64}).value();
  }

  /// Of tensors whose shapes are constants.
  Code(Backend const& backend, ir::Program const& program, std::vector<NDArray> inputs,
       CodeTier tier)
      : Code(backend, program, tier) {
    use(program, std::move(inputs));
  }

  /// Where the tensors have these shapes.
  void use(ir::Program const& fixed, std::vector<NDArray> inputs) {
    inputs_ = std::move(inputs);
    outputs_.clear();
    for (ir::Buffer const& output : fixed.outputs)
      outputs_.push_back(NDArray::create(output->type, *ir::constant_shape(*output)).value());
  }

  /// The sizes come first, where the code has some.
  std::vector<NDArray> const& run(std::vector<int64_t> sizes, ThreadPool& pool) {
    std::vector<void*> buffers;
    if (!sizes.empty()) buffers.push_back(sizes.data());
    for (NDArray& input : inputs_) buffers.push_back(input.data());
    for (NDArray& output : outputs_) buffers.push_back(output.data());
    buffers.push_back(workspace_.data());
    auto* below = static_cast<char volatile*>(alloca(size_t(deeper) + 1));
    below[0] = 0;
    if (kernel_(buffers.data(), pool.runtime()) != 0) qFatal("the kernel failed");
    return outputs_;
  }

  /// Bytes that the kernel's stack lies further down.
  int deeper = 0;

  double microseconds(std::vector<int64_t> const& sizes, ThreadPool& pool) {
    auto start = std::chrono::steady_clock::now();
    run(sizes, pool);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
        .count();
  }

private:
  std::vector<NDArray> inputs_, outputs_;
  NDArray workspace_;
  Artifact artifact_;
  std::optional<LoadedModule> module_;
  TwKernel kernel_ = nullptr;
};

struct Made {
  te::Kernel kernel;
  Schedule schedule;
};

Made made(Case const& one) {
  te::Kernel kernel = testing::parsed_kernel(one.kernel).value();
  auto script = parse_script(one.script, "sizes").value();
  auto schedule = replay(testing::open_schedule(kernel), script);
  if (!schedule) qFatal("%s", schedule.error().message.c_str());
  return {std::move(kernel), std::move(*schedule)};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

class SizesTest : public QObject {
  Q_OBJECT
private slots:
  void one_object_computes_what_the_code_of_each_value_does_data() {
    QTest::addColumn<int>("number");
    for (int i = 0; i < kCases; ++i) QTest::addRow("%s", names_[i]) << i;
  }
  void one_object_computes_what_the_code_of_each_value_does() {
    QFETCH(int, number);
    Made const now = made(cases_[number]);
    SizedProgram const& sized = *now.schedule.sized();
    Code all(*backend_, sized.program, CodeTier::kFast);
    for (std::vector<int64_t> const& values : all_size_values(sized.program)) {
      ir::Program const alone = with_sizes(sized.program, values);
      Code own(*backend_, alone, CodeTier::kFast);
      auto inputs = inputs_of(now, values);
      own.use(alone, inputs);
      all.use(alone, inputs);
      auto const &expected = own.run({}, pool_), &outputs = all.run(values, pool_);
      for (size_t i = 0; i < outputs.size(); ++i)
        QVERIFY2(outputs[i].hash() == expected[i].hash(), std::to_string(values[0]).c_str());
    }
  }

  /// Of all values the same work, so that what differs is how well the code is made. The figures
  /// are printed. Sums that spill lie on the stack, and where that has the low twelve bits of a
  /// tensor's address, loads wait for stores: by chance of the process one of the two takes up to
  /// 1.7 times as long. Only a large loss that is there wherever the stack lies fails.
  void it_is_as_fast_as_the_code_of_a_value_data() {
    one_object_computes_what_the_code_of_each_value_does_data();
  }
  void it_is_as_fast_as_the_code_of_a_value() {
    QFETCH(int, number);
    Made const now = made(cases_[number]);
    tell_what_making_takes(cases_[number]);
    double least = median_ratio(now, names_[number]);
    for (int again = 1; again < kStacks && least >= kLargeLoss; ++again) {
      depth_ = again * kNextStack;
      least = std::min(least, median_ratio(now, names_[number]));
    }
    depth_ = 0;
    QVERIFY(least < kLargeLoss);
  }

  /// Random schedules over kernels of open extents: what one object computes with every value.
  void random_schedules_compute_what_the_plain_programs_do() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261125;
    int traces = qEnvironmentVariableIntValue("TW_TEST_TRACES");
    if (traces <= 0) traces = 60;
    qInfo("seed %llu, %d traces", static_cast<unsigned long long>(seed), traces);
    Rng rng(seed);
    testing::OpenCounts counts;
    int runs = 0;
    for (int trace = 0; trace < traces; ++trace) {
      te::Kernel kernel = testing::open_kernel(trace);
      Schedule schedule = testing::random_open_schedule(kernel, rng, counts);
      SizedProgram const& sized = *schedule.sized();
      auto stages = lower(sized.program, backend_->target(), backend_->passes());
      if (!stages && stages.error().code == "too_many_statements") continue;
      QVERIFY2(stages, stages ? "" : (schedule.script() + to_sentence(stages.error())).c_str());
      Code code(*backend_, sized.program, trace % 4 ? CodeTier::kFast : CodeTier::kFull);
      for (std::vector<int64_t> const& values : all_size_values(sized.program)) {
        te::Kernel fixed = te::with_values(kernel, testing::of_kernel(kernel, values));
        auto inputs = testing::random_inputs(fixed, rng);
        code.use(with_sizes(sized.program, values), inputs);
        auto const& outputs = code.run(values, pool_);
        std::string text = te::to_text(fixed) + schedule.script();
        for (int64_t value : values) text += std::to_string(value) + " ";
        QVERIFY2(te::judge(outputs, testing::expected_of(fixed, inputs)).equal, text.c_str());
        ++runs;
      }
    }
    qInfo("%d runs of %d traces", runs, traces);
    QVERIFY(runs > traces * 4);
  }

  /// With TW_TEST_TRACES more of them.
  void random_schedules_with_sizes_compute_the_same_compiled() {
    int traces = qEnvironmentVariableIntValue("TW_TEST_TRACES");
    if (traces <= 0) traces = 120;
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    Rng rng(given ? seed : 20261124);
    Target target = *any_target();
    target.annotations = backend_->target().annotations;
    auto shared = std::make_shared<Target const>(std::move(target));
    testing::Taken counts;
    int programs = 0;
    for (int trace = 0; trace < traces; ++trace) {
      std::string text = testing::test_kernel(trace, testing::kernel_set(), rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Schedule schedule = testing::random_open_schedule(kernel, shared, rng, counts);
      if (!schedule.sized()) continue;
      SizedProgram const& sized = *schedule.sized();
      auto lowered = lower(sized.program, backend_->target(), backend_->passes());
      if (!lowered && lowered.error().code == "too_many_statements") continue;
      QVERIFY2(lowered, lowered ? ""
                                : (text + schedule.script() + ir::to_text(sized.program) + "\n" +
                                   to_sentence(lowered.error()))
                                      .c_str());
      // What ends the test's process leaves its script behind.
      if (qEnvironmentVariableIsSet("TW_TEST_LAST"))
        std::ofstream(qEnvironmentVariable("TW_TEST_LAST").toStdString())
            << text << schedule.script() << ir::print(lowered->back().kernel).text;
      auto inputs = testing::random_inputs(kernel, rng);
      te::Expected expected = testing::expected_of(kernel, inputs);
      Code all(*backend_, sized.program, inputs,
               trace % 8 == 0 ? CodeTier::kFull : CodeTier::kFast);
      for (std::vector<int64_t> const& values : all_size_values(sized.program)) {
        ++programs;
        QVERIFY2(te::judge(all.run(values, pool_), expected).equal,
                 (text + schedule.script() + ir::to_text(sized.program)).c_str());
      }
    }
    for (char const* name : {"specialize", "annotate", "split_by_size"}) {
      qInfo("%s taken %d times", name, counts.taken[name]);
      QVERIFY2(counts.taken[name] >= traces / 40, name);
    }
    qInfo("%d values of %d schedules", programs, traces);
    QVERIFY(programs > traces);
  }

  void a_specialized_branch_is_as_fast_as_the_code_of_its_value() {
    Made const now = made({kTiledProduct, kSpecialized}), own = made({kTiledProduct, kOfTheValue});
    SizedProgram const& sized = *now.schedule.sized();
    Rng rng(7);
    auto inputs = testing::random_inputs(now.kernel, rng);
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
      bool fast = false;
      for (int stack = 0; stack < kStacks && !fast; ++stack) {
        Code all(*backend_, sized.program, inputs, tier),
            alone(*backend_, own.schedule.program(), inputs, tier);
        all.deeper = alone.deeper = stack * kNextStack;
        auto const& expected = alone.run({}, pool_);
        for (std::vector<int64_t> const& values : all_size_values(sized.program))
          QCOMPARE(all.run(values, pool_)[0].hash(), expected[0].hash());
        std::vector<double> ratios, of_others;
        for (int round = 0; round < 31; ++round) {
          double of_value = 0, of_branch = 0;
          for (bool first : {round % 2 == 0, round % 2 != 0})
            (first ? of_value : of_branch) =
                first ? alone.microseconds({}, pool_) : all.microseconds({4}, pool_);
          ratios.push_back(of_branch / of_value);
          of_others.push_back(all.microseconds({5}, pool_) / of_value);
        }
        qInfo("%s: with 4, its branch takes %.3f of the time of its own code; with 5 it takes %.2f",
              tier == CodeTier::kFast ? "fast" : "full", median(ratios), median(of_others));
        fast = median(ratios) < kLargeLoss && median(of_others) > kLargeLoss;
      }
      QVERIFY(fast);
    }
  }

private:
  static std::vector<NDArray> inputs_of(Made const& made, std::vector<int64_t> const& values) {
    Rng rng(7);
    return testing::random_inputs(
        te::with_values(made.kernel, testing::of_kernel(made.kernel, values)), rng);
  }

  /// Over some of the values, for code and tensors that are made anew.
  double median_ratio(Made const& made, char const* name) {
    SizedProgram const& sized = *made.schedule.sized();
    Code all(*backend_, sized.program, CodeTier::kFull);
    std::vector<std::vector<int64_t>> values = all_size_values(sized.program);
    std::vector<double> every;
    size_t step = std::max<size_t>(values.size() / 6, 1) | 1;  // remainders of every kind
    for (size_t at = 0; at < values.size(); at += step) {
      every.push_back(ratio(made, all, values[at]));
      qInfo("%s with %lld: %.3f of the time of its own code", name,
            static_cast<long long>(values[at][0]), every.back());
    }
    qInfo("%s: median %.3f", name, median(every));
    return median(every);
  }

  /// Of the time that one object takes with a value to that of the value's own code, by turns.
  double ratio(Made const& made, Code& all, std::vector<int64_t> const& values) {
    ir::Program const alone = with_sizes(made.schedule.sized()->program, values);
    Code own(*backend_, alone, CodeTier::kFull);
    auto inputs = inputs_of(made, values);
    own.use(alone, inputs);
    all.use(alone, inputs);
    own.deeper = all.deeper = depth_;
    // What takes a few microseconds is called so often that the clock does not matter.
    double once = own.microseconds({}, pool_);
    int calls = std::clamp(int(100 / std::max(once, 0.1)), 1, 200);
    auto timed = [&](Code& code, std::vector<int64_t> const& sizes) {
      double sum = 0;
      for (int call = 0; call < calls; ++call) sum += code.microseconds(sizes, pool_);
      return sum;
    };
    std::vector<double> ratios;
    for (int round = 0; round < 41; ++round) {
      double of_all = 0, of_own = 0;
      for (bool first : {round % 2 == 0, round % 2 != 0})
        (first ? of_all : of_own) = first ? timed(all, values) : timed(own, {});
      ratios.push_back(of_all / of_own);
    }
    return median(ratios);
  }

  /// What trials of many values would save, and pay: one object of all against one of a value.
  void tell_what_making_takes(Case const& one) const {
    auto since = [start = std::chrono::steady_clock::now()]() mutable {
      auto now = std::chrono::steady_clock::now(), before = std::exchange(start, now);
      return std::chrono::duration<double, std::milli>(now - before).count();
    };
    Made const open = made(one);
    double deciding = since();
    Code(*backend_, open.schedule.sized()->program, CodeTier::kFast);
    double of_all = since();
    Code(*backend_, open.schedule.program(), CodeTier::kFast);
    qInfo("its steps took %.0f ms for %zu values, its code %.1f ms, that of one value %.1f ms",
          deciding, all_size_values(open.schedule.sized()->program).size(), of_all, since());
  }

  static constexpr double kLargeLoss = 1.3;
  static constexpr int kStacks = 5, kNextStack = 784;  // bytes
  static constexpr int kCases = 7;
  static constexpr char const* names_[] = {"product",         "convolution", "depthwise",
                                           "product of rows", "open height", "layer norm",
                                           "softmax of rows"};
  static constexpr Case cases_[] = {kProduct,         kConvolution, kDepthwise,  kOpenProduct,
                                    kOpenConvolution, kOpenNorm,    kOpenSoftmax};
  std::shared_ptr<Backend const> backend_ = create_cpu_backend(detect_host()).value();
  ThreadPool pool_{1};
  int depth_ = 0;
};

QTEST_GUILESS_MAIN(SizesTest)
#include "sizes_test.moc"
