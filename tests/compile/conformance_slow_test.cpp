// ONNX's own conformance tests, through what `tw verify` does: imported, compiled, run on the
// device, compared. Models with an operator that is not claimed are counted, and not run.
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "app/shared/environment.h"
#include "engine/device/local_device.h"
#include "engine/session/use_cases.h"

using namespace tw;
namespace fs = std::filesystem;

namespace {

using Outcome = session::VerifiedSet::Outcome;

/// "name: reason" per line of the file beside this test; '#' starts a comment.
std::map<std::string, std::string> expected_failures() {
  std::map<std::string, std::string> failures;
  std::ifstream file(TW_SOURCE_DIR "/tests/compile/conformance_failures.txt");
  for (std::string line; std::getline(file, line);) {
    size_t colon = line.find(": ");
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    failures[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return failures;
}

std::vector<fs::path> models_of(fs::path const& folder) {
  std::vector<fs::path> models;
  for (auto const& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "model.onnx")) models.push_back(entry.path());
  std::sort(models.begin(), models.end());
  return models;
}

struct Counts {
  int passed = 0, failed = 0, not_claimed = 0;
};

}  // namespace

class ConformanceSlowTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (!fs::exists(fs::path(TW_ONNX_TESTDATA) / "node"))
      QSKIP("libonnx-testdata is not installed");
    environment_ = make_environment().value();
  }

  void what_is_claimed_passes_data() {
    QTest::addColumn<QString>("kind");
    for (char const* kind : {"node", "simple", "pytorch-converted", "pytorch-operator"})
      QTest::newRow(kind) << kind;
  }
  void what_is_claimed_passes() {
    QFETCH(QString, kind);
    LocalDevice device({TW_BINARY_DIR "/bin/tw-device"});
    std::map<std::string, std::string> expected = expected_failures();
    std::map<std::string, int> reasons;
    Counts counts;
    QStringList wrong;
    for (fs::path const& folder : models_of(fs::path(TW_ONNX_TESTDATA) / kind.toStdString())) {
      std::string name = folder.filename().string(), failure, skipped;
      for (session::VerifiedSet const& set : session::verify_folder(
               folder, *environment_.backend, device, {.threads = 1, .tier = CodeTier::kFast})) {
        if (set.outcome == Outcome::kFailed && failure.empty()) failure = set.reason;
        if (set.outcome == Outcome::kSkipped) skipped = set.reason;
      }
      bool listed = expected.contains(name);
      ++(!failure.empty() ? counts.failed : skipped.empty() ? counts.passed : counts.not_claimed);
      if (!skipped.empty()) ++reasons[skipped];
      if (!failure.empty()) qInfo("%s fails: %s", name.c_str(), failure.c_str());
      if (failure.empty() == listed)
        wrong << QString::fromStdString(
            name + (listed ? " is listed and does not fail" : " fails: " + failure));
    }
    qInfo("%s: %d passed, %d failed, %d not claimed", qPrintable(kind), counts.passed,
          counts.failed, counts.not_claimed);
    for (auto const& [reason, count] : reasons) qInfo("%4d x %s", count, reason.c_str());
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    QVERIFY2(counts.passed > 0, "nothing was verified");
  }

private:
  Environment environment_;
};

QTEST_GUILESS_MAIN(ConformanceSlowTest)
#include "conformance_slow_test.moc"
