#include "engine/schedule/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <limits>

#include "engine/schedule/macros/expansion.h"
#include "engine/schedule/macros/macro_checks.h"
#include "engine/schedule/macros/macro_set.h"
#include "engine/schedule/step_text.h"

namespace tw {
namespace {

std::string value_text(ArgumentValue const& value) {
  if (auto const* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  std::string const& word = std::get<std::string>(value);
  return word.find_first_of(", ") != std::string::npos ? '"' + word + '"' : word;
}

/// "i, j -> j, i", as it is written, to the quote.
Result<ArgumentValue> parse_map(ir::LineReader& reader) {
  char const* begin = reader.peek().text.data();
  std::string_view last;
  while (reader.peek().text != "\"") {
    if (reader.at_end()) return reader.error("bad_list", "expected a quote after the map");
    last = reader.next().text;
  }
  reader.next();
  return ArgumentValue(std::string(begin, last.data() + last.size()));
}

/// "0,0,1": between quotes, as its commas would end the argument.
Result<ArgumentValue> parse_list(ir::LineReader& reader) {
  if (reader.peek().kind == ir::Token::kName) return parse_map(reader);
  std::string list;
  while (!reader.accept("\"")) {
    bool part = reader.peek().kind == ir::Token::kNumber || reader.peek().text == "," ||
                reader.peek().text == "-";
    if (!part) return reader.error("bad_list", "expected numbers with commas between them");
    list += reader.next().text;
  }
  if (!numbers_of(list))
    return reader.error("bad_list", "expected numbers with commas between them");
  return ArgumentValue(std::move(list));
}

Result<ArgumentValue> parse_value(ir::LineReader& reader) {
  if (reader.peek().kind == ir::Token::kName) return ArgumentValue(std::string(reader.next().text));
  if (reader.accept("\"")) return parse_list(reader);
  bool negative = reader.accept("-");
  TRY_ASSIGN(int64_t number, reader.integer("a number or a word"));
  return ArgumentValue(negative ? -number : number);
}

StepNames names_of(MacroSet const* macros) {
  return [macros](std::string_view name) {
    return find_primitive(name) || (macros && macros->find(name));
  };
}

Status parse_head(ir::LineReader& reader) {
  TRY(reader.expect("tilewright"));
  TRY(reader.expect("schedule"));
  TRY_ASSIGN(int64_t version, reader.integer("a version"));
  if (version != 1)
    return reader.error(
        "unknown_version",
        fmt::format("this is schedule version {}; only version 1 can be read", version));
  return reader.end();
}

/// The argument's name of today, where an older script has another.
std::string argument_called(std::string const& name, std::string const& step) {
  if (Primitive const* primitive = primitive_of_table(step))
    for (Parameter const& parameter : primitive->parameters)
      if (!name.empty() && parameter.former == name) return parameter.name;
  return name;
}

}  // namespace

Result<Step> read_step(ir::LineReader& reader, StepNames const& is_step) {
  Step step;
  TRY_ASSIGN(std::string first, reader.name("a primitive or a loop's name"));
  if (reader.peek().text == "," || reader.peek().text == "=") {
    step.gives.push_back(first);
    while (reader.accept(",")) {
      TRY_ASSIGN(std::string name, reader.name("a loop's name"));
      step.gives.push_back(std::move(name));
    }
    TRY(reader.expect("="));
    TRY_ASSIGN(first, reader.name("a primitive"));
  }
  step.primitive = first;
  if (!is_step(step.primitive))
    return reader.error("unknown_primitive",
                        fmt::format("there is no primitive '{}'", step.primitive));
  TRY(reader.expect("("));
  while (!reader.accept(")")) {
    TRY_ASSIGN(std::string name, reader.name("a loop or an argument"));
    if (reader.accept("=")) {
      name = argument_called(name, step.primitive);
      if (step.arguments.contains(name))
        return reader.error("argument_twice", fmt::format("'{}' is given twice", name));
      TRY_ASSIGN(step.arguments[name], parse_value(reader));
    } else {
      if (!step.arguments.empty())
        return reader.error("loop_after_argument", "loops must come before named arguments");
      step.targets.push_back(std::move(name));
    }
    if (reader.peek().text != ")") TRY(reader.expect(","));
  }
  TRY(reader.end());
  return step;
}

std::optional<std::vector<int64_t>> numbers_of(std::string_view list) {
  std::vector<int64_t> numbers;
  for (;;) {
    int64_t number = 0;
    auto [end, failed] = std::from_chars(list.data(), list.data() + list.size(), number);
    if (failed != std::errc()) return {};
    numbers.push_back(number);
    list.remove_prefix(size_t(end - list.data()));
    if (list.empty()) return numbers;
    if (list[0] != ',') return {};
    list.remove_prefix(1);
  }
}

Primitive const* find_primitive(std::string_view name) {
  if (Primitive const* primitive = primitive_of_table(name)) return primitive;
  Macro const* macro = program_macros().find(name);
  return macro ? &macro->head : nullptr;
}

std::string to_text(Step const& step) {
  std::string text = step.gives.empty() ? "" : fmt::format("{} = ", fmt::join(step.gives, ", "));
  std::string inside = fmt::format("{}", fmt::join(step.targets, ", "));
  for (auto const& [name, value] : step.arguments)
    inside += fmt::format("{}{}={}", inside.empty() ? "" : ", ", name, value_text(value));
  return text + step.primitive + "(" + inside + ")";
}

std::string to_script(std::string const& kernel, std::vector<Step> const& steps) {
  std::string text = "tilewright schedule 1\n";
  if (!kernel.empty()) text += "for " + kernel + "\n";
  for (Step const& step : steps) text += to_text(step) + "\n";
  return text;
}

Result<Script> parse_script(std::string_view text, std::string const& file, bool bare,
                            MacroSet const* macros) {
  StepNames is_step = names_of(macros);
  Script script;
  int number = 0;
  bool head = bare;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++number;
    TRY_ASSIGN(ir::LineReader reader, ir::LineReader::create(line, file, number));
    if (reader.at_end()) continue;
    if (!head) {
      TRY(parse_head(reader));
      head = true;
    } else if (reader.peek().text == "for" && script.steps.empty() && script.kernel.empty()) {
      reader.next();
      TRY_ASSIGN(script.kernel, reader.name("the kernel's name"));
      script.kernel_line = number;
      TRY(reader.end());
    } else {
      TRY_ASSIGN(Step step, read_step(reader, is_step));
      script.steps.emplace_back(number, std::move(step));
    }
  }
  if (!head)
    return bad_input("not_a_script", "a schedule starts with 'tilewright schedule 1'",
                     Place{file, 1, 0, {}});
  return script;
}

Result<Step> parse_step(std::string_view line, MacroSet const* macros) {
  TRY_ASSIGN(ir::LineReader reader, ir::LineReader::create(line, "", 0));
  return read_step(reader, names_of(macros));
}

Result<std::vector<Step>> parse_steps(std::string_view line, MacroSet const* macros) {
  std::vector<Step> steps;
  for (;;) {
    size_t end = line.find(';');
    TRY_ASSIGN(Step step, parse_step(line.substr(0, end), macros));
    steps.push_back(std::move(step));
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + 1);
  }
  return steps;
}

