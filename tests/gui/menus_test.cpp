// Menus of a right click: commands of the palette that fit the thing, in every view that has
// things.
#include <QtTest>

#include <QClipboard>
#include <QMenu>

#include "app/window/panes/compare/journal.h"
#include "tests/gui/workplace.h"
#include "widgets/compare/compare_view.h"
#include "widgets/devices/device_list.h"
#include "widgets/replay/replay_view.h"

using namespace tw;
using namespace tw::session;

class MenusTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    place_ = std::make_unique<Workplace>(folder_->filePath("devices.json").toStdString());
    place_->open_matmul();
  }
  void cleanup() { place_.reset(); }

  void devices_have_a_menu_with_what_can_be_done_now() {
    QVERIFY(window().perform(journal::ShowView{"devices"}));
    place_->settle();
    auto* list = window().findChild<DeviceList*>("deviceList");
    QStringList entries = menu_of(list, list->row_rect(0).center().toPoint());
    QVERIFY2(entries.contains("Use the selected device"), qPrintable(entries.join(", ")));
    QVERIFY(entries.contains("Ask every device again") && entries.contains("Add a device"));
    QVERIFY(entries.contains("(Remove the selected device)"));  // this machine is always there
  }

  void a_comparison_has_a_menu_that_swaps_and_closes_it() {
    window().apply_line("parallel(C.i)");
    place_->settle();
    QVERIFY(window().perform(journal::CompareStates{0, 2}));
    place_->settle();
    for (char const* part : {"codeBefore", "codeAfter", "costs"}) {
      QStringList entries = menu_of(window().findChild<QWidget*>(part), QPoint(20, 20));
      QVERIFY2(entries.contains("Swap what is compared"), part);
      QVERIFY2(entries.contains("Close the comparison"), part);
    }
    auto* compare = window().findChild<CompareView*>("compare");
    window().run_action("Swap what is compared");
    QCOMPARE(compare->before(), 2);
    window().run_action("Copy the compared code");
    QVERIFY(QApplication::clipboard()->text().contains("for"));
    window().run_action("Close the comparison");
    QVERIFY(!compare->active());
  }

  void replayed_steps_have_a_menu_that_copies_them() {
    window().apply_line("parallel(C.i)");
    place_->settle();
    auto* view = window().findChild<tw::ReplayView*>("replay");
    QVERIFY(menu_of(view, QPoint(30, 20)).contains("(Copy the replayed script)"));
    std::string other =
        "tilewright te 1\nkernel other(A: f32[8, 8], B: f32[8, 8]) -> R\n"
        "  R[a in 8, b in 8] = sum[c in 8] A[a, c] * B[c, b]\n";
    window().execute(AddKernel{other});
    place_->settle();
    QVERIFY(window().perform(journal::ChooseKernel{"matmul"}));
    window().apply_line("vectorize(C.j)");
    window().execute(ReplayOn{"other"});
    place_->settle();
    QVERIFY(place_->session->snapshot().replay);
    QVERIFY(menu_of(view, QPoint(30, 20)).contains("Copy the replayed script"));
    window().run_action("Copy the replayed script");
    QVERIFY2(QApplication::clipboard()->text().contains("parallel"),
             qPrintable(QApplication::clipboard()->text()));
  }

  void the_other_views_have_one_too() {
    for (char const* part : {"kernels", "loopNest", "history", "roofline", "code", "graph"}) {
      auto* view = window().findChild<QWidget*>(part);
      if (QString(part) == "graph") QVERIFY(window().perform(journal::ShowView{"graph"}));
      QVERIFY2(!menu_of(view, place_in(view)).isEmpty(), part);
    }
  }

private:
  MainWindow& window() { return *place_->window; }
  /// A place where something is.
  static QPoint place_in(QWidget* view) {
    auto* parts = dynamic_cast<HasParts*>(view);
    for (Part const& part : parts ? parts->parts() : std::vector<Part>())
      if (part.selected) return part.rect.center().toPoint();
    return {30, 30};
  }
  /// The entries of the menu that a right click opens there; those that are grey in brackets.
  QStringList menu_of(QWidget* view, QPoint at) {
    auto* scroll = qobject_cast<QAbstractScrollArea*>(view);
    QWidget* target = scroll ? scroll->viewport() : view;
    QContextMenuEvent asked(QContextMenuEvent::Mouse, at, target->mapToGlobal(at));
    QApplication::sendEvent(target, &asked);
    QStringList entries;
    for (QMenu* menu : window().findChildren<QMenu*>()) {
      if (!menu->isVisible()) continue;
      for (QAction* action : menu->actions()) {
        QString name = action->text().section('\t', 0, 0);
        entries << (action->isEnabled() ? name : "(" + name + ")");
      }
      menu->close();
    }
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    return entries;
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(MenusTest)
#include "menus_test.moc"
