#include <QtTest>

#include <set>

#include "engine/ir/interpreter.h"
#include "tests/support/operator_kernels.h"

using namespace tw;
using namespace tw::testing;

namespace {

constexpr uint64_t kSeed = 20240611;
constexpr int kCases = 300;

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

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
