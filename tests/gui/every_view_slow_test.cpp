// Every view of the window, in every theme, size and size of text: no words are cut or covered, and
// what can be clicked has a name, a role and a way by keyboard.
#include <QtTest>

#include <QAbstractItemView>
#include <QAccessible>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QScrollBar>
#include <QTabBar>
#include <QTabWidget>

#include "app/window/panes/compare/journal.h"
#include "app/window/view_names.h"
#include "tests/gui/painted_texts.h"
#include "tests/gui/workplace.h"
#include "widgets/accessible/parts.h"

using namespace tw;
using namespace tw::session;

class EveryViewTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    place_ = std::make_unique<Workplace>(folder_.filePath("devices.json").toStdString(), true);
    place_->window->resize(1600, 1000);
    place_->window->execute(OpenSample{"resnet18"});
    place_->settle();
    for (char const* line :
         {"split(conv2d.o, factor=3)", "split(conv2d.x, factor=14)",
          "reorder(conv2d.o.0, conv2d.y, conv2d.x.0, conv2d.c, conv2d.r, conv2d.s, conv2d.o.1, "
          "conv2d.x.1, conv2d.b)",
          "vectorize(conv2d.b)"})
      place_->window->apply_line(line);
    place_->settle();
    QVERIFY(place_->window->perform(journal::CompareStates{0, 4}));
    place_->settle();
    for (QTabBar* bar : place_->window->centralWidget()->findChildren<QTabBar*>())
      for (int i = 0; i < bar->count(); ++i)
        if (QString name = view_name(bar->tabText(i)); !views_.contains(name)) views_ << name;
    QVERIFY2(views_.size() >= 16, qPrintable(views_.join(", ")));
    qInfo("%d views: %s", int(views_.size()), qPrintable(views_.join(", ")));
  }
  void cleanupTestCase() { place_.reset(); }

  void words_are_whole_and_apart_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("scale");
    for (QString const& theme : Theme::names())
      for (QSize size : {QSize(960, 620), QSize(1280, 800), QSize(1600, 1000), QSize(2560, 1440)})
        for (int scale : {100, 150})
          QTest::addRow("%s %dx%d text %d", qPrintable(theme), size.width(), size.height(), scale)
              << theme << size << scale;
  }
  void words_are_whole_and_apart() {
    QFETCH(QString, theme);
    QFETCH(QSize, size);
    QFETCH(int, scale);
    place_->window->set_text_scale(scale);
    place_->window->set_theme(theme);
    place_->window->resize(size);
    QStringList faults;
    int shown = 0;
    for (QString const& view : views_) {
      if (!show(view)) continue;
      ++shown;
      QStringList wrong;
      int texts = testing::painted_texts(*place_->window, 1, wrong);
      for (QString const& one : wrong)
        if (!faults.contains(one)) faults << view + ": " + one;
      // There are no trials here, and all else gives records its room.
      QVERIFY2(texts > (view == "records" ? 2 : 20), qPrintable(view));
    }
    QVERIFY2(shown >= 22, qPrintable(QString("only %1 views were shown").arg(shown)));
    QVERIFY2(faults.isEmpty(), qPrintable(faults.mid(0, 20).join("\n")));
  }

  void what_can_be_clicked_can_be_named_and_reached() {
    place_->window->set_text_scale(100);
    place_->window->resize(1600, 1000);
    QSet<QString> faults;
    int looked_at = 0;
    for (QString const& view : views_) {
      if (!show(view)) continue;
      for (QWidget* widget : place_->window->findChildren<QWidget*>()) {
        if (!widget->isVisible() || !is_for_clicks(widget)) continue;
        ++looked_at;
        QString who = QString("%1 '%2' in %3")
                          .arg(widget->metaObject()->className(), widget->objectName(), view);
        QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
        if (!face || face->text(QAccessible::Name).isEmpty())
          faults << "no name: " + who;
        else if (face->role() == QAccessible::NoRole || face->role() == QAccessible::Client)
          faults << "no role: " + who;
        if (widget->isEnabled() && !(widget->focusPolicy() & Qt::TabFocus) &&
            !has_other_way(widget))
          faults << "no way by keyboard: " + who;
        if (auto* parts = dynamic_cast<HasParts*>(widget))
          for (Part const& part : parts->parts())
            if (part.name.isEmpty()) faults << "a part without a name: " + who;
      }
    }
    QVERIFY2(faults.isEmpty(), qPrintable(QStringList(faults.values()).join("\n")));
    QVERIFY(looked_at > 200);
  }

private:
  /// False: its tab is there only where a target has it, or while something is compared.
  bool show(QString const& view) {
    Status shown = place_->window->perform(journal::ShowView{view.toStdString()});
    if (!shown) return false;
    place_->settle();
    for (int i = 0; i < 4; ++i) QApplication::processEvents();  // layouts ask for more layouts
    for (QTabBar* bar : place_->window->findChildren<QTabBar*>())
      for (int i = 0; i < bar->count(); ++i)
        if (view_name(bar->tabText(i)) == view && bar->isVisible() && bar->currentIndex() == i)
          return true;
    return false;
  }

  static bool is_for_clicks(QWidget* widget) {
    // What Qt makes inside of its own widgets is reached through these.
    if (qobject_cast<QScrollBar*>(widget) || widget->objectName().startsWith("qt_")) return false;
    for (QWidget* around = widget->parentWidget(); around; around = around->parentWidget())
      if (qobject_cast<QComboBox*>(around) || qobject_cast<QTabBar*>(around) ||
          qobject_cast<QAbstractItemView*>(around) || qobject_cast<QLineEdit*>(around))
        return false;
    return qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) ||
           qobject_cast<QLineEdit*>(widget) || qobject_cast<QAbstractItemView*>(widget) ||
           dynamic_cast<HasParts*>(widget);
  }

  /// A button that says which command it is has that command's keys, menu and palette; words that
  /// only tell something need none.
  static bool has_other_way(QWidget* widget) {
    if (widget->property("command").isValid()) return true;
    return !qobject_cast<QAbstractButton*>(widget) && dynamic_cast<HasParts*>(widget) &&
           widget->property("tells").toBool();
  }

  QTemporaryDir folder_;
  std::unique_ptr<Workplace> place_;
  QStringList views_;
};

QTEST_MAIN(EveryViewTest)
#include "every_view_slow_test.moc"
