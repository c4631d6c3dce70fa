#include "engine/schedule/macros/macro.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "engine/schedule/step_text.h"
#include "engine/schedule/trace.h"

namespace tw {
namespace {

constexpr int64_t kMostNumber = int64_t(1) << 40;
constexpr size_t kMostLines = 1000;

/// A line without its last part in quotes, and that part: it is free text.
struct Quoted {
  std::string_view line;
  std::optional<std::string> text;
};

Quoted quoted(std::string_view line) {
  size_t begin = line.find('"');
  size_t end = line.find_last_not_of(" \t\r");
  if (begin == std::string_view::npos || end == begin || line[end] != '"') return {line, {}};
  return {line.substr(0, begin), std::string(line.substr(begin + 1, end - begin - 1))};
}

class MacroReader {
public:
  MacroReader(std::string_view text, std::string const& file) : text_(text) { macro_.file = file; }

  Result<Macro> read() {
    while (!text_.empty()) {
      size_t end = text_.find('\n');
      std::string_view line = text_.substr(0, end);
      text_ = end == std::string_view::npos ? std::string_view() : text_.substr(end + 1);
      ++number_;
      TRY(part_ == Part::kBody ? read_body_line(line) : read_line(line));
    }
    if (part_ == Part::kStart)
      return bad_input("not_a_macro", "a macro starts with 'tilewright macro 1'", at_end());
    if (part_ == Part::kSignature)
      return bad_input("not_a_macro", "a macro needs 'macro NAME(...)'", at_end());
    if (macro_.body.empty())
      return bad_input("no_steps", "a macro needs 'steps' and at least one step", at_end());
    if (macro_.head.title.empty()) macro_.head.title = macro_.head.name;
    return std::move(macro_);
  }

private:
  enum class Part : uint8_t { kStart, kSignature, kHead, kBody };

  Place at_end() const { return {macro_.file, std::max(number_, 1), 0, {}}; }

  Status read_line(std::string_view line) {
    auto [words, text] = quoted(line);
    TRY_ASSIGN(ir::LineReader reader, ir::LineReader::create(words, macro_.file, number_));
    if (reader.at_end() && !text) return {};
    if (part_ == Part::kStart) return read_version(reader);
    if (part_ == Part::kSignature) return read_signature(reader);
    if (reader.accept("steps")) {
      part_ = Part::kBody;
      return reader.end();
    }
    for (auto [word, into] :
         {std::pair{"title", &macro_.head.title}, std::pair{"doc", &macro_.head.doc},
          std::pair{"rewrite", &macro_.head.rewrite}})
      if (reader.accept(word)) {
        TRY(reader.end());
        if (!text)
          return reader.error("no_text", fmt::format("expected a text in quotes after {}", word));
        *into += (into->empty() ? "" : " ") + *text;
        return {};
      }
    return read_parameter(reader, text.value_or(""));
  }

  Status read_version(ir::LineReader& reader) {
    TRY(reader.expect("tilewright"));
    TRY(reader.expect("macro"));
    TRY_ASSIGN(int64_t version, reader.integer("a version"));
    if (version != 1)
      return reader.error(
          "unknown_version",
          fmt::format("this is macro version {}; only version 1 can be read", version));
    part_ = Part::kSignature;
    return reader.end();
  }

  /// "macro tile(loop i, block C) -> i.0, i.1"
  Status read_signature(ir::LineReader& reader) {
    TRY(reader.expect("macro"));
    ir::LineReader name = reader;
    TRY_ASSIGN(macro_.head.name, reader.name("the macro's name"));
    if (macro_.head.name.contains('.')) return name.error("bad_name", "a macro's name has no dots");
    TRY(reader.expect("("));
    do {
      bool block = reader.peek().text == "block";
      if (!block && reader.peek().text != "loop")
        return reader.error("bad_target", "expected 'loop' or 'block'");
      reader.next();
      TRY(take_name(reader, macro_.targets));
      macro_.head.kinds.push_back(block ? TargetKind::kBlock : TargetKind::kLoop);
    } while (reader.accept(","));
    TRY(reader.expect(")"));
    if (reader.accept("->")) do {
        TRY(take_name(reader, macro_.gives));
      } while (reader.accept(","));
    macro_.head.targets = int(macro_.targets.size());
    macro_.head.gives = int(macro_.gives.size());
    macro_.line = number_;
    part_ = Part::kHead;
    return reader.end();
  }

