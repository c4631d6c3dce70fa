#include "engine/importers/function.h"

#include <algorithm>
#include <charconv>

#include "engine/importers/known_attributes.h"

namespace tw {
namespace {

/// Reads one line of a body. Bodies are ours: what does not parse is a mistake of the program.
class LineReader {
public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  ForeignNode node() {
    ForeignNode node;
    node.outputs = names('=');
    node.op_type = word();
    if (take('<')) do {
        std::string name = word();
        expect('=');
        node.attributes[name] = value();
      } while (!take('>') && take(','));
    expect('(');
    node.inputs = names(')');
    return node;
  }

private:
  void skip() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) { TW_ASSERT(take(c), "a function's body is well formed"); }

  std::string word() {
    skip();
    size_t end = rest_.find_first_of(" ,=<>()[]");
    std::string result(rest_.substr(0, end));
    rest_.remove_prefix(result.size());
    return result;
  }

  /// Up to `end`; an empty one is an absent operand.
  std::vector<std::string> names(char end) {
    std::vector<std::string> list;
    if (take(end)) return list;
    do list.push_back(word());
    while (take(','));
    expect(end);
    return list;
  }

  template <typename T>
  static T number(std::string const& text) {
    T result = 0;
    std::from_chars(text.data(), text.data() + text.size(), result);
    return result;
  }

  ForeignAttribute value() {
    skip();
    if (take('\'')) {
      std::string result(rest_.substr(0, rest_.find('\'')));
      rest_.remove_prefix(result.size() + 1);
      return result;
    }
    if (take('[')) {
      std::vector<int64_t> list;
      for (std::string const& item : names(']')) list.push_back(number<int64_t>(item));
      return list;
    }
    std::string text = word();
    if (text.find_first_of(".en") == std::string::npos) return number<int64_t>(text);
    return number<double>(text);
  }

  std::string_view rest_;
};

std::vector<ForeignNode> parsed(std::string_view body) {
  std::vector<ForeignNode> nodes;
  while (!body.empty()) {
    std::string_view line = body.substr(0, body.find('\n'));
    if (line.find('=') != std::string_view::npos) nodes.push_back(LineReader(line).node());
    body.remove_prefix(std::min(body.size(), line.size() + 1));
  }
  return nodes;
}

}  // namespace

Result<std::vector<ForeignNode>> instantiate(Converter const& rule, ForeignContext const& context,
                                             std::string const& name,
                                             std::set<std::string>& taken) {
  ForeignNode const& node = context.node;
  if (std::string unknown = unknown_attribute(rule.attributes, node, context.opset);
      !unknown.empty())
    return bad_input("unsupported", unknown);
  FunctionBody const& function = *rule.function;
  TRY_ASSIGN(std::string body, function.body(context));
  std::map<std::string, std::string> names;
  for (size_t i = 0; i < function.inputs.size(); ++i)
    names[function.inputs[i]] = i < node.inputs.size() ? node.inputs[i] : "";
  for (size_t i = 0; i < function.outputs.size() && i < node.outputs.size(); ++i)
    if (!node.outputs[i].empty()) names[function.outputs[i]] = node.outputs[i];
  auto inner = [&](std::string const& value) {
    std::string wish = name + "/" + value, unique = wish;
    for (int i = 1; !taken.insert(unique).second; ++i) unique = wish + "_" + std::to_string(i);
    return unique;
  };
  std::vector<ForeignNode> nodes = parsed(body);
  for (ForeignNode& made : nodes)
    for (auto* list : {&made.inputs, &made.outputs})
      for (std::string& value : *list) {
        if (value.empty()) continue;
        if (!names.contains(value)) names[value] = inner(value);
        value = names[value];
      }
  return nodes;
}

}  // namespace tw
