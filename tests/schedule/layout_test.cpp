#include <QtTest>

#include "engine/ir/expr.h"
#include "engine/ir/text.h"
#include "engine/schedule/rewriting/layout.h"

using namespace tw;

/// Layout words: what they mean, and what is wrong with others.
class LayoutTest : public QObject {
  Q_OBJECT
private slots:
  void a_word_gives_shape_and_indices() {
    Layout layout = parse_layout("ABcd16b16a", 4).value();
    QCOMPARE(layout.stored({64, 40, 3, 3}), (std::vector<int64_t>{4, 3, 3, 3, 16, 16}));
    auto at = blocked_indices(layout, {ir::var("o"), ir::var("i"), ir::var("r"), ir::var("s")});
    std::string text;
    for (ir::Expr const& index : at) text += ir::to_text(index) + " ";
    QCOMPARE(text, std::string("o//16 i//16 r s i%16 o%16 "));
  }

  void blocks_of_blocks_nest() {
    Layout layout = parse_layout("A4a2a", 1).value();
    QCOMPARE(layout.stored({20}), (std::vector<int64_t>{3, 4, 2}));
    auto at = blocked_indices(layout, {ir::int_imm(13)});
    QVERIFY(ir::is_int(at[0], 1) && ir::is_int(at[1], 2) && ir::is_int(at[2], 1));
  }

  void a_block_may_stand_before_another_dimension() {
    Layout layout = parse_layout("A4aB", 2).value();
    QCOMPARE(layout.letters(), std::string("A4aB"));
    QCOMPARE(layout.stored({10, 3}), (std::vector<int64_t>{3, 4, 3}));
    auto at = blocked_indices(layout, {ir::var("i"), ir::var("j")});
    QCOMPARE(ir::to_text(at[0]) + " " + ir::to_text(at[1]) + " " + ir::to_text(at[2]),
             std::string("i//4 i%4 j"));
    QVERIFY(!Layout::of_parts({{0, 4}, {0, 0}, {1, 0}}));
    QVERIFY(!Layout::of_parts({{0, 0}, {0, -4}, {1, 0}}));
    NDArray plain = NDArray::create(DType::kI32, {10, 3}).value();
    for (int64_t i = 0; i < plain.size(); ++i) plain.set_value(i, double(i + 1));
    NDArray stored = to_layout(plain, layout).value();
    QCOMPARE(stored.value_at(4 * 3 + 2 * 3 + 1), double(6 * 3 + 1 + 1));  // row 6, column 1
    QCOMPARE(stored.value_at(2 * 12 + 2 * 3), 0.0);                       // there is no row 10
    QVERIFY(compare(from_layout(stored, layout, {10, 3}).value(), plain, 0).equal);
  }

  void the_order_of_the_shape_is_the_plain_layout() {
    QVERIFY(parse_layout("AB", 2).value().is_plain() && parse_layout("ab", 2).value().is_plain());
    QCOMPARE(parse_layout("BA", 2).value(), Layout::parse("BA").value());
    QCOMPARE(parse_layout("ABcd16b16a", 4).value(), Layout::parse("ABCD16b16a").value());
  }

  void a_wrong_word_is_refused_data() {
    QTest::addColumn<QString>("word");
    for (char const* word :
         {"", "A", "ABB", "ABC", "AB16", "A16B", "16aAB", "AB-", "AB0b", "ab16c"})
      QTest::newRow(word) << word;
  }
  void a_wrong_word_is_refused() {
    QFETCH(QString, word);
    auto layout = parse_layout(word.toStdString(), 2);
    QVERIFY(!layout);
    QVERIFY(!layout.error().message.empty());
  }
};

QTEST_GUILESS_MAIN(LayoutTest)
#include "layout_test.moc"
