// What a hostile library may do in the process that a device gives it: each act is a row, and its
// outcome is looked at from outside, too. Where the tests run as root the device is nobody's.
#include <grp.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/stat.h>

#include <QRegularExpression>
#include <QTcpServer>
#include <QUdpSocket>
#include <QtTest>
#include <set>
#include <thread>

#include "engine/device/local_device.h"
#include "engine/device/requests/status.h"
#include "engine/device/rpc/remote_device.h"
#include "engine/device/sandbox/sandbox.h"
#include "engine/device/scoped_handle.h"
#include "engine/support/files.h"
#include "tests/device/test_kernels.h"
#include "tests/device/test_server.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kNobody = 65534;
constexpr char kSecret[] = "0123456789abcdef-the-token\n";

enum class Fate { kRefused, kEnded, kEndedLater, kEither, kNothing };

struct Act {
  char const* name;
  Fate fate = Fate::kRefused;
  char const* words = "";  ///< of the device's, for an act that ends the worker
};

// kRefused: the system's answer to the library is an error, and the worker lives on.
// kEnded: the worker is ended, with a reason.
// kEndedLater: the same after the act's answer, as the device's log says.
// kEither: which limit comes first depends on what else runs.
// kNothing: the act is allowed and changes nothing outside of the worker.
constexpr Act kActs[] = {
    // files
    {"read_a_file_of_the_user"},
    {"read_the_passwords"},
    {"read_the_servers_environment"},
    {"read_the_servers_command"},
    {"read_the_servers_memory"},
    {"read_the_map_of_the_server"},
    {"list_a_folder"},
    {"ask_for_the_size_of_a_file"},
    {"ask_for_facts_in_the_new_way"},
    {"ask_whether_a_file_is_there"},
    {"read_a_link"},
    {"make_a_file_elsewhere"},
    {"make_a_file_here"},
    {"make_a_file_without_a_name"},
    {"write_into_a_file"},
    {"empty_a_file"},
    {"empty_a_file_by_opening_it"},
    {"remove_a_file"},
    {"rename_a_file"},
    {"link_a_file"},
    {"make_a_symbolic_link"},
    {"make_a_folder"},
    {"make_a_pipe_with_a_name"},
    {"open_a_file_to_everybody"},
    {"give_a_file_away"},
    {"change_the_time_of_a_file"},
    {"add_to_what_a_file_carries"},
    {"watch_a_file"},
    {"mount_something"},
    {"change_the_root"},
    {"fill_the_disk"},
    {"open_a_file_in_the_newest_way"},
    {"ask_for_the_handle_of_a_file"},
    {"watch_all_files"},
    {"read_the_log_of_the_system"},
    {"read_what_the_server_knows"},
    {"write_to_the_terminal", Fate::kNothing},
    {"type_into_the_terminal"},
    // sockets and other ways to speak
    {"connect_by_tcp"},
    {"connect_by_tcp_with_the_first_bytes"},
    {"send_by_udp"},
    {"listen_for_others"},
    {"speak_by_ipv6"},
    {"ask_the_system_by_netlink"},
    {"speak_to_the_host_by_vsock"},
    {"make_a_raw_socket"},
    {"read_packets"},
    {"use_the_systems_ciphers"},
    {"make_a_socket_in_a_folder"},
    {"make_a_socket_without_a_path"},
    {"make_a_pair_of_sockets"},
    {"pass_a_descriptor_on"},
    {"ask_by_io_uring"},
    {"make_a_pipe"},
    {"make_a_queue_of_system_v"},
    {"make_a_semaphore_of_system_v"},
    {"make_a_posix_queue"},
    {"wait_for_many"},
    {"speak_nonsense_to_the_server", Fate::kEnded, ""},
    {"claim_a_huge_answer", Fate::kEnded, ""},
    {"answer_what_nobody_asked", Fate::kEndedLater, "it sent an answer without a request"},
    // processes, signals, privileges
    {"start_a_process"},
    {"start_a_process_of_its_own_session"},
    {"start_a_process_that_borrows_memory"},
    {"start_a_process_by_clone3"},
    {"become_another_program"},
    {"become_a_program_of_memory"},
    {"become_a_program_of_another_user"},
    {"make_a_user_name_space"},
    {"make_a_name_space_with_a_thread"},
    {"make_a_session"},
    {"end_the_server"},
    {"stop_the_server"},
    {"stop_its_group"},
    {"stop_itself", Fate::kEnded, "took longer than the 6 s"},
    {"join_the_servers_group"},
    {"end_a_thread_of_the_server"},
    {"end_everything"},
    {"end_the_server_by_descriptor"},
    {"queue_a_signal_to_the_server"},
    {"take_the_servers_descriptors"},
    {"take_the_servers_processor_time"},
    {"raise_its_own_limits"},
    {"slow_the_server_down"},
    {"move_the_server_to_one_core"},
    {"trace_the_server"},
    {"read_the_server_from_afar"},
    {"write_into_the_server_from_afar"},
    {"take_a_descriptor_of_the_server"},
    {"lift_the_filter"},
    {"name_the_machine"},
    {"restart_the_machine"},
    {"leave_a_core_file", Fate::kEnded, "crashed (abort"},
    {"compute_on_after_its_answer", Fate::kEndedLater, "it kept running after its reply"},
    {"be_dumped_or_not"},
    {"outlive_the_server"},
    {"keep_a_key"},
    {"load_a_program_into_the_system"},
    {"count_events_of_the_system"},
    {"handle_its_own_page_faults"},
    {"set_the_clock"},
#if defined(__x86_64__)
    {"call_the_system_in_the_old_way", Fate::kEnded, "crashed (forbidden system call"},
    {"call_the_system_in_the_other_way", Fate::kEnded, "crashed (forbidden system call"},
#endif
    {"start_threads_without_end", Fate::kEither, "threads"},
    {"compute_without_end", Fate::kEnded, "took longer than the 6 s"},
    {"close_its_line_and_stay", Fate::kEnded, "ended"},  // by the device, or by a thread of its own
    // memory
    {"take_private_memory", Fate::kEnded, "MB of memory"},
    {"take_shared_memory"},
    {"take_memory_of_system_v"},
    {"take_memory_with_a_name"},
    {"take_memory_in_files", Fate::kEnded, "MB of memory"},
    {"take_memory_in_hidden_files", Fate::kEnded, "kept memory"},
    {"take_files_of_memory_in_a_thread_of_its_own_table"},
    {"take_memory_when_the_first_thread_has_ended", Fate::kEnded, "MB of memory"},
    {"take_files_when_the_first_thread_has_ended", Fate::kEnded, "MB of memory"},
    {"make_one_huge_file_of_memory"},
    {"reserve_a_huge_file_of_memory"},
    {"share_a_file_of_memory"},
    {"grow_its_stack"},
    {"take_huge_pages"},
    {"lock_memory"},
};

