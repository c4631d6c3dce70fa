// The dialogs of steps: lists to choose from, and a beginning that is legal.
#include <QtTest>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>

#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/step_dialog/layout_picture.h"
#include "widgets/step_dialog/loop_order.h"

using namespace tw;
using namespace tw::session;

class StepDialogTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    place_->window->resize(1600, 1000);
    QCOMPARE(place_->lines("sample resnet18\nkernel conv2d_64x56x56_3x3\nselect conv2d.x\n"),
             std::string());
  }
  void cleanup() { place_.reset(); }

  void no_dialog_begins_with_an_error() {
    QStringList refused;
    for (PrimitiveView const& primitive : place_->session->primitives()) {
      QString name = QString::fromStdString(primitive.name);
      QDialog* dialog = opened(name);
      if (!dialog) continue;  // it says all by its loop
      auto* verdict = dialog->findChild<QLabel*>("verdict");
      QVERIFY2(!verdict->text().startsWith(QStringLiteral("✕")), qPrintable(name));
      if (!dialog->findChild<QPushButton*>("apply")->isEnabled()) refused << name;
      QString wrong = wrong_words(*dialog);
      QVERIFY2(wrong.isEmpty(), qPrintable(name + ": " + wrong));
      dialog->reject();
    }
    qInfo("nothing legal was found to begin with: %s", qPrintable(refused.join(", ")));
    for (char const* name :
         {"reorder", "split", "fuse", "compute_at", "cache_read", "pack", "tile"})
      QVERIFY2(!refused.contains(name), name);
  }

  void an_order_is_made_by_dragging_or_with_keys() {
    QDialog* dialog = opened("reorder");
    auto* order = dialog->findChild<LoopOrder*>("loopOrder");
    auto* line = dialog->findChild<QLineEdit*>("targets");
    QVERIFY(order && line);
    QStringList before = order->order();
    QCOMPARE(line->text(), before.join(", "));
    keep_picture(*dialog, "dialog_reorder");
    order->setCurrentRow(1);
    QTest::keyClick(order, Qt::Key_Down, Qt::AltModifier);
    before.swapItemsAt(1, 2);
    QCOMPARE(order->order(), before);
    QCOMPARE(line->text(), before.join(", "));
    // As a drop does it.
    QVERIFY(order->model()->moveRow({}, 0, {}, order->count()));
    before.move(0, before.size() - 1);
    QCOMPARE(line->text(), before.join(", "));
    line->setText("conv2d.x, conv2d.o");  // what is typed stands, and the list stays
    QCOMPARE(order->order(), before);
    dialog->reject();
  }

  void a_place_is_chosen_from_lists() {
    QDialog* dialog = opened("compute_at");
    auto* block = dialog->findChild<QComboBox*>("target_0");
    auto* loop = dialog->findChild<QComboBox*>("target_1");
    QVERIFY(block && loop && block->count() > 1 && loop->count() > 4);
    QCOMPARE(dialog->findChild<QLineEdit*>("targets")->text(),
             block->currentText() + ", " + loop->currentText());
    keep_picture(*dialog, "dialog_compute_at");
    loop->setCurrentIndex(0);
    emit loop->activated(0);
    QCOMPARE(dialog->findChild<QLineEdit*>("targets")->text(),
             block->currentText() + ", " + loop->itemText(0));
    dialog->reject();
  }

  void a_layout_is_chosen_with_its_picture() {
    QDialog* dialog = opened("pack");
    auto* tensor = dialog->findChild<QComboBox*>("value_tensor");
    auto* layout = dialog->findChild<QComboBox*>("value_layout");
    auto* picture = dialog->findChild<LayoutPicture*>("layoutPicture");
    QVERIFY(tensor && layout && picture && tensor->count() >= 2 && layout->count() > 2);
    QVERIFY(picture->isVisible());
    keep_picture(*dialog, "dialog_pack");
    QString before = layout->currentText();
    int rank = int(layout->itemText(0).count(QRegularExpression("[A-Z]")));
    for (int i = 0; i < tensor->count(); ++i) {
      tensor->setCurrentIndex(i);
      QVERIFY(layout->count() > 0);
    }
    QVERIFY(rank > 1);
    layout->setEditText("nonsense");
    QVERIFY(!picture->isVisible());
    QVERIFY(dialog->findChild<QLabel*>("verdict")->text().startsWith(QStringLiteral("✕")));
    layout->setEditText(before);
    dialog->reject();
  }

private:
  QDialog* opened(QString const& primitive) {
    (void)place_->window->perform(journal::ShowDialog{"step", primitive.toStdString()});
    QApplication::processEvents();
    for (QDialog* dialog : place_->window->findChildren<QDialog*>("stepDialog"))
      if (dialog->isVisible()) return dialog;
    return nullptr;
  }

  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(StepDialogTest)
#include "step_dialog_test.moc"
