#include "app/cli/plain_text.h"

#include "engine/device/words.h"

namespace tw::cli {
namespace {

constexpr size_t kMostBytes = 1 << 20;  // of a line: a program's may be long

}  // namespace

std::string plain(std::string_view text) { return one_line(text, kMostBytes); }

std::string plain_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    lines += plain(text.substr(0, end));
    if (end == std::string_view::npos) break;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace tw::cli
