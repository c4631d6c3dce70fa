// What a screen reader is told: where each arrow goes in the painted views, one event for a key;
// tools that lie on a view; what can be done to a part.
#include <QtTest>

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAccessible>
#include <set>
#include <tuple>

#include "tests/gui/workplace.h"
#include "widgets/accessible/part_watch.h"
#include "widgets/accessible/parts.h"

using namespace tw;

namespace {

struct Told {
  QAccessible::Event kind;
  QObject* view;
  int part;
  QString name;
};
std::vector<Told> told;

void listen(QAccessibleEvent const& event) {
  QAccessibleInterface* what = event.accessibleInterface();
  if (what)
    told.push_back({event.type(), event.object(), event.child(), what->text(QAccessible::Name)});
}

}  // namespace

class SpokenTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    place_->open_matmul();
    QCOMPARE(place_->lines("step i.0, i.1 = split(C.i, factor=4)\nstep parallel(C.i.0)\n"),
             std::string());
    place_->window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(place_->window.get()));
    hear_parts(listen);
  }
  void cleanup() {
    hear_parts(nullptr);
    place_.reset();
  }

  void each_arrow_says_the_part_that_it_went_to() {
    struct Row {
      char const *view, *object;
      int key, back;
    };
    for (Row const& row : {Row{"loops", "loopNest", Qt::Key_Down, Qt::Key_Up},
                           Row{"history", "history", Qt::Key_Left, Qt::Key_Right},
                           Row{"roofline", "roofline", Qt::Key_Left, Qt::Key_Right},
                           Row{"suggestions", "nextMoves", Qt::Key_Down, Qt::Key_Up}}) {
      QWidget* view = bring_up(row.view, row.object);
      if (!view) continue;
      if (dynamic_cast<HasParts*>(view)->parts().size() < 2) continue;
      QTest::keyClick(view, Qt::Key(row.back));
      told.clear();
      QTest::keyClick(view, Qt::Key(row.key));
      std::vector<Told> first = told;
      told.clear();
      QTest::keyClick(view, Qt::Key(row.back));
      for (std::vector<Told> const& all : {first, told}) {
        QVERIFY2(all.size() == 1, qPrintable(QString("%1: %2").arg(row.object, words(all))));
        QVERIFY2(all[0].kind == QAccessible::Focus, row.object);
        QVERIFY2(!all[0].name.isEmpty(), row.object);
      }
      QVERIFY2(first[0].name != told[0].name, row.object);
    }
  }

  void arrows_in_a_list_of_kernels_and_in_a_graph_are_heard() {
    QCOMPARE(place_->lines("sample dqn\n"), std::string());
    for (auto [view, object, key] : {std::tuple("kernels", "kernels", Qt::Key_Down),
                                     std::tuple("graph", "graph", Qt::Key_Up)}) {
      QWidget* shown = bring_up(view, object);
      QVERIFY2(shown, object);
      QTRY_VERIFY(dynamic_cast<HasParts*>(shown)->parts().size() > 2);
      for (int i = 0; i < 2; ++i) {
        told.clear();
        QTest::keyClick(shown, key);
        QVERIFY2(told.size() == 1 && told[0].kind == QAccessible::Focus,
                 qPrintable(QString("%1: %2").arg(object, words(told))));
      }
    }
  }

  void a_player_says_its_place() {
    QWidget* film = bring_up("memory", "accessFilm");
    QVERIFY(film);
    QTRY_VERIFY(!dynamic_cast<HasParts*>(film)->parts().empty());
    QTest::keyClick(film, Qt::Key_Home);
    told.clear();
    QTest::keyClick(film, Qt::Key_Right);
    QVERIFY2(told.size() == 1 && told[0].kind == QAccessible::ValueChanged,
             qPrintable(words(told)));
    auto* value = QAccessible::queryAccessibleInterface(film)->valueInterface();
    QVERIFY(value && value->currentValue().toDouble() == 1 && value->maximumValue().toDouble() > 1);
  }

  /// As one comes to it by Tab.
  void a_view_that_gets_the_focus_says_which_part_has_it() {
    QWidget* loop_nest = bring_up("loops", "loopNest");
    QTest::keyClick(loop_nest, Qt::Key_Down);
    place_->window->findChild<QWidget*>("kernels")->setFocus();
    told.clear();
    loop_nest->setFocus(Qt::TabFocusReason);
    bool said = std::ranges::any_of(told, [&](Told const& one) {
      return one.view == loop_nest && one.part >= 0 && one.kind == QAccessible::Focus;
    });
    QVERIFY2(said, qPrintable(words(told)));
    QAccessibleInterface* child = QAccessible::queryAccessibleInterface(loop_nest)->focusChild();
    QVERIFY(child && child->state().focused && child->role() == QAccessible::ListItem);
  }

  void widgets_that_lie_on_a_view_are_in_the_tree() {
    QStringList missing;
    for (QWidget* view : place_->window->findChildren<QWidget*>()) {
      if (!dynamic_cast<HasParts*>(view)) continue;
      QAccessibleInterface* whole = QAccessible::queryAccessibleInterface(view);
      for (QWidget* child : view->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (child->isWindow() || child->isHidden()) continue;
        QAccessibleInterface* face = QAccessible::queryAccessibleInterface(child);
        int at = whole->indexOfChild(face);
        if (at < 0 || whole->child(at) != face)
          missing << view->objectName() + ": " + child->objectName();
      }
    }
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join("\n")));
  }

  /// From the window down, whatever lies in what.
  void every_tool_that_is_seen_is_in_the_tree() {
    QStringList missing;
    for (char const* view : {"loops", "graph", "memory", "iterations", "records"}) {
      QVERIFY2(place_->window->show_view(view), view);
      place_->settle();
      std::set<QObject*> reached;
      walk(QAccessible::queryAccessibleInterface(place_->window.get()), reached);
      for (QWidget* tool : place_->window->findChildren<QWidget*>()) {
        bool is_tool = qobject_cast<QAbstractButton*>(tool) || tool->inherits("QLineEdit") ||
                       tool->inherits("QComboBox") || dynamic_cast<HasParts*>(tool);
        bool own = tool->objectName().startsWith("qt_") || tool->window() != place_->window.get();
        if (is_tool && !own && tool->isVisible() && !reached.contains(tool))
          missing << QString("%1: %2 %3")
                         .arg(view, tool->metaObject()->className(), tool->objectName());
      }
    }
    missing.removeDuplicates();
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join("\n")));
  }

  /// Whatever the keyboard reaches says what it is, how it is called and what can be done to it.
  void all_that_can_have_the_focus_has_a_role_a_name_and_an_action() {
    QStringList wrong;
    int looked_at = 0;
    for (char const* view :
         {"loops", "graph", "memory", "iterations", "tuning", "records", "suggestions", "why",
          "attributes", "script", "replay", "ablation", "history"}) {
      QVERIFY2(place_->window->show_view(view), view);
      place_->settle();
      for (QWidget* one : place_->window->findChildren<QWidget*>()) {
        bool own = one->objectName().startsWith("qt_") || one->window() != place_->window.get();
        bool reached = one->focusPolicy() & Qt::TabFocus && !one->focusProxy();
        if (!reached || own || !one->isVisible() || !one->isEnabled()) continue;
        ++looked_at;
        QString fault = fault_of(*one);
        if (!fault.isEmpty())
          wrong << QString("%1: %2 %3 %4")
                       .arg(view, one->metaObject()->className(), one->objectName(), fault);
      }
    }
    wrong.removeDuplicates();
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    QVERIFY2(looked_at > 200, qPrintable(QString::number(looked_at)));
  }

  void a_painted_button_can_be_pressed() {
    bring_up("loops", "loopNest");
    QCOMPARE(place_->lines("select C.i.1\nexpect step = parallel(C.i.0)\n"), std::string());
    auto* chip = place_->window->findChild<QWidget*>("chip_unroll");
    QVERIFY(chip && chip->isVisible());
    QAccessibleInterface* button = QAccessible::queryAccessibleInterface(chip);
    QCOMPARE(button->role(), QAccessible::PushButton);
    button->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
    place_->settle();
    QCOMPARE(place_->lines("expect step = unroll(C.i.1)\n"), std::string());
  }

  void a_part_can_be_pressed() {
    QWidget* loop_nest = bring_up("loops", "loopNest");
    QCOMPARE(place_->lines("select none\n"), std::string());
    QAccessibleInterface* whole = QAccessible::queryAccessibleInterface(loop_nest);
    for (int i = 0; i < whole->childCount(); ++i) {
      QAccessibleInterface* part = whole->child(i);
      if (!part->text(QAccessible::Name).startsWith("C.k,")) continue;
      QVERIFY(part->actionInterface());
      part->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
    }
    place_->settle();
    QCOMPARE(place_->lines("expect loop = C.k\n"), std::string());
  }

