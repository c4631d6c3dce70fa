/// What a machine must be, to run code that was made for a target. Plain data.
#pragma once

#include <string>
#include <vector>

namespace tw {

/// In the words of the target: an exported package says it, and a processor checks it.
struct MachineNeeds {
  std::string architecture;           ///< of its instructions
  std::string processor;              ///< the kind that the code was tuned for
  std::vector<std::string> features;  ///< that the code uses
  bool operator==(MachineNeeds const&) const = default;
};

}  // namespace tw
