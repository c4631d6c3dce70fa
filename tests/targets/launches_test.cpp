// A target whose kernels start functions on a device: what the runtime's table has for that, used
// by C that a compiler made of programs, and by C that was written for a case.
#include <QtTest>

#include "engine/backend/target_table.h"
#include "engine/compile/kernel_code.h"
#include "engine/device/device_runtime_table.h"
#include "engine/device/local_device.h"
#include "engine/device/rpc/remote_device.h"
#include "engine/device/rpc/rpc_server.h"
#include "engine/ir/interpreter.h"
#include "engine/measure/kernel_bench.h"
#include "engine/runtime/library_parts.h"
#include "engine/te/te.h"
#include "tests/support/paths.h"
#include "tests/targets/launches/compiler/compile.h"
#include "tests/targets/launches/launches.h"

using namespace tw;

namespace {

/// S and T may be computed at once; Y waits for both.
constexpr char kTwoSums[] =
    "tilewright te 1\n"
    "kernel sums(A: f32[9, 30], B: f32[9, 30]) -> Y\n"
    "  S[i in 9] = sum[k in 30] A[i, k]\n"
    "  T[i in 9] = sum[k in 30] B[i, k]\n"
    "  Y[i in 9] = S[i] * T[i]\n";

/// A function that writes 7 once the other one has read, or after `most` milliseconds; one that
/// reads; one that adds up what the threads of a block are, in memory that they share; one that
/// fails.
constexpr char kFunctions[] =
    "#include <time.h>\n"
    "struct Late { int32_t volatile *value, *seen; int64_t most; };\n"
    "int32_t late(void const* packed, LaunchPoint const* at) {\n"
    "  struct Late const* a = packed;\n"
    "  struct timespec moment = {0, 1000000};\n"
    "  for (int64_t i = 0; i < a->most && *a->seen == 0; ++i) nanosleep(&moment, 0);\n"
    "  *a->value = 7;\n"
    "  return 0;\n"
    "}\n"
    "struct Look { int32_t volatile *value, *seen; };\n"
    "int32_t look(void const* packed, LaunchPoint const* at) {\n"
    "  struct Look const* a = packed;\n"
    "  *a->seen = *a->value + 1;\n"
    "  return 0;\n"
    "}\n"
    "int32_t count(void const* packed, LaunchPoint const* at) {\n"
    "  int32_t *to = *(int32_t* const*)packed, *sum = at->shared;\n"
    "  *sum += at->thread[0] + 100 * at->thread[1];\n"
    "  if (at->thread[0] + 1 < at->block[0] || at->thread[1] + 1 < at->block[1]) return 0;\n"
    "  to[at->block_index[0] + at->grid[0] * at->block_index[2]] = *sum;\n"
    "  return 0;\n"
    "}\n"
    "int32_t fail(void const* packed, LaunchPoint const* at) { return 102; }\n";

/// Starts `late` on another stream and `look` on its own; "if (ORDER)" has an event between.
constexpr char kTwoStreams[] =
    "struct Late { void *value, *seen; int64_t most; };\n"
    "static TwArgument const three[] = {{kTwBuffer, 0, 8}, {kTwBuffer, 8, 8}, {kTwValue, 16, 8}};\n"
    "static int32_t both(void* const* buffers, TwRuntime const* r, int order, int64_t most) {\n"
    "  TwFunction late, look;\n"
    "  TwStream other;\n"
    "  TwEvent begin, end;\n"
    "  struct Late a = {buffers[0], buffers[1], most};\n"
    "  TwLaunch how = {{1, 1, 1}, {1, 1, 1}, 0, 3, three, &a};\n"
    "  TRY(r->get_function(r->device, r->module, \"late\", &late));\n"
    "  TRY(r->get_function(r->device, r->module, \"look\", &look));\n"
    "  TRY(r->get_stream(r->device, 0, &other));\n"
    "  TRY(r->get_event(r->device, 0, &begin));\n"
    "  TRY(r->get_event(r->device, 1, &end));\n"
    "  TRY(r->record(r->device, begin, 0));\n"
    "  TRY(r->wait_event(r->device, other, begin));\n"
    "  TRY(r->launch(r->device, late, &how, other));\n"
    "  a.most = 0;\n"  // the launch has it already
    "  TRY(r->record(r->device, end, other));\n"
    "  if (order) TRY(r->wait_event(r->device, 0, end));\n"
    "  TRY(r->launch(r->device, look, &how, 0));\n"
    "  return r->wait_event(r->device, 0, end);\n"
    "}\n"
    "int32_t ordered(void* const* buffers, TwRuntime const* r) { return both(buffers, r, 1, 30); "
    "}\n"
    "int32_t side_by_side(void* const* buffers, TwRuntime const* r) {\n"
    "  return both(buffers, r, 0, 20000);\n"
    "}\n"
    "int32_t timed(void* const* buffers, TwRuntime const* r) {\n"
    "  TwEvent begin, end;\n"
    "  double seconds = -1;\n"
    "  TRY(both(buffers, r, 1, 30));\n"
    "  TRY(r->get_event(r->device, 0, &begin));\n"
    "  TRY(r->get_event(r->device, 1, &end));\n"
    "  TRY(r->elapsed(r->device, begin, end, &seconds));\n"
    "  return seconds >= 0.03 && seconds < 10 ? 0 : 1000 + (int32_t)(seconds * 1000);\n"
    "}\n";

constexpr char kOthers[] =
    "static TwArgument const one[] = {{kTwBuffer, 0, 8}};\n"
    "static int32_t start(TwRuntime const* r, char const* name, TwLaunch how, void* buffer) {\n"
    "  TwFunction function;\n"
    "  how.argument_count = 1;\n"
    "  how.arguments = one;\n"
    "  how.packed = &buffer;\n"
    "  TRY(r->get_function(r->device, r->module, name, &function));\n"
    "  return r->launch(r->device, function, &how, 0);\n"
    "}\n"
    "int32_t blocks(void* const* buffers, TwRuntime const* r) {\n"
    "  return start(r, \"count\", (TwLaunch){{3, 1, 2}, {4, 2, 1}, 4}, buffers[0]);\n"
    "}\n"
    "int32_t unknown(void* const* buffers, TwRuntime const* r) {\n"
    "  return start(r, \"nothing\", (TwLaunch){{1, 1, 1}, {1, 1, 1}}, buffers[0]);\n"
    "}\n"
    "int32_t astray(void* const* buffers, TwRuntime const* r) {\n"
    "  return start(r, \"count\", (TwLaunch){{1, 1, 1}, {1, 1, 1}, 4}, &one);\n"
    "}\n"
    "int32_t empty(void* const* buffers, TwRuntime const* r) {\n"
    "  return start(r, \"count\", (TwLaunch){{1, 0, 1}, {1, 1, 1}, 4}, buffers[0]);\n"
    "}\n"
    "int32_t failing(void* const* buffers, TwRuntime const* r) {\n"
    "  return start(r, \"fail\", (TwLaunch){{1, 1, 1}, {1, 1, 1}}, buffers[0]);\n"
    "}\n"
    // What is counted in the workspace's second element never reaches the buffer.
    "int32_t workspace(void* const* buffers, TwRuntime const* r) {\n"
    "  void* memory;\n"
    "  TRY(r->allocate(r->device, 64, &memory));\n"
    "  TRY(start(r, \"count\", (TwLaunch){{3, 1, 2}, {4, 2, 1}, 4}, (char*)memory + 4));\n"
    "  TRY(r->synchronize(r->device, 0));\n"
    "  TRY(r->release(r->device, memory));\n"
    "  return start(r, \"count\", (TwLaunch){{1, 1, 1}, {1, 1, 1}, 4}, memory);\n"
    "}\n";

std::shared_ptr<Backend const> backend() {
  return create_backend(target_hardware(launches::kName).value()).value();
}

KernelCode compiled(ir::Program const& program) {
  auto target = backend();
  Schedule schedule = target->default_schedule(program).value();
  auto code = compile_kernel(schedule.program(), *target, CodeTier::kFull);
  if (!code) qFatal("%s", to_sentence(code.error()).c_str());
  return *code;
}

LocalDeviceOptions here() {
  return {.program = testing::built("/tests/test-device"), .target = launches::kName};
}

}  // namespace

class LaunchesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    auto found = find_runtime(launches::kName);
    if (!found) QSKIP(qPrintable(QString::fromStdString(found.error().message)));
    processor_ = found->entry->create(found->hardware, 1 << 20).value();
    for (char const* host : {kTwoStreams, kOthers}) {
      auto library = launches::compile_library(std::string(launches::kHostPrelude) + host,
                                               std::string(launches::kDevicePrelude) + kFunctions);
      QVERIFY2(library, library ? "" : library.error().message.c_str());
      libraries_.push_back(processor_->load(*library).value());
    }
  }
  void cleanupTestCase() {
    libraries_.clear();
    processor_.reset();
  }

  void a_lowered_program_starts_its_nests_on_two_streams_with_events_between() {
    ir::Program program = te::to_program(te::parse_kernel(kTwoSums).value()).value();
    KernelCode code = compiled(program);
    QCOMPARE(code.run.parts[0].name, std::string(launches::kHostPart));
    QString host(QByteArray(reinterpret_cast<char const*>(code.run.parts[0].bytes.data()),
                            qsizetype(code.run.parts[0].bytes.size())));
    QVERIFY2(host.count("start(runtime") >= 3 && host.contains("streams[1]));") &&
                 host.contains("get_stream") && host.count("wait_event") >= 3,
             qPrintable(host));
    LocalDevice device(here());
    QCOMPARE(computes(device, program, code), QString());
  }

  void nests_that_depend_on_a_slow_one_wait_by_events_alone() {
    ir::Program program = te::to_program(te::parse_kernel(kTwoSums).value()).value();
    LocalDevice device(here());
    KernelCode slow = compiled(program);
    replace(slow.run.parts[1], "_1(void const* packed, LaunchPoint const* at) {\n",
            "_1(void const* packed, LaunchPoint const* at) {\n  extern int usleep(unsigned);\n"
            "  usleep(20000);\n");
    slow.run.library = backend()->link({&slow.run.parts, 1}).value();
    QCOMPARE(computes(device, program, slow), QString());
    // Where its own stream waits for none of the other's, the kernel reads what is not there yet.
    KernelCode hasty = slow;
    replace(hasty.run.parts[0], "TRY(runtime->wait_event(device, streams[0], event));", "");
    hasty.run.library = backend()->link({&hasty.run.parts, 1}).value();
    QVERIFY(computes(device, program, hasty).startsWith("element"));
  }

  void a_worker_that_serves_another_machines_client_starts_them_too() {
    RpcServerOptions options;
    options.worker = {testing::built("/tests/test-device"), "--target", launches::kName};
    options.memory_bytes = 32 << 20;
    options.limits.threads = 64;
    auto server = RpcServer::start(options);
    QVERIFY2(server, server ? "" : server.error().message.c_str());
    auto device =
        RemoteDevice::create({.address = "127.0.0.1:" + std::to_string((*server)->port())});
    QVERIFY2(device, device ? "" : device.error().message.c_str());
    QCOMPARE((*device)->describe({})->target, std::string(launches::kName));
    ir::Program program = te::to_program(te::parse_kernel(kTwoSums).value()).value();
    QCOMPARE(computes(**device, program, compiled(program)), QString());
    QVERIFY(time_on(**device) == TimedBy::kDevice);
  }

  void what_waits_for_an_event_sees_what_was_before_it() {
    // The one that writes waits for the other to read, but not as long as it likes: with an event
    // between it gives up after 30 ms, without one it need not.
    QCOMPARE(two_ints(0, "ordered"), (std::array{7, 8}));
    QCOMPARE(two_ints(0, "side_by_side"), (std::array{7, 1}));
  }

  void events_tell_the_devices_time() {
    QVERIFY(processor_->events_timed_by() == TimedBy::kDevice);
    QCOMPARE(two_ints(0, "timed"), (std::array{7, 8}));
  }

  void a_measurement_says_whose_clock_it_read() {
    LocalDevice device(here());
    QVERIFY(time_on(device) == TimedBy::kDevice);
    LocalDevice other({.program = testing::built("/tests/test-device"), .target = "c_source"});
    QVERIFY(time_on(other) == TimedBy::kHost);
  }

  void blocks_of_threads_share_memory() {
    void* memory = processor_->allocate(24).value();
    QCOMPARE(call(1, "blocks", {{memory, 0}}), QString());
    // Two rows of four threads: 2 * (0 + 1 + 2 + 3) + 4 * 100.
    std::array<int32_t, 6> sums{};
    processor_->read(std::as_writable_bytes(std::span(sums)), {memory, 0});
    QCOMPARE(sums, (std::array{412, 412, 412, 412, 412, 412}));
    processor_->release(memory);
  }

  void what_cannot_be_started_is_said_in_a_sentence_data() {
    QTest::addColumn<QString>("sentence");
    QTest::newRow("unknown") << "the module has no device function 'nothing'";
    QTest::newRow("astray") << "a device function cannot be started: argument 0 is no place in the "
                               "device's memory";
    QTest::newRow("empty") << "a device function cannot be started: it takes one block and more, "
                              "of 1 to 1024 threads";
    QTest::newRow("failing") << "one of the kernels divided an integer by zero";
    // Its workspace is gone when it comes back to it.
    QTest::newRow("workspace") << "a device function cannot be started: argument 0 is no place in "
                                  "the device's memory";
  }
  void what_cannot_be_started_is_said_in_a_sentence() {
    QFETCH(QString, sentence);
    void* memory = processor_->allocate(24).value();
    QCOMPARE(call(1, QTest::currentDataTag(), {{memory, 0}}), sentence);
    std::array<int32_t, 6> sums{};
    processor_->read(std::as_writable_bytes(std::span(sums)), {memory, 0});
    QCOMPARE(sums, (std::array<int32_t, 6>{}));
    processor_->release(memory);
    // The next call knows nothing of it.
    blocks_of_threads_share_memory();
  }

  void a_client_gets_the_sentence_too() {
    LocalDevice device(here());
    auto library = launches::compile_library(std::string(launches::kHostPrelude) + kOthers,
                                             std::string(launches::kDevicePrelude) + kFunctions);
    DeviceStep step{device.load(*library, {}).value(), "unknown", {}, {}};
    step.buffers.push_back({device.allocate(64, {}).value(), 0});
    auto ran = device.run({&step, 1}, 1, {});
    QVERIFY(!ran);
    QCOMPARE(ran.error().code, std::string("symbol_not_found"));
    QCOMPARE(ran.error().message, std::string("the module has no device function 'nothing'"));
    auto timed = device.time({&step, 1}, 1, {}, {});
    QCOMPARE(timed.error().code, std::string("symbol_not_found"));
    step.symbol = "failing";  // known only when the device is done
    QCOMPARE(device.run({&step, 1}, 1, {}).error().code, std::string("division_by_zero"));
    QCOMPARE(device.time({&step, 1}, 1, {}, {}).error().code, std::string("division_by_zero"));
    step.symbol = "blocks";
    QVERIFY(device.run({&step, 1}, 1, {}));
  }

  void a_host_part_that_needs_a_later_table_is_refused() {
    std::string host(launches::kHostPrelude);
    host.replace(host.find("RUNTIME(2)"), 10, "RUNTIME(9)");
    auto library = launches::compile_library(host, launches::kDevicePrelude);
    QVERIFY2(library, library ? "" : library.error().message.c_str());
    auto loaded = processor_->load(*library);
    QVERIFY(!loaded);
    QCOMPARE(loaded.error().code, std::string("module_too_new"));
    // A library without a part for the device is none of this target's.
    auto parts = split_parts(*library).value();
    parts.pop_back();
    QCOMPARE(processor_->load(join_parts(parts)).error().message,
             std::string("the library has no part 'image'"));
  }

