// A model over several devices in the window: from the graph's menu, by dragging a flag, in every
// theme.
#include <QtTest>

#include <QContextMenuEvent>
#include <QMenu>

#include "tests/device/test_server.h"
#include "tests/gui/workplace.h"
#include "widgets/graph/graph_view.h"
#include "widgets/paint/paint.h"

using namespace tw;
using namespace tw::session;

class GuiCutTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    server_ = std::make_unique<test::TestServer>();
    std::string list = folder_->filePath("devices.json").toStdString();
    QVERIFY(add_device(list, {"board", server_->address(), "", ""}));
    place_ = std::make_unique<Workplace>(list);
    place_->window->resize(1280, 800);
    place_->window->execute(OpenSample{"resnet18"});
    place_->settle();
    QVERIFY(place_->window->perform(journal::ShowView{"graph"}));
    place_->settle();
    QTRY_VERIFY(!view().layout().busy() && view().layout().is_laid_out());
    view().camera().look_at(0.8, {20, 20});
  }
  void cleanup() { place_.reset(); }

  void a_card_s_menu_cuts_the_model_there() {
    QCOMPARE(choose(3, "Run from here on: board"), true);
    auto cut = now().cut;
    QVERIFY(cut && cut->points.size() == 1);
    QVERIFY(place_->recorded().find("partition ") != std::string::npos);
    QStringList entries = menu_of(card(3));
    QVERIFY(entries.contains("(Run from here on: board)") &&
            entries.contains("Run from here on: local"));
    QVERIFY(entries.contains("Run the whole model on one device"));
    QVERIFY(!choose(3, "Run from here on: nowhere"));
    int group = cut->points[0].group;
    QVERIFY(choose_starting(1, "Move the cut at "));
    QVERIFY(now().cut->points.size() == 1 && now().cut->points[0].group < group);
    place_->window->run_action("Run the whole model on one device");
    QVERIFY(!now().cut);
    // A journal of it plays again.
    std::string recorded = place_->recorded();
    QVERIFY(place_->replay(recorded));
    QVERIFY(!now().cut);
  }

  void a_flag_is_dragged_to_another_card() {
    QVERIFY(choose(3, "Run from here on: board"));
    place_->settle();
    int group = now().cut->points[0].group;
    QRectF from = card(3), to = card(1);
    QPointF flag(from.left() + 20, from.top() - 3);
    drag(flag, to.center());
    QVERIFY(now().cut->points[0].group < group);
    QCOMPARE(now().cut->points.size(), size_t(1));
    // Dropped beside every card it stays.
    group = now().cut->points[0].group;
    drag({to.left() + 20, to.top() - 3}, {3, 3});
    QCOMPARE(now().cut->points[0].group, group);
  }

  void words_are_whole_and_apart_in_every_theme_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QSize>("size");
    for (QString const& theme : Theme::names())
      for (QSize size : {QSize(1280, 800), QSize(2560, 1440)})
        QTest::addRow("%s %d", qPrintable(theme), size.width()) << theme << size;
  }
  void words_are_whole_and_apart_in_every_theme() {
    QFETCH(QString, theme);
    QFETCH(QSize, size);
    place_->window->resize(size);
    QVERIFY(place_->window->perform(journal::SetTheme{theme.toStdString()}));
    QVERIFY(choose(3, "Run from here on: board"));
    place_->settle();
    view().camera().look_at(0.8, {20, -200});  // the flag's card stands in frames, further down
    if (QString folder = qEnvironmentVariable("TW_PICTURES"); !folder.isEmpty())
      place_->window->grab().save(folder + QString("/cut_%1_%2.png").arg(theme).arg(size.width()));
    paint::TextLog log;
    QPixmap picture = view().grab();
    int cost = 0, flags = 0;
    for (paint::PaintedText const& text : log.texts) {
      cost += text.words.contains("copied in each run");
      flags += text.words == "board";
      bool of_cut = text.words.contains("copied") || text.words.contains("board");
      QVERIFY2(!(of_cut && text.cut), qPrintable(text.words));
    }
    QCOMPARE(cost, 1);
    QVERIFY(flags >= 1);
  }

private:
  tw::GraphView& view() { return *place_->window->findChild<tw::GraphView*>("graph"); }
  Snapshot now() { return place_->session->snapshot(); }
  QRectF card(int index) { return view().parts().at(size_t(index)).rect; }
  QMenu* open_menu(QRectF const& card) {
    QPoint at = (card.center() + QPointF(0, card.height() / 2 - 4)).toPoint();
    QContextMenuEvent asked(QContextMenuEvent::Mouse, at, view().mapToGlobal(at));
    QApplication::sendEvent(&view(), &asked);
    for (QMenu* menu : place_->window->findChildren<QMenu*>())
      if (menu->isVisible()) return menu;
    return nullptr;
  }
  QStringList menu_of(QRectF const& card) {
    QStringList entries;
    QMenu* menu = open_menu(card);
    for (QAction* action : menu ? menu->actions() : QList<QAction*>()) {
      QString name = action->text().section('\t', 0, 0);
      entries << (action->isEnabled() ? name : "(" + name + ")");
    }
    close(menu);
    return entries;
  }
  bool choose(int index, QString const& name) { return choose_starting(index, name); }
  bool choose_starting(int index, QString const& start) {
    QMenu* menu = open_menu(card(index));
    bool done = false;
    for (QAction* action : menu ? menu->actions() : QList<QAction*>())
      if (!done && action->isEnabled() && action->text().startsWith(start)) {
        action->trigger();
        done = true;
      }
    close(menu);
    place_->settle();
    return done;
  }
  static void close(QMenu* menu) {
    if (menu) menu->close();
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }
  void drag(QPointF from, QPointF to) {
    QTest::mousePress(&view(), Qt::LeftButton, {}, from.toPoint());
    QTest::mouseMove(&view(), ((from + to) / 2).toPoint());
    QTest::mouseMove(&view(), to.toPoint());
    QTest::mouseRelease(&view(), Qt::LeftButton, {}, to.toPoint());
    place_->settle();
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<test::TestServer> server_;
  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(GuiCutTest)
#include "cut_test.moc"
