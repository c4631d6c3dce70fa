// Operators on f16 and bf16: their kernels compute in f32 and round once.
#include <QtTest>

#include <cmath>

#include "engine/graph/operator.h"
#include "engine/graph/rounding.h"
#include "engine/ir/interpreter.h"

using namespace tw;

namespace {

constexpr uint64_t kSeed = 20260611;
constexpr int kCases = 25;

NDArray as_type(NDArray const& array, DType type) {
  if (array.empty()) return array;
  NDArray result = NDArray::create(type, array.shape()).value();
  for (int64_t i = 0; i < result.size(); ++i) result.set_value(i, array.value_at(i));
  return result;
}

/// The case with its floats in a narrow type; empty when it has none.
std::optional<RandomCase> narrowed(RandomCase c, DType type) {
  bool any = false;
  for (NDArray& input : c.inputs) {
    if (input.empty() || input.type() != DType::kF32) continue;
    input = as_type(input, type);
    any = true;
  }
  return any ? std::optional(c) : std::nullopt;
}

Result<std::vector<TensorInfo>> inferred(Operator const& op, RandomCase const& c) {
  std::vector<TensorInfo> infos;
  for (NDArray const& input : c.inputs) infos.push_back({input.type(), input.shape(), input});
  std::vector<TensorInfo const*> pointers;
  for (size_t i = 0; i < infos.size(); ++i)
    pointers.push_back(c.inputs[i].empty() ? nullptr : &infos[i]);
  return op.infer(c.attributes, pointers);
}

Result<std::vector<NDArray>> interpreted(Operator const& op, RandomCase const& c) {
  te::Kernel kernel;
  kernel.name = op.name;
  std::vector<te::Buffer> buffers;
  std::vector<NDArray> present;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    NDArray const& input = c.inputs[i];
    buffers.push_back(input.empty()
                          ? nullptr
                          : ir::make_buffer("I" + std::to_string(i), input.type(), input.shape()));
    if (buffers.back()) kernel.inputs.push_back(buffers.back());
    if (buffers.back()) present.push_back(input);
  }
  Arrangement arrangement = plain_arrangement(buffers);
  arrangement.algorithm = c.algorithm;
  TRY_ASSIGN(Tensors tensors,
             compute_rounding_once(op, c.attributes, arrangement, buffers, op.name));
  kernel.stages = tensors.stages;
  kernel.outputs = tensors.outputs;
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  return ir::interpret(program, present);
}

/// Half a unit in the last place, and what f32 itself is off.
bool is_near(double actual, double exact, DType type) {
  if (std::isnan(exact) || std::isinf(exact)) return actual == exact || std::isnan(actual);
  double unit = type == DType::kF16 ? 0x1p-11 : 0x1p-8;
  double least = type == DType::kF16 ? 0x1p-25 : 1e-40;
  return std::abs(actual - exact) <= 1.02 * unit * std::abs(exact) + least + 2e-6;
}

/// Empty when the kernel and the reference give the exact result, rounded once.
std::string disagreement(Operator const& op, RandomCase const& c, DType type) {
  auto outputs = inferred(op, c);
  if (!outputs) return outputs.error().code == "unsupported" ? "" : to_sentence(outputs.error());
  std::vector<NDArray> wide;
  for (NDArray const& input : c.inputs)
    wide.push_back(input.empty() || input.type() != type ? input : as_type(input, DType::kF32));
  auto exact = op.reference(c.attributes, wide);
  auto reference = reference_rounding_once(op, c.attributes, c.inputs, *outputs);
  auto actual = has_compute(op) ? interpreted(op, c) : reference;
  if (!exact || !reference) return "";  // an operand that this type cannot hold
  // An algorithm may ask for wider numbers; the operator's first one takes all.
  if (!actual && !c.algorithm.empty() && actual.error().code == "unsupported") return "";
  if (!actual) return to_sentence(actual.error());
  for (size_t i = 0; i < actual->size(); ++i) {
    if ((*actual)[i].type() != (*outputs)[i].type) return "an output of another type";
    if ((*outputs)[i].type != type) continue;
    for (int64_t k = 0; k < (*actual)[i].size(); ++k) {
      double wanted = (*exact)[i].value_at(k);
      for (NDArray const& got : {(*actual)[i], (*reference)[i]})
        if (!is_near(got.value_at(k), wanted, type))
          return std::to_string(got.value_at(k)) + " for " + std::to_string(wanted);
    }
  }
  return "";
}

}  // namespace

