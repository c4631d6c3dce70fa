// The view of what fusion made of each block: by mouse, by keys, and what it says.
#include <QtTest>

#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/fusion_rows/fusion_rows_view.h"

using namespace tw;
using namespace tw::session;

class FusionRowsTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    window().resize(1280, 800);
    window().execute(OpenModel{"sample:resnet18"});
    settle();
    QVERIFY(window().perform(journal::ShowView{"fusion"}));
    view_ = window().findChild<FusionRowsView*>("fusionRows");
    QVERIFY(view_);
    settle();
  }
  void cleanup() { place_.reset(); }

  void a_block_has_a_row_and_says_so() {
    QCOMPARE(view_->rows().rows.size(), size_t(10));
    QCOMPARE(view_->parts().size(), size_t(10));
    QVERIFY2(view_->parts()[1].name.startsWith("layer1.0, 7 operators, 11 MB moved; after fusion "),
             qPrintable(view_->parts()[1].name));
    QVERIFY2(view_->summary().contains("2.72 times less"), qPrintable(view_->summary()));
  }

  void arrows_go_from_block_to_block_and_to_its_kernels() {
    view_->setFocus();
    QTest::keyClick(view_, Qt::Key_End);
    QTest::keyClick(view_, Qt::Key_Up);
    QCOMPARE(view_->current(), 8);
    QTest::keyClick(view_, Qt::Key_Right);
    settle();
    QCOMPARE(kernel(), std::string("conv2d_512x7x7_3x3"));
    QTest::keyClick(view_, Qt::Key_Right);
    settle();
    QCOMPARE(kernel(), std::string("conv2d_512x7x7_3x3_add"));
    QCOMPARE(view_->current(), 8);  // the same kernel runs in the row before, too
    QVERIFY(view_->parts()[8].selected &&
            view_->parts()[8].name.endsWith("conv2d_512x7x7_3x3_add"));
    QTest::keyClick(view_, Qt::Key_Return);
    settle();
    QVERIFY(!view_->isVisible());  // the loops are in front
  }

  void a_click_chooses_the_kernel_of_a_box_and_of_an_operator() {
    click(view_->kernel_rect(3, 0));
    QCOMPARE(kernel(), std::string("conv2d_128x28x28_3x3_s2"));
    click(view_->operator_rect(1, 0));
    QCOMPARE(kernel(), std::string("conv2d_64x56x56_3x3"));
    QCOMPARE(view_->current(), 1);
  }

  void a_kernel_chosen_elsewhere_brings_its_row() {
    TableKernel wanted = find_kernel("gemm_1000");
    window().execute(SelectKernel{wanted.row});
    settle();
    QCOMPARE(view_->current(), 9);
  }

  void a_chosen_row_says_why_its_kernels_are_not_one() {
    double closed = view_->row_rect(3).height();
    click(view_->row_rect(3).adjusted(2, 2, -view_->unit_width() + 8, -2));
    QVERIFY(!view_->rows().rows[3].reasons.empty());
    QVERIFY(view_->row_rect(3).height() > closed);
  }

  /// Every operator and kernel stands in its column, and no box on another one.
  void boxes_are_apart_at_any_width() {
    for (int width : {760, 1000, 1280, 1920, 2560}) {
      window().resize(width, 800);
      settle();
      for (int row = 0; row < int(view_->rows().rows.size()); ++row) {
        std::vector<QRectF> boxes = boxes_of(row);
        for (size_t i = 0; i < boxes.size(); ++i) {
          QVERIFY(view_->row_rect(row).contains(boxes[i]));
          for (size_t j = 0; j < i; ++j) QVERIFY(!boxes[i].intersects(boxes[j]));
        }
      }
      QCOMPARE(wrong_words(*view_), QString());
    }
  }

  void models_of_every_shape_have_one() {
    for (char const* sample : {"mobilenet", "dqn", "dcgan", "lstm"})
      for (char const* theme : {"dark", "light", "high-contrast"}) {
        window().execute(OpenModel{std::string("sample:") + sample});
        QVERIFY(window().perform(journal::SetTheme{theme}));
        settle();
        QVERIFY(window().perform(journal::ShowView{"fusion"}));
        settle();
        QVERIFY(!view_->rows().rows.empty());
        QCOMPARE(wrong_words(*view_), QString());
        keep_picture(window(), QString("fusion_%1_%2").arg(sample, theme));
      }
  }

private:
  struct TableKernel {
    int row = -1;
  };
  MainWindow& window() { return *place_->window; }
  void settle() { place_->settle(); }
  std::string kernel() {
    Snapshot const& now = place_->session->snapshot();
    return now.kernels->rows[size_t(now.kernel)].name;
  }
  TableKernel find_kernel(std::string const& name) {
    auto kernels = place_->session->snapshot().kernels;
    auto const& rows = kernels->rows;
    for (size_t i = 0; i < rows.size(); ++i)
      if (rows[i].name == name) return {int(i)};
    return {};
  }
  void click(QRectF const& box) {
    QTest::mouseClick(view_, Qt::LeftButton, {}, view_->pixels(box.center()));
    settle();
  }
  std::vector<QRectF> boxes_of(int row) {
    std::vector<QRectF> boxes;
    FusedRow const& one = view_->rows().rows[size_t(row)];
    for (size_t i = 0; i < one.operators.size(); ++i)
      boxes.push_back(view_->operator_rect(row, int(i)));
    for (size_t i = 0; i < one.kernels.size(); ++i)
      boxes.push_back(view_->kernel_rect(row, int(i)));
    return boxes;
  }

  std::unique_ptr<Workplace> place_;
  FusionRowsView* view_ = nullptr;
};

QTEST_MAIN(FusionRowsTest)
#include "fusion_rows_test.moc"
