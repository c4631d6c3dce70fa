/// Functions that printed expressions call, as definitions in C.
#pragma once

#include <string>
#include <string_view>

#include "targets/shared/c_text/dialect.h"

namespace tw::c_text {

struct Helper {
  std::string name;
  std::string text;
  bool takes_fault = false;  ///< as its last argument
};

/// Kinds: floor_div, floor_mod, div, mod (by what may be zero), and the same with "_known" (by what
/// is not), shift_left, shift_right, abs, max, min, whole (a float to i64); of
/// floats of 16 bits number (of bits), bits (of a number) and rounded.
Helper helper_of(Dialect const& dialect, std::string_view kind, DType type);

}  // namespace tw::c_text
