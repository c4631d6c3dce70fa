// tw-device-rpc, which `tw-device serve` becomes: this machine as a device for others.
#include <signal.h>
#include <sys/resource.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

#include "engine/device/device_runtime_table.h"
#include "engine/device/rpc/address.h"
#include "engine/device/rpc/certificate.h"
#include "engine/device/rpc/rpc_server.h"
#include "engine/device/rpc/token_file.h"
#include "engine/device/rpc/worker.h"
#include "engine/device/sandbox/sandbox.h"
#include "engine/device/words.h"
#include "engine/hardware/machine.h"
#include "engine/support/files.h"
#include "engine/support/program.h"

namespace {

constexpr char kUsage[] =
    "usage: tw-device serve [OPTIONS]\n"
    "Serves this machine as a device. Anyone who knows a token can run any code here, in a "
    "process\n"
    "that has no access to files, sockets and other processes where the system can enforce that.\n"
    "  --listen HOST:PORT     address to listen on; port 0 takes a free one (127.0.0.1:50151)\n"
    "  --tls-cert F --tls-key F   certificate and key, PEM; required if other machines connect\n"
    "  --token-file F         lines of \"TOKEN NAME\", of which a client must know one; read again "
    "when\n"
    "                         it changes; required if other machines connect (otherwise one is\n"
    "                         made, which programs of this user find by themselves)\n"
    "  --no-token             anyone on this machine may connect\n"
    "  --memory-mb N          memory for a client's tensors (half of this machine's)\n"
    "  --target NAME          target that runs the kernels (the first that this machine has); "
    "NAME:KIND\n"
    "                         where it has several kinds\n"
    "  --call-seconds N       longest time of one call (120)\n"
    "  --idle-seconds N       longest time that a client may stay silent (3600)\n"
    "  --clients N            clients at the same time (8)\n"
    "  --check-seconds N      time between checks that its own port still answers (30)\n"
    "  --launcher WORDS       put before the command of a worker: \"taskset -c 2,3\"\n"
    "  --quiet                do not print a line for each client\n";

using Words = std::map<std::string, std::string>;

tw::Result<Words> read_words(int count, char** words) {
  constexpr std::string_view kOptions[] = {"--listen",        "--tls-cert",  "--tls-key",
                                           "--token-file",    "--memory-mb", "--call-seconds",
                                           "--idle-seconds",  "--clients",   "--launcher",
                                           "--check-seconds", "--target"};
  Words given;
  for (int i = 1; i < count; ++i) {
    std::string name = words[i];
    if (name == "--quiet" || name == "--no-token") {
      given[name] = "yes";
      continue;
    }
    if (std::find(std::begin(kOptions), std::end(kOptions), name) == std::end(kOptions))
      return tw::bad_input("unusable_arguments", "there is no option '" + name + "'");
    if (i + 1 == count)
      return tw::bad_input("unusable_arguments", "the option " + name + " takes a value");
    given[name] = words[++i];
  }
  return given;
}

/// A number above 0, or what stands for none.
tw::Result<double> number(Words const& words, std::string const& name, double otherwise) {
  auto found = words.find(name);
  if (found == words.end()) return otherwise;
  double value = 0;
  std::string const& text = found->second;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && value > 0 && value <= 1e9) return value;
  return tw::bad_input("unusable_arguments", name + " takes a number above 0, not '" + text + "'");
}

tw::Result<std::string> file(Words const& words, std::string const& name) {
  auto found = words.find(name);
  if (found == words.end()) return std::string();
  return tw::read_file(found->second, 1 << 20);
}

std::string target_of(Words const& words) {
  return words.contains("--target") ? words.at("--target") : "";
}

/// Null: the target has none with a process of its own.
tw::DriverProfile const* driver_of(std::string const& target) {
  tw::DeviceRuntimeEntry const* entry = tw::named_runtime(target);
  return entry ? entry->driver : nullptr;
}

