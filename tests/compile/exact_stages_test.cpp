// Kernels of several operators on f16 and bf16: what stays inside of a kernel is not rounded, what
// the model converts itself is.
#include <QtTest>

#include <algorithm>
#include <cmath>

#include "engine/compile/plan.h"
#include "engine/graph/from_foreign.h"
#include "engine/graph/passes.h"
#include "engine/ir/interpreter.h"
#include "engine/te/narrow.h"
#include "tests/support/line_models.h"

using namespace tw;

namespace {

constexpr DType kNarrow[] = {DType::kF16, DType::kBF16};

/// Its inputs are x and w, both of `shape`.
ForeignModel model_of(std::vector<std::string> const& lines, Shape const& shape, DType type) {
  ForeignModel model = testing::model_of(lines, shape);
  ForeignValue w = model.graph.inputs[0];
  w.name = "w";
  model.graph.inputs.push_back(w);
  for (ForeignValue& input : model.graph.inputs) input.type = type;
  return model;
}

NDArray array_of(DType type, Shape const& shape, std::vector<double> const& values) {
  NDArray array = NDArray::create(type, shape).value();
  for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, values[size_t(i) % values.size()]);
  return array;
}

/// The one kernel that the model's nodes become.
te::Kernel only_kernel(ForeignModel const& model) {
  Graph fused = optimize(build_graph(model).value()).value();
  Plan plan = make_plan(fused).value();
  if (plan.kernels.size() != 1) qFatal("the nodes are not one kernel");
  return plan.kernels[0].kernel;
}

NDArray interpreted(te::Kernel const& kernel, std::vector<NDArray> const& inputs) {
  return ir::interpret(te::to_program(kernel).value(), inputs).value()[0];
}

bool stores_only_its_output_narrow(te::Kernel const& kernel) {
  for (te::Stage const& stage : kernel.stages)
    if (te::is_narrow(stage.output->type) && stage.output->name != kernel.outputs[0]->name)
      return false;
  return te::is_narrow(kernel.outputs[0]->type);
}

}  // namespace

class ExactStagesTest : public QObject {
  Q_OBJECT
private slots:
  /// Beside 4096 the fractions have no place in f16, and in bf16 not even ones.
  void sums_inside_of_a_kernel_keep_what_the_type_cannot_hold() {
    for (DType type : kNarrow) {
      te::Kernel kernel = only_kernel(model_of({"t = Add x w", "y = Sub t w"}, {4}, type));
      NDArray x = array_of(type, {4}, {0.25, 0.5, -1.75, 3}), far = array_of(type, {4}, {4096});
      NDArray y = interpreted(kernel, {x, far});
      for (int64_t i = 0; i < 4; ++i) QCOMPARE(y.value_at(i), x.value_at(i));
    }
  }

  void a_choice_on_the_way_rounds_nothing() {
    for (DType type : kNarrow) {
      te::Kernel kernel =
          only_kernel(model_of({"t = Add x w", "r = Relu t", "y = Sub r w"}, {2}, type));
      NDArray x = array_of(type, {2}, {0.25, 3}), far = array_of(type, {2}, {4096});
      QCOMPARE(interpreted(kernel, {x, far}).value_at(0), 0.25);
    }
  }

  void a_tensor_that_is_read_twice_is_kept_in_f32_and_not_copied() {
    for (DType type : kNarrow) {
      te::Kernel kernel =
          only_kernel(model_of({"t = MatMul x w", "y = HardSwish t"}, {8, 8}, type));
      QVERIFY2(stores_only_its_output_narrow(kernel), te::to_text(kernel).c_str());
      QVERIFY2(kernel.stages.size() == 2, te::to_text(kernel).c_str());
      Rng rng(5);
      std::vector<NDArray> in;
      for (int i = 0; i < 2; ++i) {
        in.push_back(NDArray::create(type, {8, 8}).value());
        for (int64_t k = 0; k < 64; ++k) in.back().set_value(k, rng.normal());
      }
      NDArray y = interpreted(kernel, in);
      for (int64_t at = 0; at < 64; ++at) {
        double sum = 0;
        for (int64_t k = 0; k < 8; ++k)
          sum += in[0].value_at(at / 8 * 8 + k) * in[1].value_at(k * 8 + at % 8);
        double exact = sum * std::clamp(sum / 6 + 0.5, 0.0, 1.0),
               half = type == DType::kF16 ? 0x1p-11 : 0x1p-8;
        QVERIFY(std::abs(y.value_at(at) - exact) <= half * std::abs(exact) + 1e-6);
      }
    }
  }

  void what_the_model_converts_itself_is_rounded() {
    ForeignModel model =
        model_of({"t = Add x w", "c = Cast t", "d = Cast c", "y = Sub d w"}, {2}, DType::kF32);
    model.graph.nodes[1].attributes["to"] = int64_t(10);  // f16
    model.graph.nodes[2].attributes["to"] = int64_t(1);   // f32
    te::Kernel kernel = only_kernel(model);
    NDArray x = array_of(DType::kF32, {2}, {0.25, 3}), far = array_of(DType::kF32, {2}, {4096});
    NDArray y = interpreted(kernel, {x, far});
    QCOMPARE(y.value_at(0), 0.0);
    QCOMPARE(y.value_at(1), 4.0);
  }
};

QTEST_GUILESS_MAIN(ExactStagesTest)
#include "exact_stages_test.moc"
