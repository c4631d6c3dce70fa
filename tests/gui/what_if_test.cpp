// The roofline of a machine that is not there: marked as such, and gone at a word.
#include <QtTest>

#include <QComboBox>
#include <QPushButton>

#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/roofline/roofline_view.h"
#include "widgets/roofline/what_if_bar.h"

using namespace tw;

namespace {

QStringList painted(QWidget& view) {
  paint::TextLog log;
  view.grab();
  QStringList words;
  for (paint::PaintedText const& one : log.texts) words << one.words;
  return words;
}

}  // namespace

class WhatIfTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    place_ = std::make_unique<Workplace>(true);
    place_->open_matmul();
    QCOMPARE(place_->lines("show roofline\n"), std::string());
    view_ = place_->window->findChild<RooflineView*>("roofline");
    machine_ = place_->session->snapshot().machine;
    QVERIFY(machine_ && machine_->rates);
    peak_ = session::quantities_of(*machine_).front();
  }
  void cleanupTestCase() { place_.reset(); }
  void cleanup() { QCOMPARE(place_->lines("roofline if\n"), std::string()); }

  void a_changed_roof_is_drawn_and_said() {
    auto half = peak_;
    half.value = std::round(peak_.value / 2);
    QCOMPARE(place_->lines("roofline if " + to_text(half) + "\n"), std::string());
    place_->settle();
    QString words = painted(*view_).join("\n");
    QVERIFY2(words.contains("▲ Hypothetical: ") && words.contains("instead of"), qPrintable(words));
    QVERIFY2(words.contains("modelled: "), qPrintable(words));
    QVERIFY2(words.contains("if " + paint::number(half.value)), qPrintable(words));
    QCOMPARE(place_->lines("expect roofline.if = " + to_text(half) + "\n"), std::string());
    bool said = false;
    for (Part const& part : view_->parts()) said = said || part.name.startsWith("hypothetical: ");
    QVERIFY(said);
    QCOMPARE(place_->lines("roofline if\nexpect roofline.if = \"\"\n"), std::string());
    QVERIFY(!painted(*view_).join("\n").contains("Hypothetical"));
    QCOMPARE(place_->session->snapshot().machine, machine_);
  }

  void fields_and_choices_change_it() {
    place_->window->run_action("What if: other roofs and caches");
    auto* bar = place_->window->findChild<WhatIfBar*>("whatIfBar");
    QVERIFY(bar && bar->isVisible());
    QuantityField* field = bar->field(peak_.kind, peak_.name);
    QVERIFY(field && !field->isVisible());  // rows that the chart has
    auto* choice = bar->findChild<QComboBox*>("whatIfChoice");
    int own = choice->findText("Custom values");
    choice->setCurrentIndex(own);
    emit choice->activated(own);
    QVERIFY(field->isVisible());
    field->setFocus();
    QTest::keyClick(field, Qt::Key_Down);  // half
    QVERIFY(place_->recorded().find("roofline if " + peak_.name + "=") != std::string::npos);
    QVERIFY(std::abs(field->quantity().value / peak_.value - 0.5) < 1e-4);
    auto* reset = bar->findChild<QPushButton*>("whatIfReset");
    QVERIFY(reset->isEnabled());
    reset->click();
    QCOMPARE(field->quantity(), peak_);
    QVERIFY(!reset->isEnabled() && !field->isVisible());
    int caches = choice->findText("Caches twice as large");
    choice->setCurrentIndex(caches);
    emit choice->activated(caches);
    QCOMPARE(choice->currentIndex(), caches);
    for (session::MachineQuantity const& one : session::quantities_of(*machine_))
      if (one.kind == session::QuantityKind::kCapacity)
        QCOMPARE(bar->field(one.kind, one.name)->quantity().value, 2 * one.value);
  }

  void kernels_of_the_model_follow_too() {
    auto half = peak_;
    half.value /= 2;
    QCOMPARE(place_->lines("roofline of model\nroofline if " + to_text(half) + "\n"),
             std::string());
    place_->settle();
    for (int i = 0; i < 200 && painted(*view_).join(" ").contains("Modelling"); ++i)
      QTest::qWait(20);
    QString words = painted(*view_).join("\n");
    QVERIFY2(words.contains("Every kernel with its default schedule, modelled on it."),
             qPrintable(words));
    QCOMPARE(place_->lines("roofline of kernel\n"), std::string());
  }

  void a_wrong_line_changes_nothing() {
    QCOMPARE(place_->lines("roofline if DRAM=0GB/s\nexpect error contains a number above 0\n"
                           "expect roofline.if = \"\"\n"),
             std::string());
  }

  void it_is_whole_in_every_theme_data() {
    QTest::addColumn<QString>("theme");
    for (char const* theme : {"dark", "light", "high_contrast"}) QTest::newRow(theme) << theme;
  }
  void it_is_whole_in_every_theme() {
    QFETCH(QString, theme);
    place_->window->set_theme(theme);
    place_->window->run_action("What if: other roofs and caches");
    std::string changes;
    for (session::MachineQuantity one : session::quantities_of(*machine_)) {
      bool memory = one.kind == session::QuantityKind::kBandwidth;
      one.value *= 2;
      if (memory || one.is(peak_)) changes += (changes.empty() ? "" : ", ") + to_text(one);
    }
    QCOMPARE(place_->lines("roofline if " + changes + "\n"), std::string());
    place_->settle();
    QVERIFY2(wrong_words(*view_).isEmpty(), qPrintable(wrong_words(*view_)));
    keep_picture(*place_->window->pane_widget("roofline"), "what_if_" + theme);
  }

private:
  std::unique_ptr<Workplace> place_;
  RooflineView* view_ = nullptr;
  std::shared_ptr<session::MachineView const> machine_;
  session::MachineQuantity peak_;
};

QTEST_MAIN(WhatIfTest)
#include "what_if_test.moc"