/// What this system does not stop what is served from.
std::vector<std::string> open_ways(std::string const& target) {
  tw::DriverProfile const* driver = driver_of(target);
  return driver ? tw::open_ways(*driver) : tw::open_ways();
}

/// Where they come from; without any one is made for this machine.
tw::Status choose_tokens(Words const& words, tw::RpcServerOptions& options) {
  bool given = words.contains("--token-file"), none = words.contains("--no-token");
  if (given && none)
    return tw::bad_input("unusable_arguments", "--token-file and --no-token contradict each other");
  if (given) {
    TRY_ASSIGN(options.tokens, tw::Tokens::read(words.at("--token-file")));
    std::string why = tw::open_to_others(words.at("--token-file"));
    if (!why.empty()) std::fprintf(stderr, "tw-device: %s\n", tw::one_line(why, 2000).c_str());
    return {};
  }
  auto address = tw::parse_address(options.listen);
  options.own_token = !none && address && address->loopback;  // elsewhere it is asked for
  return {};
}

/// Errors: those of find_runtime; hardware that must be opened, and is not there, is said now and
/// not to each client. A driver is left to its own process.
tw::Status look_for(std::string const& target, int64_t memory_bytes) {
  if (driver_of(target)) return {};
  TRY_ASSIGN(tw::FoundRuntime found, tw::find_runtime(target));
  if (found.entry->create_before_confining) TRY(found.entry->create(found.hardware, memory_bytes));
  return {};
}

/// tw-device beside this program, after the launcher's words. Errors: those of look_for.
tw::Result<std::vector<std::string>> worker_command(Words const& words, int64_t memory_bytes) {
  std::string target = target_of(words);
  TRY(look_for(target, memory_bytes));
  std::vector<std::string> command;
  if (auto found = words.find("--launcher"); found != words.end()) {
    std::istringstream stream(found->second);
    for (std::string word; stream >> word;) command.push_back(word);
  }
  command.push_back(tw::program_beside("tw-device").string());
  if (!target.empty()) command.insert(command.end(), {"--target", target});
  return command;
}

/// How many lines about one thing were said in a second.
struct LogAllowance {
  int said = 0, left_out = 0;
};

/// Time and words. What a client can make it say again and again is left out, and counted; nobody
/// hides by one kind of line what another tells.
void log_line(tw::LogTopic topic, std::string const& line) {
  using namespace std::chrono;
  constexpr int kMostPerSecond = 20;
  static std::mutex mutex;
  static seconds last{0};
  static std::array<LogAllowance, tw::kLogTopics> allowances;
  std::lock_guard lock(mutex);
  auto now = floor<seconds>(system_clock::now().time_since_epoch());
  if (now != last) {
    for (LogAllowance& one : std::exchange(allowances, {}))
      if (one.left_out > 0) std::fprintf(stderr, "%d lines were omitted\n", one.left_out);
    last = now;
  }
  LogAllowance& allowance = allowances[size_t(topic)];
  if (++allowance.said > kMostPerSecond) {
    ++allowance.left_out;
    return;
  }
  std::time_t moment = now.count();
  std::tm parts{};
  char time[32] = {};
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&moment, &parts));
  std::fprintf(stderr, "%s %s\n", time, tw::one_line(line, 500).c_str());
}

/// As many descriptors as the system lets it have: each client takes a few.
void raise_descriptors() {
  rlimit both{};
  if (getrlimit(RLIMIT_NOFILE, &both) != 0) return;
  both.rlim_cur = std::min<rlim_t>(both.rlim_max, 65536);
  setrlimit(RLIMIT_NOFILE, &both);
}

