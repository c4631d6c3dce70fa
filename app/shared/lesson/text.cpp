#include "app/shared/lesson/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace tw::lesson {
namespace {

using Kind = Mention::Kind;

/// More than facts are made of: who misspells one is told so, and does not find its braces in the
/// text.
bool is_meant_as_fact(std::string_view name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  auto fits = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !name.empty() && letter(name.front()) && std::ranges::all_of(name, fits);
}

/// From `at`, where "{" stands: what is between it and "}".
std::string_view braced(std::string_view text, size_t at) {
  size_t end = text.find('}', at);
  std::string_view name = end == text.npos ? "" : text.substr(at + 1, end - at - 1);
  return is_meant_as_fact(name) ? name : std::string_view();
}

Mention target_of(std::string_view target) {
  struct Begin {
    std::string_view word;
    Kind kind;
  };
  for (Begin begin :
       {Begin{"view:", Kind::kView}, Begin{"kernel:", Kind::kKernel}, Begin{"loop:", Kind::kLoop}})
    if (target.starts_with(begin.word))
      return {begin.kind, std::string(target.substr(begin.word.size())), 0};
  return {Kind::kFile, std::string(target), 0};
}

}  // namespace

std::vector<Mention> mentions_of(std::string_view line) {
  std::vector<Mention> found;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '{') {
      if (auto name = braced(line, i); !name.empty())
        found.push_back({Kind::kFact, std::string(name), 0});
    } else if (line.substr(i, 2) == "](") {
      size_t end = line.find(')', i);
      if (end == line.npos) break;
      found.push_back(target_of(line.substr(i + 2, end - i - 2)));
    }
  }
  return found;
}

std::string value_words(std::string const& fact, std::optional<session::FactValue> const& value) {
  if (!value) return "...";
  if (auto const* text = std::get_if<std::string>(&*value)) return *text;
  double number = std::get<double>(*value);
  std::string unit;
  for (journal::FactInfo const& info : journal::facts())
    if (info.name == fact) unit = info.unit;
  std::string words = number == std::round(number) && std::abs(number) < 1e15
                          ? fmt::format("{:.0f}", number)
                          : fmt::format("{:.3g}", number);
  return unit.empty() ? words : words + " " + unit;
}

std::string shown_text(
    Step const& step,
    std::function<std::optional<session::FactValue>(std::string const&)> const& fact) {
  std::string shown;
  for (size_t i = 0; i < step.text.size(); ++i) {
    std::string_view name = step.text[i] == '{' ? braced(step.text, i) : std::string_view();
    if (name.empty()) {
      shown += step.text[i];
      continue;
    }
    shown += value_words(std::string(name), fact(std::string(name)));
    i += name.size() + 1;
  }
  return shown;
}

}  // namespace tw::lesson