private:
  /// In a text, everywhere; it must be there.
  static void replace(CodePart& part, QByteArray const& from, QByteArray const& to) {
    QByteArray text(reinterpret_cast<char const*>(part.bytes.data()), qsizetype(part.bytes.size()));
    if (!text.contains(from)) qFatal("no '%s' in\n%s", from.constData(), text.constData());
    text.replace(from, to);
    auto const* bytes = reinterpret_cast<std::byte const*>(text.constData());
    part.bytes.assign(bytes, bytes + text.size());
  }

  /// What is wrong with what the device makes of random inputs; empty: nothing.
  static QString computes(Device& device, ir::Program const& program, KernelCode const& code) {
    auto inputs = random_kernel_inputs(program.inputs, 3).value();
    KernelBench bench(device, program, inputs);
    auto outputs = bench.run(code, {});
    if (!outputs) return QString::fromStdString(to_sentence(outputs.error()));
    auto want = ir::interpret(program, inputs).value();
    for (int64_t e = 0; e < want[0].size(); ++e)
      if (std::abs(want[0].value_at(e) - (*outputs)[0].value_at(e)) >
          1e-4 * (1 + std::abs(want[0].value_at(e))))
        return QString("element %1").arg(e);
    return {};
  }

  /// A kernel of the device's own target.
  static TimedBy time_on(Device& device) {
    auto target = create_backend(device.describe({}).value()).value();
    ir::Program program = te::to_program(te::parse_kernel(kTwoSums).value()).value();
    auto code =
        compile_kernel(target->default_schedule(program)->program(), *target, CodeTier::kFull)
            .value();
    DeviceStep step{device.load(code.run.library, {}).value(), code.run.symbol, {}, {}};
    for (int64_t bytes : {9 * 30 * 4, 9 * 30 * 4, 9 * 4})
      step.buffers.push_back({device.allocate(bytes, {}).value(), 0});
    if (code.run.workspace_bytes > 0)
      step.workspace = {device.allocate(code.run.workspace_bytes, {}).value(), 0};
    std::vector<DeviceStep> steps{step, step};
    auto timing = device.time(steps, 1, {.repeats = 3}, {});
    if (!timing) qFatal("%s", to_sentence(timing.error()).c_str());
    if (timing->total.seconds.size() != 3 || timing->total.least() <= 0 ||
        timing->steps[1].least() <= 0 ||
        timing->total.least() < timing->steps[0].least() + timing->steps[1].least() - 1e-3)
      qFatal("the times are none");
    return timing->by;
  }

  /// Why a kernel or what it started failed; empty: nothing did.
  QString call(size_t library, char const* symbol, std::vector<MemoryPlace> const& buffers) {
    void* kernel = libraries_[library]->find(symbol).value();
    int32_t code = processor_->call(kernel, buffers);
    auto failure = processor_->take_failure();
    if ((code != 0) != failure.has_value()) return QString("code %1 without a reason").arg(code);
    if (failure) return QString::fromStdString(failure->message);
    Status done = processor_->finish();
    return done ? QString() : QString::fromStdString(done.error().message);
  }

  /// What a kernel makes of two zeros.
  std::array<int32_t, 2> two_ints(size_t library, char const* symbol) {
    void* memory = processor_->allocate(8).value();
    QString why = call(library, symbol, {{memory, 0}, {memory, 4}});
    std::array<int32_t, 2> values{};
    processor_->read(std::as_writable_bytes(std::span(values)), {memory, 0});
    processor_->release(memory);
    if (why.isEmpty()) return values;
    qWarning("%s", qPrintable(why));
    return {-1, -1};
  }

  std::unique_ptr<DeviceRuntime> processor_;
  std::vector<std::unique_ptr<KernelLibrary>> libraries_;
};

QTEST_GUILESS_MAIN(LaunchesTest)
#include "launches_test.moc"
