// tw-device: runs kernels in a process of its own, so that a crash or a hang ends only this one.
#include <sys/resource.h>

#include <charconv>
#include <cstdio>
#include <string_view>

#include "engine/device/server.h"
#include "engine/hardware/detect.h"
#include "targets/cpu/runtime/cpu_processor.h"

namespace {

constexpr char kUsage[] =
    "usage: tw-device --fd N\n"
    "Runs kernels for the program that started it and holds the other end of socket N.\n";

/// The number after --fd, or -1.
int socket_argument(int count, char** arguments) {
  if (count != 3 || std::string_view(arguments[1]) != "--fd") return -1;
  std::string_view text = arguments[2];
  int number = -1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : -1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::string_view(arguments[1]) == "--help") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  int socket = socket_argument(count, arguments);
  if (socket < 0) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  rlimit no_core_file{0, 0};  // a crash of a kernel is an answer, not a file of gigabytes
  setrlimit(RLIMIT_CORE, &no_core_file);

  tw::Hardware hardware = tw::detect_host();
  auto processor = tw::create_cpu_processor(hardware.memory_bytes / 4 * 3);
  if (tw::Status served = tw::serve_device(socket, *processor, hardware); !served) {
    std::fprintf(stderr, "tw-device: %s\n", tw::to_sentence(served.error()).c_str());
    return 3;
  }
  return 0;
}
