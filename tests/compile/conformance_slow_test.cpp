// ONNX's own conformance tests, through what `tw verify` does: imported, compiled, run on the
// device, compared. Models with an operator that is not claimed are counted, and not run.
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "app/shared/environment.h"
#include "engine/device/local_device.h"
#include "engine/graph/control.h"
#include "engine/importers/onnx/converters.h"
#include "engine/importers/onnx/reader.h"
#include "engine/session/use_cases.h"
#include "engine/support/files.h"
#include "tests/support/paths.h"

using namespace tw;
namespace fs = std::filesystem;

namespace {

using Outcome = session::VerifiedSet::Outcome;

char const* const kFailures = testing::source("/tests/compile/conformance_failures.txt");
char const* const kTable = testing::source("/tests/compile/operators.md");

/// "name: reason" per line; '#' starts a comment.
std::map<std::string, std::string> expected_failures() {
  std::map<std::string, std::string> failures;
  std::ifstream file(kFailures);
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

struct Verdict {
  Outcome outcome = Outcome::kPassed;
  std::string reason;
};

/// Of all sets of a model: the worst.
Verdict verdict_of(fs::path const& folder, Backend const& backend, Device& device) {
  Verdict verdict;
  for (session::VerifiedSet const& set :
       session::verify_folder(folder, backend, device, {.threads = 1, .tier = CodeTier::kFull})) {
    if (set.outcome == Outcome::kPassed || verdict.outcome == Outcome::kFailed) continue;
    verdict = {set.outcome, set.reason};
  }
  return verdict;
}

/// ONNX's names of the operators that the model holds.
std::set<std::string> operators_of(fs::path const& folder) {
  std::set<std::string> names;
  auto bytes = read_file(folder / "model.onnx");
  if (!bytes) return names;
  auto model = read_onnx(*bytes);
  if (!model) return names;
  for (ForeignNode const& node : model->graph.nodes) names.insert(node.op_type);
  return names;
}

struct Counts {
  int passed = 0, failed = 0, not_claimed = 0;
  void add(Outcome outcome) {
    ++(outcome == Outcome::kPassed ? passed : outcome == Outcome::kFailed ? failed : not_claimed);
  }
};

/// Markdown: every operator of ours with the tests that hold it, then those that are not known.
std::string table_of(std::map<std::string, Counts> const& by_operator) {
  std::ostringstream out;
  out << "# Operators\n\nConformance tests (node, simple, pytorch-converted, pytorch-operator) "
         "that "
         "hold the operator, by their outcome. Not run: one\nof the model's operators, or a "
         "variant "
         "of it, is not claimed. Written by `TW_UPDATE_TEXTS=1 "
         "build/tests/compile_conformance_slow_test`.\n\n"
         "| ONNX | Tilewright | passed | failed | not run | |\n|---|---|--:|--:|--:|---|\n";
  std::map<std::string, std::pair<std::string, std::string>> known;  // our name and sentence
  for (ConverterList const* list : onnx_converters().lists)
    for (Converter const& rule : *list)
      if (!rule.domain.empty())
        continue;
      else if (Operator const* op = find_operator(rule.op))
        known[rule.type] = {op->name, op->doc};
      else if (ControlOperator const* control = find_control(rule.op))
        known[rule.type] = {control->name, control->doc};
      else
        known[rule.type] = {"(by others)", rule.function->doc};
  for (auto const& [onnx, op] : known) {
    auto found = by_operator.find(onnx);
    Counts counts = found == by_operator.end() ? Counts() : found->second;
    out << "| " << onnx << " | " << op.first << " | " << counts.passed << " | " << counts.failed
        << " | " << counts.not_claimed << " | " << op.second << " |\n";
  }
  out << "\nNot known:";
  char const* separator = " ";
  for (auto const& [onnx, counts] : by_operator) {
    if (known.contains(onnx)) continue;
    out << separator << onnx << " (" << counts.passed + counts.failed + counts.not_claimed << ")";
    separator = ", ";
  }
  out << ".\n";
  return out.str();
}

}  // namespace

class ConformanceSlowTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (!fs::exists(fs::path(testing::onnx_testdata()) / "node"))
      QSKIP("libonnx-testdata is not installed");
    environment_ = make_environment().value();
  }

  /// Some have open shapes: those of their stored inputs fix them.
  void real_models_make_their_stored_outputs_data() {
    QTest::addColumn<QString>("model");
    for (char const* model :
         {"mlsd_320_tiny", "ppocr_cls", "oww_melspectrogram", "oww_embedding", "oww_hey_mycroft",
          "oww_hey_jarvis", "silero_vad_v5", "blazeface_front_128", "blazeface_back_256"})
      QTest::newRow(model) << model;
  }
  void real_models_make_their_stored_outputs() {
    QFETCH(QString, model);
    fs::path folder = fs::path(testing::shared_models()) / "real" / model.toStdString();
    if (!fs::exists(folder))
      QSKIP(qPrintable(QString("the shared models are not at %1").arg(testing::shared_models())));
    LocalDevice device({testing::built("/bin/tw-device")});
    Verdict verdict = verdict_of(folder, *environment_.backend, device);
    QVERIFY2(verdict.outcome == Outcome::kPassed, verdict.reason.c_str());
  }

  void what_is_claimed_passes_data() {
    QTest::addColumn<QString>("kind");
    for (char const* kind : {"node", "simple", "pytorch-converted", "pytorch-operator"})
      QTest::newRow(kind) << kind;
  }
  void what_is_claimed_passes() {
    QFETCH(QString, kind);
    LocalDevice device({testing::built("/bin/tw-device")});
    std::map<std::string, std::string> expected = expected_failures();
    std::map<std::string, int> reasons;
    Counts counts;
    QStringList wrong;
    for (fs::path const& folder :
         models_of(fs::path(testing::onnx_testdata()) / kind.toStdString())) {
      std::string name = folder.filename().string();
      Verdict verdict = verdict_of(folder, *environment_.backend, device);
      counts.add(verdict.outcome);
      for (std::string const& op : operators_of(folder)) by_operator_[op].add(verdict.outcome);
      bool failed = verdict.outcome == Outcome::kFailed, listed = expected.contains(name);
      if (verdict.outcome == Outcome::kSkipped) ++reasons[verdict.reason];
      if (failed) qInfo("%s fails: %s", name.c_str(), verdict.reason.c_str());
      if (failed && listed) qInfo("  expected: %s", expected[name].c_str());
      if (failed != listed)
        wrong << QString::fromStdString(
            name + (listed ? " is listed and does not fail" : " fails: " + verdict.reason));
    }
    qInfo("%s: %d passed, %d failed, %d not claimed", qPrintable(kind), counts.passed,
          counts.failed, counts.not_claimed);
    for (auto const& [reason, count] : reasons) qInfo("%4d x %s", count, reason.c_str());
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
    QVERIFY2(counts.passed > 0, "nothing was verified");
  }

  void the_table_of_operators_is_current() {
    std::string table = table_of(by_operator_);
    if (qEnvironmentVariableIsSet("TW_UPDATE_TEXTS")) std::ofstream(kTable) << table;
    auto stored = read_file(kTable);
    QVERIFY2(stored && *stored == table,
             "tests/compile/operators.md is not current: run this test with TW_UPDATE_TEXTS=1");
  }

private:
  Environment environment_;
  std::map<std::string, Counts> by_operator_;
};

QTEST_GUILESS_MAIN(ConformanceSlowTest)
#include "conformance_slow_test.moc"
