#include <QtTest>

#include "engine/ir/expr.h"
#include "engine/ir/operators.h"
#include "engine/ir/text.h"
#include "engine/ir/type_rules.h"

using namespace tw;
using namespace tw::ir;

namespace {

Result<Expr> parsed(QString const& text) {
  std::vector<Buffer> tensors;
  for (DType type : {DType::kF32, DType::kF64, DType::kI32, DType::kU8, DType::kI64, DType::kBool})
    tensors.push_back(make_buffer("X_" + std::string(to_text(type)), type, {4}));
  return parse_expr(text.toStdString(), {{"i", DType::kI64}}, tensors);
}

QString refusal(QString const& text) {
  auto e = parsed(text);
  return e ? QString() : QString::fromStdString(e.error().message);
}

}  // namespace

class TypeRulesTest : public QObject {
  Q_OBJECT
private slots:
  /// The parser asks the table: every function, every type.
  void a_function_takes_the_types_of_its_rule() {
    for (size_t k = 0; k < kUnaryNames.size(); ++k) {
      auto op = UnaryOp(k);
      if (op == UnaryOp::kBitNot) continue;  // an operator, below
      for (DType type :
           {DType::kF32, DType::kF64, DType::kI32, DType::kU8, DType::kI64, DType::kBool}) {
        QString text =
            QString("%1(X_%2[i])")
                .arg(kUnaryNames[k].data(),
                     QString::fromLatin1(to_text(type).data(), qsizetype(to_text(type).size())));
        QVERIFY2(refusal(text).isEmpty() == takes(operands_of(op), type),
                 qPrintable(text + refusal(text)));
      }
    }
  }
  void an_operator_takes_the_types_of_its_rule() {
    for (BinarySyntax const& row : kBinarySyntax)
      for (DType type :
           {DType::kF32, DType::kF64, DType::kI32, DType::kU8, DType::kI64, DType::kBool}) {
        QString name = QString::fromLatin1(to_text(type).data(), qsizetype(to_text(type).size()));
        QString symbol = QString::fromLatin1(row.symbol.data(), qsizetype(row.symbol.size()));
        QString text = row.is_function ? QString("%1(X_%2[i], X_%2[i])").arg(symbol, name)
                                       : QString("X_%2[i] %1 X_%2[i]").arg(symbol, name);
        QVERIFY2(refusal(text).isEmpty() == takes(operands_of(row.op), type),
                 qPrintable(text + refusal(text)));
      }
  }
  void a_refusal_says_what_would_do_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("exp")
        << "exp(X_i32[i])"
        << "'exp' is for floats, but 'X_i32[i]' has type i32; f32(X_i32[i]) converts it";
    QTest::newRow("pow")
        << "pow(X_i32[i], X_i32[i])"
        << "'pow' is for floats, but 'X_i32[i]' has type i32; f32(X_i32[i]) converts it";
    QTest::newRow("not") << "not(X_i32[i])"
                         << "'not' is for conditions, but 'X_i32[i]' has type i32";
    QTest::newRow("minus") << "-X_bool[i]"
                           << "a condition cannot be a number";
  }
  void a_refusal_says_what_would_do() {
    QFETCH(QString, text);
    QFETCH(QString, sentence);
    QCOMPARE(refusal(text), sentence);
  }
  void a_literal_fits_its_type_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("fits");
    auto row = [](char const* text, bool fits) { QTest::newRow(text) << QString(text) << fits; };
    row("255:u8", true);
    row("256:u8", false);
    row("260:u8", false);
    row("-1:u8", false);
    row("-128:i8", true);
    row("-129:i8", false);
    row("300:i8", false);
    row("65535:u16", true);
    row("65536:u16", false);
    row("2147483647:i32", true);
    row("2147483648:i32", false);
    row("-2147483648:i32", true);
    row("4294967295:u32", true);
    row("4294967296:u32", false);
    row("9223372036854775807", true);
    row("9223372036854775808", false);
    row("-9223372036854775808", true);
    row("18446744073709551615:u64", true);
    row("18446744073709551616:u64", false);
    row("-1:u64", false);
    row("1e38", true);
    row("1e39", false);
    row("1e39:f64", true);
    row("1e309:f64", false);
    row("65504.0:f16", true);
    row("70000.0:f16", false);
    row("inf", true);
    row("-inf:f16", true);
  }
  void a_literal_fits_its_type() {
    QFETCH(QString, text);
    QFETCH(bool, fits);
    QVERIFY2(refusal(text).isEmpty() == fits, qPrintable(refusal(text)));
  }
  /// What is folded is what the type holds.
  void constants_are_not_folded_beyond_their_type() {
    Expr large = int_imm(200, DType::kU8);
    QVERIFY(!as_int(large + large));
    QCOMPARE(*as_int(int_imm(100, DType::kU8) + int_imm(100, DType::kU8)), int64_t(200));
    Expr upper = int_imm(-1, DType::kU64), one = int_imm(1, DType::kU64);
    QVERIFY(!as_int(upper < one));
    QVERIFY(!as_int(max(upper, one)));
    QVERIFY(!as_int(floor_div(int_imm(INT64_MIN), int_imm(-1))));
    QCOMPARE(float_imm(0.1, DType::kF16).as<FloatImm>()->value, 0x1.998p-4);
  }
};

QTEST_GUILESS_MAIN(TypeRulesTest)
#include "type_rules_test.moc"
