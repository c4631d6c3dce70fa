/// Links objects into a shared library, in this process, with no toolchain installed.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

struct LinkOptions {
  /// Names that need no definition: whoever loads the library has them.
  std::vector<std::string> of_the_loader = {};
};

/// Links ELF objects of one machine into a shared library that needs no other library (but what
/// its loader has, where the options name something).
/// The same objects give the same bytes. Safe to call from several threads (links take turns). No
/// file of a disk is written, no signal's handler changed.
/// Errors: undefined_symbol (names the symbols), duplicate_symbol, link_failed.
Result<std::vector<std::byte>> link_shared_library(std::span<std::vector<std::byte> const> objects,
                                                   LinkOptions const& options = {});

}  // namespace tw
