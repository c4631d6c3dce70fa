#include <QtTest>

#include "engine/ir/expr.h"
#include "engine/ir/rewrite.h"

using namespace tw;
using namespace tw::ir;

class EqualTest : public QObject {
  Q_OBJECT
private slots:
  /// Comparing them made a condition of them, which ended the program where their types differ.
  void expressions_of_different_types_differ() {
    Expr narrow = var("i", DType::kI32), wide = var("i");
    QVERIFY(!equal(cast(DType::kF32, narrow), cast(DType::kF32, wide)));
    Buffer words = make_buffer("W", DType::kI32, {4}), bytes = make_buffer("B", DType::kU8, {4});
    QVERIFY(!equal(cast(DType::kI64, load(words, {wide})), cast(DType::kI64, load(bytes, {wide}))));
    QVERIFY(equal(cast(DType::kI64, load(words, {wide})), cast(DType::kI64, load(words, {wide}))));
  }
};

QTEST_GUILESS_MAIN(EqualTest)
#include "equal_test.moc"
