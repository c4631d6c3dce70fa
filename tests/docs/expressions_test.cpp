// The page of the expression language says what the table of types does, and its examples are read.
#include <QtTest>

#include "engine/ir/operators.h"
#include "engine/ir/type_rules.h"
#include "engine/te/te.h"
#include "tests/support/paths.h"

using namespace tw;

namespace {

QString page() {
  QFile file(testing::source("/resources/docs/expressions.md"));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// What stands beside the name in the table of types: "floats", "integers", ...
QString taken_by(QString const& text, std::string_view name) {
  QString wanted = "`" + QString::fromLatin1(name.data(), qsizetype(name.size())) + "`";
  wanted.replace("|", "\\|");
  for (QString const& line : text.split('\n')) {
    QStringList cells = line.split(" | ");
    if (cells.size() == 3 && cells[0].contains(wanted)) return cells[1];
  }
  return "";
}

QString words_of(ir::Operands operands) {
  switch (operands) {
    case ir::Operands::kFloats:
      return "floats";
    case ir::Operands::kIntegers:
      return "integers";
    case ir::Operands::kNumbers:
      return "numbers";
    case ir::Operands::kConditions:
      return "conditions";
    case ir::Operands::kAny:
      return "values of any type";
  }
  return "";
}

}  // namespace

class ExpressionsPageTest : public QObject {
  Q_OBJECT
private slots:
  void the_page_says_what_each_operator_takes() {
    QString text = page();
    for (size_t i = 0; i < ir::kUnaryNames.size(); ++i)
      QCOMPARE(taken_by(text, ir::kUnaryNames[i]), words_of(ir::operands_of(ir::UnaryOp(i))));
    for (ir::BinarySyntax const& row : ir::kBinarySyntax)
      QCOMPARE(taken_by(text, row.symbol), words_of(ir::operands_of(row.op)));
  }
  void its_examples_are_read() {
    static QRegularExpression const kExample("```te\n(.*?)```",
                                             QRegularExpression::DotMatchesEverythingOption);
    int read = 0;
    for (auto found = kExample.globalMatch(page()); found.hasNext(); ++read) {
      auto kernel = te::parse_kernel(found.next().captured(1).toStdString());
      QVERIFY2(kernel, kernel ? "" : to_sentence(kernel.error()).c_str());
    }
    QVERIFY(read > 0);
  }
};

QTEST_GUILESS_MAIN(ExpressionsPageTest)
#include "expressions_test.moc"
