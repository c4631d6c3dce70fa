// The card of a refused step: what it means, the two iterations, what each repair would bring, and
// where the code is underlined.
#include <QtTest>

#include "engine/session/refusal_words.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/code/code_view.h"
#include "widgets/refusal/refusal_card.h"

using namespace tw;
using namespace tw::session;

class RefusalTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    place_->open_matmul();
    place_->window->apply_line("parallel(C.k)");
    place_->settle();
    card_ = place_->window->findChild<RefusalCard*>("refusal");
    QVERIFY(card_ && card_->isVisible() && card_->shown()->conflict);
  }
  void cleanup() { place_.reset(); }

  void words_neither_lie_on_each_other_nor_are_cut() {
    for (QString const& theme : Theme::names())
      for (QSize size : {QSize(1280, 800), QSize(1600, 1000), QSize(2560, 1440)})
        for (int scale : {100, 150}) {
          place_->window->set_theme(theme);
          place_->window->set_text_scale(scale);
          place_->window->resize(size);
          place_->settle();
          keep_picture(*place_->window,
                       QString("refusal_%1_%2_%3").arg(theme).arg(size.width()).arg(scale));
          QString wrong = wrong_words(*card_);
          QVERIFY2(
              wrong.isEmpty(),
              qPrintable(QString("%1 %2 %3: ").arg(theme).arg(size.width()).arg(scale) + wrong));
        }
  }

  /// Who has no key at hand could not close it.
  void it_is_closed_by_the_mouse_too_data() {
    QTest::addColumn<int>("scale");
    QTest::newRow("100") << 100;
    QTest::newRow("150") << 150;
  }
  void it_is_closed_by_the_mouse_too() {
    QFETCH(int, scale);
    place_->window->set_text_scale(scale);
    place_->settle();
    QTest::mouseClick(card_, Qt::LeftButton, {}, card_->pixels(card_->close_rect().center()));
    place_->settle();
    QVERIFY(!card_->isVisible());
    QVERIFY(!place_->session->snapshot().refusal);
  }

  /// It covered the roofline, in which a repair that is pointed at shows where it leads, also where
  /// there is room above it. Where there is not, the loop that it speaks of goes before.
  void it_leaves_the_views_below_free_or_else_its_loop() {
    for (QSize size : {QSize(1280, 800), QSize(1600, 1000), QSize(2560, 1440)}) {
      place_->window->resize(size);
      place_->settle();
      auto* roofline = place_->window->findChild<QWidget*>("roofline");
      QVERIFY(roofline && roofline->isVisible());
      int window = place_->window->mapToGlobal(QPoint(0, 0)).y();
      int top = card_->mapToGlobal(QPoint(0, 0)).y() - window;
      bool above = top + card_->height() <= roofline->mapToGlobal(QPoint(0, 0)).y() - window;
      QVERIFY2(above || size.width() == 1280, qPrintable(QString::number(size.width())));
      QVERIFY2(top >= 300, qPrintable(QString("%1: %2").arg(size.width()).arg(top)));
    }
  }

  void one_without_repairs_is_as_large_as_its_words() {
    place_->window->apply_line("parallel(C.nowhere)");
    place_->settle();
    QVERIFY(card_->isVisible() && card_->shown()->repairs.empty() && !card_->shown()->conflict);
    QVERIFY2(card_->unit_width() <= 480 && card_->unit_height() < 180,
             qPrintable(QString("%1 x %2").arg(card_->unit_width()).arg(card_->unit_height())));
    QString wrong = wrong_words(*card_);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
  }

  void it_says_what_the_step_would_do() {
    RefusalView const& view = *card_->shown();
    QCOMPARE(view.code, std::string("reduction_carried"));
    std::string words = consequence_of(view);
    QVERIFY2(words.find("one of the two additions would be lost") != words.npos, words.c_str());
    QCOMPARE(dependence_of(view), std::string("written when k is 0, and again when k is 1"));
    RefusalView other = view;
    other.code = "dependence_carried";
    other.conflict->second_writes = false;
    QVERIFY(consequence_of(other) != words && !consequence_of(other).empty());
    QCOMPARE(dependence_of(other), std::string("written when k is 0, read when k is 1"));
    other.conflict.reset();
    QVERIFY(consequence_of(other).empty() && dependence_of(other).empty());
  }

  void a_repair_that_is_pointed_at_is_seen_in_the_other_views() {
    QVERIFY(!card_->shown()->repairs.empty());
    QTest::mouseMove(card_, card_->repair_rect(0).center().toPoint());
    QCOMPARE(place_->window->selection().step(),
             QString::fromStdString(card_->shown()->repairs[0].step));
    QTest::mouseMove(card_, QPoint(30, 30));
    QVERIFY(place_->window->selection().step().isEmpty());
    QTest::mouseMove(card_, card_->repair_rect(0).center().toPoint());
    place_->window->execute(DismissRefusal{});
    place_->settle();
    QVERIFY(!card_->isVisible());
    QVERIFY(place_->window->selection().step().isEmpty());
  }

  void each_repair_says_what_it_would_bring() {
    // A session that measures knows its roofs; so does one that has them from an earlier start.
    Workplace measured(true);
    measured.open_matmul();
    measured.window->apply_line("parallel(C.k)");
    measured.settle();
    auto* card = measured.window->findChild<RefusalCard*>("refusal");
    QVERIFY(card && card->isVisible());
    auto worth = [&] {
      paint::TextLog log;
      card->grab();
      return std::ranges::count_if(log.texts, [](paint::PaintedText const& text) {
        return text.words.contains(QStringLiteral(" times faster")) ||
               text.words.contains(QStringLiteral(" times slower")) ||
               text.words.endsWith(QStringLiteral("○ as fast"));
      });
    };
    QTRY_COMPARE_WITH_TIMEOUT(worth(), std::ptrdiff_t(card->shown()->repairs.size()), 20000);
    for (QSize size : {QSize(1280, 800), QSize(1600, 1000)}) {
      measured.window->resize(size);
      measured.settle();
      keep_picture(*measured.window, QString("refusal_worth_%1").arg(size.width()));
      paint::TextLog log;
      card->grab();
      for (paint::PaintedText const& text : log.texts)
        QVERIFY2(text.words.size() < 5 || !text.words.contains(QChar(0x2026)),
                 qPrintable(text.words));  // "j …" is an axis that goes on
    }
  }

  void the_guilty_place_is_underlined_and_only_there() {
    auto* code = place_->window->findChild<CodeView*>("code");
    QVERIFY(code && code->isVisible());
    place_->window->execute(DismissRefusal{});
    place_->settle();
    int before = error_pixels(*code);
    place_->window->apply_line("parallel(C.k)");
    place_->settle();
    QVERIFY(error_pixels(*code) > before + 40);
    place_->window->execute(DismissRefusal{});
    place_->settle();
    QCOMPARE(error_pixels(*code), before);
  }

  /// In each row that a use of the tensor is cut into.
  void a_guilty_place_that_is_wrapped_is_underlined_too() {
    auto* code = place_->window->findChild<CodeView*>("code");
    QVERIFY(code && code->isVisible());
    place_->window->execute(DismissRefusal{});
    code->set_wrap(true);
    code->setFixedWidth(300);
    place_->settle();
    int before = error_pixels(*code);
    place_->window->apply_line("parallel(C.k)");
    place_->settle();
    keep_picture(*place_->window, "refusal_wrapped");
    QVERIFY(error_pixels(*code) > before + 40);
  }

private:
  int error_pixels(QWidget& view) {
    QImage image = view.grab().toImage();
    QColor error = place_->window->theme().error;
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x) {
        QColor one = image.pixelColor(x, y);
        count += std::abs(one.red() - error.red()) < 12 &&
                 std::abs(one.green() - error.green()) < 12 &&
                 std::abs(one.blue() - error.blue()) < 12;
      }
    return count;
  }

  std::unique_ptr<Workplace> place_;
  RefusalCard* card_ = nullptr;
};

QTEST_MAIN(RefusalTest)
#include "refusal_test.moc"
