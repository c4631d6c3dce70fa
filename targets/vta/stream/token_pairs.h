/// Which push of a call program goes with which pop.
#pragma once

#include <array>
#include <span>

#include "targets/vta/stream/calls.h"

namespace tw::vta {

/// For each call and each of its four tokens the call at the other end; -1: it has no such token,
/// or nobody pops what it pushes.
struct TokenPartners {
  int32_t pop_prev = -1, pop_next = -1, push_prev = -1, push_next = -1;
};

/// The k-th pop of a queue takes what its k-th push gave. Errors: bad_kernel, where a pop has no
/// push before it, or a module has no neighbour on that side.
Result<std::vector<TokenPartners>> token_partners(std::span<Call const> calls);

}  // namespace tw::vta
