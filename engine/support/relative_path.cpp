#include "engine/support/relative_path.h"

namespace tw {

bool stays_below(std::filesystem::path const& name) {
  if (name.empty() || name.is_absolute() || name.has_root_name() || !name.has_filename())
    return false;
  for (std::filesystem::path const& part : name)
    if (part == "..") return false;
  return true;
}

}  // namespace tw
