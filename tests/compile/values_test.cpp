// Elements at which formulas that are right elsewhere go wrong, compiled and by the references:
// near zero, at infinities, at the ends of integers, in long sums of narrow floats.
#include <QtTest>

#include <cmath>
#include <limits>

#include "app/shared/environment.h"
#include "engine/compile/plan.h"
#include "engine/device/local_device.h"
#include "engine/execute/compiled_model.h"
#include "engine/graph/pipeline.h"
#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "tests/support/line_models.h"
#include "tests/support/paths.h"

using namespace tw;
using tw::testing::model_of;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

NDArray array_of(DType type, Shape const& shape, std::vector<double> const& values) {
  NDArray array = NDArray::create(type, shape).value();
  for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, values[size_t(i) % values.size()]);
  return array;
}

/// A model of one node whose operands are inputs, of whatever type.
ImportedModel model_for(std::string const& line, std::vector<NDArray> const& inputs) {
  ImportedModel model = model_of({line}, {1});
  model.graph.inputs.clear();
  for (size_t i = 0; i < inputs.size(); ++i) {
    ForeignValue value{model.graph.nodes[0].inputs[i], ForeignKind::kTensor, inputs[i].type(),
                       std::vector<ForeignDim>()};
    for (int64_t extent : inputs[i].shape()) value.dims->push_back({extent, ""});
    model.graph.inputs.push_back(value);
  }
  return model;
}

bool is_like(double actual, double expected, double relative) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(expected) || expected == 0) return actual == expected;
  return std::abs(actual - expected) <= relative * std::abs(expected);
}

}  // namespace

class ValuesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { environment_ = make_environment().value(); }

  void functions_of_one_element() {
    auto softplus = [](double x) {
      return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    };
    check("y = Softplus x", {-17, -5, -40, -80, 0, 3, 90}, softplus);
    check("y = Asinh x", {1e-6, -3e-5, 2e-3, 0.1, 1, -50, 1e9, -1e20, 3e38},
          [](double x) { return std::asinh(x); });
    check("y = Atanh x", {1e-6, -3e-5, 2e-3, 0.5, -0.99}, [](double x) { return std::atanh(x); });
    check("y = Acosh x", {1, 1.00001, 1.01, 2, 1e9, 1e20}, [](double x) { return std::acosh(x); });
  }

  void powers_with_infinities_and_zeros() {
    std::vector<double> const bases{kInfinity, -kInfinity, 0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2};
    std::vector<double> const exponents{kInfinity, -kInfinity, 0, 1, -1, 2, -2, 3, -3, 0.5, -0.5};
    std::vector<double> left, right, expected;
    for (double base : bases)
      for (double exponent : exponents) {
        left.push_back(base);
        right.push_back(exponent);
        expected.push_back(std::pow(base, exponent));
      }
    int64_t count = int64_t(left.size());
    check("y = Pow a b",
          {array_of(DType::kF32, {count}, left), array_of(DType::kF32, {count}, right)}, expected);
  }

  void the_logarithm_of_a_sum_of_exponentials_at_infinities() {
    ImportedModel model =
        model_for("y = ReduceLogSumExp x",
                  {array_of(DType::kF32, {4, 2},
                            {-kInfinity, -kInfinity, kInfinity, 0, -kInfinity, 3, 500, 500})});
    model.graph.nodes[0].attributes = {{"axes", std::vector<int64_t>{1}}, {"keepdims", int64_t(0)}};
    check(model,
          {array_of(DType::kF32, {4, 2},
                    {-kInfinity, -kInfinity, kInfinity, 0, -kInfinity, 3, 500, 500})},
          {-kInfinity, kInfinity, 3, 500 + std::log(2)});
  }

  void unsigned_numbers_have_no_sign() {
    check("y = Abs x", {array_of(DType::kU8, {3}, {200, 127, 255})}, {200, 127, 255});
    check("y = Abs x", {array_of(DType::kU16, {2}, {40000, 5})}, {40000, 5});
    check("y = ReduceL1 x", {array_of(DType::kU32, {1, 2}, {3000000000.0, 1})}, {3000000001.0});
  }

  void the_least_number_is_divided() {
    double const low = -2147483648.0;
    NDArray a = array_of(DType::kI32, {8}, {low, low, low, low, 7, -7, 7, -7});
    NDArray b = array_of(DType::kI32, {8}, {3, -3, low, 1, 2, 2, -2, -2});
    check("y = Div a b", {a, b}, {-715827882, 715827882, 1, low, 3, -3, -3, 3});
    check("y = Mod a b", {a, b}, {1, -2, 0, 0, 1, 1, -1, -1});
    ImportedModel like_c = model_for("y = Mod a b", {a, b});
    like_c.graph.nodes[0].attributes["fmod"] = int64_t(1);
    check(like_c, {a, b}, {-2, -2, 0, 0, 1, -1, 1, -1});
  }

  void what_is_cut_off_is_not_repeated() {
    NDArray x = array_of(DType::kF32, {4}, {0, 1, 2, 3});
    ImportedModel model = model_for("y = Pad x", {x});
    model.graph.nodes[0].inputs.push_back("pads");
    model.graph.initializers["pads"] = array_of(DType::kI64, {2}, {-1, 4});
    model.graph.nodes[0].attributes["mode"] = std::string("wrap");
    check(model, {x}, {1, 2, 3, 1, 2, 3, 1});
  }

  void windows_shorter_than_their_stride_leave_no_border() {
    NDArray x = array_of(DType::kF32, {1, 1, 2, 2}, {1, 2, 3, 4});
    ImportedModel model = model_for("y = ConvTranspose x", {x});
    model.graph.nodes[0].inputs.push_back("w");
    model.graph.initializers["w"] = array_of(DType::kF32, {1, 1, 1, 1}, {1});
    model.graph.nodes[0].attributes = {{"auto_pad", std::string("SAME_UPPER")},
                                       {"strides", std::vector<int64_t>{2, 2}}};
    check(model, {x}, {1, 0, 2, 0, 0, 0, 3, 0, 4});
  }

  /// Kept in f16 such sums stop at 2048, in bf16 at 256.
  void long_sums_of_narrow_floats_data() {
    QTest::addColumn<int>("type");
    QTest::newRow("f16") << int(DType::kF16);
    QTest::newRow("bf16") << int(DType::kBF16);
  }
  void long_sums_of_narrow_floats() {
    QFETCH(int, type);
    auto ones = [&](Shape const& shape) { return array_of(DType(type), shape, {1}); };
    check("y = GlobalAveragePool x", {ones({1, 2, 56, 56})}, {1, 1});
    check("y = MatMul a b", {ones({3, 4096}), ones({4096, 2})}, std::vector<double>(6, 4096));
    std::vector<NDArray> planes{ones({1, 512, 4, 4}), ones({1, 512, 3, 3})};
    ImportedModel convolution = model_for("y = Conv x w", planes);
    convolution.graph.nodes[0].attributes = {{"kernel_shape", std::vector<int64_t>{3, 3}}};
    check(convolution, planes, std::vector<double>(4, 4608));
    check("y = ReduceMean x", {ones({1, 5000})}, {1});
    check("y = Softmax x", {ones({1, 4096})}, std::vector<double>(4096, 1.0 / 4096));
  }

