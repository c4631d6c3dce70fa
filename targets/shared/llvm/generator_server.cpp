#include "targets/shared/llvm/generator_server.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/MemoryBuffer.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <optional>
#include <thread>

#include "targets/shared/llvm/generator_messages.h"

namespace tw {
namespace {

/// Called where LLVM gives up. It must not go on, and what it was about to print is the answer.
void answer_fatal_error(void* socket, char const* reason, bool) {
  std::string words = reason ? reason : "it gave no reason";
  words = words.substr(0, words.find('\n'));
  Result<Emitted> answer =
      refused("code_generation_failed", "LLVM cannot compile the kernel: " + words);
  (void)send_bytes(*static_cast<int*>(socket), to_bytes(answer));
  ::_exit(1);
}

/// Work for somebody who is gone ends at once.
void end_with_the_other_end(int socket) {
  std::thread([socket] {
    pollfd wait{socket, POLLRDHUP, 0};
    while (::poll(&wait, 1, -1) < 0 || (wait.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0) {
    }
    ::_exit(0);
  }).detach();
}

class Server {
public:
  std::string answer(std::string const& bytes) {
    std::optional<GeneratorRequest> request = GeneratorRequest::from_bytes(bytes);
    Status fit = request ? choose(request->machine)
                         : bad_input("bad_request", "the request for code is damaged");
    if (!fit) return to_bytes(Result<Emitted>(std::unexpected(std::move(fit).error())));
    if (request->task == GeneratorTask::kReport)
      return to_bytes(machine_->report(request->module, request->loop));
    if (request->task == GeneratorTask::kRemarks)
      return to_bytes(of_module<std::vector<CodeRemark>>(
          *request, [&](llvm::Module& module) { return machine_->remarks(module); }));
    return to_bytes(of_module<Emitted>(*request, [&](llvm::Module& module) {
      return machine_->generate(module, request->tier, request->texts);
    }));
  }

private:
  template <typename T, typename Make>
  static Result<T> of_module(GeneratorRequest const& request, Make make) {
    llvm::LLVMContext context;
    auto module = llvm::parseBitcodeFile(
        llvm::MemoryBufferRef(llvm::StringRef(request.module), "kernel"), context);
    if (!module)
      return refused("invalid_module",
                     "the module cannot be read: " + llvm::toString(module.takeError()));
    (*module)->setModuleIdentifier((*module)->getSourceFileName());  // as it was made
    return make(**module);
  }

  /// Most requests are for the processor of the one before.
  Status choose(MachineOptions const& options) {
    if (machine_ && machine_->options() == options) return {};
    TRY_ASSIGN(Machine machine, Machine::create(options));
    machine_.emplace(std::move(machine));
    return {};
  }

  std::optional<Machine> machine_;
};

}  // namespace

int serve_generator(int socket) {
  rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);  // a crash is an answer, not a file
  llvm::install_fatal_error_handler(answer_fatal_error, &socket);
  end_with_the_other_end(socket);
  Server server;
  std::string bytes;
  while (receive_bytes(socket, bytes, std::chrono::milliseconds(-1)) == Received::kWhole)
    if (!send_bytes(socket, server.answer(bytes))) break;
  return 0;
}

}  // namespace tw
