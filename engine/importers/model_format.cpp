#include "engine/importers/model_format.h"

namespace tw {

Converters const& converters_of(std::string_view key) {
  static Converters const none;
  for (ModelFormat const* format : format_table())
    if (format->key == key) return format->rules();
  return none;
}

}  // namespace tw
