// The runtime for CUDA devices on a stand-in for NVIDIA's driver: kernels run as the emitter makes
// them for this machine's processor, and each thing that a driver refuses is one sentence.
#include "tests/support/emitted_device.h"

#include <dlfcn.h>

#include <QtTest>
#include <thread>

#include "engine/schedule/names.h"
#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/compiler/rates.h"
#include "targets/cuda/runtime/cuda_processor.h"
#include "targets/shared/launch_record/launch_record.h"
#include "tests/cuda/stand_in/stand_in.h"
#include "tests/support/bound_kernels.h"
#include "tests/support/paths.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"
#include "tests/support/shared_rows.h"

using namespace tw;

namespace {

constexpr char kAdd[] =
    "kernel add(X: f32[40]) -> Y\n"
    "  Y[i in 40] = X[i] + 1.0\n";
constexpr char kQuotients[] =
    "kernel quotients(A: i32[5], B: i32[5]) -> C\n"
    "  C[i in 5] = A[i] // B[i]\n";

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

NDArray ints(std::vector<int64_t> const& values) {
  NDArray array = NDArray::create(DType::kI32, {int64_t(values.size())}).value();
  for (size_t i = 0; i < values.size(); ++i) array.set_value(int64_t(i), double(values[i]));
  return array;
}

/// The device functions of one kernel, as the stand-in runs them.
struct Running {
  testing::EmittedDevice device;
  std::map<std::string, size_t> arguments;  // how many each takes

  static int run(void* self, char const* function, unsigned const grid[3], unsigned const block[3],
                 void** parameters) {
    auto& running = *static_cast<Running*>(self);
    std::vector<void*> words;
    for (size_t i = 0; i < running.arguments.at(function); ++i)
      words.push_back(*static_cast<void**>(parameters[i]));
    auto done = running.device.launch(function, {grid[0], grid[1], grid[2]},
                                      {block[0], block[1], block[2]}, words);
    constexpr int kIllegalAddress = 700;
    return done ? 0 : kIllegalAddress;
  }
};

}  // namespace

class DeviceTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (!__builtin_cpu_supports("fma")) QSKIP("this processor has no fused products and sums");
    machine_.emplace(Machine::create({.triple = {}, .cpu = "x86-64-v3", .features = {}}).value());
    file_ = testing::built("/tests/libtw_stand_in_driver.so");
    void* library = ::dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
    QVERIFY2(library, ::dlerror());
    auto get = reinterpret_cast<testing::StandInFunction>(::dlsym(library, "stand_in"));
    QVERIFY(get);
    stand_in_ = get();
    backend_ = cuda::create_cuda_backend(cuda::known_gpus()[0].hardware, {}).value();
  }
  void init() {
    driver_.emplace(cuda::open_driver(file_).value());
    auto device = cuda::find_device(*driver_, "stand").value();
    processor_ = cuda::create_cuda_processor(*driver_, device, 1 << 24).value();
  }
  void cleanup() {
    stand_in_->lost = 0;
    stand_in_->hangs = false;
    processor_.reset();
    auto const& s = *stand_in_;
    QCOMPARE(std::vector({s.contexts, s.allocations, s.streams, s.events, s.modules}),
             std::vector<int>(5));
    for (int* one : {&stand_in_->init, &stand_in_->context, &stand_in_->launch}) *one = 0;
    stand_in_->version = 12040, stand_in_->devices = 1, stand_in_->major = 9;
  }

  void it_says_what_it_is() {
    Hardware device = cuda::find_device(*driver_, "")->hardware;
    QCOMPARE(device.name, std::string("Stand-in"));
    QCOMPARE(device.word(cuda::kArchitecture), std::string("sm_90a"));
    QCOMPARE(device.word(cuda::kSharedPerBlock), std::to_string(227 << 10));
    QCOMPARE(device.word(cuda::kGigabytes), std::string("3352"));
    QVERIFY(cuda::create_cuda_backend(device, {}));
    // What no driver says is known of the architecture: kernels of a GPU that is there are
    // modelled.
    auto roofs = cuda::roofs_of(device);
    QVERIFY(roofs);
    auto rates = cuda::rates_of(device, *roofs);
    QVERIFY2(rates, sentence(rates).c_str());
    QCOMPARE(rates->l1_bytes, int64_t(256 << 10));
    QVERIFY(rates->l2_bandwidth > 0 && rates->l2_latency > 0);
    auto none = cuda::find_device(*driver_, "another");
    QVERIFY2(!none && sentence(none).contains("there are: Stand-in"), sentence(none).c_str());
    auto needs = [](char const* name) { return MachineNeeds{name, {}, {}}; };
    QVERIFY(processor_->can_run(needs("sm_90a")) && processor_->can_run(needs("sm_80")));
    for (char const* other : {"sm_100", "sm_80a", "opencl", ""})
      QCOMPARE(processor_->can_run(needs(other)).error().code, std::string("wrong_processor"));
  }

  void what_is_missing_is_said() {
    auto why = [](auto const& result) { return result ? "" : result.error().message; };
    QVERIFY(why(cuda::open_driver("/no/such/file")).starts_with("there is no NVIDIA driver"));
    stand_in_->version = 11040;
    QCOMPARE(why(cuda::open_driver(file_)),
             std::string("the NVIDIA driver is of CUDA 11.4, and kernels need one of 12.0"));
    stand_in_->version = 12040;
    stand_in_->init = 100;
    QCOMPARE(why(cuda::open_driver(file_)), std::string("the NVIDIA driver has no device here"));
    stand_in_->init = 719;
    QVERIFY(why(cuda::open_driver(file_)).contains("does not start (CUDA_ERROR_LAUNCH_FAILED)"));
    stand_in_->init = 0;
    stand_in_->devices = 0;
    QCOMPARE(why(cuda::devices(*driver_)), std::string("the NVIDIA driver has no device here"));
    stand_in_->devices = 1;
    stand_in_->major = 6;
    QVERIFY(why(cuda::devices(*driver_)).contains("compute capability 7.0"));
    stand_in_->major = 9;
    stand_in_->context = 2;
    auto closed = cuda::create_cuda_processor(*driver_, cuda::find_device(*driver_, "").value(), 1);
    QVERIFY2(why(closed).contains("cannot be opened (CUDA_ERROR_OUT_OF_MEMORY)"),
             why(closed).c_str());
  }

  void each_kernel_is_right_data() {
    QTest::addColumn<QString>("name");
    for (std::string const& name :
         testing::bound_kernel_names({testing::kBoundKernels, testing::kCudaKernels}))
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
  void each_kernel_is_right() {
    QFETCH(QString, name);
    auto made = testing::bound_kernel(name.toStdString(), *backend_);
    QVERIFY2(made, sentence(made).c_str());
    Rng rng(11);
    std::vector<NDArray> inputs = testing::random_inputs(made->kernel, rng);
    auto wanted = ir::interpret(made->schedule.origin(), inputs).value();
    auto outputs = run(made->lowered, made->schedule.origin(), inputs);
    QVERIFY2(outputs, sentence(outputs).c_str());
    QCOMPARE(testing::difference(wanted, *outputs), std::string());
  }

  void a_launch_gives_shared_memory() {
    auto rows = testing::shared_rows(60001, 16, *backend_).value();
    auto stages = lower(rows.schedule.program(), backend_->target(), backend_->passes()).value();
    Rng rng(5);
    std::vector<NDArray> inputs = testing::random_inputs(rows.kernel, rng);
    auto wanted = ir::interpret(rows.schedule.origin(), inputs).value();
    auto outputs = run(stages.back().kernel, rows.schedule.origin(), inputs);
    QVERIFY2(outputs, sentence(outputs).c_str());
    QCOMPARE(testing::difference(wanted, *outputs), std::string());
    QCOMPARE(stand_in_->shared_bytes, 60032U);
  }

  void a_division_by_zero_is_told_and_forgotten() {
    auto none = quotients({7, -7, 9}, {2, 2, 0});
    QVERIFY2(sentence(none).contains("one of the kernels divided an integer by zero"),
             sentence(none).c_str());
    auto outputs = quotients({7, -7, INT32_MIN}, {2, 2, -1});
    QVERIFY2(outputs, sentence(outputs).c_str());
    QCOMPARE((*outputs)[0].value_at(1), -4.0);
  }

  void memory_ends() {
    auto memory = processor_->allocate(1 << 25);
    QCOMPARE(memory.error().code, std::string("tensor_too_large"));
    QVERIFY(!processor_->allocate(-1));
    stand_in_->memory_bytes = 1 << 20;
    memory = processor_->allocate(2 << 20);
    stand_in_->memory_bytes = uint64_t(64) << 20;
    QVERIFY2(sentence(memory).contains("no memory for 2097152 bytes (CUDA_ERROR_OUT_OF_MEMORY)"),
             sentence(memory).c_str());
    QVERIFY(processor_->allocate(2 << 20));
  }

  void a_launch_that_is_refused_is_an_error_of_its_call() {
    stand_in_->launch = 701;
    auto outputs = run(kAdd);
    QVERIFY2(sentence(outputs).contains(
                 "'tw_add_1' could not be launched (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)"),
             sentence(outputs).c_str());
    QVERIFY(run(kAdd));
  }

  void a_lost_device_says_so_until_it_is_opened_again() {
    QVERIFY(run(kAdd));
    stand_in_->lost = 700;
    auto outputs = run(kAdd);
    QVERIFY2(sentence(outputs).contains("CUDA_ERROR_ILLEGAL_ADDRESS"), sentence(outputs).c_str());
    QVERIFY(!run(kAdd));
    stand_in_->lost = 0;
    init();
    QVERIFY(run(kAdd));
  }

  void a_hang_keeps_who_waits_alone() {
    Artifact code = compiled(kAdd);
    auto library = processor_->load(backend_->link({&code.parts, 1}).value()).value();
    void* kernel = library->find(code.symbol).value();
    std::vector<MemoryPlace> places;
    for (int64_t bytes : {160, 160, 64}) places.push_back({processor_->allocate(bytes).value(), 0});
    stand_in_->run = nullptr;
    stand_in_->hangs = true;
    QCOMPARE(processor_->call(kernel, places), 0);
    std::atomic<bool> done = false;
    std::thread waits([&] {
      (void)processor_->wait();
      done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    QVERIFY(!done);
    stand_in_->lost = 719;
    stand_in_->hangs = false;
    waits.join();
    auto failure = processor_->take_failure();
    QVERIFY(failure && failure->message.contains("did not finish (CUDA_ERROR_LAUNCH_FAILED)"));
  }

  void a_tensor_begins_where_kernels_rely_on() {
    Artifact code = compiled(kAdd);
    auto library = processor_->load(backend_->link({&code.parts, 1}).value()).value();
    void* kernel = library->find(code.symbol).value();
    std::vector<MemoryPlace> places;
    for (int64_t bytes : {256, 256, 64}) places.push_back({processor_->allocate(bytes).value(), 0});
    places[1].offset = 4;
    QCOMPARE(processor_->call(kernel, places), 1);
    auto failure = processor_->take_failure();
    QVERIFY(failure && failure->message.contains("does not begin at a multiple of 64 bytes"));
    places.pop_back();
    QCOMPARE(processor_->call(kernel, places), 1);
    QCOMPARE(processor_->take_failure()->code, std::string("wrong_buffers"));
  }

  void damaged_libraries_are_refused() {
    Artifact code = compiled(kAdd);
    std::vector<std::byte> library = backend_->link({&code.parts, 1}).value();
    Rng rng(3);
    int refused = 0;
    for (int i = 0; i < 60; ++i) {
      std::vector<std::byte> damaged = library;
      damaged.resize(size_t(rng.below(int64_t(library.size()))));
      auto loaded = processor_->load(damaged);
      refused += !loaded;
    }
    QVERIFY(refused >= 55);
    std::string text = "no PTX";
    auto const* bytes = reinterpret_cast<std::byte const*>(text.data());
    code.parts[1].bytes.assign(bytes, bytes + text.size() + 1);
    auto loaded = processor_->load(backend_->link({&code.parts, 1}).value());
    QVERIFY2(sentence(loaded).contains("(CUDA_ERROR_INVALID_PTX): line 1; fatal: no version"),
             sentence(loaded).c_str());
  }

  void a_sequence_is_kept_and_started_as_one() {
    auto [library, kernel, places] = ready(kAdd);
    int ran = count_launches();
    processor_->begin_sequence();
    for (int i = 0; i < 2; ++i) QCOMPARE(processor_->call(kernel, places), 0);
    QCOMPARE(ran_, ran);
    std::unique_ptr<CallSequence> kept = processor_->end_sequence();
    QVERIFY(kept);
    QCOMPARE(ran_, ran + 2);
    QCOMPARE(processor_->start(*kept), 0);
    QVERIFY(processor_->finish());
    QCOMPARE(ran_, ran + 4);
    stand_in_->lost = 719;
    QCOMPARE(processor_->start(*kept), 1);
    QVERIFY(processor_->take_failure()->message.contains("what is launched together could not be"));
    kept.reset();
    stand_in_->run = nullptr;
    QCOMPARE(stand_in_->graphs, 0);
  }

  /// Before the host reads them, what makes them has run.
  void a_kernel_of_sizes_ends_a_sequence() {
    auto [library, kernel, places] = ready(kAdd);
    auto [others, sized, more] = ready(kAdd, 1);
    int ran = count_launches();
    processor_->begin_sequence();
    QCOMPARE(processor_->call(kernel, places), 0);
    QCOMPARE(ran_, ran);
    QCOMPARE(processor_->call(sized, more), 0);
    QCOMPARE(ran_, ran + 2);
    QVERIFY(!processor_->end_sequence());
    QVERIFY(processor_->finish());
    stand_in_->run = nullptr;
    QCOMPARE(stand_in_->graphs, 0);
  }

  void events_tell_the_devices_time() {
    TwEvent begin = processor_->create_event().value(), end = processor_->create_event().value();
    QCOMPARE(processor_->elapsed(begin, end).error().code, std::string("event_not_recorded"));
    TwStream stream = processor_->create_stream().value();
    QVERIFY(processor_->record(begin, stream) && processor_->wait_event(stream, begin));
    QVERIFY(run(kAdd));
    QVERIFY(processor_->record(end, nullptr) && processor_->synchronize(stream));
    QVERIFY(*processor_->elapsed(begin, end) > 0);
    QVERIFY(processor_->events_timed_by() == TimedBy::kDevice);
    processor_->destroy(stream);
    processor_->destroy(begin);
    processor_->destroy(end);
  }

private:
  static ir::Program program(std::string const& text) {
    return te::to_program(testing::parsed_kernel(text).value()).value();
  }
  ir::KernelIr lowered(std::string const& text) {
    Schedule schedule = backend_->default_schedule(program(text)).value();
    return lower(schedule.program(), backend_->target(), backend_->passes()).value().back().kernel;
  }
  Artifact compiled(std::string const& text) {
    return backend_->generate(lowered(text), CodeTier::kFull, CodeTexts::kNone, {}).value();
  }

  /// A kernel of three buffers that is loaded.
  struct Ready {
    std::unique_ptr<KernelLibrary> library;
    void* kernel = nullptr;
    std::vector<MemoryPlace> places;
  };
  /// `sizes`: numbers that the host reads from the first of them.
  Ready ready(std::string const& text, int sizes = 0) {
    Artifact code = compiled(text);
    QByteArray record(reinterpret_cast<char const*>(code.parts[0].bytes.data()),
                      qsizetype(code.parts[0].bytes.size()));
    record.replace("\"sizes\":0", "\"sizes\":" + QByteArray::number(sizes));
    auto const* bytes = reinterpret_cast<std::byte const*>(record.constData());
    code.parts[0].bytes.assign(bytes, bytes + record.size());
    Ready made{processor_->load(backend_->link({&code.parts, 1}).value()).value()};
    made.kernel = made.library->find(code.symbol).value();
    for (int i = 0; i < 3; ++i) made.places.push_back({processor_->allocate(256).value(), 0});
    return made;
  }
  /// From now on; how many there were.
  int count_launches() {
    stand_in_->self = &ran_;
    stand_in_->run = [](void* self, char const*, unsigned const*, unsigned const*, void**) {
      return ++*static_cast<int*>(self), 0;
    };
    return ran_;
  }

  Result<std::vector<NDArray>> run(ir::KernelIr const& kernel, ir::Program const& plain,
                                   std::vector<NDArray> const& inputs) {
    TRY_ASSIGN(Artifact code, backend_->generate(kernel, CodeTier::kFull, CodeTexts::kNone, {}));
    std::string text(reinterpret_cast<char const*>(code.parts[0].bytes.data()),
                     code.parts[0].bytes.size());
    TRY_ASSIGN(auto record, launch_record::parse_record(text));
    std::vector<std::string> names;
    std::map<std::string, size_t> arguments;
    for (launch_record::Launch const& one : record.launches) {
      bool is_new = arguments.try_emplace(one.function, one.arguments.size()).second;
      if (is_new) names.push_back(one.function);
    }
    TRY_ASSIGN(auto device, testing::EmittedDevice::create(*machine_, kernel, names));
    Running running{std::move(device), std::move(arguments)};
    stand_in_->run = Running::run;
    stand_in_->self = &running;
    auto outputs = testing::run_on(*processor_, *backend_, plain, code, inputs);
    stand_in_->run = nullptr;
    return outputs;
  }
  Result<std::vector<NDArray>> run(std::string const& text) {
    NDArray x = NDArray::create(DType::kF32, {40}).value();
    return run(lowered(text), program(text), {x});
  }
  Result<std::vector<NDArray>> quotients(std::vector<int64_t> a, std::vector<int64_t> b) {
    a.resize(5, 1);
    b.resize(5, 1);
    return run(lowered(kQuotients), program(kQuotients), {ints(a), ints(b)});
  }

  int ran_ = 0;
  std::string file_;
  testing::StandIn* stand_in_ = nullptr;
  std::optional<cuda::Driver> driver_;
  std::optional<Machine> machine_;
  std::shared_ptr<Backend const> backend_;
  std::unique_ptr<DeviceRuntime> processor_;
};

QTEST_GUILESS_MAIN(DeviceTest)
#include "device_test.moc"
