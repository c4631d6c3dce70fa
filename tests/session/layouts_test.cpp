// Layouts as a dialog offers and draws them.
#include <QtTest>

#include <set>

#include "engine/session/layouts.h"

using namespace tw::session;

class LayoutsTest : public QObject {
  Q_OBJECT
private slots:
  void the_path_is_the_order_in_memory() {
    auto plain = layout_path("plain", {8, 16});
    QVERIFY(plain && plain->rows == 8 && plain->columns == 16);
    for (int i = 0; i < 8 * 16; ++i) QCOMPARE(plain->cells[size_t(i)], std::pair(i / 16, i % 16));
    auto turned = layout_path("BA", {8, 16});
    for (int i = 0; i < 8 * 16; ++i) QCOMPARE(turned->cells[size_t(i)], std::pair(i % 8, i / 8));
    // Columns in blocks of four, rows inside: four of a row, then four of the next one.
    auto panels = layout_path("BA4b", {8, 16});
    for (int i = 0; i < 8 * 16; ++i)
      QCOMPARE(panels->cells[size_t(i)], std::pair(i / 4 % 8, i / 32 * 4 + i % 4));
  }

  void the_dimensions_that_differ_are_drawn() {
    auto path = layout_path("ABCD4b", {1, 64, 56, 56});
    QVERIFY(path);
    QCOMPARE(path->row, std::string("B"));
    QCOMPARE(path->column, std::string("D"));
    QCOMPARE(path->cells[1], std::pair(1, 0));  // the next channel lies beside
  }

  void each_cell_is_passed_once() {
    for (std::vector<int64_t> shape : {std::vector<int64_t>{3, 5}, {17, 9, 33}, {1, 64, 56, 56}})
      for (std::string const& layout : layout_choices(shape)) {
        auto path = layout_path(layout, shape);
        QVERIFY2(path, layout.c_str());
        std::set<std::pair<int, int>> cells(path->cells.begin(), path->cells.end());
        QCOMPARE(int(cells.size()), path->rows * path->columns);
        QCOMPARE(cells.size(), path->cells.size());
      }
  }

  void choices_fit_the_shape() {
    QVERIFY(layout_choices({}).empty());
    QVERIFY(layout_choices({64}).empty());
    std::vector<std::string> matrix = layout_choices({512, 512});
    for (char const* wanted : {"BA", "BA16b", "AB16b", "AB16a"})
      QVERIFY2(std::ranges::find(matrix, wanted) != matrix.end(), wanted);
    for (std::string const& layout : layout_choices({6, 6}))
      QVERIFY(layout.find("16") == std::string::npos && layout.find('8') == std::string::npos);
  }

  void what_does_not_fit_has_no_path() {
    QVERIFY(!layout_path("BA", {8}));
    QVERIFY(!layout_path("CBA", {8, 8}));
    QVERIFY(!layout_path("A!", {8, 8}));
  }
};

QTEST_GUILESS_MAIN(LayoutsTest)
#include "layouts_test.moc"
