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
  Result<Emitted> answer(std::string const& bytes) {
    std::optional<GeneratorRequest> request = GeneratorRequest::from_bytes(bytes);
    if (!request) return bad_input("bad_request", "the request for code is damaged");
    TRY(choose(request->machine));
    llvm::LLVMContext context;
    auto module = llvm::parseBitcodeFile(
        llvm::MemoryBufferRef(llvm::StringRef(request->module), "kernel"), context);
    if (!module)
      return refused("invalid_module",
                     "the module cannot be read: " + llvm::toString(module.takeError()));
    (*module)->setModuleIdentifier((*module)->getSourceFileName());  // as it was made
    return machine_->generate(**module, request->tier, request->texts);
  }

private:
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
    if (!send_bytes(socket, to_bytes(server.answer(bytes)))) break;
  return 0;
}

}  // namespace tw
