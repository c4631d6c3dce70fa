/// Processes that generate code, started when they are needed and kept for the next kernel.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/support/base/job.h"
#include "targets/shared/llvm/generator_messages.h"

namespace tw {

class GeneratorProcess;

/// May be used by several threads at once: each gets a process of its own.
class GeneratorPool {
public:
  /// `program`: the path of tw-codegen.
  explicit GeneratorPool(std::string program);
  ~GeneratorPool();

  /// Errors: those of the other process; code_generation_failed when it ends before it answers (a
  /// fatal error, a crash), takes longer than minutes or answers what cannot be read;
  /// code_generator_missing; cancelled, at once when `stop` is asked for: the process is ended.
  Result<Emitted> generate(GeneratorRequest const& request, StopToken stop = {});
  Result<CodeReport> report(GeneratorRequest const& request, StopToken stop = {});
  Result<std::vector<CodeRemark>> remarks(GeneratorRequest const& request, StopToken stop = {});

private:
  template <typename T>
  Result<T> answer(GeneratorRequest const& request, StopToken stop,
                   std::optional<Result<T>> (*read)(std::string const& bytes));
  /// The bytes of the answer.
  static Result<std::string> ask(GeneratorProcess& process, GeneratorRequest const& request,
                                 StopToken stop);
  Result<std::unique_ptr<GeneratorProcess>> take();

  std::string program_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<GeneratorProcess>> idle_;
};

}  // namespace tw
