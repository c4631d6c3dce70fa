// Which elements a loop keeps in registers: those that nothing else in it may reach.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/kernel.h"
#include "engine/ir/text.h"
#include "engine/lowering/passes.h"
#include "engine/target/target.h"

using namespace tw;

namespace {

/// A loop that adds to two places of C.
std::string adding(std::string const& first, std::string const& second) {
  auto sum = [](std::string const& place) {
    std::string one = place.starts_with("ramp") ? "broadcast(X[k], 4)" : "X[k]";
    return "    C[" + place + "] = C[" + place + "]+" + one + "\n";
  };
  return "tilewright kernel 1\nhost f(X: f32[5], C: f32[64])\n  for c in 64\n    C[c] = 0.0\n"
         "  for k in 5\n" +
         sum(first) + sum(second);
}

int count(std::string const& text, std::string const& word) {
  int found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

std::vector<double> result_of(ir::KernelIr const& kernel) {
  NDArray x = NDArray::create(DType::kF32, {5}).value();
  for (int64_t i = 0; i < 5; ++i) x.set_value(i, double(i * i + 1));
  NDArray c = ir::interpret(kernel, 1, {x}).value().front();
  std::vector<double> values;
  for (int64_t i = 0; i < c.size(); ++i) values.push_back(c.value_at(i));
  return values;
}

}  // namespace

class AccumulatorsTest : public QObject {
  Q_OBJECT
private slots:
  void places_that_cannot_overlap_are_kept_data() {
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("second");
    QTest::addColumn<int>("kept");
    auto row = [](char const* name, char const* first, char const* second, int kept) {
      QTest::newRow(name) << first << second << kept;
    };
    row("one beside the other", "3", "4", 2);
    row("the same", "3", "3", 1);
    row("vectors one behind the other", "ramp(0, 1, 4)", "ramp(4, 1, 4)", 2);
    row("vectors that share an element", "ramp(0, 1, 4)", "ramp(3, 1, 4)", 0);
    row("columns", "ramp(0, 8, 4)", "ramp(1, 8, 4)", 2);
    row("columns that begin in another row", "ramp(0, 8, 4)", "ramp(17, 8, 4)", 2);
    row("a column, and the next rows of it", "ramp(0, 8, 4)", "ramp(32, 8, 4)", 2);
    row("a column, and rows of it", "ramp(0, 8, 4)", "ramp(24, 8, 4)", 0);
    row("the other way round", "ramp(24, 8, 4)", "ramp(0, 8, 4)", 0);
    row("a number between the rows", "ramp(0, 8, 4)", "9", 2);
    row("a number of the column", "ramp(0, 8, 4)", "16", 0);
    row("a number below the column", "ramp(0, 8, 4)", "32", 2);
    row("other strides", "ramp(0, 8, 4)", "ramp(1, 4, 4)", 0);
  }
  void places_that_cannot_overlap_are_kept() {
    QFETCH(QString, first);
    QFETCH(QString, second);
    auto kernel = ir::parse_kernel(adding(first.toStdString(), second.toStdString()), "test");
    QVERIFY2(kernel, kernel ? "" : to_sentence(kernel.error()).c_str());
    Target target;
    auto after = promote_accumulators().run(*kernel, {.target = target});
    QVERIFY2(after, after ? "" : to_sentence(after.error()).c_str());
    QTEST(count(ir::print(*after).text, "alloc acc"), "kept");
    QCOMPARE(result_of(*after), result_of(*kernel));
  }
};

QTEST_GUILESS_MAIN(AccumulatorsTest)
#include "accumulators_test.moc"
