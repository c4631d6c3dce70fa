#include "tests/layering/class_sizes.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <string_view>

namespace tw::testing {
namespace {

/// Where what begins at `at` ends, if that is a comment, a text or a line of the preprocessor; else
/// `at`.
size_t end_of_noise(std::string const& text, size_t at) {
  auto after = [&](std::string const& what, size_t from) {
    size_t found = text.find(what, from);
    return found == std::string::npos ? text.size() : found + what.size();
  };
  std::string_view rest = std::string_view(text).substr(at);
  if (rest.starts_with("//") || rest.starts_with("#")) return after("\n", at);
  if (rest.starts_with("/*")) return after("*/", at);
  if (rest.starts_with("R\"")) {
    size_t open = text.find('(', at);
    return after(")" + text.substr(at + 2, open - at - 2) + "\"", open);
  }
  bool is_separator = at > 0 && std::isalnum(text[at - 1]);  // 1'000
  if (rest[0] != '"' && (rest[0] != '\'' || is_separator)) return at;
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == rest[0])
      return i + 1;
  }
  return text.size();
}

std::string code_of(std::string const& text) {
  std::string code;
  for (size_t at = 0; at < text.size();) {
    size_t end = end_of_noise(text, at);
    code += end == at ? text[at] : ' ';
    at = std::max(end, at + 1);
  }
  return code;
}

/// "std::map<int, std::function<void(int)>> f" -> "std::map f".
std::string without_arguments(std::string const& declaration) {
  std::string kept;
  int depth = 0;
  for (size_t i = 0; i < declaration.size(); ++i) {
    char one = declaration[i];
    bool is_arrow = one == '>' && i > 0 && declaration[i - 1] == '-';
    bool is_operator = kept.ends_with("operator") || kept.ends_with("operator<");
    if (one == '<' && !is_operator) ++depth;
    if (depth == 0) kept += one;
    if (one == '>' && !is_arrow && depth > 0) --depth;
  }
  return kept;
}

/// The name of a method that a declaration in a class is of; empty: of something else.
std::string method_of(std::string const& declaration) {
  std::string plain = without_arguments(declaration);
  // What begins with a comma goes on with a list of initializers.
  static std::regex const other(R"(^\s*(,|(using|friend|typedef|enum|static_assert|Q_\w+)\b))");
  if (std::regex_search(plain, other)) return {};
  static std::regex const name(
      R"((~?\b[A-Za-z_]\w*|operator\s*[^\s\w(]+|operator\s*\(\s*\))\s*\()");
  std::smatch found;
  if (!std::regex_search(plain, found, name)) return {};
  std::string before = found.prefix();
  if (before.find('=') != std::string::npos) return {};  // of a member's value
  return found[1];
}

/// Goes through one file; classes may be in each other.
class Reader {
public:
  Reader(std::string where, std::string const& text)
      : where_(std::move(where)), code_(code_of(text)) {}

  std::vector<ClassSize> read() {
    for (; at_ < code_.size(); at_ += size_t(closes()))  // a namespace ends
      read_one(nullptr);
    return std::move(sizes_);
  }

private:
  /// One declaration with all that is in its braces. `own`: of the class that it is in.
  void read_one(ClassSize* own) {
    size_t end = code_.find_first_of(";{}", at_);
    if (end == std::string::npos) return (void)(at_ = code_.size());
    std::string declaration = code_.substr(at_, end - at_);
    static std::regex const access(
        R"(\b(Q_OBJECT|(public|protected|private|signals|slots)\b[\s\w]*:(?!:)))");
    declaration = std::regex_replace(declaration, access, " ");
    at_ = end + size_t(code_[end] != '}');
    if (own)
      if (std::string method = method_of(declaration); !method.empty()) own->methods.insert(method);
    if (code_[end] == '{') read_braces(declaration);
  }

  void read_braces(std::string const& declaration) {
    static std::regex const kind(R"(\b(class|struct)\s+(\w+)(\s+final)?\s*(:[^:][\s\S]*)?$)");
    std::string plain = without_arguments(declaration);
    std::smatch found;
    if (plain.find('(') == std::string::npos && std::regex_search(plain, found, kind)) {
      ClassSize size{where_ + ": " + found[2].str(), {}};
      while (at_ < code_.size() && !closes()) read_one(&size);
      sizes_.push_back(std::move(size));
    } else if (plain.find("namespace") != std::string::npos) {
      return;  // what is in it comes next
    } else {
      while (at_ < code_.size() && !closes()) read_one(nullptr);
    }
    size_t end = code_.find('}', at_);
    at_ = end == std::string::npos ? code_.size() : end + 1;
  }

  /// Whether nothing but a closing brace is left of what is being read.
  bool closes() const {
    size_t next = code_.find_first_not_of(" \n\t,)", at_);
    return next == std::string::npos || code_[next] == '}';
  }

  std::string where_, code_;
  size_t at_ = 0;
  std::vector<ClassSize> sizes_;
};

}  // namespace

std::vector<ClassSize> class_sizes(std::string const& where, std::string const& text) {
  return Reader(where, text).read();
}

}  // namespace tw::testing
