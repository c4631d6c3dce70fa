#include "engine/session/step_words.h"

#include <algorithm>
#include <cctype>

namespace tw::session {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() &&
         (std::isalpha(static_cast<unsigned char>(text.front())) || text.front() == '_');
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// "16" of "factor=16", "o.0" of "conv2d.o.0".
std::string_view short_argument(std::string_view argument) {
  argument = trimmed(argument);
  size_t name = argument.find('=');
  if (name != std::string_view::npos && is_name(argument)) argument.remove_prefix(name + 1);
  size_t stage = argument.find('.');
  bool quoted = argument.find('"') != std::string_view::npos;
  if (is_name(argument) && !quoted && stage != std::string_view::npos)
    argument.remove_prefix(stage + 1);
  return argument;
}

}  // namespace

std::string short_step(std::string_view line) {
  size_t open = line.find('(');
  if (open == std::string_view::npos || !line.ends_with(')') ||
      line.find('\n') != std::string_view::npos)
    return std::string(line);
  std::string_view head = line.substr(0, open);
  if (size_t results = head.rfind("= "); results != std::string_view::npos)
    head.remove_prefix(results + 2);
  std::string words(trimmed(head));
  std::string_view arguments = line.substr(open + 1, line.size() - open - 2);
  int depth = 0;
  bool quoted = false;
  for (size_t begin = 0, i = 0; i <= arguments.size(); ++i) {
    char c = i < arguments.size() ? arguments[i] : ',';
    if (c == '"') quoted = !quoted;
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    bool ends = i == arguments.size() || (c == ',' && depth == 0 && !quoted);
    if (!ends) continue;
    std::string_view one = short_argument(arguments.substr(begin, i - begin));
    if (!one.empty()) words += " " + std::string(one);
    begin = i + 1;
  }
  return words;
}

}  // namespace tw::session
