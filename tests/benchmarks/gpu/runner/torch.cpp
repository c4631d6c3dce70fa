// PyTorch answers in lines of JSON: each request is one, each answer one.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

#include "tests/benchmarks/gpu/runner/lines.h"
#include "tests/benchmarks/gpu/runner/peers.h"

namespace tw::gpu_bench {
namespace {

constexpr double kStartSeconds = 80, kAnswerSeconds = 10;

class Torch final : public Peer {
public:
  Torch(Lines lines, pid_t process) : lines_(std::move(lines)), process_(process) {}
  Torch(Torch const&) = delete;
  Torch& operator=(Torch const&) = delete;
  ~Torch() override { ::kill(process_, SIGKILL); }

  Status start() {
    TRY_ASSIGN(Json ready, lines_.receive(kStartSeconds));
    if (ready.contains("why")) return failed_so(ready);
    version_ = ready.value("version", "");
    return {};
  }

  std::string name() const override { return "PyTorch"; }
  std::string version() const override { return version_; }
  bool writes_output() const override { return false; }

  Result<std::optional<Arm>> arm(Json const& what, ItemTensors const&, Memory const&) override {
    TRY_ASSIGN(Json ready, ask({{"prepare", what}}));
    if (ready.contains("why")) return failed_so(ready);
    if (!ready.value("known", false)) return std::optional<Arm>();
    Arm arm{.name = name(), .facts = {{"graph", ready.value("graph", false)}}};
    arm.seconds = [this]() -> Result<double> {
      TRY_ASSIGN(Json answer, ask({{"sample", true}}));
      if (answer.contains("why")) return failed_so(answer);
      return answer.value("seconds", 0.0);
    };
    return arm;
  }

private:
  static std::unexpected<Error> failed_so(Json const& answer) {
    return environment_failed("device_failed", "PyTorch says: " + answer.value("why", ""));
  }
  Result<Json> ask(Json const& request) {
    TRY(lines_.send(request));
    return lines_.receive(kAnswerSeconds);
  }

  Lines lines_;
  pid_t process_;
  std::string version_;
};

}  // namespace

Result<std::unique_ptr<Peer>> open_torch(std::string const& python,
                                         std::filesystem::path const& script) {
  if (python.empty()) return environment_failed("no_such_hardware", "no Python was named");
  int to[2], from[2];
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0)
    return environment_failed("device_failed", "no pipe can be had");
  pid_t process = ::fork();
  if (process < 0) return environment_failed("device_failed", "no process can be had");
  if (process == 0) {
    ::dup2(to[0], STDIN_FILENO);
    ::dup2(from[1], STDOUT_FILENO);
    ::execlp(python.c_str(), python.c_str(), script.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(to[0]);
  ::close(from[1]);
  auto made = std::make_unique<Torch>(Lines(from[0], to[1]), process);
  if (Status started = made->start(); !started)
    return environment_failed("no_such_hardware",
                              "no PyTorch was found: " + started.error().message);
  return made;
}

}  // namespace tw::gpu_bench
