/// What goes between a program and the process that generates code for it: a length, then that many
/// bytes. Both ends are of one build, so the format has no version.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "targets/shared/llvm/machine.h"

namespace tw {

struct GeneratorRequest {
  MachineOptions machine;
  CodeTier tier = CodeTier::kFast;
  CodeTexts texts = CodeTexts::kNone;
  std::string module;  ///< LLVM bitcode

  std::string to_bytes() const;
  static std::optional<GeneratorRequest> from_bytes(std::string const& bytes);
};

std::string to_bytes(Result<Emitted> const& reply);
/// Empty: these bytes are no reply.
std::optional<Result<Emitted>> reply_from_bytes(std::string const& bytes);

/// False when the other end is gone.
bool send_bytes(int socket, std::string const& bytes);
enum class Received : uint8_t { kWhole, kGone, kLate };
/// `limit`: how long to wait for each part; negative: for ever.
Received receive_bytes(int socket, std::string& bytes, std::chrono::milliseconds limit);

}  // namespace tw
