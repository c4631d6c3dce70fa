#include "app/shared/journal/words.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace tw::journal {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (c == '\n')
      out += "\\n";
    else if (is_control(c))
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + '"';
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string word_text(std::string_view word) {
  bool plain = !word.empty() && word.front() != '#';
  for (char c : word) plain &= !is_blank(c) && !is_control(c) && c != '"' && c != '\\';
  return plain ? std::string(word) : in_quotes(word);
}

std::string rest_text(std::string_view rest) {
  bool plain =
      !rest.empty() && rest.front() != '"' && !is_blank(rest.front()) && !is_blank(rest.back());
  for (char c : rest) plain &= !is_control(c);
  return plain ? std::string(rest) : in_quotes(rest);
}

std::string number_text(double number) { return fmt::format("{}", number); }

void Reader::skip() {
  while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
}

std::unexpected<Error> Reader::wrong(std::string message, size_t at) const {
  Place place = place_;
  place.column = int(at) + 1;
  return bad_input("unusable_argument", std::move(message), place);
}

Result<std::string> Reader::quoted() {
  size_t begin = at_++;
  std::string text;
  while (at_ < line_.size() && line_[at_] != '"') {
    char c = line_[at_++];
    if (c != '\\') {
      text += c;
      continue;
    }
    char escape = at_ < line_.size() ? line_[at_++] : ' ';
    if (escape == '"' || escape == '\\') {
      text += escape;
    } else if (escape == 'n') {
      text += '\n';
    } else if (escape == 'x' && at_ + 2 <= line_.size() && digit_of(line_[at_]) >= 0 &&
               digit_of(line_[at_ + 1]) >= 0) {
      text += char(digit_of(line_[at_]) * 16 + digit_of(line_[at_ + 1]));
      at_ += 2;
    } else {
      return wrong("in quotes, a \\ can only be followed by \\\", \\\\, \\n or \\x with two digits",
                   at_ - 1);
    }
  }
  if (at_ == line_.size()) return wrong("the closing quote is missing", begin);
  ++at_;
  if (at_ < line_.size() && !is_blank(line_[at_])) return wrong("a space must follow a quote");
  skip();
  return text;
}

Result<std::string> Reader::word(std::string_view what) {
  if (at_end()) return wrong(fmt::format("{} is missing", what));
  if (line_[at_] == '"') return quoted();
  size_t begin = at_;
  while (at_ < line_.size() && !is_blank(line_[at_])) ++at_;
  std::string word(line_.substr(begin, at_ - begin));
  skip();
  return word;
}

Result<std::string> Reader::rest(std::string_view what) {
  if (at_end()) return wrong(fmt::format("{} is missing", what));
  if (line_[at_] == '"') {
    TRY_ASSIGN(std::string text, quoted());
    TRY(end());
    return text;
  }
  std::string_view left = line_.substr(at_);
  while (is_blank(left.back())) left.remove_suffix(1);
  at_ = line_.size();
  return std::string(left);
}

Result<double> Reader::number(std::string_view what) {
  size_t begin = at_;
  TRY_ASSIGN(std::string text, word(what));
  double value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return wrong(fmt::format("{} must be a number, not '{}'", what, text), begin);
  return value;
}

Result<int> Reader::integer(std::string_view what) {
  size_t begin = at_;
  TRY_ASSIGN(std::string text, word(what));
  int value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size())
    return wrong(fmt::format("{} must be an integer, not '{}'", what, text), begin);
  return value;
}

bool Reader::take(std::string_view word) {
  if (!line_.substr(at_).starts_with(word)) return false;
  size_t after = at_ + word.size();
  if (after < line_.size() && !is_blank(line_[after])) return false;
  at_ = after;
  skip();
  return true;
}

Status Reader::end() {
  if (at_end()) return {};
  return wrong(fmt::format("'{}' is not expected here", line_.substr(at_)));
}

}  // namespace tw::journal