/// Under a sanitizer its shadow counts as memory.
tw::WorkerLimits worker_limits(tw::RpcServerOptions const& options) {
  bool drivers = options.workers_have_drivers;
  int64_t besides = drivers ? tw::kBesidesTensorsOfDriver : tw::kBesidesTensors;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  int64_t memory = 0;
#else
  int64_t memory = options.memory_bytes + besides;
#endif
  // Where processes are not stopped, or a launcher starts some, all of them are looked at.
  bool families = drivers || !tw::open_ways().empty() || options.worker.size() > 1;
  tw::WorkerLimits limits{.memory_bytes = memory,
                          .threads = tw::kMostWorkerThreads,
                          .families = families,
                          .owns_children = true};
  if (drivers) limits.folder_bytes = tw::kMostFolderBytesOfDriver;
  return limits;
}

tw::Result<tw::RpcServerOptions> server_options(Words const& words) {
  tw::RpcServerOptions options;
  options.listen = words.contains("--listen") ? words.at("--listen") : "127.0.0.1:50151";
  TRY_ASSIGN(options.tls_certificate, file(words, "--tls-cert"));
  TRY_ASSIGN(options.tls_key, file(words, "--tls-key"));
  TRY(choose_tokens(words, options));
  double half = double(tw::machine_memory_bytes() / (2 << 20));
  TRY_ASSIGN(double megabytes, number(words, "--memory-mb", std::max(half, 64.0)));
  options.memory_bytes = int64_t(megabytes * (1 << 20));
  TRY_ASSIGN(options.worker, worker_command(words, options.memory_bytes));
  TRY_ASSIGN(options.call_seconds, number(words, "--call-seconds", options.call_seconds));
  TRY_ASSIGN(options.idle_seconds, number(words, "--idle-seconds", options.idle_seconds));
  TRY_ASSIGN(double clients, number(words, "--clients", options.most_clients));
  options.most_clients = int(std::clamp(std::ceil(clients), 1.0, 1024.0));
  TRY_ASSIGN(options.check_seconds, number(words, "--check-seconds", options.check_seconds));
  if (tw::DriverProfile const* driver = driver_of(target_of(words))) {
    options.workers_have_drivers = true;
    options.environment = driver->environment;
  }
  options.limits = worker_limits(options);
  if (options.workers_have_drivers) TRY(tw::ask_worker(options));
  if (!words.contains("--quiet")) options.log = log_line;
  return options;
}

int fail(tw::Error const& error) {
  std::fprintf(stderr, "tw-device: %s\n", tw::to_sentence(error).c_str());
  return error.fault == tw::Fault::kBadInput ? 2 : 3;
}

int serve(tw::RpcServerOptions options, std::vector<std::string> const& ways) {
  // Before any thread: all of them inherit it, and one alone takes the signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  raise_descriptors();
  bool encrypted = !options.tls_certificate.empty(), own = options.own_token;
  bool secret = options.tokens != nullptr;
  if (std::string dates = tw::out_of_date(options.tls_certificate); !dates.empty())
    std::fprintf(stderr, "tw-device: the certificate %s; clients will refuse it\n", dates.c_str());
  std::string where = options.listen.substr(0, options.listen.rfind(':'));
  auto server = tw::RpcServer::start(std::move(options));
  if (!server) return fail(server.error());
  std::printf("listening on %s:%d, %s, %s, %s\n", where.c_str(), (*server)->port(),
              encrypted ? "TLS" : "no TLS",
              own      ? "with a token for programs of this user"
              : secret ? "with a token"
                       : "without a token",
              ways.empty() ? "kernels have no access to files, sockets and other processes"
                           : "WARNING: the sandbox does not block:");
  for (std::string const& way : ways) std::printf("  not blocked: %s\n", way.c_str());
  std::fflush(stdout);
  std::thread([&signals, &server] {
    int signal = 0;
    sigwait(&signals, &signal);
    (*server)->stop();
  }).detach();
  tw::Status served = (*server)->wait();
  return served ? 0 : fail(served.error());
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::string_view(arguments[1]) == "--help") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  auto words = read_words(count, arguments);
  if (!words) return fail(words.error());
  auto options = server_options(*words);
  if (!options) return fail(options.error());
  return serve(std::move(*options), open_ways(target_of(*words)));
}
