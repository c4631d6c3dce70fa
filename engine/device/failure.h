/// A failure as an answer.
#pragma once

#include "engine/device/messages.pb.h"
#include "engine/support/base/error.h"

namespace tw {

wire::Response failure(Error const& error);

/// Of a process that lives on without the memory for one call.
Error no_memory_left();

}  // namespace tw
