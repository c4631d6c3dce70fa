// Models that leave sizes open, and models of which a part cannot be compiled: what the window
// says, and what can be done.
#include <QtTest>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include "engine/samples/onnx_writer.h"
#include "engine/support/files.h"
#include "tests/gui/workplace.h"
#include "tests/support/line_models.h"
#include "widgets/model_bar/model_bar.h"

using namespace tw;
using namespace tw::session;

namespace {

std::string open_model(QTemporaryDir const& folder) {
  ImportedModel model = testing::model_of({"r = Relu x", "y = Sigmoid r"}, {1, 3, 8, 8});
  auto& dims = *model.graph.inputs[0].dims;
  dims[0] = {std::nullopt, "batch"};
  dims[2] = dims[3] = {std::nullopt, "side"};
  std::string file = folder.filePath("open.onnx").toStdString();
  (void)write_file(file, write_onnx(model).value());
  return file;
}

}  // namespace

class OpenSizesTest : public QObject {
  Q_OBJECT
private slots:
  void a_model_with_open_sizes_asks_for_them_and_remembers() {
    Workplace place(false);
    std::string file = open_model(place.folder);
    place.window->execute(OpenModel{file});
    place.settle();
    auto* bar = place.window->findChild<ModelBar*>("modelBar");
    QVERIFY(bar->isVisible());
    QVERIFY(bar->words().contains("input sizes of this model are not fixed"));
    auto* batch = bar->findChild<QLineEdit*>("size_batch");
    auto* side = bar->findChild<QLineEdit*>("size_side");
    QVERIFY(batch && side);  // a size that two dimensions share is asked for once
    QCOMPARE(bar->findChildren<QLineEdit*>().size(), 2);
    QCOMPARE(batch->text(), QString("1"));
    auto* use = bar->findChild<QPushButton*>("useSizes");
    QVERIFY(!use->isEnabled());
    side->setText("a lot");
    QVERIFY(!use->isEnabled());
    side->setText("16");
    QCOMPARE(bar->shapes(), QString("x=1x3x16x16"));
    QTest::keyClick(side, Qt::Key_Return);
    place.settle();
    QVERIFY(!bar->isVisible());
    QVERIFY(place.session->snapshot().kernels->rows.size() >= 1);
    QCOMPARE(place.session->snapshot().model->shapes, std::string("x=1x3x16x16"));
    QVERIFY(place.recorded().find("shapes x=1x3x16x16\n") != std::string::npos);
    // The next time the fields know what was said.
    place.window->execute(CloseModel{});
    place.settle();
    place.window->execute(OpenModel{file});
    place.settle();
    QCOMPARE(bar->findChild<QLineEdit*>("size_side")->text(), QString("16"));
  }

  void a_project_keeps_the_sizes() {
    Workplace place(false);
    place.window->execute(OpenModel{open_model(place.folder)});
    place.settle();
    place.window->execute(FixShapes{"x=2x3x4x4"});
    place.settle();
    QVERIFY(place.session->snapshot().kernel >= 0);
    std::string saved = place.session->save();
    place.window->execute(CloseModel{});
    place.settle();
    QVERIFY(place.session->restore(saved));
    place.settle();
    QCOMPARE(place.session->snapshot().model->shapes, std::string("x=2x3x4x4"));
    QVERIFY(place.session->snapshot().kernel >= 0);
  }

  void sizes_that_cannot_be_used_are_said_and_change_nothing() {
    Workplace place(false);
    place.window->execute(OpenModel{open_model(place.folder)});
    place.settle();
    QVERIFY(place.lines("shapes x=banana\nexpect error contains x=1x3x48x192\n").empty());
    QVERIFY(place.lines("shapes x=1x3\nexpect error != none\n").empty());
    QVERIFY(place.session->snapshot().model);
  }

  void what_can_be_compiled_is_there_when_the_rest_cannot() {
    Workplace place(false);
    ImportedModel model = testing::model_of({"r = Relu x", "s = Frobnicate r", "y = Sigmoid x"},
                                            {1, 3, 8, 8}, {"s", "y"});
    std::string file = place.folder.filePath("partly.onnx").toStdString();
    QVERIFY(write_file(file, write_onnx(model).value()));
    place.window->execute(OpenModel{file});
    place.settle();
    auto* bar = place.window->findChild<ModelBar*>("modelBar");
    QVERIFY(bar->isVisible());
    QVERIFY2(bar->words().startsWith("1 of 3 operators is not supported"),
             qPrintable(bar->words()));
    QVERIFY(place.session->snapshot().kernels->rows.size() >= 1);
    bar->findChild<QPushButton*>("listNotes")->click();
    QCOMPARE(place.lines("expect view.why contains Frobnicate\n"), std::string());
  }
};

QTEST_MAIN(OpenSizesTest)
#include "open_sizes_test.moc"
