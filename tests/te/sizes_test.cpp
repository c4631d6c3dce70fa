// Kernels with sizes: their text, what they are with a value, and what is refused.
#include <QtTest>

#include "engine/arith/known_sizes.h"
#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/te/sizes.h"
#include "tests/support/open_kernels.h"

using namespace tw;

namespace {

constexpr char kHead[] = "tilewright te 1\n";

te::Kernel parsed(std::string const& text) {
  auto kernel = te::parse_kernel(kHead + text);
  if (!kernel) qFatal("%s", to_sentence(kernel.error()).c_str());
  return std::move(*kernel);
}

std::string refusal(std::string const& text) {
  auto kernel = te::parse_kernel(kHead + text);
  return kernel ? "" : kernel.error().message;
}

QString shown_text(te::Kernel const& kernel) {
  return QString::fromStdString(te::to_text(te::shown(kernel)));
}

constexpr char kDense[] =
    "kernel dense(X: f32[n, 64], W: f32[64, 32] @param) -> Y\n  size n in 1..64 = 16\n"
    "  Y[i in n as batch, j in 32] = sum[k in 64] X[i, k] * W[k, j]\n";

}  // namespace

class SizesTest : public QObject {
  Q_OBJECT
private slots:
  void open_kernels_print_and_parse_back() {
    for (char const* text : testing::kOpenKernels) {
      te::Kernel kernel = parsed(text);
      std::string printed = te::to_text(kernel);
      auto again = te::parse_kernel(printed);
      QVERIFY2(again, (printed + (again ? "" : to_sentence(again.error()))).c_str());
      QCOMPARE(te::to_text(*again), printed);
      QVERIFY(te::equal(*again, kernel));
    }
    std::string const dense = te::to_text(parsed(kDense));
    QVERIFY2(
        dense.ends_with(
            "size n in 1..64 = 16\n  Y[i in n as batch, j in 32]: f32 = sum[k in 64] X[i, k]*W[k, "
            "j]\n"),
        dense.c_str());
  }

  void with_a_value_it_is_the_kernel_of_the_number() {
    te::Kernel kernel = parsed(kDense);
    std::string fixed = kDense;
    fixed.erase(fixed.find("  size"), fixed.find("  Y[") - fixed.find("  size"));
    for (size_t at; (at = fixed.find("[n,")) != std::string::npos;) fixed.replace(at, 3, "[16,");
    fixed.replace(fixed.find("in n"), 4, "in 16");
    QCOMPARE(shown_text(kernel), QString::fromStdString(te::to_text(parsed(fixed))));
    QCOMPARE(ir::to_text(te::to_program(kernel).value()),
             ir::to_text(te::to_program(parsed(fixed)).value()));
  }

  void another_value_can_be_shown() {
    te::Kernel kernel = te::showing(parsed(kDense), {{"n", 17}}).value();
    QCOMPARE(kernel.sizes[0].shown, int64_t(17));
    QVERIFY(shown_text(kernel).contains("X: f32[17, 64]"));
    QVERIFY(shown_text(kernel).contains("i in 17 as batch"));
    QCOMPARE(kernel.stages[0].axes[0].extent, int64_t(17));
    QCOMPARE(te::showing(kernel, {{"m", 3}}).error().message,
             std::string("the kernel dense has no size m"));
    QCOMPARE(te::showing(kernel, {{"n", 65}}).error().message,
             std::string("the size n must be from 1 to 64, not 65"));
  }

  void without_a_value_the_greatest_is_shown() {
    te::Kernel kernel = parsed("kernel f(X: f32[n]) -> Y\n size n in 2..5\n Y[i in n] = X[i]\n");
    QCOMPARE(kernel.sizes[0].shown, int64_t(5));
  }

  void a_tensor_may_be_called_size() {
    te::Kernel kernel = parsed("kernel f(X: f32[4]) -> size\n  size[i in 4] = X[i]\n");
    QVERIFY(kernel.sizes.empty());
    QCOMPARE(kernel.outputs[0]->name, std::string("size"));
  }

