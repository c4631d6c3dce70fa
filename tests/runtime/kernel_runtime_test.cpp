// What a kernel's table does: versions, a processor without a device, and one whose device fails.
#include "engine/runtime/kernel_runtime.h"

#include <QtTest>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "engine/runtime/kernel_code.h"
#include "engine/runtime/module.h"
#include "engine/runtime/thread_pool.h"
#include "engine/support/files.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace std::chrono_literals;

namespace {

/// The table as it was in version 1: what libraries were compiled against then.
constexpr char kFirstTable[] =
    "#include <stdint.h>\n"
    "typedef int32_t (*TwTaskBody)(void* closure, int64_t task);\n"
    "typedef struct TwRuntime {\n"
    "  uint32_t version;\n"
    "  int32_t (*parallel_for)(void* pool, int64_t tasks, TwTaskBody body, void* closure);\n"
    "  void* pool;\n"
    "} TwRuntime;\n";
constexpr char kThisTable[] = "#include \"engine/runtime/abi.h\"\n";
constexpr char kCount[] =
    "static int32_t add(void* closure, int64_t task) {\n"
    "  __atomic_fetch_add((int64_t*)closure, task, __ATOMIC_RELAXED);\n"
    "  return 0;\n"
    "}\n"
    "int32_t count(void* const* buffers, TwRuntime const* runtime) {\n"
    "  return runtime->parallel_for(runtime->pool, 100, add, buffers[0]);\n"
    "}\n";

/// A processor that only calls, and says so late: what it was given is done when it is waited for.
class LateProcessor final : public DeviceRuntime {
public:
  Status can_run(MachineNeeds const&) const override { return {}; }
  Result<void*> allocate(int64_t) override { return refused("tensor_too_large", "it is full"); }
  void release(void*) override {}
  void write(MemoryPlace, std::span<std::byte const>) override {}
  void read(std::span<std::byte>, MemoryPlace) override {}
  void copy(MemoryPlace, MemoryPlace, int64_t) override {}
  void* host_address(MemoryPlace) const override { return nullptr; }
  Result<std::unique_ptr<KernelLibrary>> load(std::span<std::byte const>) override {
    return bad_input("module_not_loadable", "it loads nothing");
  }
  void use_threads(int) override {}
  int32_t call(void*, std::span<MemoryPlace const>) override {
    ++given_;
    return 0;
  }
  int32_t wait() override {
    std::this_thread::sleep_for(20ms * given_);
    given_ = 0;
    return std::exchange(code_, 0);
  }
  int32_t code_ = 0;

private:
  int given_ = 0;
};

class NoLibrary final : public KernelLibrary {
public:
  Result<void*> find(std::string const&) override { return nullptr; }
};

/// Text that the machine's C compiler takes as a library.
Result<LoadedModule> compiled(QString const& folder, std::string const& text) {
  std::string path = folder.toStdString() + "/library";
  TRY(write_file(path + ".c", text));
  std::string command =
      "cc -std=c11 -O1 -Wall -Wextra -Wno-unused-parameter -Werror -fPIC -shared "
      "-fvisibility=hidden -I'" +
      std::string(testing::source()) + "' '" + path + ".c' -o '" + path + ".so'";
  if (std::system(command.c_str()) != 0) return refused("link_failed", "cc failed");
  TRY_ASSIGN(std::string bytes, read_file(path + ".so"));
  return LoadedModule::load(std::as_bytes(std::span(bytes)));
}

bool has_compiler() { return std::system("command -v cc >/dev/null 2>&1") == 0; }

}  // namespace

class KernelRuntimeTest : public QObject {
  Q_OBJECT
private slots:
  void a_library_of_the_first_table_runs_with_this_one_data() { tables(); }
  void a_library_of_the_first_table_runs_with_this_one() {
    QFETCH(QByteArray, table);
    if (!has_compiler()) QSKIP("there is no cc here");
    auto module = compiled(folder_.path(),
                           table.toStdString() + "#pragma GCC visibility push(default)\n" + kCount);
    QVERIFY2(module, module ? "" : module.error().message.c_str());
    auto kernel = reinterpret_cast<TwKernel>(module->symbol("count").value());
    int64_t sum = 0;
    void* buffers[] = {&sum, nullptr};
    ThreadPool pool(3);
    QCOMPARE(kernel(buffers, pool.runtime()), 0);
    QCOMPARE(sum, int64_t(4950));
    // In front of a device it is the same.
    LateProcessor processor;
    NoLibrary library;
    KernelRuntime runtime(processor);
    TwRuntime with_device = runtime.table(*pool.runtime(), library);
    QCOMPARE(kernel(buffers, &with_device), 0);
    QCOMPARE(sum, int64_t(9900));
  }

