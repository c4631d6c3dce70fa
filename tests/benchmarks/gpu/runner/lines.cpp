#include "tests/benchmarks/gpu/runner/lines.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

namespace tw::gpu_bench {
namespace {

std::unexpected<Error> ended() { return environment_failed("device_failed", "the process ended"); }

}  // namespace

Lines& Lines::operator=(Lines&& other) noexcept {
  std::swap(from_, other.from_);
  std::swap(to_, other.to_);
  std::swap(rest_, other.rest_);
  return *this;
}
Lines::~Lines() {
  if (from_ >= 0) ::close(from_);
  if (to_ >= 0) ::close(to_);
}

Status Lines::send(Json const& line) const {
  std::string text = line.dump() + "\n";
  for (size_t done = 0; done < text.size();) {
    ssize_t written = ::write(to_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return ended();
    done += size_t(written);
  }
  return {};
}

Result<Json> Lines::receive(double seconds) {
  auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    if (size_t end = rest_.find('\n'); end != std::string::npos) {
      Json line = Json::parse(rest_.substr(0, end), nullptr, false);
      rest_.erase(0, end + 1);
      if (line.is_object()) return line;
      continue;  // what a library wrote there by itself
    }
    double left = std::chrono::duration<double>(until - std::chrono::steady_clock::now()).count();
    pollfd waits{from_, POLLIN, 0};
    int ready = left > 0 ? ::poll(&waits, 1, int(left * 1000) + 1) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0)
      return environment_failed("program_timed_out",
                                fmt::format("it did not finish in {:.3g} s", seconds));
    std::array<char, 65536> bytes;
    ssize_t count = ::read(from_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return ended();
    rest_.append(bytes.data(), size_t(count));
  }
}

}  // namespace tw::gpu_bench
