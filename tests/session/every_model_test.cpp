// What `tw inspect`, `tw graph` and `tw kernels` show, of every model that ONNX tests itself with,
// and of models on which it failed.
#include <QtTest>

#include <filesystem>

#include "app/shared/environment.h"
#include "engine/device/local_device.h"
#include "engine/session/use_cases.h"
#include "engine/session/views/graph_picture.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> models_below(fs::path const& folder) {
  std::vector<fs::path> models;
  std::error_code none;
  for (auto const& entry : fs::recursive_directory_iterator(folder, none))
    if (entry.path().extension() == ".onnx") models.push_back(entry.path());
  std::sort(models.begin(), models.end());
  return models;
}

}  // namespace

class EveryModelTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { environment_ = make_environment().value(); }

  void every_model_is_shown() {
    if (std::string(testing::onnx_testdata()).empty() ||
        !fs::exists(fs::path(testing::onnx_testdata()) / "node"))
      QSKIP("libonnx-testdata is not installed");
    int shown = 0;
    for (fs::path const& path : models_below(testing::onnx_testdata())) {
      auto model = load_model(path.string(), {}, *environment_.backend);
      QVERIFY2(model.has_value(), model ? "" : to_sentence(model.error()).c_str());
      show(**model);
      ++shown;
    }
    qInfo("%d models", shown);
    QVERIFY(shown > 900);
  }

  /// A shape that is an input: told beforehand the model has a kernel, else its reference runs.
  void inputs_are_known_beforehand_only_where_that_is_said() {
    fs::path folder = fs::path(testing::onnx_testdata()) / "node/test_reshape_reordered_all_dims";
    if (!fs::exists(folder)) QSKIP("libonnx-testdata is not installed");
    LocalDevice device({testing::built("/bin/tw-device")});
    for (KnownInputs known : {KnownInputs::kTell, KnownInputs::kKeep}) {
      auto sets =
          verify_folder(folder, *environment_.backend, device, {.threads = 1, .known = known});
      QCOMPARE(sets.size(), size_t(1));
      QVERIFY2(sets[0].outcome == VerifiedSet::Outcome::kPassed, sets[0].reason.c_str());
      QCOMPARE(sets[0].known.empty(), known == KnownInputs::kKeep);
    }
  }

  /// A model on which something crashed once, and how its run ends: empty, it ends well.
  void models_that_crashed_are_shown_and_run_data() {
    QTest::addColumn<QString>("reason");
    QTest::newRow("bf16_matmul_17x33x9_abort") << "";
    QTest::newRow("bf16_sigmoid_truncdfbf2") << "";
    QTest::newRow("f16_to_bf16_cast_invalid_module") << "";
    QTest::newRow("unsorted_nodes") << "";
    QTest::newRow("loop_wrongtype_m2") << "v2 (Add): operands of types f32 and i64";
    QTest::newRow("scan_wrongtype") << "any";
    QTest::newRow("segv_if_without_else") << "y (If): it has no graph 'else_branch'";
    QTest::newRow("segv_opaque_with_body") << "y (Foo): the operator my.Foo is not supported";
    QTest::newRow("shape_div_zero") << "any";
    QTest::newRow("conv_transpose_without_inputs") << "any";
    QTest::newRow("gemm_addend_of_another_type") << "any";
  }
  void models_that_crashed_are_shown_and_run() {
    QFETCH(QString, reason);
    fs::path path = fs::path(testing::source()) / "tests/session/models" /
                    (std::string(QTest::currentDataTag()) + ".onnx");
    auto model = load_model(path.string(), {}, *environment_.backend);
    if (!model) {
      QVERIFY2(!reason.isEmpty(), to_sentence(model.error()).c_str());
      return qInfo("%s", to_sentence(model.error()).c_str());
    }
    show(**model);
    LocalDevice device({testing::built("/bin/tw-device")});
    auto inputs = random_inputs(**model, 1);
    QVERIFY2(inputs.has_value(), inputs ? "" : to_sentence(inputs.error()).c_str());
    RunOptions options{.rounds = 1, .threads = 1, .inputs = *inputs, .scripts = {}};
    auto run = run_model(**model, options, *environment_.backend, device);
    QString sentence = run ? QString() : QString::fromStdString(to_sentence(run.error()));
    qInfo("%s", qPrintable(sentence));
    if (reason == "any")
      QVERIFY(!run);
    else
      QVERIFY2(reason.isEmpty() == run.has_value() && sentence.contains(reason),
               qPrintable(sentence));
  }

  void every_model_that_crashed_is_in_the_table() {
    QCOMPARE(models_below(fs::path(testing::source()) / "tests/session/models").size(), size_t(11));
  }

private:
  /// All that the three commands and the window ask for.
  static void show(LoadedModel const& model) {
    QVERIFY(!model_view(model).summary.empty());
    GraphView graph = graph_view(model);
    KernelTable table = kernel_table(model);
    (void)model_inputs(model);
    (void)model_outputs(model);
    for (bool before : {false, true}) QVERIFY(!graph_svg(graph, table, {before}).empty());
  }

  Environment environment_;
};

QTEST_GUILESS_MAIN(EveryModelTest)
#include "every_model_test.moc"
