// Generated code: mathematics, links from instructions to loops, default schedules.
#include <QtTest>

#include <cmath>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/support/compiled.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

constexpr char kConv[] =
    "tilewright te 1\n"
    "kernel conv2d(X: f32[1, 64, 56, 56], W: f32[64, 64, 3, 3], B: f32[64]) -> Y\n"
    "  pad[n in 1, c in 64, y in 58, x in 58] = select(1 <= y && y < 57 && 1 <= x && x < 57, X[n, "
    "c, y-1, x-1], 0)\n"
    "  conv[n in 1, o in 64, y in 56, x in 56] op conv2d = sum[c in 64, r in 3, s in 3] pad[n, c, "
    "y+r, x+s] * W[o, c, r, s]\n"
    "  Y[n in 1, o in 64, y in 56, x in 56] op relu = max(conv[n, o, y, x] + B[o], 0)\n";

/// Units in the last place of f32 between two values.
double ulps(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  if (!std::isfinite(got) || !std::isfinite(want)) return 1e9;
  double step =
      std::max(std::ldexp(1.0, std::ilogb(want == 0 ? 1e-38 : want) - 23), std::ldexp(1.0, -149));
  return std::fabs(got - want) / step;
}

}  // namespace

class CodeTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { backend_ = create_cpu_backend(detect_host()).value(); }

  /// What another machine has an instruction for is done here by what it says.
  void an_intrinsic_of_another_machine_is_written_out() {
    ir::Program program =
        ir::parse_program(
            "tilewright program 1\nintrinsic mma(update c: f32[4])\n  c[0] = c[0]+1.0\n"
            "program f(X: f32[4]) -> (Y: f32[4])\n  for i in 4\n    block Y(v: 4 = i)\n"
            "      Y[v] = X[v]\n  block more()\n    call mma(Y[a] over (a in 4))\n")
            .value();
    auto stages = lower(program, backend_->target(), backend_->passes()).value();
    NDArray x = NDArray::create(DType::kF32, {4}).value();
    for (int64_t i = 0; i < 4; ++i) x.set_value(i, double(i) * 3);
    ThreadPool pool(1);
    auto outputs =
        testing::run_compiled(stages.back().kernel, program, {x}, *backend_, CodeTier::kFast, pool);
    QVERIFY2(outputs, outputs ? "" : to_sentence(outputs.error()).c_str());
    for (int64_t i = 0; i < 4; ++i)
      QCOMPARE((*outputs)[0].value_at(i), double(i) * 3 + (i == 0 ? 1 : 0));
  }

  void elementary_functions_are_within_four_units_in_the_last_place_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    for (auto const& [name, low, high] : {std::tuple{"exp", -104.0, 89.0},
                                          {"log", 1e-40, 1e30},
                                          {"tanh", -12.0, 12.0},
                                          {"erf", -4.5, 4.5},
                                          {"sqrt", 0.0, 1e20},
                                          {"sin", -1000.0, 1000.0},
                                          {"cos", -1000.0, 1000.0},
                                          {"floor", -1e5, 1e5},
                                          {"ceil", -1e5, 1e5}})
      QTest::newRow(name) << name << low << high;
  }
  void elementary_functions_are_within_four_units_in_the_last_place() {
    QFETCH(QString, name);
    QFETCH(double, low);
    QFETCH(double, high);
    auto kernel =
        te::parse_kernel(
            ("tilewright te 1\nkernel f(X: f32[4096]) -> Y\n  Y[i in 4096] = " + name + "(X[i])\n")
                .toStdString())
            .value();
    auto program = te::to_program(kernel).value();
    NDArray x = NDArray::create(DType::kF32, {4096}).value();
    Rng rng(3);
    for (int64_t i = 0; i < x.size(); ++i) {
      double u = double(i) / 4095;
      x.set_value(i, name == "log" || name == "sqrt"
                         ? low * std::pow(high / std::max(low, 1e-30), u) +
                               (low == 0 ? std::pow(10, -20 + 40 * u) : 0)
                         : low + (high - low) * u);
    }
    double const odd[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1, -1};
    for (int i = 0; i < 7; ++i) x.set_value(i * 13, odd[i]);
    ThreadPool pool(1);
    for (char const* script : {"", "i.0, i.1 = split(Y.i, factor=16)\nvectorize(i.1)\n"}) {
      Schedule schedule = replay(Schedule(program), parse_script(script, "", true).value()).value();
      auto stages = lower(schedule.program(), backend_->target(), backend_->passes()).value();
      auto outputs = testing::run_compiled(stages.back().kernel, program, {x}, *backend_,
                                           CodeTier::kFast, pool)
                         .value();
      double worst = 0;
      for (int64_t i = 0; i < x.size(); ++i) {
        double v = x.value_at(i);
        double want = name == "exp"     ? std::exp(v)
                      : name == "log"   ? std::log(v)
                      : name == "tanh"  ? std::tanh(v)
                      : name == "erf"   ? std::erf(v)
                      : name == "sqrt"  ? std::sqrt(v)
                      : name == "sin"   ? std::sin(v)
                      : name == "cos"   ? std::cos(v)
                      : name == "floor" ? std::floor(v)
                                        : std::ceil(v);
        double error = ulps(outputs[0].value_at(i), double(float(want)));
        QVERIFY2(error <= 4, qPrintable(QString("%1(%2) = %3, not %4")
                                            .arg(name)
                                            .arg(v)
                                            .arg(outputs[0].value_at(i))
                                            .arg(want)));
        worst = std::max(worst, error);
      }
      qInfo("%s: at most %.2f units in the last place", qPrintable(name), worst);
    }
  }

  /// Where a formula ends and the next one begins, too.
  void functions_of_doubles_are_within_four_units_in_the_last_place() {
    struct Row {
      char const* name;
      double low, high;
      double (*right)(double);
    };
    constexpr int kCount = 5000;
    for (Row const& row : {Row{"exp", -700, 700, std::exp}, Row{"log", 0.5, 2, std::log},
                           Row{"log", 1e-5, 1e5, std::log}, Row{"tanh", -1.1, 1.1, std::tanh},
                           Row{"tanh", 1, 20, std::tanh}, Row{"erf", -0.8, 0.8, std::erf},
                           Row{"erf", 0.7, 2.8, std::erf}, Row{"erf", 2.7, 6, std::erf},
                           Row{"sin", -10, 10, std::sin}, Row{"cos", -1000, 1000, std::cos}}) {
      std::string count = std::to_string(kCount);
      auto kernel = te::parse_kernel("tilewright te 1\nkernel f(X: f64[" + count +
                                     "]) -> Y\n  Y[i in " + count + "] = " + row.name + "(X[i])\n");
      auto program = te::to_program(kernel.value()).value();
      NDArray x = NDArray::create(DType::kF64, {kCount}).value();
      for (int64_t i = 0; i < kCount; ++i)
        x.set_value(i, row.low + (row.high - row.low) * (double(i) + 0.37) / kCount);
      auto stages = lower(program, backend_->target(), backend_->passes()).value();
      ThreadPool pool(1);
      for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
        auto outputs =
            testing::run_compiled(stages.back().kernel, program, {x}, *backend_, tier, pool);
        for (int64_t i = 0; i < kCount; ++i) {
          double want = row.right(x.value_at(i)), got = outputs.value()[0].value_at(i);
          double unit = std::nextafter(std::abs(want), INFINITY) - std::abs(want);
          QVERIFY2(std::abs(got - want) <= 4 * unit,
                   qPrintable(QString("%1(%2): %3 units")
                                  .arg(row.name)
                                  .arg(x.value_at(i), 0, 'g', 17)
                                  .arg(std::abs(got - want) / unit)));
        }
      }
    }
  }

  void every_instruction_of_a_body_knows_its_loops_in_the_fast_tier() {
    auto program = te::to_program(te::parse_kernel(kConv).value()).value();
    auto scheduled =
        replay(Schedule(program), parse_script(backend_->default_script(program).value()).value())
            .value();
    auto stages = lower(scheduled.program(), backend_->target(), backend_->passes()).value();
    auto artifact =
        backend_->compile(stages.back().kernel, CodeTier::kFast, CodeTexts::kAll).value();
    QVERIFY(artifact.listings.back().text.find("vfmadd") != std::string::npos ||
            backend_->target().hardware.unit().vector_bytes < 32);
    int instructions = 0, linked = 0, in_loops = 0;
    for (int32_t line : artifact.listings.back().source_line) {
      if (line == 0) continue;
      ++instructions;
      QVERIFY(size_t(line) <= artifact.lowered.lines.size());
      ++linked;
      in_loops += !artifact.lowered.lines[size_t(line) - 1].around.empty();
    }
    qInfo("%d instructions with a line, %d inside of loops", instructions, in_loops);
    QVERIFY(instructions > 100);
    QVERIFY(in_loops * 10 >= instructions * 8);
    QCOMPARE(linked, instructions);
  }

  void a_default_schedule_fits_every_small_kernel_and_is_right() {
    ThreadPool pool(2);
    Rng rng(4);
    for (size_t i = 0; i < testing::small_kernels().size(); ++i) {
      auto program = testing::small_program(i).value();
      std::string script = backend_->default_script(program).value();
      QVERIFY(std::count(script.begin(), script.end(), '\n') <= 25);
      auto scheduled = replay(Schedule(program), parse_script(script).value());
      QVERIFY2(scheduled, scheduled ? "" : (scheduled.error().message + "\n" + script).c_str());
      auto inputs = testing::random_inputs(program, rng);
      auto stages = lower(scheduled->program(), backend_->target(), backend_->passes()).value();
      auto outputs = testing::run_compiled(stages.back().kernel, program, inputs, *backend_,
                                           CodeTier::kFull, pool)
                         .value();
      QVERIFY2(compare(outputs[0], ir::interpret(program, inputs).value()[0], 1e-5).equal,
               script.c_str());
    }
  }

  /// Few elements that lie apart in memory are loaded one by one, whatever the lanes: the plain
  /// nest is faster. More of them, or a function of them, are made vectors of.
  void a_default_schedule_of_a_narrow_transpose_is_the_plain_nest() {
    int64_t half = backend_->target().lanes(DType::kF32) / 2;
    auto script_of = [&](int64_t columns, std::string const& value) {
      std::string text = "kernel turn(X: f32[" + std::to_string(columns) +
                         ", 100]) -> Y\n  Y[j in 100, i in " + std::to_string(columns) +
                         "] = " + value + "\n";
      te::Kernel kernel = testing::parsed_kernel(text).value();
      return backend_->default_script(te::to_program(kernel).value()).value();
    };
    for (int64_t columns : {int64_t(2), half - 1, half})
      QVERIFY(script_of(columns, "X[i, j] * 2.0").find("vectorize") == std::string::npos);
    QVERIFY(script_of(half + 1, "X[i, j] * 2.0").find("vectorize") != std::string::npos);
    QVERIFY(script_of(half, "exp(X[i, j])").find("vectorize") != std::string::npos);
  }

  /// The rule for packed weights: lanes over output channels, a turned tile, an epilogue in it;
  /// with planes whose extents are prime, one with an epilogue and one without.
  void a_default_schedule_of_packed_weights_is_right() {
    constexpr char kPacked[] =
        "tilewright te 1\n"
        "kernel conv(X: f32[1, 5, 15, 15], W: f32[2, 5, 3, 3, 16], B: f32[32]) -> %1\n"
        "  conv2d[n in 1, o in 32, y in 13, x in 13] = sum[c in 5, r in 3, s in 3] X[n, c, y+r, "
        "x+s] * W[o//16, c, r, s, o%16]\n"
        "  relu[n in 1, o in 32, y in 13, x in 13] = max(conv2d[n, o, y, x] + B[o], 0)\n";
    ThreadPool pool(2);
    Rng rng(9);
    for (char const* output : {"relu", "conv2d"}) {
      std::string text = QString(kPacked).arg(output).toStdString();
      if (std::string(output) == "conv2d") text.resize(text.rfind("  relu["));
      auto program = te::to_program(te::parse_kernel(text).value()).value();
      std::string script = backend_->default_script(program).value();
      QVERIFY2(script.find("transform_layout(conv2d, layout=ACDB)") != std::string::npos,
               script.c_str());
      QVERIFY(std::count(script.begin(), script.end(), '\n') <= 25);
      auto scheduled = replay(Schedule(program), parse_script(script).value()).value();
      auto stages = lower(scheduled.program(), backend_->target(), backend_->passes()).value();
      auto inputs = testing::random_inputs(program, rng);
      for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
        auto outputs =
            testing::run_compiled(stages.back().kernel, program, inputs, *backend_, tier, pool);
        QVERIFY2(outputs, script.c_str());
        QVERIFY2(compare((*outputs)[0], ir::interpret(program, inputs).value()[0], 1e-5).equal,
                 script.c_str());
      }
    }
  }

  /// Partial sums in lanes: rows that fill vectors, and rows with a guarded rest.
  void a_default_schedule_of_sums_along_memory_is_right() {
    ThreadPool pool(2);
    Rng rng(12);
    for (int extent : {64, 141}) {
      std::string text = QString(
                             "tilewright te 1\n"
                             "kernel softmax(X: f32[5, %1]) -> Y\n"
                             "  m[b in 5] = max[k in %1] X[b, k]\n"
                             "  e[b in 5, i in %1] = exp(X[b, i] - m[b])\n"
                             "  t[b in 5] = sum[k in %1] e[b, k]\n"
                             "  Y[b in 5, i in %1] = e[b, i] / t[b]\n")
                             .arg(extent)
                             .toStdString();
      auto program = te::to_program(te::parse_kernel(text).value()).value();
      std::string script = backend_->default_script(program).value();
      QVERIFY2(script.find("rfactor(m.k.1)") != std::string::npos, script.c_str());
      QVERIFY2(script.find("rfactor(t.k.1)") != std::string::npos, script.c_str());
      QVERIFY(std::count(script.begin(), script.end(), '\n') <= 25);
      auto scheduled = replay(Schedule(program), parse_script(script).value()).value();
      auto stages = lower(scheduled.program(), backend_->target(), backend_->passes()).value();
      auto inputs = testing::random_inputs(program, rng);
      auto outputs = testing::run_compiled(stages.back().kernel, program, inputs, *backend_,
                                           CodeTier::kFull, pool)
                         .value();
      QVERIFY2(compare(outputs[0], ir::interpret(program, inputs).value()[0], 1e-5).equal,
               script.c_str());
    }
  }

  /// A lane beside the tensor, or beside what a select wants, divides by nothing.
  void masked_lanes_do_not_divide() {
    constexpr char kText[] =
        "tilewright te 1\n"
        "kernel mod(X: i64[22], Z: i64[22]) -> Y\n"
        "  Y[x in 22] = select(X[x] < 0, 0 - (0 - X[x]) % Z[x], X[x] % Z[x])\n";
    auto program = te::to_program(te::parse_kernel(kText).value()).value();
    std::string script = backend_->default_script(program).value();
    auto scheduled = replay(Schedule(program), parse_script(script).value()).value();
    auto stages = lower(scheduled.program(), backend_->target(), backend_->passes()).value();
    NDArray x = NDArray::create(DType::kI64, {22}).value(), z = x.clone();
    for (int64_t i = 0; i < 22; ++i)
      x.set_value(i, double(i * 7 % 19 - 9)), z.set_value(i, double(i % 5 + 1));
    ThreadPool pool(2);
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
      auto outputs =
          testing::run_compiled(stages.back().kernel, program, {x, z}, *backend_, tier, pool);
      QVERIFY2(outputs, script.c_str());
      QVERIFY(compare((*outputs)[0], ir::interpret(program, {x, z}).value()[0], 0, 0).equal);
    }
  }

  /// Of the lanes that a guard leaves, one adds to a sum that does not move with the lanes.
  void one_lane_of_a_sum_is_left() {
    constexpr char kText[] =
        "tilewright te 1\n"
        "kernel sums(X: f32[4, 3]) -> Y\n"
        "  Y[o in 4] = sum[c in 3] X[o, c]\n";
    auto program = te::to_program(te::parse_kernel(kText).value()).value();
    constexpr char kScript[] =
        "c.0, c.1 = split(Y.c, factor=2)\n"
        "c.0.0, c.0.1 = loop_partition(Y.c.0, at=1)\n"
        "vectorize(Y_2.c.1)\n";
    auto scheduled = replay(Schedule(program), parse_script(kScript, "", true).value());
    QVERIFY2(scheduled, scheduled ? "" : scheduled.error().message.c_str());
    auto stages = lower(scheduled->program(), backend_->target(), backend_->passes()).value();
    NDArray x = NDArray::create(DType::kF32, {4, 3}).value();
    for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, double(i * i));
    ThreadPool pool(1);
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull, CodeTier::kChecked}) {
      auto outputs =
          testing::run_compiled(stages.back().kernel, program, {x}, *backend_, tier, pool);
      QVERIFY2(outputs, outputs ? "" : to_sentence(outputs.error()).c_str());
      QVERIFY(compare((*outputs)[0], ir::interpret(program, {x}).value()[0], 0, 0).equal);
    }
  }

  /// Two nests under a guard add to lanes of one register: each leaves those of the other.
  void lanes_that_a_guard_leaves_out_keep_their_sum() {
    constexpr char kText[] =
        "tilewright program 1\n"
        "program sums(X: f32[4]) -> (Y: f32[8])\n"
        "  vector i in 8\n"
        "    block start(v: 8 = i)\n"
        "      Y[v] = 1.0\n"
        "  for k in 4\n"
        "    vector i in 8\n"
        "      block even(v: 8 = i, reduce vk: 4 = k) if i%2 < 1\n"
        "        Y[v] = Y[v]+X[vk]\n"
        "    vector i in 8\n"
        "      block third(v: 8 = i, reduce vk: 4 = k) if 0 < i%3\n"
        "        Y[v] = Y[v]+X[vk]*2.0\n";
    auto program = ir::parse_program(kText);
    QVERIFY2(program, program ? "" : to_sentence(program.error()).c_str());
    auto stages = lower(*program, backend_->target(), backend_->passes()).value();
    QVERIFY(ir::print(stages.back().kernel).text.contains("@register"));
    NDArray x = NDArray::create(DType::kF32, {4}).value();
    for (int64_t k = 0; k < 4; ++k) x.set_value(k, double(k + 1));
    ThreadPool pool(1);
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull, CodeTier::kChecked}) {
      auto outputs =
          testing::run_compiled(stages.back().kernel, *program, {x}, *backend_, tier, pool);
      QVERIFY2(outputs, outputs ? "" : to_sentence(outputs.error()).c_str());
      QVERIFY(compare((*outputs)[0], ir::interpret(*program, {x}).value()[0], 0, 0).equal);
    }
  }

  /// The index of an outer loop comes from memory, those of inner loops do not.
  void an_index_that_is_read_stands_where_it_is_used() {
    constexpr char kText[] =
        "tilewright te 1\n"
        "kernel gather(X: f32[5, 4, 3], I: i64[3]) -> Y\n"
        "  Y[k in 3, y in 4, x in 3] = X[max(0, min(I[k], 4)), y, x]\n";
    auto program = te::to_program(te::parse_kernel(kText).value()).value();
    NDArray x = NDArray::create(DType::kF32, {5, 4, 3}).value();
    NDArray indices = NDArray::create(DType::kI64, {3}).value();
    for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, double(i));
    for (int64_t k = 0; k < 3; ++k) indices.set_value(k, double(4 - 2 * k));
    ThreadPool pool(2);
    for (std::string script : {std::string("tilewright schedule 1\nfor gather\n"),
                               backend_->default_script(program).value()}) {
      auto scheduled = replay(Schedule(program), parse_script(script).value()).value();
      auto stages = lower(scheduled.program(), backend_->target(), backend_->passes()).value();
      auto outputs = testing::run_compiled(stages.back().kernel, program, {x, indices}, *backend_,
                                           CodeTier::kFull, pool);
      QVERIFY2(outputs, outputs ? "" : to_sentence(outputs.error()).c_str());
      QVERIFY(compare((*outputs)[0], ir::interpret(program, {x, indices}).value()[0], 0, 0).equal);
    }
  }

  void compiling_is_quick() {
    auto program = te::to_program(te::parse_kernel(kConv).value()).value();
    auto scheduled =
        replay(Schedule(program), parse_script(backend_->default_script(program).value()).value())
            .value();
    QElapsedTimer timer;
    qint64 best = 1 << 30;
    for (int round = 0; round < 3; ++round) {
      timer.start();
      auto stages = lower(scheduled.program(), backend_->target(), backend_->passes()).value();
      QVERIFY(backend_->compile(stages.back().kernel, CodeTier::kFast, CodeTexts::kNone));
      best = std::min(best, timer.elapsed());
    }
    qInfo("a 3x3 convolution of 64 channels: %lld ms from program to library",
          static_cast<long long>(best));
    QVERIFY(best < 500);
  }

private:
  std::shared_ptr<Backend const> backend_;
};

QTEST_GUILESS_MAIN(CodeTest)
#include "code_test.moc"
