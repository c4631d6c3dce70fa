// Every text that the window paints is whole and clear of every other, in each theme, at several
// sizes, two densities and text from 80 to 150 %.
#include <QtTest>

#include <QAccessible>
#include <QLabel>
#include <QPixmap>
#include <QPushButton>
#include <fstream>

#include "app/shared/environment.h"
#include "app/window/main_window.h"
#include "app/window/panes/compare/journal.h"
#include "tests/gui/painted_texts.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;

class LayoutTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    auto environment = make_environment().value();
    session_ = Session::create({environment.backend, testing::built("/bin/tw-device"),
                                environment.cache_folder.string(), 2, false})
                   .value();
    window_ = std::make_unique<MainWindow>(
        *session_,
        std::vector<SampleCard>{{"resnet18", "ResNet-18", "a network", "sample:resnet18"}},
        folder_.filePath("state"));
    window_->show();
    window_->execute(OpenSample{"resnet18"});
    QVERIFY(session_->wait_idle(120));
    window_->refresh();
    window_->execute(SelectKernel{3});
    for (char const* line :
         {"split(conv2d.o, factor=3)", "split(conv2d.x, factor=15)",
          "reorder(conv2d.o.0, conv2d.y, conv2d.x.0, conv2d.c, conv2d.r, conv2d.s, conv2d.o.1, "
          "conv2d.x.1, conv2d.b)",
          "vectorize(conv2d.b)", "parallel(conv2d.c)"})
      window_->apply_line(line);
    QVERIFY(session_->wait_idle(60));
    window_->refresh();
    QVERIFY(session_->snapshot().refusal);
  }
  void cleanupTestCase() {
    window_.reset();
    session_.reset();
  }

  void texts_are_whole_and_apart_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("density");
    QTest::addColumn<int>("scale");
    for (char const* theme : {"dark", "light", "high_contrast"})
      for (QSize size : {QSize(1280, 800), QSize(1440, 900), QSize(2560, 1440)})
        for (double density : {1.0, 2.0})
          QTest::addRow("%s %d x%g", theme, size.width(), density)
              << theme << size << density << 100;
    for (auto [scale, size] : {std::pair{80, QSize(1280, 800)},
                               {80, QSize(2560, 1440)},
                               {125, QSize(1280, 800)},
                               {125, QSize(1440, 900)},
                               {150, QSize(1440, 900)},
                               {150, QSize(2560, 1440)}})
      QTest::addRow("dark %d at %d %%", size.width(), scale) << "dark" << size << 1.0 << scale;
  }
  void texts_are_whole_and_apart() {
    QFETCH(QString, theme);
    QFETCH(QSize, size);
    QFETCH(double, density);
    QFETCH(int, scale);
    window_->set_text_scale(scale);
    window_->set_theme(theme);
    QCOMPARE(window_->theme_name(), theme);
    window_->resize(size);
    for (int tab = 0; tab < 3; ++tab) {
      if (tab < 2) {
        window_->show_centre(tab);
      } else {
        QVERIFY(window_->perform(journal::CompareStates{0, 4}));
        QVERIFY(session_->wait_idle(60));
        window_->refresh();
        QVERIFY(session_->wait_idle(60));
        window_->refresh();
      }
      for (int i = 0; i < 4; ++i) QApplication::processEvents();  // layouts ask for more layouts
      QStringList wrong;
      int texts = testing::painted_texts(*window_, density, wrong);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong.mid(0, 12).join("\n")));
      QVERIFY2(texts > 60, qPrintable(QString("only %1 texts were painted").arg(texts)));
    }
    QVERIFY(window_->perform(journal::StopComparing{}));
  }

  void parts_have_names_for_assistive_technology() {
    window_->show_centre(0);
    for (auto [name, least] : {std::pair{"loopNest", 15}, {"kernels", 19}, {"history", 5}}) {
      auto* view = window_->findChild<QWidget*>(name);
      QAccessibleInterface* list = QAccessible::queryAccessibleInterface(view);
      QVERIFY(list);
      QVERIFY2(list->childCount() >= least, name);
      int selected = 0;
      for (int i = 0; i < list->childCount(); ++i) {
        if (list->child(i)->state().invisible)
          continue;  // a tool on the view that waits for its turn
        QVERIFY(!list->child(i)->text(QAccessible::Name).isEmpty());
        QVERIFY(!list->child(i)->rect().isEmpty());
        selected += list->child(i)->state().selected;
      }
      QCOMPARE(selected, 1);
    }
  }

private:
  /// Labels and buttons have room for their words.
  QTemporaryDir folder_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<MainWindow> window_;
};

QTEST_MAIN(LayoutTest)
#include "layout_test.moc"
