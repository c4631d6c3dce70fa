/// The four queues of dependence tokens between neighbouring modules, and what an instruction takes
/// from them and gives to them. Source: Moreau et al. 2018, §2.3.
#pragma once

#include <array>

#include "targets/vta/hardware/instruction.h"

namespace tw::vta {

enum class TokenQueue : uint8_t {
  kLoadToCompute = 0,  ///< data is there
  kComputeToLoad = 1,  ///< a buffer is free
  kComputeToStore = 2,
  kStoreToCompute = 3,
};
inline constexpr int kTokenQueues = 4;

std::string_view to_text(TokenQueue queue);  ///< "load -> compute"
Module source_of(TokenQueue queue);
Module sink_of(TokenQueue queue);

/// At most two of four, in the order prev, next.
struct QueueList {
  std::array<TokenQueue, 2> queues{};
  int count = 0;
  TokenQueue const* begin() const { return queues.data(); }
  TokenQueue const* end() const { return queues.data() + count; }
};
QueueList pops_of(Instruction const& instruction);
QueueList pushes_of(Instruction const& instruction);

/// Errors: impossible_instruction: a token of a neighbour that the module does not have.
Status check_tokens(Instruction const& instruction);

}  // namespace tw::vta
