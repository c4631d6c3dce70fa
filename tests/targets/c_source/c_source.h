/// A target whose code is C: whoever has a C compiler has its processor. No product needs one; it
/// is a row of the tests' table of targets, and a second opinion on what kernel IR means.
#pragma once

namespace tw::c_source {

inline constexpr char kName[] = "c_source";
/// The first line of every library.
inline constexpr char kMagic[] = "/* tilewright C source 1 */\n";

}  // namespace tw::c_source
