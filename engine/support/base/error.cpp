#include "engine/support/base/error.h"

#include <cstdio>
#include <cstdlib>

namespace tw {

std::string to_sentence(Error const& error) {
  std::string place;
  if (!error.place.file.empty()) place = error.place.file;
  if (error.place.line > 0) {
    if (place.empty()) place = "line";
    place += (error.place.file.empty() ? " " : ":") + std::to_string(error.place.line);
    if (error.place.column > 0) place += ":" + std::to_string(error.place.column);
  }
  if (!error.place.node.empty()) {
    if (!place.empty()) place += ", ";
    place += "node " + error.place.node;
  }
  return place.empty() ? error.message : place + ": " + error.message;
}

void assertion_failed(char const* condition, char const* why, char const* file, int line) {
  std::fprintf(stderr, "%s:%d: internal error: %s (%s)\n", file, line, condition, why);
  std::abort();
}

}  // namespace tw
