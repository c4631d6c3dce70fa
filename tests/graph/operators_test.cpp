#include <QtTest>

#include <set>

#include "engine/graph/computes.h"
#include "engine/ir/interpreter.h"

using namespace tw;

namespace {

constexpr uint64_t kSeed = 20240611;
constexpr int kCases = 300;

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

Layout layout_of(std::vector<Layout> const& layouts, size_t i) {
  return i < layouts.size() ? layouts[i] : Layout();
}

Arrangement arrangement_of(RandomCase const& c, std::vector<TensorInfo> const& results) {
  Arrangement arrangement{c.algorithm, {}, {}};
  for (size_t i = 0; i < c.inputs.size(); ++i)
    arrangement.inputs.push_back({c.inputs[i].shape(), layout_of(c.layouts, i)});
  for (size_t i = 0; i < results.size(); ++i)
    arrangement.outputs.push_back({results[i].shape, layout_of(c.result_layouts, i)});
  return arrangement;
}

/// The kernel of one operator alone.
Result<te::Kernel> kernel_of(Operator const& op, RandomCase const& c,
                             std::vector<TensorInfo> const& results) {
  te::Kernel kernel;
  kernel.name = op.name;
  std::vector<te::Buffer> buffers;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    NDArray const& input = c.inputs[i];
    Shape shape = layout_of(c.layouts, i).stored(input.shape());
    // Every second one is a parameter: an operator may treat it in another way.
    buffers.push_back(input.empty() ? nullptr
                                    : ir::make_buffer("I" + std::to_string(i), input.type(), shape,
                                                      i % 2 == 1 ? ir::kParameterScope : "global"));
    if (buffers.back()) kernel.inputs.push_back(buffers.back());
  }
  TRY_ASSIGN(Tensors tensors,
             compute_tensors(op, c.attributes, arrangement_of(c, results), buffers, op.name));
  kernel.stages = tensors.stages;
  kernel.outputs = tensors.outputs;
  return kernel;
}

/// What only the reference runs may look at the elements: they are known when it does.
std::vector<TensorInfo> infos_of(Operator const& op, RandomCase const& c) {
  std::vector<TensorInfo> infos;
  for (NDArray const& input : c.inputs)
    infos.push_back({input.type(), input.shape(), has_compute(op) ? NDArray() : input});
  return infos;
}

Result<std::vector<TensorInfo>> inferred(Operator const& op, RandomCase const& c) {
  std::vector<TensorInfo> infos = infos_of(op, c);
  std::vector<TensorInfo const*> pointers;
  for (size_t i = 0; i < infos.size(); ++i)
    pointers.push_back(c.inputs[i].empty() ? nullptr : &infos[i]);
  return op.infer(c.attributes, pointers);
}

/// Empty when compute, reference and inference agree on this case.
std::string disagreement(Operator const& op, RandomCase const& c) {
  auto shapes = inferred(op, c);
  if (!shapes) return "inference: " + sentence(shapes);
  auto expected = op.reference(c.attributes, c.inputs);
  if (!expected) return "reference: " + sentence(expected);
  for (size_t i = 0; i < std::max(expected->size(), shapes->size()); ++i)
    if (expected->size() != shapes->size() || (*expected)[i].shape() != (*shapes)[i].shape)
      return "output " + std::to_string(i) + ": inference says " + to_text(shapes->back().shape) +
             ", the reference makes " + to_text(expected->back().shape());
  if (!has_compute(op)) return "";
  auto kernel = kernel_of(op, c, *shapes);
  if (!kernel) return "compute: " + sentence(kernel);
  auto program = te::to_program(*kernel);
  if (!program) return "program: " + sentence(program) + "\n" + te::to_text(*kernel);
  std::vector<NDArray> present;
  for (size_t i = 0; i < c.inputs.size(); ++i)
    if (!c.inputs[i].empty())
      present.push_back(to_layout(c.inputs[i], layout_of(c.layouts, i)).value());
  auto actual = ir::interpret(*program, present);
  if (!actual) return "interpreter: " + sentence(actual) + "\n" + te::to_text(*kernel);
  if (actual->size() != expected->size()) return "one makes more outputs than the other";
  for (size_t i = 0; i < actual->size(); ++i) {
    Layout layout = layout_of(c.result_layouts, i);
    NDArray plain = from_layout((*actual)[i], layout, (*shapes)[i].shape).value();
    Comparison comparison =
        compare(layout.is_plain() ? (*actual)[i] : plain, (*expected)[i], 1e-4, 1e-6);
    if (!comparison.equal)
      return "output " + std::to_string(i) + " differs by " +
             std::to_string(comparison.max_abs_diff) + " at " +
             std::to_string(comparison.worst_index) + "\n" + te::to_text(*kernel);
  }
  return "";
}

}  // namespace

class OperatorsTest : public QObject {
  Q_OBJECT
private slots:
  void compute_agrees_with_the_reference_on_random_shapes_data() {
    QTest::addColumn<QString>("name");
    for (Operator const* op : operator_table())
      QTest::newRow(op->name.c_str()) << QString::fromStdString(op->name);
  }
  void compute_agrees_with_the_reference_on_random_shapes() {
    QFETCH(QString, name);
    Operator const* op = find_operator(name.toStdString());
    QVERIFY(op && op->infer && op->reference && op->random_case);
    for (int i = 0; i < kCases; ++i) {
      uint64_t seed = kSeed + uint64_t(i);
      Rng rng(seed);
      RandomCase c = op->random_case(rng);
      std::string wrong = disagreement(*op, c);
      std::string shapes;
      for (NDArray const& input : c.inputs) shapes += " " + to_text(input.shape());
      QVERIFY2(wrong.empty(), (op->name + " seed " + std::to_string(seed) + " {" +
                               to_text(c.attributes) + "}" + shapes + ": " + wrong)
                                  .c_str());
    }
  }

  void names_are_unique_and_every_attribute_is_explained() {
    std::set<std::string> names;
    for (Operator const* op : operator_table()) {
      QVERIFY2(names.insert(op->name).second, op->name.c_str());
      QVERIFY2(!op->doc.empty() && op->doc.back() == '.', op->name.c_str());
      Rng rng(1);
      for (auto const& [name, value] : op->random_case(rng).attributes) {
        bool explained = false;
        for (AttributeDoc const& attribute : op->attributes)
          explained = explained || attribute.name == name;
        QVERIFY2(explained, (op->name + "." + name).c_str());
      }
    }
    QVERIFY(names.size() >= 21);
  }
};

QTEST_GUILESS_MAIN(OperatorsTest)
#include "operators_test.moc"
