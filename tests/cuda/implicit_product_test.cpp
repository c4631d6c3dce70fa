// Convolutions as matrix products whose factors are made tile by tile: the default schedule of such
// types, right on the interpreter, assembled without spills, and in few lines.
#include <QtTest>

#include "engine/lowering/pipeline.h"
#include "engine/te/inputs.h"
#include "targets/cuda/compiler/toolkit.h"
#include "tests/support/bound_kernels.h"
#include "tests/support/cuda_gpus.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

struct Conv {
  int64_t batch = 1, channels = 16, height = 9, width = 9, made = 32, window = 3, stride = 1;
  int64_t padding = 1;
  std::string factor = "f16", sum = "f32", after = {};  ///< expression of C[n, o, y, x]
};

/// "X[n, c, y-1, x-1]" with zeros around it.
std::string text_of(Conv const& c) {
  int64_t high = c.height + 2 * c.padding, wide = c.width + 2 * c.padding;
  int64_t rows = (high - c.window) / c.stride + 1, columns = (wide - c.window) / c.stride + 1;
  std::string text = fmt::format(
      "tilewright te 1\nkernel conv(X: {0}[{1}, {2}, {3}, {4}], W: {0}[{5}, {2}, {6}, "
      "{6}]) -> {7}\n",
      c.factor, c.batch, c.channels, c.height, c.width, c.made, c.window,
      c.after.empty() ? "C" : "Y");
  if (c.padding > 0)
    text += fmt::format(
        "  P[n in {0}, c in {1}, y in {2}, x in {3}] = select({4} <= y && y < {5} && {4} <= x && x "
        "< {6}, X[n, c, y-{4}, x-{4}], {7}(0))\n",
        c.batch, c.channels, high, wide, c.padding, c.height + c.padding, c.width + c.padding,
        c.factor);
  text += fmt::format(
      "  C[n in {0}, o in {1}, y in {2}, x in {3}]: {4} = sum[c in {5}, r in {6}, s in {6}] "
      "{4}({7}[n, c, y*{8}+r, x*{8}+s]) * {4}(W[o, c, r, s])\n",
      c.batch, c.made, rows, columns, c.sum, c.channels, c.window, c.padding > 0 ? "P" : "X",
      c.stride);
  if (!c.after.empty())
    text += fmt::format("  Y[n in {}, o in {}, y in {}, x in {}] = {}\n", c.batch, c.made, rows,
                        columns, c.after);
  return text;
}

struct Made {
  te::Kernel kernel;
  Schedule schedule;
  ir::KernelIr lowered;
};

Result<Made> default_of(std::string const& text, Backend const& backend) {
  TRY_ASSIGN(te::Kernel kernel, te::parse_kernel(text));
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  TRY_ASSIGN(Schedule schedule, backend.default_schedule(program));
  TRY_ASSIGN(auto stages, lower(schedule.program(), backend.target(), backend.passes(),
                                {.off = {}, .verify = VerifyPasses::kEach, .observe = {}}));
  return Made{std::move(kernel), std::move(schedule), std::move(stages.back().kernel)};
}

}  // namespace

class ImplicitProductTest : public QObject {
  Q_OBJECT
private slots:
  void a_convolution_is_a_product_by_default_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("unit");
    auto row = [](char const* name, char const* unit, Conv const& conv) {
      QTest::newRow(name) << QString::fromStdString(text_of(conv)) << unit;
    };
    row("padded", "mma_f16", {});
    row("nothing whole", "mma_bf16",
        {.channels = 5, .height = 11, .width = 7, .made = 13, .factor = "bf16"});
    row("stride 2 without padding", "mma_f16",
        {.height = 13, .width = 15, .stride = 2, .padding = 0});
    row("stride 2, window of 7", "mma_f16",
        {.channels = 3, .height = 20, .width = 18, .window = 7, .stride = 2, .padding = 3});
    row("1x1", "mma_f16", {.channels = 32, .height = 8, .width = 8, .window = 1, .padding = 0});
    row("1x1, stride 2", "mma_bf16",
        {.channels = 40,
         .height = 15,
         .width = 15,
         .window = 1,
         .stride = 2,
         .padding = 0,
         .factor = "bf16"});
    row("in batches", "mma_f16", {.batch = 3, .height = 8, .width = 8});
    row("bytes", "mma_i8",
        {.batch = 2, .channels = 9, .height = 8, .width = 7, .factor = "i8", .sum = "i32"});
    row("with what comes after", "mma_f16", {.batch = 2, .after = "max(C[n, o, y, x], 0)"});
    row("of many terms", "mma_f16", {.channels = 128, .height = 7, .width = 7, .made = 64});
  }
  void a_convolution_is_a_product_by_default() {
    QFETCH(QString, text);
    QFETCH(QString, unit);
    for (char const* gpu : {"a100", "h100"}) {
      auto backend = testing::backend_for(gpu);
      auto made = default_of(text.toStdString(), *backend);
      QVERIFY2(made, sentence(made).c_str());
      std::string const script = made->schedule.script();
      QVERIFY2(script.contains("intrinsic=" + unit.toStdString()), script.c_str());
      Rng rng(40);
      std::vector<NDArray> inputs = testing::random_inputs(made->kernel, rng);
      auto wanted = ir::interpret(made->schedule.origin(), inputs).value();
      ir::Sharing sharing = placed_sharing(backend->target());
      auto interpreted =
          ir::interpret(made->lowered, inputs.size(), inputs,
                        {.shuffle_seed = 5, .sizes = {}, .sharing = &sharing, .stop = {}});
      QVERIFY2(interpreted, sentence(interpreted).c_str());
      QCOMPARE(testing::difference(wanted, *interpreted), std::string());
      if (cuda::find_toolkit().ptxas.empty()) continue;
      auto code = backend->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
      QVERIFY2(code, sentence(code).c_str());
      std::string const& resources = code->listings[3].text;
      QVERIFY2(resources.contains("spills         none"), resources.c_str());
    }
  }

  void others_are_no_products_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("f32") << QString::fromStdString(text_of({.factor = "f32"}));
    QTest::newRow("depthwise")
        << "tilewright te 1\nkernel conv(X: f16[1, 32, 10, 10], W: f16[32, 3, 3]) -> C\n"
           "  C[n in 1, o in 32, y in 8, x in 8]: f32 = sum[r in 3, s in 3] f32(X[n, o, y+r, x+s]) "
           "* f32(W[o, r, s])\n";
    QTest::newRow("in groups")
        << "tilewright te 1\nkernel conv(X: f16[1, 32, 10, 10], W: f16[32, 16, 3, 3]) -> C\n"
           "  C[n in 1, o in 32, y in 8, x in 8]: f32 = sum[c in 16, r in 3, s in 3] "
           "f32(X[n, o // 16 * 16 + c, y+r, x+s]) * f32(W[o, c, r, s])\n";
  }
  void others_are_no_products() {
    QFETCH(QString, text);
    auto backend = testing::backend_for("a100");
    auto made = default_of(text.toStdString(), *backend);
    QVERIFY2(made, sentence(made).c_str());
    std::string const script = made->schedule.script();
    QVERIFY2(!script.contains("intrinsic=mma_"), script.c_str());
  }
};

QTEST_GUILESS_MAIN(ImplicitProductTest)
#include "implicit_product_test.moc"
