#include "engine/device/words.h"

#include <algorithm>

#include "engine/support/base/printable.h"

namespace tw {

std::string one_line(std::string_view words, size_t most) {
  std::string line;
  while (!words.empty()) {
    size_t size = printable(words);
    if (line.size() + std::max<size_t>(size, 1) > most) break;
    if (size == 0)
      line += ' ';
    else
      line += words.substr(0, size);
    words.remove_prefix(std::max<size_t>(size, 1));
  }
  return line;
}

}  // namespace tw
