// What an OpenCL device is asked that it cannot do: one sentence each, and it goes on.
#include <QtTest>

#include "engine/runtime/library_parts.h"
#include "engine/te/te.h"
#include "targets/opencl/compiler/opencl_backend.h"
#include "targets/opencl/hardware/description.h"
#include "targets/opencl/runtime/opencl_processor.h"
#include "targets/shared/launch_record/library_names.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

constexpr char kAdd[] =
    "kernel add(X: f32[40]) -> Y\n"
    "  Y[i in 40] = X[i] + 1.0\n";
constexpr char kQuotients[] =
    "kernel quotients(A: i32[5], B: i32[5]) -> C\n"
    "  C[i in 5] = A[i] // B[i]\n";

NDArray ints(std::vector<int64_t> const& values) {
  NDArray array = NDArray::create(DType::kI32, {int64_t(values.size())}).value();
  for (size_t i = 0; i < values.size(); ++i) array.set_value(int64_t(i), double(values[i]));
  return array;
}

std::string error_of(auto const& result) { return result ? "" : to_sentence(result.error()); }

}  // namespace

class DeviceTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    auto device = opencl::find_device("");
    if (!device) QSKIP(qPrintable(QString::fromStdString(device.error().message)));
    backend_ = opencl::create_opencl_backend(device->hardware).value();
    processor_ = opencl::create_opencl_processor(*device, 1 << 20).value();
  }

  void it_says_what_it_is() {
    Hardware device = opencl::find_device("")->hardware;
    QVERIFY(!device.name.empty());
    auto limits = opencl::limits_of(device);
    QVERIFY(limits && limits->threads >= 1 && limits->local_bytes >= 1024);
    auto none = opencl::find_device("no such device");
    QVERIFY(!none && none.error().code == "no_such_hardware");
    QVERIFY(error_of(none).contains(device.name));
    QVERIFY(!opencl::limits_of(Hardware{.target = "opencl"}));
  }

  void a_division_by_zero_is_told_and_forgotten() {
    QVERIFY2(error_of(quotients({7, -7, 9}, {2, 2, 0}))
                 .contains("one of the kernels divided an integer by zero"),
             error_of(quotients({7, -7, 9}, {2, 2, 0})).c_str());
    auto outputs = quotients({7, -7, INT32_MIN}, {2, 2, -1});
    QVERIFY2(outputs, error_of(outputs).c_str());
    QCOMPARE((*outputs)[0].value_at(0), 3.0);
    QCOMPARE((*outputs)[0].value_at(1), -4.0);
    QCOMPARE((*outputs)[0].value_at(2), double(INT32_MIN));
  }

  void what_no_driver_builds_is_said_with_its_line() {
    Artifact code = compiled(kAdd);
    std::string source(reinterpret_cast<char const*>(code.parts[1].bytes.data()),
                       code.parts[1].bytes.size());
    source.insert(source.find("Y["), "no_such_name = 1; ");
    auto const* bytes = reinterpret_cast<std::byte const*>(source.data());
    code.parts[1].bytes.assign(bytes, bytes + source.size());
    auto loaded = processor_->load(backend_->link({&code.parts, 1}).value());
    QVERIFY(!loaded);
    QCOMPARE(loaded.error().code, std::string("module_not_loadable"));
    QVERIFY2(loaded.error().message.contains("no_such_name"), loaded.error().message.c_str());
  }

  void damaged_libraries_are_refused() {
    Artifact code = compiled(kAdd);
    std::vector<std::byte> library = backend_->link({&code.parts, 1}).value();
    Rng rng(3);
    int refused = 0;
    for (int i = 0; i < 60; ++i) {
      std::vector<std::byte> damaged = library;
      if (i % 2 == 0)
        damaged.resize(size_t(rng.below(int64_t(library.size()))));
      else
        damaged[size_t(rng.below(int64_t(library.size())))] ^= std::byte(1 << rng.below(7));
      auto loaded = processor_->load(damaged);
      refused += !loaded;
      if (!loaded) QVERIFY(!loaded.error().message.empty());
    }
    QVERIFY(refused >= 30);
  }

  void a_launch_that_no_device_takes_is_an_error_of_its_call_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::newRow("no blocks") << QByteArray("\"grid\":[1,1,1]") << QByteArray("\"grid\":[0,1,1]");
    QTest::newRow("a block of other threads")
        << QByteArray("\"block\":[40,1,1]") << QByteArray("\"block\":[41,1,1]");
    QTest::newRow("few arguments")
        << QByteArray("{\"buffer\":0,\"byte\":0,\"element\":4},") << QByteArray("");
  }
  void a_launch_that_no_device_takes_is_an_error_of_its_call() {
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    Artifact code = compiled(kAdd);
    QByteArray record(reinterpret_cast<char const*>(code.parts[0].bytes.data()),
                      qsizetype(code.parts[0].bytes.size()));
    QVERIFY2(record.contains(from), record.constData());
    record.replace(from, to);
    auto const* bytes = reinterpret_cast<std::byte const*>(record.constData());
    code.parts[0].bytes.assign(bytes, bytes + record.size());
    NDArray x = NDArray::create(DType::kF32, {40}).value();
    auto outputs = testing::run_on(*processor_, *backend_, program(kAdd), code, {x});
    QVERIFY(!outputs);
    QVERIFY2(outputs.error().message.contains("tw_add_1") ||
                 outputs.error().message.contains("argument"),
             error_of(outputs).c_str());
    QVERIFY(testing::run_on(*processor_, *backend_, program(kAdd), compiled(kAdd), {x}));
  }

  /// The host starts two functions in each of these.
  void too_many_steps_in_time_are_a_sentence() {
    constexpr char kSteps[] =
        "kernel steps(X: f32[3000, 4]) -> H\n"
        "  G[scan t in 3000, j in 4] = select(1 <= t, H[t-1, 3-j], 0) + X[t, j]\n"
        "  H[step t in 3000, j in 4] = G[t, j] * 0.5\n";
    Schedule schedule = backend_->default_schedule(program(kSteps)).value();
    auto stages = lower(schedule.program(), backend_->target(), backend_->passes());
    QVERIFY2(stages, error_of(stages).c_str());
    auto code = backend_->generate(stages->back().kernel, CodeTier::kFull, CodeTexts::kNone, {});
    QVERIFY(!code);
    QCOMPARE(code.error().message,
             std::string("'steps' would be started with more than 4096 launches"));
  }

  /// A driver may run fewer threads of a function than it says of the device.
  void a_work_group_that_is_too_large_is_said_when_it_is_loaded() {
    Artifact code = compiled(kAdd);
    for (CodePart& part : code.parts) {
      QByteArray text(reinterpret_cast<char const*>(part.bytes.data()),
                      qsizetype(part.bytes.size()));
      text.replace("\"block\":[40,1,1]", "\"block\":[40,4000,4000]");
      auto const* bytes = reinterpret_cast<std::byte const*>(text.constData());
      part.bytes.assign(bytes, bytes + text.size());
    }
    auto loaded = processor_->load(backend_->link({&code.parts, 1}).value());
    QVERIFY(!loaded);
    QVERIFY2(error_of(loaded).contains("has work-groups of 40 x 4000 x 4000 threads, and the "
                                       "device runs at most"),
             error_of(loaded).c_str());
  }

  void more_memory_than_it_may_have_is_refused() {
    auto memory = processor_->allocate(2 << 20);
    QVERIFY(!memory);
    QCOMPARE(memory.error().code, std::string("tensor_too_large"));
    QVERIFY(!processor_->allocate(-1));
  }

  void events_tell_the_devices_time() {
    TwEvent begin = processor_->create_event().value(), end = processor_->create_event().value();
    QVERIFY(!processor_->elapsed(begin, end));
    QVERIFY(processor_->record(begin, nullptr));
    NDArray x = NDArray::create(DType::kF32, {40}).value();
    QVERIFY(testing::run_on(*processor_, *backend_, program(kAdd), compiled(kAdd), {x}));
    QVERIFY(processor_->record(end, nullptr));
    auto seconds = processor_->elapsed(begin, end);
    QVERIFY2(seconds, error_of(seconds).c_str());
    QVERIFY(*seconds > 0 && *seconds < 60);
    processor_->destroy(begin);
    processor_->destroy(end);
  }

private:
  static ir::Program program(std::string const& text) {
    return te::to_program(testing::parsed_kernel(text).value()).value();
  }
  Artifact compiled(std::string const& text) {
    Schedule schedule = backend_->default_schedule(program(text)).value();
    auto stages = lower(schedule.program(), backend_->target(), backend_->passes()).value();
    return backend_->generate(stages.back().kernel, CodeTier::kFull, CodeTexts::kNone, {}).value();
  }
  Result<std::vector<NDArray>> quotients(std::vector<int64_t> a, std::vector<int64_t> b) {
    a.resize(5, 1);
    b.resize(5, 1);
    return testing::run_on(*processor_, *backend_, program(kQuotients), compiled(kQuotients),
                           {ints(a), ints(b)});
  }

  std::shared_ptr<Backend const> backend_;
  std::unique_ptr<DeviceRuntime> processor_;
};

QTEST_GUILESS_MAIN(DeviceTest)
#include "device_test.moc"
