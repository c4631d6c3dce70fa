// A whole network on the stand-in for NVIDIA's driver: an exported folder, its kernels as the
// emitter makes them for this machine's processor, and what it says without a driver.
#include "tests/support/emitted_device.h"

#include <dlfcn.h>

#include <QtTest>
#include <cstring>
#include <fstream>
#include <set>

#include "app/shared/environment.h"
#include "engine/device/device_runtime_table.h"
#include "engine/device/local_device.h"
#include "engine/package/export.h"
#include "engine/runtime/package/package.h"
#include "engine/samples/onnx_writer.h"
#include "engine/samples/samples.h"
#include "engine/session/model/loaded_model.h"
#include "engine/support/files.h"
#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/runtime/cuda_processor.h"
#include "targets/shared/launch_record/launch_record.h"
#include "tests/cuda/stand_in/stand_in.h"
#include "tests/package/exports.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"

using namespace tw;
using namespace tw::session;
using tw::testing::Ran;
namespace fs = std::filesystem;

namespace {

QString sentence(auto const& result) {
  return result ? QString("done") : tw::testing::words(result.error());
}

/// The device functions of all kernels, as the stand-in runs them.
struct Running {
  struct Function {
    size_t device = 0, arguments = 0;
  };
  std::vector<tw::testing::EmittedDevice> devices;
  std::map<std::string, Function> functions;
  int launches = 0;

  static int run(void* self, char const* name, unsigned const grid[3], unsigned const block[3],
                 void** parameters) {
    auto& running = *static_cast<Running*>(self);
    Function const& function = running.functions.at(name);
    std::vector<void*> words;
    for (size_t i = 0; i < function.arguments; ++i)
      words.push_back(*static_cast<void**>(parameters[i]));
    ++running.launches;
    auto done = running.devices[function.device].launch(name, {grid[0], grid[1], grid[2]},
                                                        {block[0], block[1], block[2]}, words);
    constexpr int kIllegalAddress = 700;
    return done ? 0 : kIllegalAddress;
  }
};

}  // namespace

class NetworkTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (!__builtin_cpu_supports("fma")) QSKIP("this processor has no fused products and sums");
    environment_ = make_environment().value();
    if (!fs::exists(environment_.exports.folder)) QSKIP("this build has no kit for exports");
    machine_.emplace(Machine::create({.triple = {}, .cpu = "x86-64-v3", .features = {}}).value());
    device_ = std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = tw::testing::built("/bin/tw-device")});
    file_ = tw::testing::built("/tests/libtw_stand_in_driver.so");
    void* library = ::dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
    QVERIFY2(library, ::dlerror());
    auto get = reinterpret_cast<tw::testing::StandInFunction>(::dlsym(library, "stand_in"));
    QVERIFY(get);
    stand_in_ = get();
    ResNetOptions small{.name = "small", .blocks = {1, 1}, .width = 8, .image = 17, .classes = 5};
    std::ofstream(at("small.onnx"), std::ios::binary) << write_onnx(build_resnet(small)).value();
    auto view = exported(at("small.onnx"), at("small"));
    QVERIFY2(view, qPrintable(sentence(view)));
    // Without a driver it was not tested, and says so.
    if (!view->tested)
      QVERIFY2(view->not_tested_because.starts_with("some of its steps run on a device of the "
                                                    "target 'cuda', and "),
               view->not_tested_because.c_str());
  }

  void its_kernels_are_ptx_in_the_folder() {
    std::string library = read_file(at("small") / "kernels_1.bin").value();
    QVERIFY(library.contains(".target sm_80") && library.contains(".entry tw_"));
    QVERIFY(fs::exists(at("small") / "libtilewright_cuda.so.1"));
  }

  void an_exported_network_is_right_and_only_its_ends_are_copied() {
    auto running = emitted(at("small.onnx"));
    QVERIFY2(running, qPrintable(sentence(running)));
    stand_in_->run = Running::run;
    stand_in_->self = &*running;
    {
      auto loaded = opened();
      QVERIFY2(loaded, qPrintable(sentence(loaded)));
      QCOMPARE(stand_in_->to_device, 1);  // all parameters
      for (int round = 0; round < 2; ++round) {
        stand_in_->to_device = stand_in_->from_device = running->launches = 0;
        stand_in_->graph_launches = 0;
        std::string input = stored("input_0.bin");
        std::memcpy((*loaded)->input(0), input.data(), input.size());
        auto done = (*loaded)->run();
        QVERIFY2(done, qPrintable(sentence(done)));
        QCOMPARE(stand_in_->to_device, 1);
        // The output, and the word that says whether a kernel divided by zero.
        QVERIFY(stand_in_->from_device <= 2);
        QVERIFY(running->launches >= 8);
        QCOMPARE(stand_in_->graph_launches, 1);  // all of them together
        QVERIFY(is_expected(**loaded));
      }
    }
    stand_in_->run = nullptr;
    QCOMPARE(stand_in_->allocations, 0);
    QCOMPARE(stand_in_->graphs, 0);
  }

  void launches_that_cannot_be_put_together_are_a_sentence() {
    auto loaded = opened();
    QVERIFY2(loaded, qPrintable(sentence(loaded)));
    stand_in_->instantiate = 719;
    auto done = (*loaded)->run();
    QVERIFY(!done);
    QCOMPARE(sentence(done), QString("launches could not be put together "
                                     "(CUDA_ERROR_LAUNCH_FAILED)"));
    QVERIFY((*loaded)->run());
  }

  void a_gpu_without_memory_is_a_sentence() {
    stand_in_->memory_bytes = 1 << 10;
    auto loaded = opened();
    stand_in_->memory_bytes = uint64_t(64) << 20;
    QVERIFY(!loaded);
    QVERIFY2(sentence(loaded).contains("CUDA_ERROR_OUT_OF_MEMORY"), qPrintable(sentence(loaded)));
  }

  void what_is_missing_is_a_sentence() {
    if (tw::testing::kSanitized) QSKIP("an instrumented runtime needs the sanitizer's own library");
    if (cuda::driver()) QSKIP("this machine has an NVIDIA driver");
    Ran ran = tw::testing::run(at("small"), "./example", {"--rounds", "1"});
    QCOMPARE(ran.code, 1);
    QCOMPARE(ran.output, QString("example: the model needs an NVIDIA GPU, and there is no NVIDIA "
                                 "driver (libcuda.so.1)\n"));
    // With the stand-in as the driver it loads and runs; what that computes is nothing.
    fs::create_directories(at("driver"));
    fs::copy_file(file_, at("driver") / "libcuda.so.1");
    QProcessEnvironment with;
    with.insert("LD_LIBRARY_PATH", QString::fromStdString(at("driver").string()));
    ran = tw::testing::run(at("small"), "./example", {"--rounds", "1"}, with);
    QVERIFY2(ran.code == 1 && ran.output.contains("the outputs differ from the stored ones"),
             qPrintable(ran.output));
    with.insert("TILEWRIGHT_CUDA_DEVICE", "abacus");
    ran = tw::testing::run(at("small"), "./example", {"--rounds", "1"}, with);
    QVERIFY2(ran.code == 1 && ran.output.contains("no CUDA device is called 'abacus'"),
             qPrintable(ran.output));
  }

