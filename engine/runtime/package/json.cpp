#include "engine/runtime/package/json.h"

#include <charconv>

namespace tw::json {
namespace {

constexpr int kMostNesting = 100;

void append_utf8(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out.push_back(char(code));
  } else if (code < 0x800) {
    out.push_back(char(0xC0 | code >> 6));
    out.push_back(char(0x80 | (code & 0x3F)));
  } else {
    out.push_back(char(0xE0 | code >> 12));
    out.push_back(char(0x80 | (code >> 6 & 0x3F)));
    out.push_back(char(0x80 | (code & 0x3F)));
  }
}

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Value> parse() {
    TRY_ASSIGN(Value value, parse_value(0));
    skip_space();
    if (at_ != text_.size()) return wrong("text after the end");
    return value;
  }

private:
  std::unexpected<Error> wrong(std::string what) const {
    return bad_input("bad_json", what + " at byte " + std::to_string(at_));
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }

  /// Whether `word` comes next; steps over it.
  bool take(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Result<Value> parse_value(int depth) {
    if (depth > kMostNesting) return wrong("nested too deeply");
    if (take("{")) return parse_object(depth);
    if (take("[")) return parse_list(depth);
    if (take("\"")) {
      Value value{Kind::kText};
      TRY_ASSIGN(value.text, parse_text());
      return value;
    }
    if (take("true")) return Value{Kind::kBool, 1};
    if (take("false")) return Value{Kind::kBool, 0};
    if (take("null")) return Value{};
    return parse_number();
  }

  Result<Value> parse_number() {
    Value value{Kind::kNumber};
    char const* begin = text_.data() + at_;
    auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value.number);
    if (error != std::errc()) return wrong("no value");
    at_ += size_t(end - begin);
    if (at_ < text_.size() && std::string_view(".eE").find(text_[at_]) != text_.npos)
      return wrong("a number that is not an integer");
    return value;
  }

  /// After the opening quote.
  Result<std::string> parse_text() {
    std::string text;
    while (at_ < text_.size()) {
      char c = text_[at_++];
      if (c == '"') return text;
      if (uint8_t(c) < 0x20) return wrong("a control character in a text");
      if (c != '\\') {
        text.push_back(c);
        continue;
      }
      TRY(parse_escape(text));
    }
    return wrong("a string without an end");
  }

  Status parse_escape(std::string& text) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    char c = at_ < text_.size() ? text_[at_++] : '\0';
    if (c == 'u') {
      std::string_view digits = text_.substr(at_, 4);
      uint32_t code = 0;
      auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
      if (error != std::errc() || end != digits.data() + 4) return wrong("an invalid \\u escape");
      at_ += 4;
      append_utf8(code, text);
      return {};
    }
    size_t which = c == '\0' ? kNames.npos : kNames.find(c);
    if (which == kNames.npos) return wrong("an unknown escape");
    text.push_back(kMeant[which]);
    return {};
  }

  Result<Value> parse_list(int depth) {
    Value value{Kind::kList};
    if (take("]")) return value;
    do {
      TRY_ASSIGN(Value item, parse_value(depth + 1));
      value.items.push_back(std::move(item));
    } while (take(","));
    if (!take("]")) return wrong("a list without an end");
    return value;
  }

  Result<Value> parse_object(int depth) {
    Value value{Kind::kObject};
    if (take("}")) return value;
    do {
      if (!take("\"")) return wrong("a member without a name");
      TRY_ASSIGN(std::string name, parse_text());
      if (!take(":")) return wrong("a member without a value");
      TRY_ASSIGN(Value item, parse_value(depth + 1));
      value.members.push_back({std::move(name), std::move(item)});
    } while (take(","));
    if (!take("}")) return wrong("an object without an end");
    return value;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Value const* Value::find(std::string_view name) const {
  for (auto const& [key, value] : members)
    if (key == name) return &value;
  return nullptr;
}

Result<Value> parse(std::string_view text) { return Parser(text).parse(); }

std::string quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (uint8_t(c) < 0x20 || uint8_t(c) == 0x7F) {
      out += "\\u00";
      out.push_back(kHex[uint8_t(c) >> 4]);
      out.push_back(kHex[uint8_t(c) & 15]);
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

}  // namespace tw::json
