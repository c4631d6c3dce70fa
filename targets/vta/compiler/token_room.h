/// Whether the tokens of a kernel find room in the design's queues.
#pragma once

#include "targets/vta/stream/jit.h"

namespace tw::vta {

/// Errors: vta_tokens: in some run modules wait for room in full queues for ever, or a design that
/// does not wait loses a token.
Status check_token_room(CallProgram const& program);

}  // namespace tw::vta