class RoundingTest : public QObject {
  Q_OBJECT
private slots:
  void an_operator_on_narrow_floats_rounds_once_data() {
    QTest::addColumn<QString>("name");
    for (Operator const* op : operator_table())
      QTest::newRow(op->name.c_str()) << QString::fromStdString(op->name);
  }
  void an_operator_on_narrow_floats_rounds_once() {
    QFETCH(QString, name);
    Operator const* op = find_operator(name.toStdString());
    for (DType type : {DType::kF16, DType::kBF16})
      for (int i = 0; i < kCases; ++i) {
        Rng rng(kSeed + uint64_t(i));
        auto c = narrowed(op->random_case(rng), type);
        if (!c) continue;
        std::string wrong = disagreement(*op, *c, type);
        QVERIFY2(wrong.empty(), (op->name + " of " + std::string(to_text(type)) + ", seed " +
                                 std::to_string(i) + " {" + to_text(c->attributes) + "}: " + wrong)
                                    .c_str());
      }
  }

  /// In the type itself such a sum stops at 2048.
  void a_long_sum_of_ones_is_its_length() {
    constexpr int64_t kLength = 4096;
    NDArray ones = NDArray::create(DType::kF16, {1, kLength}).value();
    for (int64_t i = 0; i < kLength; ++i) ones.set_value(i, 1);
    for (auto const& [name, expected] : std::map<std::string, double>{
             {"reduce_sum", kLength}, {"reduce_mean", 1}, {"reduce_l1", kLength}}) {
      auto result =
          interpreted(*find_operator(name), {{{"axes", std::vector<int64_t>{1}}}, {ones}});
      QVERIFY(result.has_value());
      QCOMPARE((*result)[0].value_at(0), expected);
    }
    NDArray column = ones.reshaped({kLength, 1});
    auto product = interpreted(*find_operator("matmul"), {{}, {ones, column}});
    QVERIFY(product.has_value());
    QCOMPARE((*product)[0].value_at(0), double(kLength));
  }

  void what_only_moves_or_chooses_stays_narrow() {
    for (char const* name : {"max_pool", "transpose", "relu", "concat", "pad"}) {
      Operator const& op = *find_operator(name);
      Rng rng(3);
      RandomCase c = *narrowed(op.random_case(rng), DType::kF16);
      std::vector<te::Buffer> buffers;
      for (size_t i = 0; i < c.inputs.size(); ++i)
        buffers.push_back(
            ir::make_buffer("I" + std::to_string(i), c.inputs[i].type(), c.inputs[i].shape()));
      auto made =
          compute_rounding_once(op, c.attributes, plain_arrangement(buffers), buffers, name);
      QVERIFY2(made.has_value(), name);
      for (te::Stage const& stage : made->stages) QVERIFY2(stage.output->type == DType::kF16, name);
    }
  }

  void the_padding_of_a_convolution_stays_narrow_and_its_sum_does_not() {
    te::Buffer x = ir::make_buffer("X", DType::kF16, {1, 2, 5, 5});
    te::Buffer w = ir::make_buffer("W", DType::kF16, {3, 2, 3, 3});
    Attributes attributes{{"kernel", std::vector<int64_t>{3, 3}},
                          {"pads", std::vector<int64_t>{1, 1, 1, 1}}};
    std::vector<te::Buffer> inputs{x, w};
    auto made = compute_rounding_once(*find_operator("conv"), attributes, plain_arrangement(inputs),
                                      inputs, "conv2d");
    QVERIFY(made.has_value());
    QCOMPARE(made->stages.size(), size_t(3));
    QVERIFY(made->stages[0].output->type == DType::kF16);
    QVERIFY(made->stages[1].output->type == DType::kF32);
    QVERIFY(made->stages[2].output->type == DType::kF16);
  }
};

QTEST_GUILESS_MAIN(RoundingTest)
#include "rounding_test.moc"
