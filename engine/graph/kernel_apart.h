/// Nodes whose result lies in memory because a target asked for that.
#pragma once

namespace tw {

/// The name of a way to compute an operator: what reads its result is in another kernel.
inline constexpr char kAlone[] = "alone";

}  // namespace tw