  Status take_name(ir::LineReader& reader, std::vector<std::string>& names) {
    ir::LineReader before = reader;
    TRY_ASSIGN(std::string name, reader.name("a name"));
    bool taken = std::ranges::find(macro_.targets, name) != macro_.targets.end() ||
                 std::ranges::find(macro_.gives, name) != macro_.gives.end();
    if (taken) return before.error("name_taken", fmt::format("the name {} is already used", name));
    names.push_back(std::move(name));
    return {};
  }

  Status read_parameter(ir::LineReader& reader, std::string doc) {
    ir::LineReader before = reader;
    TRY_ASSIGN(std::string kind, reader.name("a kind of parameter, or 'steps'"));
    Parameter parameter{.doc = std::move(doc)};
    bool number = kind == "number", choice = kind == "choice";
    parameter.word = kind == "word";
    parameter.scope = kind == "scope";
    parameter.axis = kind == "axis";
    parameter.intrinsic = kind == "instruction";
    parameter.list = kind == "numbers";
    bool known = number || choice || parameter.word || parameter.scope || parameter.axis ||
                 parameter.intrinsic || parameter.list;
    if (!known)
      return before.error("unknown_kind",
                          fmt::format("'{}' is none of title, doc, rewrite, number, choice, word, "
                                      "scope, axis, instruction, numbers and steps",
                                      kind));
    TRY(read_parameter_name(reader, parameter));
    if (number) TRY(read_range(reader, parameter));
    if (choice) TRY(read_choices(reader, parameter));
    if (!number) parameter.low = parameter.high = 0;
    TRY(read_preset(reader, parameter));
    macro_.head.parameters.push_back(std::move(parameter));
    return reader.end();
  }

  Status read_parameter_name(ir::LineReader& reader, Parameter& parameter) {
    ir::LineReader before = reader;
    TRY_ASSIGN(parameter.name, reader.name("the parameter's name"));
    auto const& all = macro_.head.parameters;
    bool taken = std::ranges::find(all, parameter.name, &Parameter::name) != all.end() ||
                 std::ranges::find(macro_.targets, parameter.name) != macro_.targets.end();
    if (taken)
      return before.error("name_taken", fmt::format("the name {} is already used", parameter.name));
    return {};
  }

  /// "from 1 to 64 counts i"
  Status read_range(ir::LineReader& reader, Parameter& parameter) {
    parameter.high = kMostNumber;
    if (reader.accept("from")) {
      TRY_ASSIGN(parameter.low, read_number(reader));
      TRY(reader.expect("to"));
      TRY_ASSIGN(parameter.high, read_number(reader));
      if (parameter.high < parameter.low)
        return reader.error("bad_range", fmt::format("there is no number from {} to {}",
                                                     parameter.low, parameter.high));
    }
    if (!reader.accept("counts")) return {};
    ir::LineReader before = reader;
    TRY_ASSIGN(std::string loop, reader.name("a loop"));
    auto found = std::ranges::find(macro_.targets, loop);
    size_t index = size_t(found - macro_.targets.begin());
    if (found == macro_.targets.end() || macro_.head.kinds[index] != TargetKind::kLoop)
      return before.error("unknown_name",
                          fmt::format("'{}' is not a loop of the macro's targets", loop));
    parameter.counts = index;
    return {};
  }

  static Result<int64_t> read_number(ir::LineReader& reader) {
    bool negative = reader.accept("-");
    TRY_ASSIGN(int64_t number, reader.integer("a number"));
    return negative ? -number : number;
  }

  /// "of row, column"
  Status read_choices(ir::LineReader& reader, Parameter& parameter) {
    TRY(reader.expect("of"));
    do {
      TRY_ASSIGN(std::string word, reader.name("a word"));
      parameter.choices.push_back(std::move(word));
    } while (reader.accept(","));
    return {};
  }

