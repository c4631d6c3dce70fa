// Whole networks on an OpenCL device: exported folders that run alone, what they copy and when they
// wait, and what they say where something is missing.
#include <QtTest>

#include <cstring>
#include <fstream>

#include "app/shared/environment.h"
#include "engine/device/device_runtime_table.h"
#include "engine/device/local_device.h"
#include "engine/package/export.h"
#include "engine/runtime/package/package.h"
#include "engine/samples/onnx_writer.h"
#include "engine/samples/samples.h"
#include "engine/session/cases/offload_cases.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/use_cases.h"
#include "engine/support/files.h"
#include "targets/opencl/compiler/opencl_backend.h"
#include "targets/opencl/runtime/opencl_processor.h"
#include "tests/package/control_models.h"
#include "tests/package/exports.h"
#include "tests/support/line_models.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"

using namespace tw;
using namespace tw::session;
using namespace tw::testing;
namespace fs = std::filesystem;

namespace {

/// The loader's functions, those counted that move bytes, start something or wait.
struct Counted {
  int writes = 0, reads = 0, copies = 0, waits = 0, launches = 0;
  bool no_memory = false;
  opencl::Functions real, functions;
};
Counted counted;

void count_calls(opencl::Functions const& real) {
  counted = {.real = real, .functions = real};
  opencl::Functions& f = counted.functions;
  f.clEnqueueWriteBuffer = [](auto... all) {
    return ++counted.writes, counted.real.clEnqueueWriteBuffer(all...);
  };
  f.clEnqueueReadBuffer = [](auto... all) {
    return ++counted.reads, counted.real.clEnqueueReadBuffer(all...);
  };
  f.clEnqueueCopyBuffer = [](auto... all) {
    return ++counted.copies, counted.real.clEnqueueCopyBuffer(all...);
  };
  f.clFinish = [](auto... all) { return ++counted.waits, counted.real.clFinish(all...); };
  f.clEnqueueNDRangeKernel = [](auto... all) {
    return ++counted.launches, counted.real.clEnqueueNDRangeKernel(all...);
  };
  f.clCreateBuffer = [](auto... all) {
    if (!counted.no_memory) return counted.real.clCreateBuffer(all...);
    cl_int* code = std::get<4>(std::tuple(all...));
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return cl_mem();
  };
}

Result<std::unique_ptr<DeviceRuntime>> open_counted(package::Target const&, int64_t) {
  TRY_ASSIGN(opencl::FoundDevice device, opencl::find_device(""));
  return opencl::create_opencl_processor(counted.functions, device, int64_t(1) << 30);
}

ImportedModel with_a_running_sum() {
  ImportedModel model =
      model_of({"a = Softmax x", "axis = Constant", "t = CumSum a axis", "y = Softmax t"}, {64});
  for (ForeignNode& node : model.graph.nodes)
    if (node.op_type == "Constant") node.attributes["value_int"] = int64_t(0);
  return model;
}

ImportedModel small_resnet() {
  ResNetOptions options{.name = "small", .blocks = {1, 1}, .width = 8, .image = 33, .classes = 5};
  return build_resnet(options);
}

}  // namespace

class NetworkTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (auto device = opencl::find_device(""); !device)
      QSKIP(qPrintable(QString::fromStdString(device.error().message)));
    environment_ = make_environment().value();
    if (!fs::exists(environment_.exports.folder)) QSKIP("this build has no kit for exports");
    device_ = std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
    std::ofstream(at("small.onnx"), std::ios::binary) << write_onnx(small_resnet()).value();
  }

  void each_network_runs_alone_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("note");
    for (char const* name : {"dqn", "lstm"}) QTest::newRow(name) << QString("sample:") + name << "";
    QTest::newRow("small resnet") << QString::fromStdString(at("small.onnx").string()) << "";
  }
  void each_network_runs_alone() {
    if (testing::kSanitized) QSKIP("an instrumented runtime needs the sanitizer's own library");
    QFETCH(QString, source);
    auto view = export_model_of(source.toStdString(), at("alone"));
    QVERIFY2(view, qPrintable(sentence(view)));
    QVERIFY2(view->tested, view->not_tested_because.c_str());
    QVERIFY(view->emulator.empty() && view->largest_value > 0.01);
    QVERIFY(view->largest_difference <= 1e-3 * view->largest_value);
    QVERIFY2(view->note.contains("kernels run on OpenCL"), view->note.c_str());
    QVERIFY(fs::exists(at("alone") / "libtilewright_opencl.so.1"));
    // What the processor runs nothing of asks it for nothing.
    auto described = package::parse_description(read_file(at("alone") / "model.json").value());
    QCOMPARE(described->target.features.empty(), described->library.bytes == 0);
    // Kernels are texts that one can read.
    QVERIFY(read_file(at("alone") / "kernels_1.bin")->contains("kernel void "));
  }

  void branches_and_loops_run_there_data() {
    QTest::addColumn<int>("which");
    QTest::newRow("a branch") << 0;
    QTest::newRow("a loop") << 1;
    QTest::newRow("a scan") << 2;
  }
  void branches_and_loops_run_there() {
    if (testing::kSanitized) QSKIP("an instrumented runtime needs the sanitizer's own library");
    QFETCH(int, which);
    ImportedModel const models[] = {choice(), loop(true), scan()};
    std::ofstream(at("control.onnx"), std::ios::binary) << write_onnx(models[which]).value();
    auto view = export_model_of(at("control.onnx").string(), at("control"));
    QVERIFY2(view, qPrintable(sentence(view)));
    QVERIFY(view->tested);
    QVERIFY2(view->note.contains("kernels run on OpenCL"), view->note.c_str());
  }

  void nothing_but_inputs_and_outputs_is_copied_and_nothing_waits_in_between() {
    auto loaded = loaded_counted();
    QVERIFY2(loaded, qPrintable(sentence(loaded)));
    package::Package& model = **loaded;
    QCOMPARE(counted.writes, 1);  // all parameters
    QCOMPARE(counted.reads + counted.launches, 0);
    auto launches = [&] {
      int count = 0;
      for (auto const& step : model.description().steps)
        count += step.kind == package::StepKind::kKernel;
      return count;
    };
    for (int round = 0; round < 3; ++round) {
      counted.writes = counted.reads = counted.waits = counted.launches = 0;
      fill_input(model);
      auto done = model.run();
      QVERIFY2(done, qPrintable(sentence(done)));
      QCOMPARE(counted.writes, 1);
      QCOMPARE(counted.reads, 1);
      QCOMPARE(counted.copies, 0);
      QVERIFY2(counted.waits <= 1, qPrintable(QString::number(counted.waits)));
      QVERIFY(counted.launches >= launches());
      QVERIFY(is_expected(model));
    }
  }

  /// Each element of a running sum needs the one before: there is nothing for threads to do.
  void what_the_device_lacks_runs_on_the_processor() {
    std::ofstream(at("running.onnx"), std::ios::binary) << write_onnx(with_a_running_sum()).value();
    auto gpu = opencl::create_opencl_backend(opencl::find_device("")->hardware).value();
    Model model = load_model(at("running.onnx").string(), {}, *gpu).value();
    auto found = offload_rest_of(*model, *gpu, "gpu", "processor");
    QVERIFY2(found, qPrintable(sentence(found)));
    auto stays = [](OffloadedKernel const& one) { return one.stays_because.empty(); };
    QVERIFY(std::ranges::any_of(found->kernels, stays));
    auto goes = std::ranges::find_if_not(found->kernels, stays);
    QVERIFY(goes != found->kernels.end());
    QVERIFY2(goes->stays_because.contains("no thread"), goes->stays_because.c_str());
    QCOMPARE(found->cut.places, (std::vector<std::string>{"gpu", "processor"}));
    LocalDevice away({.program = testing::built("/bin/tw-device"), .target = "opencl"});
    RunOptions options{.rounds = 1,
                       .inputs = random_inputs(*model, 3).value(),
                       .scripts = {},
                       .cache_folder = {},
                       .cut = found->cut};
    options.elsewhere.push_back({*environment_.backend, *device_});
    auto ran = run_model(*model, options, *gpu, away);
    QVERIFY2(ran, qPrintable(sentence(ran)));
    QVERIFY(ran->copies >= 2);
    NDArray wanted = reference_run(model->before, options.inputs).value()[0];
    for (int64_t i = 0; i < wanted.size(); ++i)
      QVERIFY(std::abs(ran->outputs[0].value_at(i) - wanted.value_at(i)) < 1e-2);
    // The program does so by itself, and says what it costs: 64 elements there and back.
    QStringList command{"run",      QString::fromStdString(at("running.onnx").string()),
                        "--device", "local:opencl",
                        "--rounds", "1"};
    Ran told = run(at(""), QString::fromStdString(testing::built("/bin/tw")), command,
                   QProcessEnvironment::systemEnvironment());
    QVERIFY2(told.code == 0 && told.output.contains("no thread"), qPrintable(told.output));
    QVERIFY2(told.output.contains("2 values copied between devices in each run, 512 B"),
             qPrintable(told.output));
    // Nothing is cut where the device runs all.
    Model whole = load_model("sample:dqn", {}, *gpu).value();
    QVERIFY(offload_rest_of(*whole, *gpu, "gpu", "processor")->cut.points.empty());
  }

  void a_device_without_memory_is_a_sentence() {
    QVERIFY(exported());
    count_calls(**opencl::functions());
    counted.no_memory = true;
    auto loaded = package::Package::load(at("small"), processor(), 1, open_counted);
    QVERIFY(!loaded);
    QVERIFY2(words(loaded.error()).contains("CL_MEM_OBJECT_ALLOCATION_FAILURE"),
             qPrintable(sentence(loaded)));
  }

  void what_is_missing_is_a_sentence() {
    if (testing::kSanitized) QSKIP("an instrumented runtime needs the sanitizer's own library");
    QVERIFY(exported());
    QProcessEnvironment none;
    none.insert("OCL_ICD_VENDORS", "/nonexistent");
    Ran ran = run(at("small"), "./example", {"--rounds", "1"}, none);
    QCOMPARE(ran.code, 1);
    QCOMPARE(ran.output, QString("example: the model needs an OpenCL device, and no OpenCL driver "
                                 "has a device here\n"));
    QProcessEnvironment another;
    another.insert("TILEWRIGHT_OPENCL_DEVICE", "abacus");
    ran = run(at("small"), "./example", {"--rounds", "1"}, another);
    QVERIFY2(ran.code == 1 && ran.output.contains("no OpenCL device is called 'abacus'"),
             qPrintable(ran.output));
    fs::copy(at("small"), at("cut off"), fs::copy_options::recursive);
    fs::resize_file(at("cut off") / "kernels_1.bin", 100);
    ran = run(at("cut off"), "./example", {"--rounds", "1"});
    QVERIFY2(ran.code == 1 && ran.output.contains("kernels_1.bin is damaged"),
             qPrintable(ran.output));
  }

  void a_phone_gets_what_its_processor_loads() {
    Model model = load_model("sample:dqn", {}, *environment_.backend).value();
    ExportRequest request{.folder = at("phone"), .target = "opencl:mali-g78", .threads = 1};
    auto view =
        export_to_folder(*model, request, environment_.exports, *environment_.backend, *device_);
    if (!view && view.error().code == "no_runtime") QSKIP(qPrintable(words(view.error())));
    QVERIFY2(view, qPrintable(sentence(view)));
    auto described = package::parse_description(read_file(at("phone") / "model.json").value());
    QCOMPARE(described->target.architecture, std::string("aarch64"));
    // An emulator has no OpenCL device.
    QVERIFY(!view->tested || QSysInfo::currentCpuArchitecture() == "arm64");
    QVERIFY(fs::exists(at("phone") / "libtilewright_opencl.so.1"));
  }

  void a_machine_without_the_device_exports_and_says_that_it_did_not_test() {
    ExportKit kit = environment_.exports;
    kit.device_here = [](std::string const& target) -> Status {
      return environment_failed("no_such_hardware", "nothing here is a device of " + target);
    };
    auto view = export_model_of("sample:dqn", at("untested"), &kit);
    QVERIFY2(view, qPrintable(sentence(view)));
    QVERIFY(!view->tested);
    QVERIFY2(view->not_tested_because.ends_with("and nothing here is a device of opencl"),
             view->not_tested_because.c_str());
  }

