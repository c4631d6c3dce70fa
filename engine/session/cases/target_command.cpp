#include "engine/session/target_command.h"

#include <charconv>

namespace tw::session {

void CommandArguments::set(std::string const& name, std::vector<std::string> values) {
  if (!values.empty()) values_[name] = std::move(values);
}

std::string CommandArguments::text(std::string const& name, std::string const& fallback) const {
  auto found = values_.find(name);
  return found == values_.end() ? fallback : found->second.back();
}

std::vector<std::string> CommandArguments::all(std::string const& name) const {
  auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

int64_t CommandArguments::number(std::string const& name, int64_t fallback) const {
  std::string word = text(name);
  int64_t value = fallback;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

}  // namespace tw::session
