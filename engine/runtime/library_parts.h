/// A library of several parts: code for the host beside images for devices. For targets that have
/// no other format for that.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

/// What a name says is between a target's backend and its processor: "host", "ptx", "cubin:sm_90a".
struct LibraryPart {
  std::string name;
  std::span<std::byte const> bytes;
};

/// The same parts give the same bytes.
std::vector<std::byte> join_parts(std::span<LibraryPart const> parts);

/// Of untrusted bytes; the parts are views of these, which may lie at any address. Errors:
/// module_not_loadable.
Result<std::vector<LibraryPart>> split_parts(std::span<std::byte const> library);

/// The part of that name. Errors: module_not_loadable.
Result<std::span<std::byte const>> find_part(std::span<LibraryPart const> parts,
                                             std::string const& name);

}  // namespace tw