/// The acts that harm nobody where nothing stops them: there they must work, or a refusal would
/// prove nothing.
constexpr char const* kHarmless[] = {"read_a_file_of_the_user",
                                     "read_the_passwords",
                                     "list_a_folder",
                                     "ask_for_the_size_of_a_file",
                                     "ask_whether_a_file_is_there",
                                     "read_a_link",
                                     "connect_by_tcp",
                                     "send_by_udp",
                                     "listen_for_others",
                                     "ask_the_system_by_netlink",
                                     "make_a_socket_without_a_path",
                                     "make_a_pair_of_sockets",
                                     "make_a_pipe",
                                     "wait_for_many",
                                     "make_a_file_elsewhere",
                                     "change_the_time_of_a_file",
                                     "start_a_process_that_borrows_memory",
                                     "read_the_servers_command",
                                     "take_memory_of_system_v"};

/// As tests/device/hostile/hostile.h has it.
struct Told {
  char file[256] = {};
  char folder[256] = {};
  int64_t server = 0;
  int64_t port = 0;
};

void copy(std::string const& text, char (&to)[256]) { text.copy(to, sizeof to - 1); }

}  // namespace

class HostileTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    for (std::string const& way : open_ways()) qInfo("not stopped here: %s", way.c_str());
    if (!open_ways().empty()) QSKIP("this system or this build does not confine all");
    place_ = fs::path(folder_.path().toStdString());
    fs::permissions(place_, fs::perms(0755));
    for (char const* name : {"tw-device", "tw-device-rpc"})  // where nobody may start them
      fs::copy_file(fs::path(testing::built()) / "bin" / name, place_ / name);
    fs::create_directory(place_ / "home");
    std::ofstream(file()) << kSecret;
    fs::permissions(file(), fs::perms(0600));
    if (geteuid() == 0)
      for (fs::path const& one : {place_ / "home", file()})
        QCOMPARE(chown(one.c_str(), kNobody, kNobody), 0);
    library_ = read_file(TW_HOSTILE_LIBRARY, 16 << 20).value();
    QVERIFY(tcp_.listen(QHostAddress::LocalHost));
    QVERIFY(udp_.bind(QHostAddress::LocalHost, tcp_.serverPort()));
    serve();
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
    limits_ = limits_of_server();
    QVERIFY(
        server_->line().contains("kernels have no access to files, sockets and other processes"));
  }
  void cleanupTestCase() {
    if (!server_) return;
    qInfo("%d acts: %d refused, %d ended with the worker, %d without effect",
          refused_ + ended_ + nothing_, refused_, ended_, nothing_);
    server_.reset();
  }

  void acts_data() {
    QTest::addColumn<int>("row");
    for (int i = 0; i < int(std::size(kActs)); ++i) QTest::newRow(kActs[i].name) << i;
  }
  void acts() {
    QFETCH(int, row);
    Act const& act = kActs[row];
    auto device = connect();
    ScopedLibrary library;
    Status done = perform(*device, act.name, library);
    QString words = done ? "it worked" : QString::fromStdString(done.error().message);
    qInfo("%s", qPrintable(words));
    bool refused = !done && done.error().code == "kernel_failed";
    Fate fate = act.fate != Fate::kEither ? act.fate : refused ? Fate::kRefused : Fate::kEnded;
    if (fate == Fate::kRefused) {
      QVERIFY2(refused, qPrintable(words));
      QCOMPARE(device->generation(), uint64_t(1));
      if (act.fate == Fate::kRefused) QVERIFY(device->describe({}));  // and that worker answers
      ++refused_;
    } else if (fate == Fate::kEnded) {
      QVERIFY2(!done && !refused && words.contains(act.words), qPrintable(words));
      ++ended_;
    } else if (fate == Fate::kEndedLater) {
      QVERIFY2(done, qPrintable(words));
      bool told = QTest::qWaitFor([&] { return server_->said().contains(act.words); }, 30'000);
      QVERIFY2(told, qPrintable("the server said only: ..." + server_->said().right(2000)));
      ++ended_;
    } else {
      ++nothing_;
    }
    library.reset();
    device.reset();
    nothing_changed();
  }

  void who_comes_and_goes_often_hides_nothing() {
    if (!server_) QSKIP("see above");
    auto visit = [this](std::stop_token stop) {
      while (!stop.stop_requested()) (void)connect()->describe({});
    };
    std::jthread first(visit), second(visit);
    auto count = [this] { return server_->said().count("it sent an answer without a request"); };
    auto crowded = [this] { return server_->said().contains("lines were omitted"); };
    auto state = [this] {
      QProcess const& process = server_->process();
      QString end = process.state() == QProcess::Running
                        ? QString("it runs")
                        : QString("it ended with %1").arg(process.exitCode());
      QStringList said =
          server_->said().split('\n').filter(QRegularExpression("^(?!.* (connected|left)$)"));
      return end + "; it said only: ..." + said.join('\n').right(2000);
    };
    QVERIFY2(QTest::qWaitFor(crowded, 30'000), qPrintable(state()));
    auto before = count();
    for (int i = 1; i <= 5; ++i) {
      auto device = connect();
      ScopedLibrary library;
      QVERIFY(perform(*device, "answer_what_nobody_asked", library));
      // Before it leaves: who has left is watched no more.
      bool told = QTest::qWaitFor([&] { return count() == before + i; }, 30'000);
      QVERIFY2(told, qPrintable(state()));
    }
  }

  void the_same_acts_work_where_nothing_stops_them() {
    if (!server_) QSKIP("see above");
    LocalDevice device({.program = testing::built("/bin/tw-device")});
    for (char const* name : kHarmless) {
      ScopedLibrary library;
      Status done = perform(device, name, library);
      QVERIFY2(done, (std::string(name) + ": " + (done ? "" : done.error().message)).c_str());
    }
    fs::remove(place_ / "home" / "left");
  }

  void what_a_system_lacks_is_said_at_start_and_to_clients() {
    if (!server_) QSKIP("see above");
    test::TestServer server({}, "127.0.0.1:0", {testing::built("/bin/tw-device"), "serve"}, [] {
      scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);  // a system without Landlock
      seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(landlock_create_ruleset), 0);
      if (seccomp_load(filter) != 0) _exit(9);
    });
    QVERIFY2(server.line().contains("WARNING: the sandbox does not block"),
             qPrintable(server.line() + server.said()));
    auto device = RemoteDevice::create({.address = server.address()}).value();
    auto status = ask_status(*device, {});
    QVERIFY(status);
    QCOMPARE(status->open_ways,
             std::vector<std::string>{
                 "reading the files that this user can read: the system has no Landlock"});
  }

  void every_act_of_the_library_is_in_the_table() {
    std::set<std::string> known;
    for (Act const& act : kActs) known.insert(act.name);
    int count = 0;
    for (auto const& entry : fs::directory_iterator(testing::source("/tests/device/hostile"))) {
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("ACT(")) continue;
        ++count;
        QVERIFY2(known.contains(line.substr(4, line.find(')') - 4)), line.c_str());
      }
    }
    QVERIFY(count >= 40);
    QCOMPARE(count, int(known.size()));
  }