  /// "= 8", "= shared", "optional"
  Status read_preset(ir::LineReader& reader, Parameter& parameter) {
    if (reader.accept("optional")) {
      parameter.optional = true;
      return {};
    }
    ir::LineReader before = reader;
    if (!reader.accept("=")) return {};
    if (parameter.list)
      return before.error("bad_preset", "numbers cannot be preset: make them optional");
    bool number = parameter.choices.empty() && !parameter.word && !parameter.scope &&
                  !parameter.axis && !parameter.intrinsic;
    before = reader;
    if (number) {
      TRY_ASSIGN(int64_t preset, read_number(reader));
      if (preset < parameter.low || preset > parameter.high)
        return before.error("bad_preset", fmt::format("{} is not from {} to {}", preset,
                                                      parameter.low, parameter.high));
      parameter.preset = preset;
      return {};
    }
    TRY_ASSIGN(std::string word, reader.name("a word"));
    auto const& choices = parameter.choices;
    if (!choices.empty() && std::ranges::find(choices, word) == choices.end())
      return before.error("bad_preset",
                          fmt::format("'{}' is none of {}", word, fmt::join(choices, ", ")));
    parameter.optional = true;
    macro_.presets[parameter.name] = std::move(word);
    return {};
  }

  Status read_body_line(std::string_view line) {
    TRY_ASSIGN(ir::LineReader reader, ir::LineReader::create(line, macro_.file, number_));
    if (reader.at_end()) return {};
    if (macro_.body.size() == kMostLines)
      return reader.error("too_many_steps",
                          fmt::format("a macro has at most {} steps", kMostLines));
    MacroLine row{number_, std::string(line), {}};
    // Other macros are not known here.
    TRY_ASSIGN(row.step, read_step(reader, [](std::string_view) { return true; }));
    macro_.body.push_back(std::move(row));
    return {};
  }

  std::string_view text_;
  Macro macro_;
  int number_ = 0;
  Part part_ = Part::kStart;
};

std::string kind_of(Parameter const& parameter) {
  if (parameter.word) return "word";
  if (parameter.scope) return "scope";
  if (parameter.axis) return "axis";
  if (parameter.intrinsic) return "instruction";
  if (parameter.list) return "numbers";
  return parameter.choices.empty() ? "number" : "choice";
}

std::string to_text(Parameter const& parameter, Macro const& macro) {
  std::string kind = kind_of(parameter);
  std::string text = fmt::format("{} {}", kind, parameter.name);
  if (kind == "number") text += fmt::format(" from {} to {}", parameter.low, parameter.high);
  if (parameter.counts) text += " counts " + macro.targets[*parameter.counts];
  if (kind == "choice") text += fmt::format(" of {}", fmt::join(parameter.choices, ", "));
  if (parameter.preset) text += fmt::format(" = {}", *parameter.preset);
  if (auto word = macro.presets.find(parameter.name); word != macro.presets.end())
    text += " = " + word->second;
  else if (parameter.optional)
    text += " optional";
  return text + (parameter.doc.empty() ? "" : " \"" + parameter.doc + "\"") + "\n";
}

}  // namespace

Result<Macro> parse_macro(std::string_view text, std::string const& file) {
  return MacroReader(text, file).read();
}

std::string to_text(Macro const& macro) {
  std::vector<std::string> targets;
  for (size_t i = 0; i < macro.targets.size(); ++i)
    targets.push_back((macro.head.kinds[i] == TargetKind::kBlock ? "block " : "loop ") +
                      macro.targets[i]);
  std::string text =
      fmt::format("tilewright macro 1\nmacro {}({})", macro.head.name, fmt::join(targets, ", "));
  if (!macro.gives.empty()) text += fmt::format(" -> {}", fmt::join(macro.gives, ", "));
  text += '\n';
  for (auto [word, said] :
       {std::pair{"title", &macro.head.title}, std::pair{"doc", &macro.head.doc},
        std::pair{"rewrite", &macro.head.rewrite}})
    if (!said->empty()) text += fmt::format("{} \"{}\"\n", word, *said);
  for (Parameter const& parameter : macro.head.parameters) text += to_text(parameter, macro);
  text += "steps\n";
  for (MacroLine const& line : macro.body) text += to_text(line.step) + "\n";
  return text;
}

Place place_of(Macro const& macro, MacroLine const& line, std::string_view word) {
  Place place{macro.file, line.number, 0, {}};
  auto reader = ir::LineReader::create(line.text, macro.file, line.number);
  while (reader && !reader->at_end()) {
    ir::Token token = reader->next();
    if (token.text == word) {
      place.column = token.column;
      break;
    }
  }
  return place;
}

}  // namespace tw
