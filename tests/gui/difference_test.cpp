// The difference of two graphs: a list, marks in both, and the node of a row in sight.
#include <QtTest>

#include <QAbstractItemModel>
#include <QHeaderView>
#include <QTableView>

#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/difference/difference_view.h"

using namespace tw;

class DifferenceTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    place_ = std::make_unique<Workplace>(false);
    place_->window->resize(1600, 1000);
    place_->window->execute(session::OpenSample{"dqn"});
    place_->settle();
    view_ = place_->window->findChild<DifferenceView*>("difference");
    QVERIFY(view_);
  }
  void cleanupTestCase() { place_.reset(); }

  void a_model_differs_from_another_one() {
    QCOMPARE(place_->lines("difference to sample:dcgan\n"), std::string());
    place_->settle();
    QVERIFY(view_->isVisible());
    QCOMPARE(place_->lines("expect difference contains added\n"), std::string());
    QVERIFY(view_->rows() > 4);
    QVERIFY(card_count(view_->view(true).cards()) > 0 &&
            card_count(view_->view(false).cards()) > 0);
    QVERIFY(!view_->view(true).marks().change_words(0).isEmpty() ||
            !view_->view(false).marks().change_words(0).isEmpty());
    auto* table = view_->findChild<QTableView*>("differenceTable");
    QCOMPARE(table->horizontalHeader()->defaultAlignment(), Qt::AlignLeft | Qt::AlignVCenter);
    for (char const* theme : {"dark", "light", "high_contrast"}) {
      place_->window->set_theme(theme);
      QApplication::processEvents();
      keep_picture(*place_->window->pane_widget("difference"), QString("difference_") + theme);
    }
  }

  void nothing_differs_from_itself() {
    QCOMPARE(place_->lines("difference to sample:dqn\n"), std::string());
    place_->settle();
    QCOMPARE(place_->lines("expect difference contains nothing differs\n"
                           "expect difference.nodes = 0\n"),
             std::string());
    QVERIFY(view_->view(true).marks().change_words(0).isEmpty());
  }

  void its_own_passes_are_shown_and_a_row_shows_its_node() {
    place_->window->run_action("Compare the graph before and after its passes");
    place_->settle();
    QVERIFY2(view_->rows() > 0, "the passes change something of this model");
    auto* table = view_->findChild<QTableView*>("differenceTable");
    QString name = table->model()->index(0, 1).data().toString();
    table->setFocus();
    table->setCurrentIndex(table->model()->index(0, 0));
    place_->settle();
    QCOMPARE(view_->chosen(), name);
    QVERIFY(!view_->view(true).marks().marked().empty() ||
            !view_->view(false).marks().marked().empty());
    QVERIFY(place_->recorded().find("difference node " + name.toStdString()) != std::string::npos);
    QCOMPARE(place_->lines("expect difference.node = " + name.toStdString() +
                           "\ndifference node nobody\nexpect error contains no node\n"),
             std::string());
  }

  void what_cannot_be_read_is_said() {
    QCOMPARE(place_->lines("difference to /no/such/model.onnx\n"), std::string());
    place_->settle();
    QCOMPARE(place_->lines("expect difference contains /no/such/model.onnx\n"), std::string());
    QCOMPARE(place_->lines("close difference\n"), std::string());
    QVERIFY(!view_->isVisible());
  }

  void another_model_closes_it() {
    QCOMPARE(place_->lines("difference of passes\n"), std::string());
    place_->settle();
    QVERIFY(view_->isVisible());
    place_->open_matmul();
    QVERIFY(!view_->isVisible());
    QCOMPARE(place_->lines("difference of passes\nexpect error contains no model with a graph\n"),
             std::string());
  }

private:
  std::unique_ptr<Workplace> place_;
  DifferenceView* view_ = nullptr;
};

QTEST_MAIN(DifferenceTest)
#include "difference_test.moc"