private:
  Result<ExportView> export_model_of(std::string const& source, fs::path const& folder,
                                     ExportKit const* kit = nullptr) {
    TRY_ASSIGN(Model model, load_model(source, {}, *environment_.backend));
    ExportRequest request{.folder = folder, .target = "opencl", .threads = 1};
    return export_to_folder(*model, request, kit ? *kit : environment_.exports,
                            *environment_.backend, *device_);
  }
  bool exported() {
    if (fs::exists(at("small"))) return true;
    return export_model_of(at("small.onnx"), at("small")).has_value();
  }
  Result<std::unique_ptr<package::Package>> loaded_counted() {
    TRY(export_model_of(at("small.onnx"), at("small")));
    TRY_ASSIGN(opencl::Functions const* real, opencl::functions());
    count_calls(*real);
    return package::Package::load(at("small"), processor(), 1, open_counted);
  }
  std::unique_ptr<DeviceRuntime> processor() {
    FoundRuntime found = find_runtime(environment_.backend->target().name).value();
    return found.entry->create(found.hardware, int64_t(1) << 30).value();
  }
  std::string stored(char const* name) { return read_file(at("small") / "test" / name).value(); }
  void fill_input(package::Package& model) {
    std::string input = stored("input_0.bin");
    std::memcpy(model.input(0), input.data(), input.size());
  }
  bool is_expected(package::Package const& model) {
    std::string output = stored("output_0.bin");
    std::vector<float> wanted(output.size() / sizeof(float)), got(wanted.size());
    std::memcpy(wanted.data(), output.data(), output.size());
    std::memcpy(got.data(), model.output(0), output.size());
    float difference = 0, largest = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
      difference = std::max(difference, std::abs(wanted[i] - got[i]));
      largest = std::max(largest, std::abs(wanted[i]));
    }
    return largest > 0 && difference <= 1e-3F * largest;
  }
  fs::path at(std::string const& name) const {
    return fs::path(folder_.path().toStdString()) / name;
  }

  QTemporaryDir folder_;
  Environment environment_;
  std::unique_ptr<Device> device_;
};

QTEST_GUILESS_MAIN(NetworkTest)
#include "network_test.moc"
