#include "engine/graph/attributes.h"

#include <fmt/format.h>

namespace tw {
namespace {

template <typename T>
T find_or(Attributes const& attributes, std::string_view name, T otherwise) {
  auto found = attributes.find(name);
  if (found == attributes.end()) return otherwise;
  T const* value = std::get_if<T>(&found->second);
  return value ? *value : otherwise;
}

struct ToText {
  std::string operator()(int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return fmt::format("{}", v); }
  std::string operator()(std::string const& v) const { return "'" + v + "'"; }
  std::string operator()(NDArray const& v) const {
    return fmt::format("{}[{}] #{:016x}", tw::to_text(v.type()), tw::to_text(v.shape()), v.hash());
  }
  template <typename T>
  std::string operator()(std::vector<T> const& v) const {
    std::string text;
    for (T const& item : v) text += fmt::format("{}{}", text.empty() ? "" : ", ", item);
    return "[" + text + "]";
  }
};

}  // namespace

int64_t integer(Attributes const& attributes, std::string_view name, int64_t otherwise) {
  return find_or<int64_t>(attributes, name, otherwise);
}

double number(Attributes const& attributes, std::string_view name, double otherwise) {
  return find_or<double>(attributes, name, otherwise);
}

std::string text(Attributes const& attributes, std::string_view name, std::string otherwise) {
  return find_or<std::string>(attributes, name, std::move(otherwise));
}

std::vector<int64_t> integers(Attributes const& attributes, std::string_view name,
                              std::vector<int64_t> otherwise) {
  return find_or<std::vector<int64_t>>(attributes, name, std::move(otherwise));
}

std::vector<double> numbers(Attributes const& attributes, std::string_view name) {
  return find_or<std::vector<double>>(attributes, name, {});
}

NDArray tensor(Attributes const& attributes, std::string_view name) {
  return find_or<NDArray>(attributes, name, {});
}

bool has(Attributes const& attributes, std::string_view name) {
  return attributes.find(name) != attributes.end();
}

std::string to_text(Attributes const& attributes) {
  std::string text;
  for (auto const& [name, value] : attributes)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, std::visit(ToText(), value));
  return text;
}

}  // namespace tw
