#include <QtTest>

#include "engine/ir/text.h"
#include "engine/schedule/rewriting/layout.h"

using namespace tw;

/// Layout words: what they mean, and what is wrong with others.
class LayoutTest : public QObject {
  Q_OBJECT
private slots:
  void a_word_gives_shape_and_indices() {
    PackLayout layout = parse_layout("ABcd16b16a", 4).value();
    QCOMPARE(blocked_shape(layout, {64, 40, 3, 3}), (std::vector<int64_t>{4, 3, 3, 3, 16, 16}));
    auto at = blocked_indices(layout, {ir::var("o"), ir::var("i"), ir::var("r"), ir::var("s")});
    std::string text;
    for (ir::Expr const& index : at) text += ir::to_text(index) + " ";
    QCOMPARE(text, std::string("o//16 i//16 r s i%16 o%16 "));
  }

  void blocks_of_blocks_nest() {
    PackLayout layout = parse_layout("A4a2a", 1).value();
    QCOMPARE(blocked_shape(layout, {20}), (std::vector<int64_t>{3, 4, 2}));
    auto at = blocked_indices(layout, {ir::int_imm(13)});
    QVERIFY(ir::is_int(at[0], 1) && ir::is_int(at[1], 2) && ir::is_int(at[2], 1));
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