private:
  fs::path file() const { return place_ / "home" / "token"; }

  void serve() {
    QString at = QString::fromStdString(place_.string());
    QStringList options{"--memory-mb", "256",          "--call-seconds",
                        "6",           "--token-file", QString::fromStdString(file().string())};
    qputenv("TW_TEST_SECRET", "known to the server");
    server_ = std::make_unique<test::TestServer>(
        options, "127.0.0.1:0", QStringList{at + "/tw-device", "serve"}, [] {
          if (geteuid() != 0) return;
          if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(9);
        });
    qunsetenv("TW_TEST_SECRET");
  }

  std::unique_ptr<RemoteDevice> connect() {
    std::string token = kSecret;
    token.pop_back();
    return RemoteDevice::create({.address = server_->address(), .token = token}).value();
  }

  /// `library`: stays loaded as long as it lives, and with it what an act left running.
  Status perform(Device& device, char const* name, ScopedLibrary& library) {
    Told told;
    copy(file().string(), told.file);
    copy((place_ / "home").string(), told.folder);
    told.server = server_->pid();
    told.port = tcp_.serverPort();
    CallOptions options{.timeout = 20s};
    TRY_ASSIGN(library, load_scoped(device, std::as_bytes(std::span(library_)), options));
    TRY_ASSIGN(ScopedTensor tensor, allocate_scoped(device, sizeof told, options));
    TRY(device.write(tensor.get(), 0, std::as_bytes(std::span(&told, 1)), options));
    DeviceStep step{library.get(), name, {{tensor.get()}}, {}};
    return device.run({&step, 1}, 1, options);
  }

  /// As the system lists them: to ask for them takes a privilege that root may lack.
  std::string limits_of_server() const {
    return read_file("/proc/" + std::to_string(server_->pid()) + "/limits").value();
  }

  /// Processes that run the device's program, those that were forked from it among them.
  std::vector<pid_t> processes() const {
    std::vector<pid_t> found;
    std::error_code error;
    for (auto const& entry : fs::directory_iterator("/proc")) {
      std::string name = entry.path().filename().string();
      if (!std::isdigit(name[0])) continue;
      fs::path program = fs::read_symlink(entry.path() / "exe", error);
      if (!error && program.string().starts_with(place_.string())) found.push_back(std::stoi(name));
    }
    return found;
  }

  /// What a hostile act would have left behind.
  void nothing_changed() {
    QTRY_COMPARE_WITH_TIMEOUT(processes(), std::vector<pid_t>{server_->pid()}, 5000);
    QCOMPARE(read_file(file()).value(), std::string(kSecret));
    struct stat facts {};
    QCOMPARE(stat(file().c_str(), &facts), 0);
    QCOMPARE(int(facts.st_mode & 0777), 0600);
    auto entries = fs::directory_iterator(place_ / "home");
    QCOMPARE(std::distance(fs::begin(entries), fs::end(entries)), 1);
    QCOMPARE(limits_of_server(), limits_);
    QVERIFY(!server_->said().contains("HOSTILE"));
    QVERIFY(!tcp_.hasPendingConnections() && !udp_.hasPendingDatagrams());
    QVERIFY(!fs::exists("/dev/shm/tilewright-hostile"));
    auto device = connect();
    QVERIFY(device->describe({}));  // the server serves
  }

  QTemporaryDir folder_{QDir::tempPath() + "/tw-hostile-XXXXXX"};
  fs::path place_;
  std::string library_;
  QTcpServer tcp_;
  QUdpSocket udp_;
  std::unique_ptr<test::TestServer> server_;
  std::string limits_;
  int refused_ = 0, ended_ = 0, nothing_ = 0;
};

QTEST_GUILESS_MAIN(HostileTest)
#include "hostile_test.moc"
