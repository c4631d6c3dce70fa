/// Text for a room full of people, as an action.
#pragma once

#include <string>

namespace tw::journal {

/// Half as large again; "off": as it was before.
struct Present {
  std::string state;  ///< "on" or "off"
};

}  // namespace tw::journal