  void a_library_that_needs_a_later_table_is_refused_in_a_sentence() {
    if (!has_compiler()) QSKIP("there is no cc here");
    auto needs = [&](int version) {
      return compiled(folder_.path(),
                      kThisTable + ("TW_NEEDS_RUNTIME(" + std::to_string(version) + ");\n"));
    };
    QVERIFY(needs(1) && needs(kTwRuntimeVersion));
    auto later = needs(kTwRuntimeVersion + 1);
    QVERIFY(!later);
    QCOMPARE(later.error().code, std::string("module_too_new"));
    QCOMPARE(later.error().message,
             std::string("the kernel library needs version 3 of what kernels may call, and this "
                         "runtime has version 2"));
  }

  void without_a_device_every_entry_says_so() {
    ThreadPool pool(1);
    TwRuntime const& table = *pool.runtime();
    QCOMPARE(table.version, uint32_t(kTwRuntimeVersion));
    TwFunction function = nullptr;
    TwLaunch how{};
    void* memory = nullptr;
    TwStream stream = nullptr;
    TwEvent event = nullptr;
    double seconds = 0;
    for (int32_t code :
         {table.get_function(table.device, table.module, "f", &function),
          table.launch(table.device, function, &how, stream),
          table.allocate(table.device, 64, &memory), table.release(table.device, memory),
          table.get_stream(table.device, 0, &stream), table.get_event(table.device, 0, &event),
          table.record(table.device, event, stream), table.wait_event(table.device, stream, event),
          table.synchronize(table.device, stream),
          table.elapsed(table.device, event, event, &seconds)})
      QCOMPARE(code, kNoDeviceFunctions);
    Error error = stopped_with("the kernel 'add'", kNoDeviceFunctions).error();
    QCOMPARE(error.code, std::string("no_device_functions"));
    QCOMPARE(error.message, std::string("the kernel 'add' starts functions on a device, and this "
                                        "processor has none"));
  }

  void a_processor_without_streams_has_one_order_and_events_by_the_hosts_clock() {
    LateProcessor processor;
    QCOMPARE(processor.events_timed_by(), TimedBy::kHost);
    QCOMPARE(processor.create_stream().value(), TwStream(nullptr));
    TwEvent from = processor.create_event().value(), to = processor.create_event().value();
    QCOMPARE(processor.elapsed(from, to).error().code, std::string("event_not_recorded"));
    auto start = std::chrono::steady_clock::now();
    processor.call(nullptr, {});  // before the first event: none of its time
    processor.call(nullptr, {});
    QVERIFY(processor.record(from, nullptr));
    processor.call(nullptr, {});
    QVERIFY(processor.record(to, nullptr));
    double seconds = processor.elapsed(from, to).value();
    QVERIFY2(seconds >= 0.02, qPrintable(QString::number(seconds)));
    std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
    QVERIFY2(seconds <= all.count() - 0.04, "the calls before the first event count");
    processor.code_ = 7;
    QCOMPARE(processor.record(to, nullptr).error().message,
             std::string("one of the kernels stopped with code 7"));
    processor.destroy(from);
    processor.destroy(to);
  }

  void what_goes_wrong_is_a_code_for_the_kernel_and_a_sentence_for_its_caller() {
    LateProcessor processor;
    NoLibrary library;
    KernelRuntime runtime(processor);
    ThreadPool pool(1);
    TwRuntime table = runtime.table(*pool.runtime(), library);
    TwFunction function = nullptr;
    void* memory = nullptr;
    TwLaunch how{};
    TwStream stream = nullptr;
    TwEvent event = nullptr;
    QCOMPARE(table.get_function(table.device, table.module, "f", &function), kDeviceCallFailed);
    QCOMPARE(table.allocate(table.device, 64, &memory), kDeviceCallFailed);
    // The first is the reason.
    QCOMPARE(runtime.take_failure()->code, std::string("no_device_functions"));
    QVERIFY(!runtime.take_failure());
    QCOMPARE(table.launch(table.device, nullptr, &how, nullptr), kDeviceCallFailed);
    QCOMPARE(runtime.take_failure()->message,
             std::string("this processor runs no functions beside its kernels"));
    QCOMPARE(table.get_stream(table.device, StreamPool::kMostStreams, &stream), kDeviceCallFailed);
    QCOMPARE(runtime.take_failure()->code, std::string("too_many_streams"));
    QCOMPARE(table.get_event(table.device, UINT32_MAX, &event), kDeviceCallFailed);
    QCOMPARE(runtime.take_failure()->code, std::string("too_many_events"));
    // Events by numbers are the same ones again.
    QCOMPARE(table.get_event(table.device, 3, &event), 0);
    TwEvent again = nullptr;
    QCOMPARE(table.get_event(table.device, 3, &again), 0);
    QCOMPARE(event, again);
    double seconds = -1;
    QCOMPARE(table.record(table.device, event, nullptr), 0);
    QCOMPARE(table.elapsed(table.device, event, event, &seconds), 0);
    QCOMPARE(seconds, 0.0);
    QVERIFY(!runtime.take_failure());
  }

private:
  static void tables() {
    QTest::addColumn<QByteArray>("table");
    QTest::newRow("the first") << QByteArray(kFirstTable);
    QTest::newRow("this one") << QByteArray(kThisTable);
  }
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(KernelRuntimeTest)
#include "kernel_runtime_test.moc"
