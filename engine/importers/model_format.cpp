#include "engine/importers/model_format.h"

namespace tw {

ImportRules const& rules_of(std::string_view key) {
  static ImportRules const none;
  for (ModelFormat const* format : format_table())
    if (format->key == key) return format->rules();
  return none;
}

}  // namespace tw