private:
  static constexpr char kTarget[] = "cuda:a100";

  Result<ExportView> exported(fs::path const& source, fs::path const& folder) {
    TRY_ASSIGN(Model model, load_model(source.string(), {}, *environment_.backend));
    ExportRequest request{.folder = folder, .target = kTarget, .threads = 1};
    return export_to_folder(*model, request, environment_.exports, *environment_.backend, *device_);
  }

  /// As the export makes them, for this machine's processor.
  Result<Running> emitted(fs::path const& source) {
    TRY_ASSIGN(std::shared_ptr<Backend const> backend, environment_.exports.backend_for(kTarget));
    TRY_ASSIGN(Model model, load_model(source.string(), {}, *backend));
    Running running;
    for (KernelTask const& task : model->plan.kernels) {
      TRY_ASSIGN(ir::Program program, te::to_program(task.kernel));
      TRY_ASSIGN(Schedule schedule, backend->default_schedule(program));
      TRY_ASSIGN(auto stages, lower(schedule.program(), backend->target(), backend->passes()));
      TRY(add(*backend, stages.back().kernel, running));
    }
    return running;
  }
  Status add(Backend const& backend, ir::KernelIr const& kernel, Running& running) {
    TRY_ASSIGN(Artifact code, backend.generate(kernel, CodeTier::kFull, CodeTexts::kNone, {}));
    std::string text(reinterpret_cast<char const*>(code.parts[0].bytes.data()),
                     code.parts[0].bytes.size());
    TRY_ASSIGN(auto record, launch_record::parse_record(text));
    std::vector<std::string> names;
    for (launch_record::Launch const& one : record.launches) {
      bool is_new = running.functions
                        .try_emplace(one.function, Running::Function{running.devices.size(),
                                                                     one.arguments.size()})
                        .second;
      if (is_new) names.push_back(one.function);
    }
    TRY_ASSIGN(auto device, tw::testing::EmittedDevice::create(*machine_, kernel, names));
    running.devices.push_back(std::move(device));
    return {};
  }

  Result<std::unique_ptr<package::Package>> opened() {
    stand_in_->to_device = stand_in_->from_device = 0;
    TRY_ASSIGN(driver_, cuda::open_driver(file_));
    FoundRuntime found = find_runtime(environment_.backend->target().name).value();
    TRY_ASSIGN(auto processor, found.entry->create(found.hardware, int64_t(1) << 30));
    auto open = [this](package::Target const&,
                       int64_t bytes) -> Result<std::unique_ptr<DeviceRuntime>> {
      TRY_ASSIGN(cuda::FoundDevice device, cuda::find_device(driver_, ""));
      return cuda::create_cuda_processor(driver_, device, bytes + (1 << 20));
    };
    return package::Package::load(at("small"), std::move(processor), 1, open);
  }

  std::string stored(char const* name) { return read_file(at("small") / "test" / name).value(); }
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
  std::optional<Machine> machine_;
  std::string file_;
  cuda::Driver driver_;
  tw::testing::StandIn* stand_in_ = nullptr;
};

QTEST_GUILESS_MAIN(NetworkTest)
#include "network_test.moc"
