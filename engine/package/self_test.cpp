#include "engine/package/self_test.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <sstream>
#include <vector>

#include "engine/package/simulated.h"

namespace tw {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// How it is started here, or why it cannot be.
struct Launch {
  std::vector<std::string> words;
  std::string emulator, reason;
};

Status runs_here(package::Target const& target) {
  for (TargetEntry const* entry : target_table())
    if (entry->name == target.name) return entry->runs_here(target);
  return bad_input("wrong_processor",
                   "it is for a target that this build of Tilewright does not have");
}

/// Why nothing runs the steps of an accelerator of the package here; empty: something does.
std::string not_runnable(package::Description const& description, DeviceHere const& device_here) {
  for (package::Site const& site : description.elsewhere) {
    if (has_simulator(site)) continue;
    std::string steps =
        fmt::format("some of its steps run on a device of the target '{}'", site.target.name);
    if (!device_here) return steps + ", which has no simulator";
    if (Status found = device_here(site.target.name); !found)
      return fmt::format("{}, and {}", steps, found.error().message);
  }
  return {};
}

/// "qemu-arm-static, with a simulator for vta"
std::string emulator_words(std::string const& emulator, package::Description const& description) {
  std::string words = emulator;
  for (package::Site const& site : description.elsewhere) {
    if (!has_simulator(site)) continue;
    words += words.empty() ? "" : ", with ";
    words += fmt::format("a simulator for {}", site.target.name);
  }
  return words;
}

Launch launch_of(fs::path const& folder, package::Target const& target) {
  std::string example = (folder / "example").string();
  Status able = runs_here(target);
  if (able) return {{example}, "", ""};
  utsname here{};
  ::uname(&here);
  if (target.architecture.empty() || target.architecture == here.machine)
    return {{}, "", able.error().message};
  // Of 32-bit Arm, emulators and libraries have names of their own.
  bool arm = target.architecture == "armv7";
  fs::path emulator = fmt::format("/usr/bin/qemu-{}-static", arm ? "arm" : target.architecture);
  fs::path libraries =
      arm ? "/usr/arm-linux-gnueabihf" : fmt::format("/usr/{}-linux-gnu", target.architecture);
  if (!fs::exists(emulator) || !fs::exists(libraries / "lib"))
    return {{},
            "",
            fmt::format("it is for {}, this machine is {}, and {} with the libraries in {} is not "
                        "installed",
                        target.architecture, here.machine, emulator.string(), libraries.string())};
  return {{emulator.string(), "-L", libraries.string(), example}, emulator.filename().string(), ""};
}

/// Whether drivers of the system's run some of it.
enum class Driven : uint8_t { kAlone, kByDrivers };

/// A child whose output is collected; killed when it goes out of scope.
class Child {
public:
  static Result<Child> start(std::vector<std::string> const& words, fs::path const& folder,
                             Driven driven) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return environment_failed("self_test_failed", "no pipe can be created");
    std::vector<char*> arguments;
    for (std::string const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    // No library path, and no PATH but the system's, where drivers find their compilers: what it
    // finds is in its folder.
    char simulate[] = "TILEWRIGHT_SIMULATE=1", path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
    char* environment[] = {simulate, driven == Driven::kByDrivers ? path : nullptr, nullptr};
    pid_t pid = ::fork();
    if (pid == 0) {
      ::dup2(ends[1], 1);
      ::dup2(ends[1], 2);
      ::close_range(3, ~0U, 0);  // what other threads' libraries opened
      if (::chdir(folder.c_str()) == 0) ::execve(arguments[0], arguments.data(), environment);
      ::_exit(127);
    }
    ::close(ends[1]);
    if (pid < 0) {
      ::close(ends[0]);
      return environment_failed("self_test_failed", "no process can be started");
    }
    return Child(pid, ends[0]);
  }
  Child(Child&& other) noexcept : pid_(other.pid_), output_(other.output_) {
    other.pid_ = -1;
    other.output_ = -1;
  }
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    if (output_ >= 0) ::close(output_);
  }

  /// Reads for a moment; false once the output has ended.
  bool collect(std::string& text) {
    pollfd wait{output_, POLLIN, 0};
    if (::poll(&wait, 1, 50) <= 0) return true;
    char piece[4096];
    ssize_t count = ::read(output_, piece, sizeof piece);
    if (count > 0 && text.size() < (1 << 20)) text.append(piece, size_t(count));
    return count > 0;
  }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

private:
  Child(pid_t pid, int output) : pid_(pid), output_(output) {}
  pid_t pid_;
  int output_;
};

std::unexpected<Error> failed(std::string const& why) {
  return refused("self_test_failed", "the exported model did not pass its own test: " + why);
}

std::string last_line(std::string const& text) {
  std::string last;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last;
}

/// "key number" lines.
std::map<std::string, double> numbers_in(std::string const& text) {
  std::map<std::string, double> numbers;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    double value = 0;
    char const *begin = line.data() + space + 1, *end = line.data() + line.size();
    if (std::from_chars(begin, end, value).ptr == end) numbers[line.substr(0, space)] = value;
  }
  return numbers;
}

}  // namespace

Result<SelfTest> run_self_test(fs::path const& folder, package::Description const& description,
                               SelfTestOptions const& options) {
  SelfTest result;
  result.reason = not_runnable(description, options.device_here);
  if (!result.reason.empty()) return result;
  Launch launch = launch_of(folder, description.target);
  result.reason = launch.reason;
  bool simulated = std::ranges::all_of(description.elsewhere, has_simulator);
  if (!launch.emulator.empty() && !simulated) {
    result.reason = fmt::format("it is for {}, and an emulator of that has no devices",
                                description.target.architecture);
    return result;
  }
  result.emulator = emulator_words(launch.emulator, description);
  result.threads = options.threads;
  if (launch.words.empty()) return result;
  for (std::string const& word :
       {std::string("--threads"), std::to_string(options.threads), std::string("--rounds"),
        std::to_string(result.emulator.empty() ? options.rounds : 1)})
    launch.words.push_back(word);
  TRY_ASSIGN(Child child,
             Child::start(launch.words, folder, simulated ? Driven::kAlone : Driven::kByDrivers));
  std::string output;
  auto end = Clock::now() + std::chrono::duration<double>(options.most_seconds);
  while (child.collect(output)) {
    if (options.stop.stop_requested()) return refused("cancelled", "cancelled");
    if (Clock::now() > end)
      return failed(fmt::format("it did not finish within {:.0f} s", options.most_seconds));
  }
  int status = child.wait();
  if (WIFSIGNALED(status))
    return failed(fmt::format("it was ended by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    return failed(output.empty() ? fmt::format("it ended with code {}", WEXITSTATUS(status))
                                 : last_line(output));
  auto numbers = numbers_in(output);
  for (char const* key : {"largest_difference", "largest_value", "least_ms", "median_ms"})
    if (!numbers.contains(key)) return failed(fmt::format("it did not report its {}", key));
  result.ran = true;
  result.largest_difference = numbers["largest_difference"];
  result.largest_value = numbers["largest_value"];
  result.least_ms = numbers["least_ms"];
  result.median_ms = numbers["median_ms"];
  return result;
}

}  // namespace tw
