// Models with random damage, through what `tw inspect`, `tw graph` and `tw run` do: whatever they
// hold, it ends in a result or in a sentence, never in a crash.
//   TW_MODELS=10000 TW_TEST_SEED=7 build/tests/session_mutated_models_test
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <map>

#include "app/shared/environment.h"
#include "engine/device/local_device.h"
#include "engine/session/use_cases.h"
#include "engine/session/views/graph_picture.h"
#include "engine/support/files.h"
#include "tests/support/mutate.h"
#include "tests/support/mutate_model.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"

using namespace tw;
using namespace tw::session;
namespace fs = std::filesystem;

namespace {

constexpr int64_t kMostElements = 1 << 20;  // of one tensor: larger ones only cost time

int from_environment(char const* name, int otherwise) {
  return qEnvironmentVariableIsSet(name) ? qEnvironmentVariableIntValue(name) : otherwise;
}

/// Small models of every kind.
std::vector<std::string> seeds() {
  std::vector<fs::path> files;
  for (fs::path folder : {fs::path(testing::source()) / "tests/session/models",
                          fs::path(testing::source()) / "tests/fuzz/corpus/onnx",
                          fs::path(testing::onnx_testdata()) / "node",
                          fs::path(testing::onnx_testdata()) / "simple"}) {
    std::error_code none;
    for (auto const& entry : fs::recursive_directory_iterator(folder, none))
      if (entry.path().extension() == ".onnx" && entry.file_size() < (64 << 10))
        files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> models;
  for (fs::path const& file : files) models.push_back(read_file(file).value());
  return models;
}

bool is_large(std::vector<ModelTensor> const& tensors) {
  return std::ranges::any_of(tensors, [](ModelTensor const& tensor) {
    return element_count(tensor.shape).value_or(kMostElements + 1) > kMostElements;
  });
}

}  // namespace

class MutatedModelsTest : public QObject {
  Q_OBJECT
private slots:
  void whatever_a_model_holds_nothing_crashes() {
    QTemporaryDir folder;
    path_ = folder.filePath("mutated.onnx").toStdString();
    Environment environment = make_environment().value();
    LocalDevice device({testing::built("/bin/tw-device")});
    std::vector<std::string> models = seeds();
    QVERIFY(!models.empty());
    int count = from_environment("TW_MODELS", testing::kSanitized ? 20 : 300);
    int seed = from_environment("TW_TEST_SEED", 1);
    qInfo("%d mutations of %zu models, seed %d", count, models.size(), seed);
    for (int i = 0; i < count; ++i) {
      Rng rng(uint64_t(seed) * 1'000'003 + uint64_t(i));
      std::string model = models[size_t(rng.below(int64_t(models.size())))];
      model = rng.below(8) == 0 ? testing::mutate(model, rng) : testing::mutated_model(model, rng);
      // A crash leaves the model that made it, under this name, in the working folder.
      std::ofstream("mutated_model_that_crashed.onnx", std::ios::binary) << model;
      std::ofstream(path_, std::ios::binary) << model;
      number_ = i;
      try_one(environment, device);
      if (QTest::currentTestFailed()) return;
    }
    fs::remove("mutated_model_that_crashed.onnx");
    for (auto const& [how, times] : ends_) qInfo("%6d %s", times, how.c_str());
    QVERIFY(ends_["ran"] > 0);
  }

private:
  void try_one(Environment const& environment, LocalDevice& device) {
    auto model = load_model(path_, {}, *environment.backend);
    if (!model) return ended("not opened", model.error());
    (void)model_view(**model);
    KernelTable table = kernel_table(**model);
    (void)graph_svg(graph_view(**model), table, {false});
    if (is_large(model_inputs(**model))) return void(++ends_["too large to run"]);
    auto inputs = random_inputs(**model, 1);
    if (!inputs) return ended("no inputs", inputs.error());
    RunOptions options{.rounds = 1, .threads = 1, .inputs = *inputs, .scripts = {}};
    auto run = run_model(**model, options, *environment.backend, device);
    if (!run) return ended("not run", run.error());
    ++ends_["ran"];
  }

  /// One sentence, which names no fault of ours.
  void ended(std::string const& where, Error const& error) {
    ++ends_[where + ": " + error.code];
    std::string sentence = to_sentence(error);
    bool fine =
        !error.message.empty() && !error.code.empty() && sentence.find('\n') == std::string::npos;
    for (char const* ours : {"invalid_graph", "invalid_module", "code_generation_failed",
                             "undefined_symbol", "kernel_crashed", "invalid_program"})
      fine = fine && error.code != ours;
    QVERIFY2(fine, qPrintable(QString("mutation %1: %2: %3")
                                  .arg(number_)
                                  .arg(error.code.c_str())
                                  .arg(sentence.c_str())));
  }

  std::string path_;
  int number_ = 0;
  std::map<std::string, int> ends_;
};

QTEST_GUILESS_MAIN(MutatedModelsTest)
#include "mutated_models_test.moc"
