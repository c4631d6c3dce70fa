// A view that shows something of a model is painted again and again while the model goes away and
// another one comes: what it had laid out is never of the one that is gone.
#include <QtTest>

#include <QTabBar>

#include "app/window/panes/lesson/journal.h"
#include "app/window/view_names.h"
#include "tests/gui/workplace.h"

using namespace tw;
using namespace tw::session;

class ModelLeavesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    place_ = std::make_unique<Workplace>(false);
    place_->window->resize(1600, 1000);
    open_another();
    for (QTabBar* bar : place_->window->centralWidget()->findChildren<QTabBar*>())
      for (int i = 0; i < bar->count(); ++i)
        if (QString name = view_name(bar->tabText(i)); !views_.contains(name)) views_ << name;
    QVERIFY2(views_.size() >= 18, qPrintable(views_.join(", ")));
  }
  void cleanupTestCase() { place_.reset(); }

  void whatever_is_shown_when_it_goes_data() {
    QTest::addColumn<QString>("way");
    for (char const* way : {"close", "lesson", "model", "product"}) QTest::newRow(way) << way;
  }
  void whatever_is_shown_when_it_goes() {
    QFETCH(QString, way);
    int shown = 0;
    for (QString const& view : views_) {
      open_another();
      if (!place_->window->show_view(view.toStdString())) continue;
      ++shown;
      watch();
      leave(way);
      watch();
      QVERIFY2(way == "close" || place_->session->snapshot().nest, qPrintable(view));
    }
    QVERIFY2(shown >= 18, qPrintable(QString::number(shown)));
  }

private:
  /// One that the session has never seen: nothing of it is at hand when it comes.
  void open_another() {
    place_->lines("lesson close\n");
    std::string file = place_->folder.filePath("product.te").toStdString();
    std::string rows = std::to_string(++rows_);
    std::ofstream(file) << "tilewright te 1\nkernel matmul(A: f32[" + rows +
                               ", 64], B: f32[64, 80]) -> E\n  C[i in " + rows +
                               ", j in 80] = sum[k in 64] A[i, k] * B[k, j]\n  E[i in " + rows +
                               ", j in 80] = max(C[i, j], 0)\n";
    place_->window->execute(OpenModel{file});
    watch();
  }
  void leave(QString const& way) {
    if (way == "close")
      place_->window->execute(CloseModel{});
    else if (way == "lesson")
      place_->window->perform(journal::OpenLesson{"vectors"});
    else if (way == "model")
      place_->window->execute(OpenSample{"dqn"});
    else
      open_another();
  }
  /// A picture after each piece of news, as on a screen; until nothing comes any more.
  void watch() {
    for (int quiet = 0; quiet < 4;) {
      QApplication::processEvents(QEventLoop::AllEvents, 1);
      place_->window->grab();
      bool still = place_->session->wait_idle(0.002) && !place_->window->busy();
      quiet = still ? quiet + 1 : 0;
    }
  }

  std::unique_ptr<Workplace> place_;
  QStringList views_;
  int rows_ = 40;
};

QTEST_MAIN(ModelLeavesTest)
#include "model_leaves_test.moc"
