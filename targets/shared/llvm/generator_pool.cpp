// Why processes: LLVM ends its process when it meets what it cannot compile, by design (its handler
// must not return), or by a crash. A thread that jumps out of the handler leaves LLVM's memory and
// locks as they were, and does not help against crashes, loops without end and exhausted memory. A
// process does, and costs some 0.2 ms a kernel for the module's way there and the object's way
// back.
#include "targets/shared/llvm/generator_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <utility>

#include "engine/support/child_process.h"

namespace tw {
namespace {

constexpr std::chrono::minutes kMostMinutes{5};  // for one kernel: LLVM may not come to an end

/// How it ended, from what `waitpid` gave.
std::string end_of(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("ended by signal {} ({})", WTERMSIG(status), signal_name(WTERMSIG(status)));
  return fmt::format("ended with code {}", WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

std::unexpected<Error> failed(std::string const& how) {
  return refused("code_generation_failed", "LLVM cannot compile the kernel: its process " + how);
}

std::unexpected<Error> unreadable() { return failed("gave an answer that cannot be read"); }

}  // namespace

/// One process, which ends when our end of its socket is closed.
class GeneratorProcess {
public:
  static Result<std::unique_ptr<GeneratorProcess>> start(std::string const& program) {
    Result<ChildProcess> child = ChildProcess::start({program});
    if (child) return std::make_unique<GeneratorProcess>(std::move(*child));
    return environment_failed("code_generator_missing",
                              "the code generator is missing: " + child.error().message);
  }

  explicit GeneratorProcess(ChildProcess child) : child_(std::move(child)) {}

  /// It may have been ended while it waited.
  bool is_there() const {
    pollfd look{child_.socket(), POLLIN, 0};
    return ::poll(&look, 1, 0) == 0;
  }

  bool send(std::string const& bytes) { return send_bytes(child_.socket(), bytes); }
  Received receive(std::string& bytes) {
    return receive_bytes(child_.socket(), bytes, kMostMinutes);
  }

  /// From any thread: whoever waits for an answer is told that there comes none.
  void interrupt() { ::shutdown(child_.socket(), SHUT_RDWR); }
  std::string how_it_ended() { return end_of(child_.wait_for_end()); }
  void kill() { child_.end(); }

private:
  ChildProcess child_;
};

GeneratorPool::GeneratorPool(std::string program) : program_(std::move(program)) {}
GeneratorPool::~GeneratorPool() = default;

Result<std::unique_ptr<GeneratorProcess>> GeneratorPool::take() {
  std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    std::unique_ptr<GeneratorProcess> process = std::move(idle_.back());
    idle_.pop_back();
    if (process->is_there()) return process;
  }
  return GeneratorProcess::start(program_);
}

Result<std::string> GeneratorPool::ask(GeneratorProcess& process, GeneratorRequest const& request,
                                       StopToken stop) {
  std::string bytes;
  Received received = Received::kGone;
  {
    std::stop_callback on_stop(stop, [&] { process.interrupt(); });
    if (process.send(request.to_bytes())) received = process.receive(bytes);
  }
  bool stopped = stop.stop_requested();
  if (stopped || received == Received::kLate || received == Received::kTooLong) process.kill();
  if (stopped) return refused("cancelled", "cancelled");
  if (received == Received::kLate)
    return failed(fmt::format("has not answered for {} minutes", kMostMinutes.count()));
  if (received == Received::kTooLong) return unreadable();
  if (received == Received::kGone) return failed(process.how_it_ended());
  return bytes;
}

template <typename T>
Result<T> GeneratorPool::answer(GeneratorRequest const& request, StopToken stop,
                                std::optional<Result<T>> (*read)(std::string const& bytes)) {
  TRY_ASSIGN(std::unique_ptr<GeneratorProcess> process, take());
  TRY_ASSIGN(std::string bytes, ask(*process, request, stop));
  std::optional<Result<T>> reply = read(bytes);
  if (!reply) {
    process->kill();  // nobody knows what it would say next
    return unreadable();
  }
  // After a refusal it may be about to end, or be in a state that nobody foresaw.
  if (reply->has_value()) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(process));
  }
  return *std::move(reply);
}

Result<Emitted> GeneratorPool::generate(GeneratorRequest const& request, StopToken stop) {
  return answer<Emitted>(request, stop, reply_from_bytes);
}

Result<CodeReport> GeneratorPool::report(GeneratorRequest const& request, StopToken stop) {
  TRY_ASSIGN(CodeReport report, answer<CodeReport>(request, stop, report_from_bytes));
  if (!is_about(report, request.module)) return unreadable();
  return report;
}

Result<std::vector<CodeRemark>> GeneratorPool::remarks(GeneratorRequest const& request,
                                                       StopToken stop) {
  return answer<std::vector<CodeRemark>>(request, stop, remarks_from_bytes);
}

}  // namespace tw