private:
  template <typename F>
  void check(std::string const& line, std::vector<double> const& values, F const& f) {
    NDArray x = array_of(DType::kF32, {int64_t(values.size())}, values);
    std::vector<double> expected;
    for (float value : x.as<float>()) expected.push_back(f(double(value)));
    check(line, std::vector<NDArray>{x}, expected);
  }

  void check(std::string const& line, std::vector<NDArray> const& inputs,
             std::vector<double> const& expected) {
    check(model_for(line, inputs), inputs, expected);
  }

  void check(ImportedModel const& model, std::vector<NDArray> const& inputs,
             std::vector<double> const& expected) {
    std::string name = model.graph.nodes[0].op_type;
    auto graph = build_graph(model);
    QVERIFY2(graph.has_value(), graph ? "" : to_sentence(graph.error()).c_str());
    auto by_reference = reference_run(*graph, inputs);
    QVERIFY2(by_reference.has_value(), name.c_str());
    auto fused = optimize(*graph);
    auto plan = make_plan(*fused);
    QVERIFY(plan && plan->kernels.size() == 1);
    auto network = CompiledModel::create(*fused, *plan, *environment_.backend, device_, {});
    QVERIFY2(network.has_value(), network ? "" : to_sentence(network.error()).c_str());
    auto compiled = (*network)->run(inputs);
    QVERIFY2(compiled.has_value(), compiled ? "" : to_sentence(compiled.error()).c_str());
    for (NDArray const& made : {(*by_reference)[0], (*compiled)[0]}) {
      QCOMPARE(made.size(), int64_t(expected.size()));
      for (int64_t i = 0; i < made.size(); ++i)
        QVERIFY2(is_like(made.value_at(i), expected[size_t(i)], 4e-7),
                 qPrintable(QString("%1, element %2: %3 for %4")
                                .arg(name.c_str())
                                .arg(i)
                                .arg(made.value_at(i), 0, 'g', 10)
                                .arg(expected[size_t(i)], 0, 'g', 10)));
    }
  }

  Environment environment_;
  LocalDevice device_{{testing::built("/bin/tw-device")}};
};

QTEST_GUILESS_MAIN(ValuesTest)
#include "values_test.moc"
