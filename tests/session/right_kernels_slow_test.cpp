// Every kernel of the samples, and of the trained models where they are at hand: right by the
// judge as a plain nest and with the schedule that the rules choose.
#include <QtTest>

#include <filesystem>
#include <set>

#include "app/shared/environment.h"
#include "engine/device/local_device.h"
#include "engine/importers/onnx/reader.h"
#include "engine/session/model/kernel_reference.h"
#include "engine/session/model/loaded_model.h"
#include "engine/support/files.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;

class RightKernelsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    environment_ = make_environment().value();
    device_ = std::make_unique<LocalDevice>(LocalDeviceOptions{testing::built("/bin/tw-device")});
  }

  void every_kernel_is_right_data() {
    QTest::addColumn<QString>("path");
    for (SampleInfo const& sample : sample_list())
      QTest::newRow(sample.name.c_str()) << QString::fromStdString("sample:" + sample.name);
    std::filesystem::path real = std::filesystem::path(testing::shared_models()) / "real";
    std::error_code none;
    for (auto const& entry : std::filesystem::directory_iterator(real, none))
      if (std::filesystem::exists(entry.path() / "model.onnx"))
        QTest::newRow(entry.path().filename().c_str())
            << QString::fromStdString(entry.path() / "model.onnx");
  }

  void every_kernel_is_right() {
    QFETCH(QString, path);
    auto model = load_model(path.toStdString(), {}, *environment_.backend);
    if (model) model = with_stored_shapes(*model, path.toStdString());
    QVERIFY2(model, model ? "" : to_sentence(model.error()).c_str());
    int count = int((*model)->plan.kernels.size()), wrong = 0;
    int64_t elements = 0, nothing_known = 0, bounded = 0;
    for (int kernel = 0; kernel < count; ++kernel) {
      wrong += !is_right(**model, kernel);
      auto reference = kernel_reference(**model, kernel, *environment_.backend, *device_);
      if (!reference) continue;
      for (te::ExpectedOutput const& output : reference->expected) {
        elements += output.values.size();
        bounded += output.bounds.size();
      }
      nothing_known += te::undecided(reference->expected);
    }
    qInfo("%d kernels, %lld elements, %lld with a bound, %lld undecided", count,
          static_cast<long long>(elements), static_cast<long long>(bounded),
          static_cast<long long>(nothing_known));
    QVERIFY(count > 0);
    QCOMPARE(wrong, 0);
    QVERIFY(nothing_known * 1000 <= elements);
  }

private:
  /// Inputs whose shape is not known take that of the stored example.
  Result<Model> with_stored_shapes(Model const& model, std::string const& path) {
    LoadOptions options;
    std::vector<ModelTensor> inputs = model_inputs(*model);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].unknown.empty()) continue;
      std::filesystem::path file = std::filesystem::path(path).parent_path() / "test_data_set_0" /
                                   ("input_" + std::to_string(i) + ".pb");
      TRY_ASSIGN(std::string bytes, read_file(file, 1 << 28));
      TRY_ASSIGN(NDArray stored, read_onnx_tensor(bytes, file.string()));
      options.fixes[inputs[i].name] = stored.shape();
    }
    return options.fixes.empty() ? Result<Model>(model)
                                 : load_model(path, options, *environment_.backend);
  }

  bool is_right(LoadedModel const& model, int kernel) {
    std::string const& name = model.kernel(kernel).name;
    bool right = true;
    auto by_rule = default_script(model, kernel, *environment_.backend);
    for (std::string const& script : {std::string(), by_rule.value_or("")}) {
      auto answer = check_script(model, kernel, script, "", *environment_.backend, *device_,
                                 {.further = false});  // hundreds of kernels
      bool good = answer && answer->compared && answer->comparison.equal;
      if (!good)
        qWarning("%s, %s: %s", name.c_str(), script.empty() ? "plain" : "by rule",
                 !answer             ? to_sentence(answer.error()).c_str()
                 : !answer->compared ? "a step is refused"
                                     : fmt(answer->comparison).c_str());
      right = right && good;
    }
    return right;
  }

  static std::string fmt(Comparison const& one) {
    return "differs by " + std::to_string(one.max_abs_diff) + " at " +
           std::to_string(one.worst_index) + ", largest " + std::to_string(one.max_abs_ref);
  }

  Environment environment_;
  std::unique_ptr<LocalDevice> device_;
};

QTEST_GUILESS_MAIN(RightKernelsTest)
#include "right_kernels_slow_test.moc"
