/// What goes between a program and the process that generates code for it: a length, then that many
/// bytes. Both ends are of one build, so the format has no version.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "engine/target/code_report.h"
#include "targets/shared/llvm/machine.h"

namespace tw {

/// What is wanted of the other process.
enum class GeneratorTask : uint8_t {
  kCode,     ///< `Emitted`, of a module
  kReport,   ///< `CodeReport`, of assembly
  kRemarks,  ///< a list of `CodeRemark`, of a module
};

struct GeneratorRequest {
  MachineOptions machine;
  CodeTier tier = CodeTier::kFast;
  CodeTexts texts = CodeTexts::kNone;
  std::string module;  ///< LLVM bitcode, or assembly
  GeneratorTask task = GeneratorTask::kCode;
  std::vector<int32_t> loop = {};  ///< lines of the assembly that are modelled

  std::string to_bytes() const;
  static std::optional<GeneratorRequest> from_bytes(std::string const& bytes);
};

std::string to_bytes(Result<Emitted> const& reply);
std::string to_bytes(Result<CodeReport> const& reply);
std::string to_bytes(Result<std::vector<CodeRemark>> const& reply);
/// Empty: these bytes are no reply.
std::optional<Result<Emitted>> reply_from_bytes(std::string const& bytes);
std::optional<Result<CodeReport>> report_from_bytes(std::string const& bytes);
std::optional<Result<std::vector<CodeRemark>>> remarks_from_bytes(std::string const& bytes);
/// All lines that it names are there: who shows them may rely on that.
bool is_about(CodeReport const& report, std::string const& assembly);

/// False when the other end is gone.
bool send_bytes(int socket, std::string const& bytes);
enum class Received : uint8_t {
  kWhole,
  kGone,
  kLate,
  kTooLong,  ///< more than any answer is: the other end has lost its senses
};
/// `limit`: how long to wait for each part; negative: for ever.
Received receive_bytes(int socket, std::string& bytes, std::chrono::milliseconds limit);

}  // namespace tw
