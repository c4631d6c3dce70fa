#include <QtTest>

#include <filesystem>

#include "engine/compile/plan.h"
#include "engine/graph/pipeline.h"
#include "engine/importers/importer.h"
#include "engine/ir/interpreter.h"
#include "tests/support/paths.h"

using namespace tw;
namespace fs = std::filesystem;

namespace {

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

/// Every kernel by the interpreter of its plain program.
Status interpret_kernel(KernelTask const& task, std::vector<NDArray> const& inputs,
                        std::vector<NDArray>& outputs) {
  TRY_ASSIGN(ir::Program program, te::to_program(task.kernel));
  TRY_ASSIGN(outputs, ir::interpret(program, inputs));
  return {};
}

}  // namespace

class RealModelSlowTest : public QObject {
  Q_OBJECT
private slots:
  void the_plain_kernels_of_a_real_model_make_its_expected_outputs() {
    fs::path folder = fs::path(testing::shared_models()) / "real" / "blazeface_front_128";
    if (!fs::exists(folder))
      QSKIP(qPrintable(QString("the shared models are not at %1").arg(testing::shared_models())));
    auto fused = optimize(open_model(folder / "model.onnx").value());
    auto plan = make_plan(*fused);
    QVERIFY2(plan.has_value(), sentence(plan).c_str());
    QElapsedTimer timer;
    timer.start();
    auto outputs =
        execute(*fused, *plan, {open_tensor(folder / "test_data_set_0" / "input_0.pb").value()},
                interpret_kernel);
    QVERIFY2(outputs.has_value(), sentence(outputs).c_str());
    qInfo("interpreted in %lld ms", static_cast<long long>(timer.elapsed()));
    for (size_t i = 0; i < outputs->size(); ++i) {
      auto expected =
          open_tensor(folder / "test_data_set_0" / ("output_" + std::to_string(i) + ".pb"));
      QVERIFY(expected && compare((*outputs)[i], *expected).equal);
    }
  }
};

QTEST_GUILESS_MAIN(RealModelSlowTest)
#include "real_model_slow_test.moc"