private:
  static QString fault_of(QWidget& widget) {
    QAccessibleInterface* what = QAccessible::queryAccessibleInterface(&widget);
    if (!what) return "is not there";
    QAccessible::Role role = what->role();
    if (qobject_cast<QAbstractScrollArea*>(&widget) && !dynamic_cast<HasParts*>(&widget) &&
        what->childCount() > 0)
      return {};  // what is in it says what it is
    if (role == QAccessible::NoRole || role == QAccessible::Client || role == QAccessible::Pane)
      return "has no role";
    // Of one of several its name is what is chosen; what of, its description says.
    bool chooses = role == QAccessible::ComboBox;
    QString name =
        chooses ? widget.accessibleName() + widget.toolTip() : what->text(QAccessible::Name);
    if (role == QAccessible::EditableText && name.isEmpty())
      name = what->text(QAccessible::Description);
    if (name.isEmpty()) return "has no name";
    QAccessibleActionInterface* actions = what->actionInterface();
    bool changes = what->valueInterface() || what->textInterface() || what->childCount() > 0;
    if (!changes && (!actions || actions->actionNames().isEmpty())) return "has no action";
    return {};
  }
  static void walk(QAccessibleInterface* at, std::set<QObject*>& reached) {
    if (!at) return;
    if (at->object()) reached.insert(at->object());
    for (int i = 0; i < at->childCount(); ++i) walk(at->child(i), reached);
  }
  QWidget* bring_up(char const* view, char const* object) {
    if (!place_->window->show_view(view)) return nullptr;
    place_->settle();
    auto* widget = place_->window->findChild<QWidget*>(object);
    if (!widget || !widget->isVisible()) return nullptr;
    widget->setFocus();
    return widget;
  }
  static QString words(std::vector<Told> const& all) {
    QStringList list;
    for (Told const& one : all)
      list << QString("%1 of part %2 '%3'").arg(int(one.kind), 0, 16).arg(one.part).arg(one.name);
    return QString("%1 events: ").arg(all.size()) + list.join("; ");
  }

  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(SpokenTest)
#include "spoken_test.moc"
