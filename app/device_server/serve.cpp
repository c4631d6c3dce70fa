// tw-device-rpc, which `tw-device serve` becomes: this machine as a device for others.
#include <signal.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <thread>

#include "engine/device/confine.h"
#include "engine/device/rpc/rpc_server.h"
#include "engine/hardware/detect.h"
#include "engine/support/files.h"

namespace {

namespace fs = std::filesystem;

constexpr char kUsage[] =
    "usage: tw-device serve [OPTIONS]\n"
    "Serves this machine as a device: whoever may connect can run any code as this user.\n"
    "  --listen HOST:PORT     where; a port of 0 takes a free one (127.0.0.1:50151)\n"
    "  --tls-cert F --tls-key F   certificate and key, PEM; needed beyond this machine\n"
    "  --token-file F         first line: what a client must know; needed beyond this machine\n"
    "  --memory-mb N          that a client's tensors may take (half of what there is)\n"
    "  --call-seconds N       that one call may take (120)\n"
    "  --idle-seconds N       that a client may stay silent (3600)\n"
    "  --clients N            at once (8)\n"
    "  --launcher WORDS       put before the command of a worker: \"taskset -c 2,3\"\n"
    "  --quiet                no line for each client\n";

using Words = std::map<std::string, std::string>;

tw::Result<Words> read_words(int count, char** words) {
  constexpr std::string_view kOptions[] = {"--listen",       "--tls-cert",  "--tls-key",
                                           "--token-file",   "--memory-mb", "--call-seconds",
                                           "--idle-seconds", "--clients",   "--launcher"};
  Words given;
  for (int i = 1; i < count; ++i) {
    std::string name = words[i];
    if (name == "--quiet") {
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

/// The first line, without what surrounds it.
tw::Result<std::string> token(Words const& words) {
  TRY_ASSIGN(std::string text, file(words, "--token-file"));
  std::istringstream stream(text);
  std::string line;
  stream >> line;
  if (words.contains("--token-file") && line.size() < 16)
    return tw::bad_input("bad_token", "a token has at least 16 characters");
  return line;
}

/// tw-device beside this program, after the launcher's words.
std::vector<std::string> worker_command(Words const& words) {
  std::vector<std::string> command;
  if (auto found = words.find("--launcher"); found != words.end()) {
    std::istringstream stream(found->second);
    for (std::string word; stream >> word;) command.push_back(word);
  }
  std::error_code error;
  command.push_back(
      (fs::read_symlink("/proc/self/exe", error).parent_path() / "tw-device").string());
  return command;
}

tw::Result<tw::RpcServerOptions> server_options(Words const& words) {
  tw::RpcServerOptions options;
  options.listen = words.contains("--listen") ? words.at("--listen") : "127.0.0.1:50151";
  TRY_ASSIGN(options.tls_certificate, file(words, "--tls-cert"));
  TRY_ASSIGN(options.tls_key, file(words, "--tls-key"));
  TRY_ASSIGN(options.token, token(words));
  options.worker = worker_command(words);
  double half = double(tw::detect_host().memory_bytes / (2 << 20));
  TRY_ASSIGN(double megabytes, number(words, "--memory-mb", std::max(half, 64.0)));
  options.memory_bytes = int64_t(megabytes * (1 << 20));
  TRY_ASSIGN(options.call_seconds, number(words, "--call-seconds", options.call_seconds));
  TRY_ASSIGN(options.idle_seconds, number(words, "--idle-seconds", options.idle_seconds));
  TRY_ASSIGN(double clients, number(words, "--clients", options.most_clients));
  options.most_clients = int(std::clamp(std::ceil(clients), 1.0, 1024.0));
  if (!words.contains("--quiet"))
    options.log = [](std::string const& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  return options;
}

int fail(tw::Error const& error) {
  std::fprintf(stderr, "tw-device: %s\n", tw::to_sentence(error).c_str());
  return error.fault == tw::Fault::kBadInput ? 2 : 3;
}

int serve(tw::RpcServerOptions options) {
  // Before any thread: all of them inherit it, and one alone takes the signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  bool encrypted = !options.tls_certificate.empty(), secret = !options.token.empty();
  std::string where = options.listen.substr(0, options.listen.rfind(':'));
  auto server = tw::RpcServer::start(std::move(options));
  if (!server) return fail(server.error());
  std::printf("listening on %s:%d, %s, %s, a kernel %s\n", where.c_str(), (*server)->port(),
              encrypted ? "TLS" : "no TLS", secret ? "with a token" : "without a token",
              tw::can_confine_writes() ? "writes no file outside of its own folder"
                                       : "may write what this user may, as Landlock is missing");
  std::fflush(stdout);
  std::thread([&signals, &server] {
    int signal = 0;
    sigwait(&signals, &signal);
    (*server)->stop();
  }).detach();
  (*server)->wait();
  return 0;
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
  return serve(std::move(*options));
}
