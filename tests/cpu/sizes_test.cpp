// One piece of code for every value of a size: what it computes, and how fast, beside the code that
// was made for each value.
#include <QtTest>

#include <algorithm>
#include <chrono>

#include "engine/ir/interpreter.h"
#include "engine/schedule/open_sizes.h"
#include "engine/schedule/trace.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/support/compiled.h"
#include "tests/support/random_schedules.h"

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

/// Code that can be called again and again on the same tensors.
class Code {
public:
  Code(Backend const& backend, ir::Program const& program, std::vector<NDArray> inputs,
       CodeTier tier)
      : inputs_(std::move(inputs)) {
    auto stages =
        lower(program, backend.target(), backend.passes(), {.verify = VerifyPasses::kEach});
    if (!stages) qFatal("%s", to_sentence(stages.error()).c_str());
    artifact_ = backend.compile(stages->back().kernel, tier, CodeTexts::kNone).value();
    module_.emplace(LoadedModule::load(artifact_.library).value());
    kernel_ = reinterpret_cast<TwKernel>(module_->symbol(artifact_.symbol).value());
    workspace_ = NDArray::create(DType::kU8, {artifact_.workspace_bytes + 64}).value();
    for (ir::Buffer const& output : program.outputs)
      outputs_.push_back(NDArray::create(output->type, *ir::constant_shape(*output)).value());
  }

  /// The sizes come first, where the code has some.
  std::vector<NDArray> const& run(std::vector<int64_t> sizes, ThreadPool& pool) {
    std::vector<void*> buffers;
    if (!sizes.empty()) buffers.push_back(sizes.data());
    for (NDArray& input : inputs_) buffers.push_back(input.data());
    for (NDArray& output : outputs_) buffers.push_back(output.data());
    buffers.push_back(workspace_.data());
    if (kernel_(buffers.data(), pool.runtime()) != 0) qFatal("the kernel failed");
    return outputs_;
  }

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
  auto schedule = replay(Schedule(te::to_program(kernel).value()), script);
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
    for (int i = 0; i < 3; ++i) QTest::addRow("%s", names_[i]) << i;
  }
  void one_object_computes_what_the_code_of_each_value_does() {
    QFETCH(int, number);
    Made const now = made(cases_[number]);
    SizedProgram const& sized = *now.schedule.sized();
    Rng rng(7);
    auto inputs = testing::random_inputs(now.kernel, rng);
    Code all(*backend_, sized.program, inputs, CodeTier::kFast);
    for (std::vector<int64_t> const& values : all_size_values(sized.program)) {
      ir::Program const alone = with_sizes(sized.program, values);
      Code own(*backend_, alone, inputs, CodeTier::kFast);
      auto const &expected = own.run({}, pool_), &outputs = all.run(values, pool_);
      for (size_t i = 0; i < outputs.size(); ++i) QCOMPARE(outputs[i].hash(), expected[i].hash());
    }
  }

  /// Of all values the same work, so that what differs is how well the code is made. The figures
  /// are printed; only a large loss fails, as neighbours on the machine disturb.
  void it_is_as_fast_as_the_code_of_a_value_data() {
    one_object_computes_what_the_code_of_each_value_does_data();
  }
  void it_is_as_fast_as_the_code_of_a_value() {
    QFETCH(int, number);
    Made const now = made(cases_[number]);
    SizedProgram const& sized = *now.schedule.sized();
    Rng rng(7);
    auto inputs = testing::random_inputs(now.kernel, rng);
    Code all(*backend_, sized.program, inputs, CodeTier::kFull);
    std::vector<std::vector<int64_t>> values = all_size_values(sized.program);
    std::vector<double> every;
    for (size_t at = 0; at < values.size(); at += std::max<size_t>(values.size() / 6, 1)) {
      Code own(*backend_, with_sizes(sized.program, values[at]), inputs, CodeTier::kFull);
      std::vector<double> ratios;
      for (int round = 0; round < 31; ++round) {
        double of_all = 0, of_own = 0;
        for (bool first : {round % 2 == 0, round % 2 != 0})
          (first ? of_all : of_own) =
              first ? all.microseconds(values[at], pool_) : own.microseconds({}, pool_);
        ratios.push_back(of_all / of_own);
      }
      every.push_back(median(ratios));
      qInfo("%s with %lld: %.3f of the time of its own code", names_[number],
            static_cast<long long>(values[at][0]), every.back());
    }
    qInfo("%s: median %.3f", names_[number], median(every));
    QVERIFY(median(every) < 1.3);
  }

private:
  static constexpr char const* names_[] = {"product", "convolution", "depthwise"};
  static constexpr Case cases_[] = {kProduct, kConvolution, kDepthwise};
  std::shared_ptr<Backend const> backend_ = create_cpu_backend(detect_host()).value();
  ThreadPool pool_{1};
};

QTEST_GUILESS_MAIN(SizesTest)
#include "sizes_test.moc"
