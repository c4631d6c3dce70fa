// tw-device: runs kernels in a process of its own, so that a crash or a hang ends only this one.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "engine/device/device_process.h"
#include "engine/device/device_runtime_table.h"
#include "engine/device/driver_relay.h"
#include "engine/device/sandbox/sandbox.h"
#include "engine/device/server.h"
#include "engine/support/program.h"

namespace {

constexpr char kUsage[] =
    "usage: tw-device serve [OPTIONS]   serve this machine as a device; see --help\n"
    "       tw-device --fd N            run kernels for the process that started it and holds the\n"
    "                                   other end of socket N; for a client from elsewhere with\n"
    "                                   --folder F --memory-bytes M, its own folder and its "
    "share;\n"
    "                                   --target NAME where this machine has several targets;\n"
    "                                   --as driver: for the process that speaks to the client, "
    "where\n"
    "                                   the target's driver needs one of its own\n";

struct Arguments {
  int64_t socket = -1;
  int64_t memory_bytes = 0;
  std::filesystem::path folder;
  std::string_view target;
  bool as_driver = false;
};

bool read_number(std::string_view text, int64_t& number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

bool read_arguments(int count, char** words, Arguments& arguments) {
  for (int i = 1; i + 1 < count; i += 2) {
    std::string_view name = words[i], value = words[i + 1];
    bool known = (name == "--fd" && read_number(value, arguments.socket)) ||
                 (name == "--memory-bytes" && read_number(value, arguments.memory_bytes)) ||
                 (name == "--as" && value == "driver") ||
                 ((name == "--folder" || name == "--target") && !value.empty());
    if (!known) return false;
    arguments.as_driver |= name == "--as";
    if (name == "--target") arguments.target = value;
    if (name == "--folder") arguments.folder = value;
  }
  bool confined = !arguments.folder.empty();
  return count % 2 == 1 && arguments.socket >= 0 && arguments.socket < 1 << 20 &&
         confined == (arguments.memory_bytes > 0) && (confined || !arguments.as_driver);
}

/// Becomes the server beside this program, which alone is linked with gRPC.
int serve(char** words) {
  std::string server = tw::program_beside("tw-device-rpc").string();
  std::vector<char*> arguments{server.data()};
  for (char** word = words + 2; *word != nullptr; ++word) arguments.push_back(*word);
  arguments.push_back(nullptr);
  execv(server.c_str(), arguments.data());
  std::fprintf(stderr, "tw-device: %s cannot be started: %s\n", server.c_str(),
               std::strerror(errno));
  return 3;
}

int fail(tw::Error const& error) {
  std::fprintf(stderr, "tw-device: %s\n", tw::to_sentence(error).c_str());
  return 3;
}

/// Whoever started it has no use for a line on the device's own standard error.
int refuse(int socket, tw::Error const& error) {
  tw::refuse_client(socket, error);
  return 3;
}

tw::SandboxOptions sandbox_of(Arguments const& arguments) {
  return {.folder = arguments.folder,
          .memory_bytes = arguments.memory_bytes,
          .socket = int(arguments.socket)};
}

/// Owns the driver of a client from elsewhere. Confined before anything of the driver is touched.
int serve_as_driver(Arguments const& arguments) {
  int socket = int(arguments.socket);
  tw::DeviceRuntimeEntry const* entry = tw::named_runtime(arguments.target);
  if (!entry || !entry->driver) return 2;
  std::vector<std::string> ways = tw::open_ways(*entry->driver);  // asked of the system: before
  tw::Status confined = tw::enter_driver_sandbox(sandbox_of(arguments), *entry->driver);
  if (!confined) return refuse(socket, confined.error());
  tw::Result<tw::FoundRuntime> found = tw::find_runtime(arguments.target);
  if (!found) return refuse(socket, found.error());
  int64_t memory = arguments.memory_bytes, own = found->hardware.main_memory_bytes();
  if (own > 0) memory = std::min(memory, own);
  auto processor = entry->create(found->hardware, memory);
  if (!processor) return refuse(socket, processor.error());
  tw::set_main_memory(found->hardware, memory);
  tw::Status served = tw::serve_device(socket, **processor, found->hardware, ways);
  return served ? 0 : fail(served.error());
}

/// This program again, with this process's environment and what the driver is to be told.
tw::Result<tw::ChildProcess> start_driver(Arguments const& arguments,
                                          tw::DriverProfile const& profile) {
  std::vector<std::string> environment = profile.settings;  // the first of a name counts
  for (std::string const& name : profile.own_folder)
    environment.push_back(name + "=" + arguments.folder.string());
  for (char** variable = environ; *variable != nullptr; ++variable)
    environment.emplace_back(*variable);
  std::string program = tw::program_beside("tw-device").string();
  return tw::start_device_process(
      {program, "--target", std::string(arguments.target), "--folder", arguments.folder.string(),
       "--memory-bytes", std::to_string(arguments.memory_bytes), "--as", "driver"},
      &environment);
}

/// As that process ended: whoever started this one explains it to the client.
int end_as(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 3;
}

/// For a client from elsewhere, where the driver has a process of its own: that one is started
/// before anything is heard from the client.
int serve_before_driver(Arguments const& arguments, tw::DriverProfile const& profile) {
  int socket = int(arguments.socket);
  auto driver = start_driver(arguments, profile);
  if (!driver) return refuse(socket, driver.error());
  tw::SandboxOptions sandbox = sandbox_of(arguments);
  sandbox.driver_socket = driver->socket();
  sandbox.driver = driver->pid();
  if (tw::Status confined = tw::enter_sandbox(sandbox); !confined)
    return refuse(socket, confined.error());
  tw::Status ended = tw::relay_to_driver(socket, driver->socket(), profile);
  if (!ended && ended.error().code == "device_lost") return end_as(driver->wait_for_end());
  return !ended && ended.error().code == "connection_closed" ? 0 : 3;
}

}  // namespace

int main(int count, char** words) {
  if (count >= 2 && std::string_view(words[1]) == "serve") return serve(words);
  if (count == 2 && std::string_view(words[1]) == "--help") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  Arguments arguments;
  if (!read_arguments(count, words, arguments)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  rlimit no_core_file{0, 0};  // a crash of a kernel is an answer, not a file of gigabytes
  setrlimit(RLIMIT_CORE, &no_core_file);

  if (arguments.as_driver) return serve_as_driver(arguments);
  int socket = int(arguments.socket);
  tw::DeviceRuntimeEntry const* named = tw::named_runtime(arguments.target);
  if (!arguments.folder.empty() && named && named->driver)
    return serve_before_driver(arguments, *named->driver);
  tw::Result<tw::FoundRuntime> found = tw::find_runtime(arguments.target);
  if (!found) return refuse(socket, found.error());
  tw::Hardware& hardware = found->hardware;
  int64_t memory =
      arguments.folder.empty() ? hardware.main_memory_bytes() / 4 * 3 : arguments.memory_bytes;
  tw::Result<std::unique_ptr<tw::DeviceRuntime>> processor;
  if (found->entry->create_before_confining) processor = found->entry->create(hardware, memory);
  std::vector<std::string> ways;  // of this machine's own kernels nothing is said
  if (!arguments.folder.empty()) {
    tw::set_main_memory(hardware, arguments.memory_bytes);
    ways = tw::open_ways();
    tw::Status confined = tw::enter_sandbox(sandbox_of(arguments));
    if (!confined) return fail(confined.error());
  }
  if (!found->entry->create_before_confining) processor = found->entry->create(hardware, memory);
  if (!processor) return refuse(socket, processor.error());
  if (tw::Status served = tw::serve_device(socket, **processor, hardware, ways); !served)
    return fail(served.error());
  return 0;
}