nlohmann::ordered_json to_json(Step const& step) {
  nlohmann::ordered_json json = {{"step", step.primitive}, {"loops", step.targets}};
  for (auto const& [name, value] : step.arguments)
    std::visit([&, &key = name](auto const& v) { json[key] = v; }, value);
  if (!step.gives.empty()) json["gives"] = step.gives;
  return json;
}

Result<Step> step_from_json(nlohmann::ordered_json const& json) {
  auto wrong = [](std::string message) { return bad_input("bad_step", std::move(message)); };
  auto words = [](nlohmann::ordered_json const& list, std::vector<std::string>& into) {
    if (!list.is_array()) return false;
    for (auto const& item : list) {
      if (!item.is_string()) return false;
      into.push_back(item);
    }
    return true;
  };
  Step step;
  if (!json.is_object() || !json.contains("step") || !json["step"].is_string())
    return wrong("a step must be an object with \"step\"");
  step.primitive = json["step"];
  for (auto const& [key, value] : json.items()) {
    if (key == "step") continue;
    if (key == "loops" || key == "gives") {
      if (!words(value, key == "loops" ? step.targets : step.gives))
        return wrong(fmt::format("\"{}\" is a list of names", key));
    } else if (value.is_number_integer())
      step.arguments[argument_called(key, step.primitive)] = value.get<int64_t>();
    else if (value.is_string())
      step.arguments[argument_called(key, step.primitive)] = value.get<std::string>();
    else
      return wrong(fmt::format("\"{}\" is neither a number nor a word", key));
  }
  return step;
}

std::expected<Schedule, Refusal> replay(Schedule schedule, Script const& script,
                                        MacroSet const* macros) {
  if (!script.kernel.empty() && script.kernel != schedule.origin().name) {
    Refusal refusal;
    refusal.code = "other_kernel";
    refusal.message = fmt::format("the script is for the kernel {}, not for {}", script.kernel,
                                  schedule.origin().name);
    refusal.line = script.kernel_line;
    return std::unexpected(std::move(refusal));
  }
  for (auto const& [line, step] : script.steps) {
    bool own = macros && !find_primitive(step.primitive);
    // The schedule stays as it is where the step is refused.
    auto next = own ? apply_step(schedule, step, *macros) : std::move(schedule).apply(step);
    if (!next) {
      Refusal refusal = next.error();
      refusal.line = line;
      return std::unexpected(std::move(refusal));
    }
    schedule = std::move(*next);
  }
  return schedule;
}

}  // namespace tw