  void the_open_program_prints_and_computes_what_each_value_does() {
    for (char const* text : testing::kOpenKernels) {
      te::Kernel kernel = parsed(text);
      ir::Program open = te::to_open_program(kernel).value();
      auto again = ir::parse_program(ir::to_text(open));
      QVERIFY2(again, ir::to_text(open).c_str());
      QVERIFY(ir::equal(*again, open));
      for (auto const& values : arith::all_size_values(open.sizes)) {
        ir::Program closed = te::to_program(te::with_values(kernel, values)).value();
        std::vector<NDArray> inputs;
        for (ir::Buffer const& input : closed.inputs) {
          inputs.push_back(NDArray::create(input->type, *ir::constant_shape(*input)).value());
          for (int64_t i = 0; i < inputs.back().size(); ++i)
            inputs.back().set_value(i, double(i * 7 % 11) - 3);
        }
        auto expected = ir::interpret(closed, inputs);
        auto outputs = ir::interpret(open, inputs, {.sizes = values});
        QVERIFY2(expected && outputs, text);
        for (size_t i = 0; i < outputs->size(); ++i)
          QCOMPARE((*outputs)[i].hash(), (*expected)[i].hash());
      }
    }
  }

  void what_sizes_cannot_be_is_refused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    auto row = [](char const* name, char const* sizes, char const* stage, char const* message) {
      QTest::newRow(name)
          << QString("kernel f(X: f32[n], W: f32[8]) -> Y\n%1  %2\n").arg(sizes, stage) << message;
    };
    char const* plain = "Y[i in n] = X[i]";
    row("zero", "  size n in 0..4\n", plain,
        "the size n is in 0..4: an extent is at least 1 and at most 1048576, and the maximum value "
        "not less than the minimum");
    row("empty", "  size n in 5..4\n", plain,
        "the size n is in 5..4: an extent is at least 1 and at most 1048576, and the maximum value "
        "not less than the minimum");
    row("far", "  size n in 1048576..1048577\n", plain,
        "the size n is in 1048576..1048577: an extent is at least 1 and at most 1048576, and the "
        "maximum value not less than the minimum");
    row("shown", "  size n in 1..4 = 5\n", plain,
        "the size n is to be shown at 5, which is not in 1..4");
    row("too many", "  size n in 1..129\n", plain,
        "with n the sizes take more than 128 values together, and each is looked at by itself");
    row("too many together", "  size n in 1..16\n  size m in 1..9\n", plain,
        "with m the sizes take more than 128 values together, and each is looked at by itself");
    row("of nothing", "  size n in 1..4\n  size m in 1..4\n", plain,
        "the size m is in the shape of no input and no output");
    row("twice", "  size n in 1..4\n  size n in 1..5\n", plain, "two sizes are named n");
    row("axis", "  size n in 1..4\n", "Y[n in n] = X[n]", "stage Y: rename axis n: n is a size");
    row("product", "  size n in 1..4\n", "Y[i in n*n] = X[0]",
        "the extent of 'i' is no sum of sizes and numbers");
    row("huge", "  size n in 1..4\n", "Y[i in n*1099511627776*1099511627776] = X[0]",
        "the extent of 'i' is no sum of sizes and numbers");
    row("outside", "  size n in 1..9 = 4\n", "Y[i in n] = W[i] + X[i]",
        "with n=9: stage Y reads 'W' out of bounds: its index i ranges from 0 to 8, but dimension "
        "0 only from 0 to 7");
    row("no elements", "  size n in 1..9 = 4\n", "Y[i in n - 2] = X[i]",
        "with n=1: stage Y: axis i has no elements");
    row("unknown", "  size n in 1..9 = 4\n", "Y[i in m] = X[i]",
        "'m' is not an axis or size in scope here");
  }
  void what_sizes_cannot_be_is_refused() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    QCOMPARE(QString::fromStdString(refusal(text.toStdString())), message);
  }
};

QTEST_GUILESS_MAIN(SizesTest)
#include "sizes_test.moc"
