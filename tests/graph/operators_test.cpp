#include <QtTest>

#include <set>

#include "engine/ir/interpreter.h"
#include "engine/tensor/integers.h"
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

namespace {

constexpr DType kIntegers[] = {DType::kI8,  DType::kU8,  DType::kI16, DType::kU16,
                               DType::kI32, DType::kU32, DType::kI64, DType::kU64};
constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), -0.0};

int64_t any_integer(DType type, Rng& rng) {
  if (rng.below(4) == 0) return rng.below(2) ? lowest_integer(type) : highest_integer(type);
  return rng.below(3) == 0 ? rng.between(-3, 9) : int64_t(rng.next());
}

/// Puts integers of the whole range where the case has tensors of its first one's type; false: it
/// has none.
bool retype(RandomCase& c, DType type, Rng& rng) {
  if (c.inputs.empty() || c.inputs[0].empty()) return false;
  DType from = c.inputs[0].type();
  for (NDArray& input : c.inputs) {
    if (input.empty() || input.type() != from) continue;
    NDArray made = NDArray::create(type, input.shape()).value();
    for (int64_t i = 0; i < made.size(); ++i) set_integer(made, i, any_integer(type, rng));
    input = made;
  }
  return true;
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

  /// Doubles hold 53 bits and forget what wraps: references and kernels of integers do not.
  void integers_of_every_width_are_exact_data() {
    compute_agrees_with_the_reference_on_random_shapes_data();
  }
  void integers_of_every_width_are_exact() {
    QFETCH(QString, name);
    Operator const* op = find_operator(name.toStdString());
    int compared = 0;
    for (int i = 0; i < kCases; ++i) {
      Rng rng(kSeed + uint64_t(i));
      RandomCase c = op->random_case(rng);
      if (!retype(c, kIntegers[size_t(rng.below(8))], rng)) break;
      if (!inferred(*op, c) || !op->reference(c.attributes, c.inputs)) continue;  // not of these
      std::string wrong = disagreement(*op, c);
      QVERIFY2(wrong.empty(), (op->name + " case " + std::to_string(i) + " {" +
                               to_text(c.attributes) + "}: " + wrong)
                                  .c_str());
      ++compared;
    }
    qInfo("%d cases", compared);
  }

  /// What has no rounding has no excuse on NaN, infinities and minus zero either.
  void what_does_not_round_is_right_on_special_values_data() {
    QTest::addColumn<QString>("name");
    for (char const* name :
         {"abs",        "neg",       "sign",   "relu",    "floor",         "ceil",
          "round",      "max",       "min",    "arg_max", "arg_min",       "reduce_max",
          "reduce_min", "equal",     "less",   "greater", "less_or_equal", "greater_or_equal",
          "where",      "is_nan",    "is_inf", "add",     "sub",           "mul",
          "identity",   "transpose", "concat", "slice",   "trilu",         "gather",
          "expand"})
      QTest::newRow(name) << QString(name);
  }
  void what_does_not_round_is_right_on_special_values() {
    QFETCH(QString, name);
    Operator const* op = find_operator(name.toStdString());
    QVERIFY(op);
    for (int i = 0; i < kCases; ++i) {
      Rng rng(kSeed + uint64_t(i));
      RandomCase c = op->random_case(rng);
      for (NDArray& input : c.inputs)
        for (int64_t k = 0; input.type() == DType::kF32 && k < input.size(); ++k)
          if (rng.below(3) == 0) input.set_value(k, kSpecial[size_t(rng.below(4))]);
      std::string wrong = disagreement(*op, c);
      QVERIFY2(wrong.empty(), (op->name + " case " + std::to_string(i) + ": " + wrong).c_str());
    }
  }

  /// Its reference wrote before the tensor.
  void a_row_without_elements_has_no_largest_one() {
    std::vector<NDArray> const nothing{NDArray::create(DType::kF32, {2, 0}).value()};
    for (char const* name : {"hardmax", "softmax", "log_softmax"}) {
      auto made = find_operator(name)->reference({{"axis", int64_t(1)}}, nothing);
      QVERIFY2(made && made->front().shape() == (Shape{2, 0}), name);
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
