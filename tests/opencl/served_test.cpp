// An OpenCL device that is served to others: what a client's kernels may do to the driver's
// process, and how each end of it is told. A kernel of PoCL is code of this machine's processor.
#include <signal.h>
#include <sys/stat.h>

#include <QTemporaryDir>
#include <QtTest>
#include <thread>

#include "engine/device/local_device.h"
#include "engine/device/requests/status.h"
#include "engine/device/rpc/remote_device.h"
#include "engine/device/sandbox/sandbox.h"
#include "engine/te/te.h"
#include "targets/opencl/compiler/opencl_backend.h"
#include "targets/opencl/runtime/devices.h"
#include "targets/opencl/runtime/driver_profile.h"
#include "tests/device/test_server.h"
#include "tests/support/random_schedules.h"

using namespace tw;
using namespace std::chrono_literals;
using test::TestServer;

namespace {

constexpr int64_t kElements = 40;
constexpr char kAdd[] =
    "kernel add(X: f32[40]) -> Y\n"
    "  Y[i in 40] = X[i] + 1.0\n";

QString words_of(auto const& result) {
  return result ? QString("none") : QString::fromStdString(to_sentence(result.error()));
}
QString code_of(auto const& result) {
  return result ? QString("none") : QString::fromStdString(result.error().code);
}

/// A client with the kernel's tensors.
struct Client {
  explicit Client(std::string const& address)
      : Client(RemoteDevice::create({.address = address}).value()) {}
  explicit Client(std::unique_ptr<WireDevice> made) : device(std::move(made)) {}

  Status prepare(std::vector<std::byte> const& library) {
    TRY_ASSIGN(loaded, device->load(library, options));
    TRY_ASSIGN(x, device->allocate(kElements * 4, options));
    TRY_ASSIGN(y, device->allocate(kElements * 4, options));
    std::vector<float> ones(kElements, 1);
    return device->write(x, 0, std::as_bytes(std::span(ones)), options);
  }
  Status run() {
    DeviceStep step{loaded, symbol, {{x}, {y}}, {}};
    return device->run({&step, 1}, 1, options);
  }
  std::vector<float> output() {
    std::vector<float> values(kElements);
    Status read = device->read(y, 0, std::as_writable_bytes(std::span(values)), options);
    return read ? values : std::vector<float>();
  }

  std::unique_ptr<WireDevice> device;
  CallOptions options;
  std::string symbol = "tw_kernel_add";
  LibraryHandle loaded;
  TensorHandle x, y;
};

/// A call of the system: PoCL's linker knows no other functions than OpenCL's.
constexpr char kCall[] = R"(
long call(long number, long a, long b, long c) {
  long answer;
  __asm__ volatile("xor %%r10d, %%r10d; syscall"
                   : "=a"(answer)
                   : "a"(number), "D"(a), "S"(b), "d"(c)
                   : "rcx", "r10", "r11", "memory");
  return answer;
}
#define PATH(path) (long)(constant char const*)path
)";
constexpr char kMoreMemory[] = R"(
long more_memory(long bytes) {
  long answer;
  __asm__ volatile("mov $0x22, %%r10; mov $-1, %%r8; xor %%r9d, %%r9d; syscall"
                   : "=a"(answer)
                   : "a"(9L), "D"(0L), "S"(bytes), "d"(3L)
                   : "rcx", "r8", "r9", "r10", "r11", "memory");
  return answer;
}
)";

