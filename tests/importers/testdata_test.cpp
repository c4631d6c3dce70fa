#include <QtTest>

#include <filesystem>
#include <map>

#include "engine/graph/control.h"
#include "engine/graph/pipeline.h"
#include "engine/graph/reference.h"
#include "engine/importers/importer.h"
#include "tests/importers/tensor_files.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::testing;
namespace fs = std::filesystem;

namespace {

/// A model that holds an operator which is not known: skipped with its reason.
std::string unknown_part(Graph const& graph) {
  std::string reason;
  for_each_node(graph, [&](Node const& node) {
    if (node.is_opaque() && reason.empty()) reason = node.reason;
  });
  return reason;
}

/// Models whose stored tensors are wrong, and how.
std::map<std::string, std::string> const kWrongData{
    {"test_cast_FLOAT_to_BFLOAT16", "the stored output was cut, bf16 rounds to the nearest"},
    {"test_resize_downsample_scales_cubic_align_corners",
     "the stored output aligns corners by 3.2 elements where the result has 3"},
    {"test_resize_downsample_scales_linear_align_corners",
     "the stored output aligns corners by 2.4 elements where the result has 2"},
    {"test_castlike_BFLOAT16_to_FLOAT", "the second input is stored in another shape"},
    {"test_castlike_FLOAT_to_BFLOAT16", "the second input is stored in another shape"},
    {"test_castlike_BFLOAT16_to_FLOAT_expanded", "the second input is stored in another shape"},
    {"test_castlike_FLOAT_to_BFLOAT16_expanded", "the second input is stored in another shape"},
};

/// Empty when the outputs agree.
std::string disagreement(Graph const& graph, fs::path const& set) {
  auto inputs = load(set, "input"), expected = load(set, "output");
  if (!inputs || !expected) return to_sentence(inputs ? expected.error() : inputs.error());
  for (size_t i = 0; i < inputs->size() && i < graph.inputs.size(); ++i)
    (*inputs)[i] = as_declared((*inputs)[i], graph.value(graph.inputs[i]).type);
  for (size_t i = 0; i < expected->size() && i < graph.outputs.size(); ++i)
    (*expected)[i] = as_declared((*expected)[i], graph.value(graph.outputs[i]).type);
  auto outputs = reference_run(graph, *inputs);
  if (!outputs) return to_sentence(outputs.error());
  for (size_t i = 0; i < outputs->size(); ++i) {
    if ((*outputs)[i].shape() != (*expected)[i].shape() ||
        (*outputs)[i].type() != (*expected)[i].type())
      return "another shape or type";
    if (!compare((*outputs)[i], (*expected)[i]).equal)
      return "output " + std::to_string(i) + " differs";
  }
  return "";
}

}  // namespace

class TestdataTest : public QObject {
  Q_OBJECT
private slots:
  void every_model_opens_and_what_can_be_run_is_right() {
    fs::path root = testing::onnx_testdata();
    if (!fs::exists(root / "node")) QSKIP("libonnx-testdata is not installed");
    std::map<std::string, int> skipped;
    int passed = 0, opened = 0;
    QStringList wrong;
    for (char const* kind : {"node", "simple", "pytorch-converted", "pytorch-operator"})
      for (auto const& entry : fs::directory_iterator(root / kind)) {
        if (!fs::exists(entry.path() / "model.onnx")) continue;
        auto graph = open_model(entry.path() / "model.onnx");
        std::string name = entry.path().filename().string();
        if (!graph) {
          wrong << QString::fromStdString(name + ": " + to_sentence(graph.error()));
          continue;
        }
        ++opened;
        std::string reason = unknown_part(*graph);
        if (auto known = kWrongData.find(name); known != kWrongData.end() && reason.empty()) {
          reason = known->second;
          qInfo("%s is left out: %s", name.c_str(), reason.c_str());
        }
        if (!reason.empty()) {
          ++skipped[reason];
          continue;
        }
        auto optimized = optimize(*graph);
        std::string bad = optimized ? "" : to_sentence(optimized.error());
        for (auto const& set : fs::directory_iterator(entry.path())) {
          if (!set.is_directory() || !bad.empty()) continue;
          bad = disagreement(*graph, set.path());
          if (bad.empty() && !disagreement(*optimized, set.path()).empty())
            bad = "the passes change the result";
        }
        if (!bad.empty()) wrong << QString::fromStdString(name + ": " + bad);
        passed += bad.empty();
      }
    int left_out = 0;
    for (auto const& [reason, count] : skipped) left_out += count;
    qInfo("%d models opened, %d right, %d left out for %zu reasons", opened, passed, left_out,
          skipped.size());
    QVERIFY2(wrong.isEmpty(), qPrintable("\n" + wrong.join("\n")));
    QVERIFY(passed > 150);
  }
};

QTEST_GUILESS_MAIN(TestdataTest)
#include "testdata_test.moc"
