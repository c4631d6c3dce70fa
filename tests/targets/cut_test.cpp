// A network that runs on devices of two kinds: what is cut for it on the scratchpad machine, the
// rest on another; step by step from here, and as a package with a library for each.
#include <QtTest>

#include <fstream>

#include "app/shared/environment.h"
#include "engine/backend/target_table.h"
#include "engine/compile/cut.h"
#include "engine/device/device_runtime_table.h"
#include "engine/device/local_device.h"
#include "engine/execute/compiled_model.h"
#include "engine/graph/pipeline.h"
#include "engine/importers/from_foreign.h"
#include "engine/package/export.h"
#include "engine/runtime/package/accelerator.h"
#include "engine/runtime/package/package.h"
#include "engine/support/files.h"
#include "engine/tensor/bytes.h"
#include "tests/support/line_models.h"
#include "tests/support/paths.h"

using namespace tw;

namespace {

constexpr char kPad[] = "scratchpad";

/// The value of `a` crosses to the pad, `b` stays, `e` comes back; the model's input is read at
/// both.
Graph network() {
  ImportedModel model = testing::model_of(
      {"a = MatMul x x", "b = MatMul a x", "c = MatMul a b", "d = MatMul c x", "y = Add d a"},
      {8, 8}, {"y", "c"});
  return optimize(build_graph(model).value()).value();
}

NDArray input() {
  NDArray x = NDArray::create(DType::kF32, {8, 8}).value();
  for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, double(i * 7 % 11) / 8 - 0.5);
  return x;
}

/// The first other kind of target, or the pad once more where there is none.
std::string other_kind() {
  for (TargetEntry const* entry : target_table())
    if (entry->name != kPad) return entry->name;
  return kPad;
}

std::shared_ptr<Backend const> backend_of(std::string const& target) {
  return create_backend(target_hardware(target).value()).value();
}

std::unique_ptr<Device> device_of(std::string const& target) {
  return std::make_unique<LocalDevice>(
      LocalDeviceOptions{.program = testing::built("/tests/test-device"), .target = target});
}

void compare(std::vector<NDArray> const& actual, std::vector<NDArray> const& expected) {
  QCOMPARE(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    for (int64_t e = 0; e < expected[i].size(); ++e)
      QVERIFY2(std::abs(actual[i].value_at(e) - expected[i].value_at(e)) < 1e-4,
               qPrintable(QString("output %1, element %2").arg(i).arg(e)));
}

}  // namespace

class CutTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    graph_ = network();
    whole_ = make_plan(graph_).value();
    expected_ = reference_run(graph_, {input()}).value();
    here_ = backend_of(other_kind());
    pad_ = backend_of(kPad);
  }

  void a_network_runs_on_two_devices_data() {
    QTest::addColumn<QStringList>("points");
    QTest::addColumn<int>("copies");
    QTest::newRow("nothing elsewhere") << QStringList{} << 0;
    QTest::newRow("the middle") << QStringList{"b@pad", "y@here"} << 3;
    QTest::newRow("all") << QStringList{"a@pad"} << 3;
    QTest::newRow("there and back") << QStringList{"b@pad", "c@here", "d@pad"} << 5;
  }
  void a_network_runs_on_two_devices() {
    QFETCH(QStringList, points);
    Plan plan = cut(points);
    auto here = device_of(other_kind()), pad = device_of(kPad);
    CompiledModelPlacement const places[] = {{*here_, *here}, {*pad_, *pad}};
    auto made = CompiledModel::create(graph_, plan, std::span(places).first(plan.places()), {});
    QVERIFY2(made, made ? "" : to_sentence(made.error()).c_str());
    for (int round = 0; round < 2; ++round) {
      auto outputs = (*made)->run({input()});
      QVERIFY2(outputs, outputs ? "" : to_sentence(outputs.error()).c_str());
      compare(*outputs, expected_);
    }
    auto timing = (*made)->time(2);
    QVERIFY2(timing, timing ? "" : to_sentence(timing.error()).c_str());
    QCOMPARE(timing->kernels.size(),
             size_t(std::ranges::count(plan.steps, StepKind::kKernel, &PlanStep::kind)));
    QTEST(int(std::ranges::count(plan.steps, StepKind::kCopy, &PlanStep::kind)), "copies");
  }

  void a_plan_wants_a_device_for_each_place() {
    Plan plan = cut({"b@pad"});
    auto here = device_of(other_kind());
    auto refused = CompiledModel::create(graph_, plan, *here_, *here, {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, std::string("wrong_places"));
  }

  void a_package_has_a_library_for_each_place() {
    Environment environment = make_environment().value();
    if (other_kind() == kPad || !std::filesystem::exists(environment.exports.folder))
      QSKIP("this build has no target with a runtime library to export");
    QTemporaryDir folder;
    Plan plan = cut({"b@pad", "d@here"});
    auto here = device_of(other_kind());
    PackageSource source{graph_, plan, *here_, *here_, *here, {}, {}, {pad_.get()}};
    ExportOptions options;
    options.name = "cut";
    options.folder = folder.filePath("out").toStdString();
    options.kit = environment.exports.folder;
    options.inputs = {input()};
    options.expected = expected_;
    auto result = export_model(source, options);
    QVERIFY(!result && result.error().code == "no_runtime");
    // What a library for exported folders would be called; this program opens processors itself.
    QTemporaryDir kit;
    options.kit = kit.path().toStdString();
    add_library(environment.exports.folder, options.kit, target_of(*here_).architecture);
    result = export_model(source, options);
    QVERIFY2(result, result ? "" : to_sentence(result.error()).c_str());
    QVERIFY(!result->test.ran && result->test.reason.find("no simulator") != std::string::npos);
    QVERIFY(std::filesystem::exists(options.folder / "kernels_1.bin"));

    auto lonely = package::Package::load(options.folder, processor_of(other_kind()), 1);
    QVERIFY(!lonely);
    QCOMPARE(lonely.error().code, std::string("wrong_processor"));
    auto open = [](package::Target const& target, int64_t) { return opened(target.name); };
    auto loaded = package::Package::load(options.folder, processor_of(other_kind()), 1, open);
    QVERIFY2(loaded, loaded ? "" : to_sentence(loaded.error()).c_str());
    NDArray x = input();
    std::memcpy((*loaded)->input(0), x.data(), size_t(x.byte_size()));
    QVERIFY((*loaded)->run());
    std::vector<NDArray> outputs;
    for (size_t i = 0; i < expected_.size(); ++i) {
      outputs.push_back(NDArray::create(DType::kF32, expected_[i].shape()).value());
      std::memcpy(outputs[i].data(), (*loaded)->output(i), size_t(outputs[i].byte_size()));
    }
    compare(outputs, expected_);
  }

private:
  Plan cut(QStringList const& points) const {
    std::vector<std::string> list;
    for (QString const& one : points) list.push_back(one.toStdString());
    return cut_plan(graph_, whole_, parse_cut(list, "here").value()).value();
  }
  /// All of the kit, and a library for the target "pad".
  static void add_library(std::filesystem::path const& kit, std::filesystem::path const& to,
                          std::string const& architecture) {
    for (auto const& entry : std::filesystem::directory_iterator(kit))
      std::filesystem::create_symlink(entry.path(), to / entry.path().filename());
    std::filesystem::path own = to / kPad / architecture;
    std::filesystem::create_directories(own);
    std::ofstream(own / package::accelerator_library(kPad)) << "a library";
  }
  static Result<std::unique_ptr<DeviceRuntime>> opened(std::string const& target) {
    TRY_ASSIGN(FoundRuntime found, find_runtime(target));
    return found.entry->create(found.hardware, int64_t(1) << 30);
  }
  static std::unique_ptr<DeviceRuntime> processor_of(std::string const& target) {
    return opened(target).value();
  }

  Graph graph_;
  Plan whole_;
  std::vector<NDArray> expected_;
  std::shared_ptr<Backend const> here_, pad_;
};

QTEST_GUILESS_MAIN(CutTest)
#include "cut_test.moc"