/// What a kernel of the processor tries: a call of Linux on x86-64.
struct Act {
  char const* name;
  char const* call;
};
constexpr Act kActs[] = {
    {"read_a_file", "call(2, PATH(SECRET), 0, 0)"},
    {"read_the_passwords", "call(2, PATH(\"/etc/passwd\"), 0, 0)"},
    {"write_into_a_file", "call(2, PATH(SECRET), 1, 0)"},
    {"empty_a_file", "call(76, PATH(SECRET), 0, 0)"},
    {"make_a_file", "call(2, PATH(FOLDER \"/made\"), 0x41, 384)"},
    {"make_a_file_in_shared_memory", "call(2, PATH(\"/dev/shm/tilewright\"), 0x41, 384)"},
    {"remove_a_file", "call(87, PATH(SECRET), 0, 0)"},
    {"rename_a_file", "call(82, PATH(SECRET), PATH(FOLDER \"/other\"), 0)"},
    {"open_a_file_to_everybody", "call(90, PATH(SECRET), 511, 0)"},
    {"give_a_file_away", "call(92, PATH(SECRET), 1, 1)"},
    {"change_the_time_of_a_file", "call(132, PATH(SECRET), 0, 0)"},
    {"link_a_file", "call(86, PATH(SECRET), PATH(FOLDER \"/linked\"), 0)"},
    {"list_a_folder", "call(2, PATH(FOLDER), 0x10000, 0)"},
    {"read_the_servers_environment", "call(2, PATH(\"/proc/\" SERVER \"/environ\"), 0, 0)"},
    {"read_the_servers_memory", "call(2, PATH(\"/proc/\" SERVER \"/mem\"), 0, 0)"},
    {"end_the_server", "call(62, server, 9, 0)"},
    {"end_a_thread_of_the_server", "call(200, server, 9, 0)"},
    {"trace_the_server", "call(101, 16, server, 0)"},
    {"limit_the_server", "call(302, server, 7, (long)limits)"},
    {"speak_to_others", "call(41, 2, 1, 0)"},
    {"speak_on_this_machine", "call(41, 1, 1, 0)"},
    {"leave_its_name_space", "call(272, 0x10000000, 0, 0)"},
    {"make_a_process_with_name_spaces", "call(56, 0x10000011, 0, 0)"},
    {"signals_by_a_file", "call(72, 3, 8, server)"},
    {"signals_by_a_socket", "call(16, 3, 0x8901, (long)&server)"},
    {"signals_by_a_socket_in_many_bits", "call(16, 3, 0xF00000008902L, (long)&server)"},
    {"take_memory_in_a_file", "call(319, PATH(\"hidden\"), 0, 0)"},
    {"take_memory_of_system_v", "call(29, 0, 4096, 384)"},
    {"raise_its_limits", "call(160, 7, (long)limits, 0)"},
    {"start_a_program_of_its_own", "call(59, PATH(SECRET), 0, 0)"},
    {"use_a_ring_of_orders", "call(425, 8, (long)limits, 0)"},
    {"get_at_keys", "call(250, 0, 0, 0)"},
};

}  // namespace

class ServedTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    auto device = opencl::find_device("");
    if (!device) QSKIP(qPrintable(QString::fromStdString(device.error().message)));
    if (device->hardware.name.find("pthread") == std::string::npos)
      QSKIP("the kernels of this test are for PoCL");
    backend_ = opencl::create_opencl_backend(device->hardware).value();
    std::ofstream(file().toStdString()) << "the-secret\n";
    std::filesystem::permissions(file().toStdString(), std::filesystem::perms(0600));
    server_ = std::make_unique<TestServer>(QStringList{"--target", "opencl"});
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
    QVERIFY2(server_->line().contains("the sandbox does not block"), qPrintable(server_->line()));
  }
  void cleanupTestCase() { server_.reset(); }

  void a_client_is_told_what_it_is_and_what_it_may() {
    if (!server_) QSKIP("see above");
    Client client(server_->address());
    auto hardware = client.device->describe({});
    QVERIFY2(hardware, qPrintable(words_of(hardware)));
    QCOMPARE(hardware->target, std::string("opencl"));
    auto status = ask_status(*client.device, {});
    QVERIFY(status);
    QCOMPARE(status->open_ways, open_ways(opencl::driver_profile()));
    QVERIFY(status->load >= 0 && status->uptime_seconds > 0);
  }

  void kernels_run_and_take_the_devices_time() {
    if (!server_) QSKIP("see above");
    Client client(server_->address());
    QCOMPARE(words_of(client.prepare(plain())), QString("none"));
    QCOMPARE(words_of(client.run()), QString("none"));
    QCOMPARE(client.output(), std::vector<float>(kElements, 2));
    DeviceStep step{client.loaded, client.symbol, {{client.x}, {client.y}}, {}};
    auto timing = client.device->time({&step, 1}, 1, {.repeats = 3}, client.options);
    QVERIFY2(timing, qPrintable(words_of(timing)));
    QVERIFY(timing->by == TimedBy::kDevice && timing->total.least() > 0);
  }

  void two_clients_do_not_see_one_another() {
    if (!server_) QSKIP("see above");
    Client one(server_->address()), two(server_->address());
    QVERIFY(one.prepare(plain()) && two.prepare(with("for (volatile int i = 0; i < 1;) {}", "")));
    std::jthread hangs([&] { (void)two.run(); });
    for (int i = 0; i < 20; ++i) QCOMPARE(words_of(one.run()), QString("none"));
    QCOMPARE(one.output(), std::vector<float>(kElements, 2));
    kill(driver_of(two), SIGKILL);
    hangs.join();
    QCOMPARE(one.device->generation(), uint64_t(1));
    QVERIFY(one.run());
  }

  void a_kernel_that_never_ends_is_ended_with_its_driver() {
    if (!server_) QSKIP("see above");
    TestServer strict({"--target", "opencl", "--call-seconds", "3"});
    Client client(strict.address());
    QVERIFY(client.prepare(with("for (volatile int i = 0; i < 1;) {}", "")));
    std::vector<pid_t> workers = strict.workers();
    pid_t driver = driver_below(workers.back());
    QVERIFY(driver > 0);
    QCOMPARE(
        words_of(client.run()),
        QString(
            "the kernel 'tw_kernel_add' took longer than the 3 s that the device allows and was "
            "stopped; `tw device serve --call-seconds N` on the device raises this limit"));
    QTRY_COMPARE(kill(driver, 0), -1);
    QVERIFY2(client.prepare(plain()) && client.run(), qPrintable(strict.said()));
    QCOMPARE(client.device->generation(), uint64_t(2));
  }

  void a_client_that_stops_waiting_ends_a_kernel_that_hangs() {
    if (!server_) QSKIP("see above");
    Client client(server_->address());
    QVERIFY(client.prepare(with("for (volatile int i = 0; i < 1;) {}", "")));
    pid_t driver = driver_of(client);
    client.options.timeout = 1s;
    QCOMPARE(words_of(client.run()),
             QString("the kernel 'tw_kernel_add' did not finish within 1 s and was "
                     "stopped; `tw devices add NAME ADDRESS --timeout "
                     "SECONDS` gives the device longer"));
    QTRY_COMPARE(kill(driver, 0), -1);
    client.options.timeout = 30s;
    QVERIFY(client.prepare(plain()) && client.run());
  }

  void a_kernel_that_faults_is_named() {
    if (!server_) QSKIP("see above");
    Client client(server_->address());
    QVERIFY(client.prepare(with("*(volatile global int*)64L = 1;", "")));
    Status run = client.run();
    QCOMPARE(code_of(run), QString("kernel_crashed"));
    QCOMPARE(words_of(run), QString("the kernel 'tw_kernel_add' crashed (segmentation fault)"));
    QCOMPARE(code_of(client.run()), QString("device_restarted"));
    QVERIFY(client.prepare(plain()) && client.run());
  }

  void a_driver_or_a_worker_that_is_killed_takes_the_other_with_it() {
    if (!server_) QSKIP("see above");
    for (bool the_driver : {true, false}) {
      Client client(server_->address());
      QVERIFY(client.prepare(with("for (volatile int i = 0; i < 1;) {}", "")));
      pid_t worker = server_->workers().back(), driver = driver_below(worker);
      std::jthread killer([&] {
        std::this_thread::sleep_for(300ms);
        kill(the_driver ? driver : worker, SIGKILL);
      });
      Status run = client.run();
      QCOMPARE(words_of(run), QString("the device process was ended by a kill signal"));
      killer.join();
      QTRY_COMPARE(kill(driver, 0), -1);
      QTRY_COMPARE(kill(worker, 0), -1);
      QVERIFY(client.prepare(plain()) && client.run());
    }
  }

  void memory_has_an_end() {
    if (!server_) QSKIP("see above");
    TestServer small({"--target", "opencl", "--memory-mb", "64"});
    Client client(small.address());
    QVERIFY(client.device->allocate(60 << 20, {}));
    auto more = client.device->allocate(8 << 20, {});
    QCOMPARE(code_of(more), QString("tensor_too_large"));
    QVERIFY(client.prepare(plain()) && client.run());
    // What a kernel takes for itself is looked at from outside.
    QVERIFY(
        client.prepare(with("private char* taken = (private char*)more_memory(2L << 30);\n"
                            "for (long i = 0; i < 2L << 30; i += 4096) taken[i] = 1;\n",
                            kMoreMemory)));
    Status run = client.run();
    QVERIFY2(code_of(run) == "device_lost" && words_of(run).contains("its limit is 1088 MB"),
             qPrintable(words_of(run)));
  }

  void acts_data() {
    QTest::addColumn<int>("row");
    for (int i = 0; i < int(std::size(kActs)); ++i) QTest::newRow(kActs[i].name) << i;
  }
  void acts() {
    if (!server_) QSKIP("see above");
    for (std::string const& way : open_ways()) qInfo("not stopped here: %s", way.c_str());
    if (!open_ways().empty()) QSKIP("this system or this build does not confine all");
#if !defined(__x86_64__)
    QSKIP("its kernels call the system: written for x86-64 only");
#endif
    QFETCH(int, row);
    Act const& act = kActs[row];
    if (!acting_) acting_ = std::make_unique<Client>(server_->address());
    float outcome = acted(*acting_, act);
    // EPERM by the filter of system calls, EACCES by the rules for files.
    QVERIFY2(outcome == -EPERM || outcome == -EACCES, std::to_string(outcome).c_str());
    QCOMPARE(acting_->device->generation(), uint64_t(1));
    struct stat facts {};
    QCOMPARE(stat(file().toLocal8Bit().constData(), &facts), 0);
    QCOMPARE(facts.st_mode & 0777, mode_t(0600));
    QCOMPARE(QDir(folder_.path()).entryList(QDir::Files), QStringList{"secret"});
    QVERIFY(server_->process().state() == QProcess::Running);
  }

  void a_process_that_a_kernel_leaves_behind_ends_the_driver() {
    if (!server_) QSKIP("see above");
#if !defined(__x86_64__)
    QSKIP("its kernels call the system: written for x86-64 only");
#endif
    acting_.reset();
    Client client(server_->address());
    QVERIFY(
        client.prepare(with("if (threadIdx_x == 0 && call(57, 0, 0, 0) == 0)\n"
                            "  for (volatile int i = 0; i < 1;) {}",
                            kCall)));
    QCOMPARE(words_of(client.run()), QString("none"));
    QVERIFY2(
        QTest::qWaitFor([&] { return server_->said().contains("it kept running after its reply"); },
                        20'000),
        qPrintable(server_->said()));
    QTRY_VERIFY(server_->workers().empty());
    // The client hears of it while it rests, or with its next call.
    QTRY_COMPARE(words_of(client.prepare(plain())), QString("none"));
    QCOMPARE(words_of(client.run()), QString("none"));
  }

  void the_same_acts_work_where_nothing_stops_them() {
    if (!server_) QSKIP("see above");
#if !defined(__x86_64__)
    QSKIP("its kernels call the system: written for x86-64 only");
#endif
    Client own(std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device"), .target = "opencl"}));
    for (Act const& act : kActs)
      if (std::string_view(act.name).starts_with("read_") ||
          std::string_view(act.name).starts_with("speak_") ||
          act.name == std::string("list_a_folder"))
        QVERIFY2(acted(own, act) >= 0, act.name);
  }

  void what_a_compiler_reads_does_not_come_back() {
    if (!server_) QSKIP("see above");
    Client client(server_->address());
    for (QString const& path : {file(), QString("/etc/passwd")}) {
      Status loaded = client.prepare(with("", "#include \"" + path.toStdString() + "\""));
      QCOMPARE(code_of(loaded), QString("module_not_loadable"));
      QVERIFY2(!words_of(loaded).contains("secret-") && !words_of(loaded).contains("root:"),
               qPrintable(words_of(loaded)));
    }
    QVERIFY(client.prepare(plain()) && client.run());
    QCOMPARE(client.device->generation(), uint64_t(1));
  }

  void damaged_libraries_are_refused_before_the_driver_gets_them() {
    if (!server_) QSKIP("see above");
    Client client(server_->address());
    std::vector<std::byte> library = plain();
    for (size_t size : {size_t(0), size_t(7), library.size() / 2, library.size() - 1}) {
      std::vector<std::byte> cut(library.begin(), library.begin() + ptrdiff_t(size));
      QCOMPARE(code_of(client.prepare(cut)), QString("module_not_loadable"));
    }
    QVERIFY(client.prepare(library));
    DeviceStep step{client.loaded, client.symbol, {{client.x}, {client.y}}, {}};
    QCOMPARE(code_of(client.device->run({&step, 1}, 1 << 20, {})), QString("bad_thread_count"));
    step.buffers[1].offset = 8;
    QCOMPARE(code_of(client.device->run({&step, 1}, 1, {})), QString("none"));
    step.buffers[1].offset = 1 << 20;
    QCOMPARE(code_of(client.device->run({&step, 1}, 1, {})), QString("out_of_tensor"));
    QVERIFY(client.run());
    QCOMPARE(client.device->generation(), uint64_t(1));
  }

  /// Last: the server goes.
  void a_stopped_server_leaves_no_process_and_no_folder() {
    if (!server_) QSKIP("see above");
    Client client(server_->address());
    QVERIFY(client.prepare(plain()));
    pid_t worker = server_->workers().back(), driver = driver_below(worker);
    auto own = std::filesystem::read_symlink("/proc/" + std::to_string(driver) + "/cwd");
    QVERIFY(std::filesystem::exists(own));
    server_.reset();
    QTRY_COMPARE(kill(driver, 0), -1);
    QVERIFY(!std::filesystem::exists(own));
  }

private:
  QString file() const { return folder_.filePath("secret"); }

  std::vector<std::byte> plain() { return with("", ""); }
  /// The kernel with more at the beginning of its function, and before it.
  std::vector<std::byte> with(std::string const& statements, std::string const& declarations) {
    ir::Program program = te::to_program(testing::parsed_kernel(kAdd).value()).value();
    Schedule schedule = backend_->default_schedule(program).value();
    auto stages = lower(schedule.program(), backend_->target(), backend_->passes()).value();
    Artifact code =
        backend_->generate(stages.back().kernel, CodeTier::kFull, CodeTexts::kNone, {}).value();
    auto& bytes = code.parts[1].bytes;
    std::string source(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    source.insert(source.find("Y[threadIdx_x] ="), statements + "\n");
    source = "#define SECRET \"" + file().toStdString() + "\"\n#define FOLDER \"" +
             folder_.path().toStdString() + "\"\n#define SERVER \"" +
             std::to_string(server_ ? server_->pid() : 0) + "\"\n" + declarations + "\n" + source;
    auto const* first = reinterpret_cast<std::byte const*>(source.data());
    bytes.assign(first, first + source.size());
    return backend_->link({&code.parts, 1}).value();
  }

  /// What the call gave, as the kernel's first output; 1000: it did not come to it.
  float acted(Client& client, Act const& act) {
    std::string statements = "long server = " + std::to_string(server_->pid()) +
                             "; ulong limits[32] = {1 << 20, 1 << 20};\n"
                             "Y[threadIdx_x] = " +
                             act.call + "; return;";
    Status done = client.prepare(with(statements, kCall));
    if (done) done = client.run();
    if (!done) qInfo("%s", qPrintable(words_of(done)));
    std::vector<float> output = done ? client.output() : std::vector<float>();
    return output.empty() ? 1000 : output[0];
  }

  /// The child that a worker has.
  static pid_t driver_below(pid_t worker) {
    std::string name = "/proc/" + std::to_string(worker);
    std::ifstream children(name + "/task/" + std::to_string(worker) + "/children");
    pid_t child = -1;
    children >> child;
    return child;
  }
  /// Of the client that came last.
  pid_t driver_of(Client&) const { return driver_below(server_->workers().back()); }

  QTemporaryDir folder_;
  std::shared_ptr<Backend const> backend_;
  std::unique_ptr<TestServer> server_;
  std::unique_ptr<Client> acting_;
};

QTEST_GUILESS_MAIN(ServedTest)
#include "served_test.moc"
