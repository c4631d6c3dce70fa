// Errors are in sight: a card with the cause, what to do and a command for it, until it is mended,
// closed, or past.
#include <QtTest>

#include <QClipboard>
#include <QDialog>
#include <QLabel>
#include <QPushButton>

#include "app/window/error_advice.h"
#include "engine/support/error_table.h"
#include "tests/gui/workplace.h"
#include "widgets/error_card/error_card.h"
#include "widgets/refusal/refusal_card.h"

using namespace tw;
using namespace tw::session;

class ErrorsTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    window_ = place_->window.get();
    card_ = window_->findChild<ErrorCard*>("errorCard");
    QVERIFY(card_ && !card_->isVisible());
  }
  void cleanup() { place_.reset(); }

  void a_remedy_of_the_table_is_shown_where_the_window_has_no_advice_of_its_own() {
    ErrorWords words = error_words("no_breakpoint", "", "no breakpoint is set");
    QCOMPARE(words.advice, QString("Click in a queue's plot to set one."));
    // Of the command line: nothing to do in the window.
    QVERIFY(find_error("unknown_roofs") && remedy_of("unknown_roofs").contains("`tw "));
    QCOMPARE(error_words("unknown_roofs", "", "not measured").advice, QString());
    QVERIFY(!error_words("reduction_carried", "", "no").advice.contains('`'));
    QVERIFY(error_words("no_model", "", "no model is open").command == "Open a model");
  }
  void a_file_that_is_missing_is_said_on_the_start_page_and_mended_by_another() {
    window_->execute(OpenModel{"/nowhere/net.onnx"});
    place_->settle();
    QVERIFY(card_->isVisible());
    QCOMPARE(card_->words().title, QString("Not opened"));
    QVERIFY2(card_->words().sentence.contains("/nowhere/net.onnx"),
             qPrintable(card_->words().sentence));
    QVERIFY(!card_->words().advice.isEmpty());
    QCOMPARE(card_->words().command, QString("Open a model"));
    card_->findChild<QPushButton*>("errorCommand")->click();
    auto* dialog = window_->findChild<QDialog*>("openDialog");
    QVERIFY(dialog && dialog->isVisible());
    dialog->reject();
    QVERIFY(card_->isVisible());  // giving up mends nothing
    place_->open_matmul();
    QVERIFY(!card_->isVisible());
  }

  void its_words_are_whole_at_every_size_and_scale() {
    window_->execute(OpenModel{"/nowhere/" + std::string(160, 'x') + " and more words/net.onnx"});
    place_->settle();
    for (QSize size : {QSize(1280, 800), QSize(2560, 1440)})
      for (int scale : {80, 100, 150})
        for (char const* theme : {"dark", "light", "high_contrast"}) {
          window_->resize(size);
          window_->set_text_scale(scale);
          window_->set_theme(theme);
          QApplication::processEvents();
          QRect box(card_->mapTo(window_, QPoint(0, 0)), card_->size());
          QVERIFY(window_->rect().contains(box));
          for (QLabel* label : card_->findChildren<QLabel*>())
            if (label->isVisible() && label->wordWrap())
              QVERIFY2(label->height() >= label->heightForWidth(label->width()),
                       qPrintable(label->objectName()));
        }
  }

  void a_wrong_command_is_past_with_the_next_one() {
    place_->open_matmul();
    window_->apply_line("nonsense(C.i)");
    QVERIFY(card_->isVisible());
    QCOMPARE(card_->words().command, QString("Commands"));
    window_->apply_line("parallel(C.i)");
    QVERIFY(!card_->isVisible());
    QVERIFY(window_->said().isEmpty());
  }

  /// As a full disk: looking elsewhere mends nothing.
  void what_the_surroundings_refuse_stays_until_it_goes_well_or_is_closed() {
    place_->open_matmul();
    QVERIFY(!window_->perform(journal::ShowDialog{"export", {}}));
    QVERIFY(card_->isVisible());
    for (journal::Action const& look : std::initializer_list<journal::Action>{
             journal::SetTheme{"light"}, journal::ShowView{"graph"}, journal::SelectLoop{"C.j"}}) {
      QVERIFY(window_->perform(look));
      QVERIFY(card_->isVisible());
    }
    QVERIFY(window_->perform(journal::ShowView{"loops"}));
    QTest::keyClick(window_->findChild<QWidget*>("loopNest"), Qt::Key_Escape);
    QVERIFY(!card_->isVisible());
    QVERIFY(window_->said().isEmpty());
    QVERIFY(!window_->perform(journal::ShowDialog{"export", {}}));
    QVERIFY(card_->isVisible());
    QVERIFY(window_->perform(journal::ShowDialog{"keys", {}}));  // the same kind of thing, done
    QVERIFY(!card_->isVisible());
  }

  void it_can_be_closed_and_copied() {
    window_->execute(OpenModel{"/nowhere/net.onnx"});
    place_->settle();
    card_->findChild<QPushButton*>("errorCopy")->click();
    QCOMPARE(QApplication::clipboard()->text(), card_->words().sentence);
    card_->findChild<QPushButton*>("errorClose")->click();
    place_->settle();
    QVERIFY(!card_->isVisible());
    QVERIFY(!place_->session->snapshot().error);
  }

  /// Both are seen: the error stands above the card of the refusal.
  void a_refusal_and_an_error_do_not_cover_each_other() {
    place_->open_matmul();
    window_->apply_line("parallel(C.k)");
    QVERIFY(window_->perform(journal::ShowView{"loops"}));
    QVERIFY(!window_->perform(journal::SelectLoop{"C.z"}));
    auto* refusal = window_->findChild<RefusalCard*>("refusal");
    QVERIFY(refusal->isVisible() && card_->isVisible());
    QRect one(refusal->mapTo(window_, QPoint(0, 0)), refusal->size());
    QRect other(card_->mapTo(window_, QPoint(0, 0)), card_->size());
    QVERIFY(!one.intersects(other));
  }

private:
  std::unique_ptr<Workplace> place_;
  MainWindow* window_ = nullptr;
  ErrorCard* card_ = nullptr;
};

QTEST_MAIN(ErrorsTest)
#include "errors_test.moc"
