/// Where the sources say a code of an error: which one, and with which exit of `tw`. Codes are
/// literals; this reads calls with brackets matched, so that a choice between two is seen, too.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths.h"

namespace tw::testing {

struct SaidCode {
  std::string code;
  std::set<int> exits;  ///< empty: no command fails by it
  std::string file;     ///< "engine/ir/parse.cpp"
};

/// Who says a code: a function, or a type that is made.
struct Sayer {
  std::string name;
  size_t argument = 0;
  std::set<int> exits;
  std::string where =
      "";  ///< only in files that begin so: others have such a name for another thing
};

/// The exits of those whose arguments name the fault.
inline std::set<int> const kByFault = {};

inline std::vector<Sayer> const& sayers() {
  static std::vector<Sayer> const all{
      {"refused", 0, {1}},
      {"bad_input", 0, {2}},
      {"environment_failed", 0, {3}},
      {"Error", 0, kByFault},
      {"fail", 1, kByFault},
      {"ErrorView", 0, {}},
      // Refusals of schedule steps.
      {"refuse", 0, {1}, "engine/schedule/"},
      {"refuse_block", 0, {1}},
      {"refuse_stage", 0, {1}},
      {"refuse_here", 0, {1}},
      {"refuse_sizes", 0, {1}},
      {"refused_result", 0, {1}},
      {"unusable", 0, {1}, "engine/schedule/"},
      {"no", 0, {1}, "engine/schedule/primitives/reverse_compute_inline.cpp"},
      // Those that know the place, or keep the first failure.
      {"error", 0, {2}, "engine/ir/"},
      {"error", 0, {2}, "engine/te/"},
      {"error", 0, {2}, "engine/schedule/"},
      {"error_at", 1, {2}, "engine/ir/"},
      {"wrong", 2, {2}, "engine/schedule/macros/macro_checks.cpp"},
      {"fail", 0, {1}, "engine/ir/"},
      {"fail", 0, {3}, "targets/shared/llvm/"},
      {"refuse", 0, {1}, "engine/lowering/passes/check_target.cpp"},
      {"tell", 0, {1}, "engine/lowering/launch_order.cpp"},
      {"tell_copy", 0, {1}, "engine/lowering/launch_order.cpp"},
      {"wrong_loop", 1, {2}, "engine/runtime/package/control.cpp"},
      {"parse", 1, {2}, "engine/device/hardware_text.cpp"},
      {"failed", 0, {3}, "engine/records/postgres/connection.cpp"},
      {"failed", 0, {3}, "engine/device/server.cpp"},
  };
  return all;
}

/// Functions with a parameter `code` that say none: they look one up, or are given one to show.
inline std::set<std::string> const kReadCodes = {"row_of",     "finders_for", "error_words",
                                                 "find_error", "remedy_of",   "explain",
                                                 "may_refuse", "remedy_here"};

/// Values that hold a code until an error is made of it.
struct HeldCode {
  std::string before;  ///< what stands before the literal, up to the bracket or sign
  std::set<int> exits;
  std::string where;
};
inline std::vector<HeldCode> const kHeld = {
    {"refusal.code =", {1}, "engine/schedule/"},
    {"answer_.code =", {1}, "engine/schedule/"},
    {"error.error().code =", {2}, "app/shared/journal/"},
    {"std::string code =", {1, 2, 3}, "engine/device/rpc_session.cpp"},  // the device's own fault
};

/// Types whose first member is a code: functions that return one say it in braces.
struct CodeType {
  std::string name;
  std::set<int> exits;
};
inline std::vector<CodeType> const kCodeTypes = {{"Error", kByFault}, {"InstanceAnswer", {1}}};

/// With comments, raw strings and characters in quotes left out.
inline std::string code_only(std::string const& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "/*") == 0) {
      i = std::min(text.find("*/", i), text.size() - 2) + 2;
    } else if (text.compare(i, 2, "R\"") == 0) {
      size_t open = text.find('(', i);
      std::string close = ")" + text.substr(i + 2, open - i - 2) + "\"";
      i = std::min(text.find(close, open), text.size() - close.size()) + close.size();
      out += "\"\"";
    } else if (text[i] == '"') {
      size_t end = i + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      out += text.substr(i, end + 1 - i);
      i = end + 1;
    } else if (text[i] == '\'' &&
               (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1])))) {
      size_t end = i + 1;
      while (end < text.size() && text[end] != '\'') end += text[end] == '\\' ? 2 : 1;
      i = end + 1;
      out += "' '";
    } else {
      out += text[i++];
    }
  }
  return out;
}

inline size_t behind_literal(std::string const& text, size_t quote) {
  size_t end = quote + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return end + 1;
}

inline bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The word by itself, no part of a longer one.
inline size_t next_word(std::string const& text, std::string const& word, size_t from) {
  for (size_t at = from; (at = text.find(word, at)) != std::string::npos; ++at) {
    bool begins = at == 0 || !is_of_word(text[at - 1]);
    if (begins && (at + word.size() >= text.size() || !is_of_word(text[at + word.size()])))
      return at;
  }
  return std::string::npos;
}
inline size_t behind_word(std::string const& text, size_t at) {
  while (at < text.size() && is_of_word(text[at])) ++at;
  return at;
}

/// The arguments of the bracket that opens at `open`, and where it closes.
struct Arguments {
  std::vector<std::string> all;
  size_t end = 0;
};
inline Arguments arguments_at(std::string const& text, size_t open) {
  Arguments found;
  int depth = 0;
  size_t from = open + 1, at = open;
  while (at < text.size()) {
    char c = text[at];
    if (c == '"') {
      at = behind_literal(text, at);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    bool closes = (c == ')' || c == ']' || c == '}') && --depth == 0;
    if (closes || (c == ',' && depth == 1)) {
      found.all.push_back(text.substr(from, at - from));
      from = at + 1;
    }
    if (closes) break;
    ++at;
  }
  found.end = at;
  return found;
}

using Constants = std::map<std::string, std::string>;  ///< of literals: "kNoDevice" to "no_device"

/// The codes that an argument may be: a literal, a constant, or a choice between such.
inline std::vector<std::string> codes_in(std::string const& argument, Constants const& constants) {
  static std::regex const one(
      R"re(\s*(?:std::string\(|std::string_view\()?(?:"([^"]*)"|(k[A-Z]\w*))\)?\s*)re");
  static std::regex const code("[a-z]+(?:_[a-z0-9]+)*");
  std::vector<std::string> choices{argument};
  if (size_t asked = argument.find('?'); asked != std::string::npos) {
    choices.clear();
    for (size_t from = asked + 1; from <= argument.size();) {
      size_t end = std::min(argument.find_first_of("?:", from), argument.size());
      choices.push_back(argument.substr(from, end - from));
      from = end + 1;
    }
  }
  std::vector<std::string> found;
  for (std::string const& choice : choices) {
    std::smatch match;
    if (!std::regex_match(choice, match, one)) continue;
    auto constant = constants.find(match[2]);
    std::string word = match[1].matched              ? match[1].str()
                       : constant == constants.end() ? ""
                                                     : constant->second;
    if (std::regex_match(word, code)) found.push_back(word);
  }
  return found;
}

/// What the arguments name as the fault; an error is the input's where they name none.
inline std::set<int> exits_by_fault(std::string const& arguments) {
  static std::regex const fault("Fault::k(\\w+)");
  std::smatch match;
  bool of_another = arguments.find(".fault,") != std::string::npos;  // whatever that is
  if (!std::regex_search(arguments, match, fault))
    return of_another ? std::set<int>{1, 2, 3} : std::set<int>{2};
  return {match[1] == "Refused" ? 1 : match[1] == "BadInput" ? 2 : 3};
}

class CodeReader {
public:
  CodeReader(std::string file, std::string text, Constants const& constants)
      : file_(std::move(file)), text_(std::move(text)), constants_(constants) {}

  std::vector<SaidCode> read() {
    for (Sayer const& sayer : sayers())
      if (file_.starts_with(sayer.where)) read_calls(sayer);
    for (HeldCode const& held : kHeld)
      if (file_.starts_with(held.where)) read_held(held);
    for (CodeType const& type : kCodeTypes) read_returned(type);
    read_code_of();
    return std::move(said_);
  }

private:
  void say(std::string const& argument, std::set<int> const& exits) {
    for (std::string const& code : codes_in(argument, constants_))
      said_.push_back({code, exits, file_});
  }
  void say_all(Arguments const& given, size_t argument, std::string const& name,
               std::set<int> const& exits) {
    bool fault_first = argument == 0 || name != "fail" ||
                       given.all[0].find("ault") != std::string::npos;  // the general one
    if (given.all.size() <= argument || !fault_first) return;
    std::string all;
    for (std::string const& one : given.all) all += one + ",";
    bool by_fault = exits.empty() && name != "ErrorView";
    say(given.all[argument], by_fault ? exits_by_fault(all) : exits);
  }
  /// `name(...)`, `name{...}`, `name<T>(...)`, `Error name{...}`.
  void read_calls(Sayer const& sayer) {
    for (size_t at = 0; (at = next_word(text_, sayer.name, at)) != std::string::npos;) {
      at += sayer.name.size();
      size_t open = at;
      if (open < text_.size() && text_[open] == '<') open = text_.find('>', open) + 1;
      if (open < text_.size() && text_[open] == ' ') open = behind_word(text_, open + 1);
      while (open < text_.size() && std::isspace(static_cast<unsigned char>(text_[open]))) ++open;
      if (open < text_.size() && (text_[open] == '(' || text_[open] == '{'))
        say_all(arguments_at(text_, open), sayer.argument, sayer.name, sayer.exits);
    }
  }
  void read_held(HeldCode const& held) {
    for (size_t at = 0; (at = text_.find(held.before, at)) != std::string::npos;) {
      at += held.before.size();
      Arguments given = arguments_at("(" + text_.substr(at, text_.find(';', at) - at) + ")", 0);
      say(given.all[0], held.exits);
    }
  }
  /// What functions with this type of result return in braces.
  void read_returned(CodeType const& type) {
    for (size_t at = 0; (at = next_word(text_, type.name, at)) != std::string::npos;) {
      at += type.name.size();
      size_t name = at + 1, open = name;
      while (open < text_.size() && (is_of_word(text_[open]) || text_[open] == ':')) ++open;
      if (text_[at] != ' ' || open == name || text_[open] != '(') continue;
      size_t body = arguments_at(text_, open).end + 1;
      if (text_.compare(body, 6, " const") == 0) body += 6;
      if (text_.compare(body, 2, " {") == 0) read_returns(type, body + 1);
    }
  }
  void read_returns(CodeType const& type, size_t open) {
    std::string body = text_.substr(open, arguments_at(text_, open).end - open);
    for (size_t at = 0; (at = body.find("return {", at)) != std::string::npos; ++at)
      say_all(arguments_at(body, at + 7), 0, type.name, type.exits);
  }
  /// A function that chooses the code of a refusal.
  void read_code_of() {
    size_t at = text_.find("std::string code_of(");
    if (at == std::string::npos) return;
    size_t open = text_.find('{', at);
    std::string body = text_.substr(open, arguments_at(text_, open).end - open);
    for (size_t from = 0; (from = body.find("return ", from)) != std::string::npos;) {
      from += 7;
      say(body.substr(from, body.find(';', from) - from), {1});
    }
  }

  std::string file_, text_;
  Constants const& constants_;
  std::vector<SaidCode> said_;
};

inline std::map<std::string, std::string> sources_of_program() {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> texts;
  for (char const* folder : {"engine", "targets", "app", "widgets"})
    for (auto const& entry : fs::recursive_directory_iterator(fs::path(source()) / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      texts[fs::relative(entry.path(), source()).generic_string()] = code_only(text.str());
    }
  return texts;
}

/// `kName = "word"` and `kName[] = "word"`.
inline Constants constants_in(std::map<std::string, std::string> const& texts) {
  Constants found;
  for (auto const& [file, text] : texts)
    for (size_t at = 0; (at = text.find(" = \"", at)) != std::string::npos; at += 4) {
      size_t end = at >= 2 && text.compare(at - 2, 2, "[]") == 0 ? at - 2 : at, from = end;
      while (from > 0 && is_of_word(text[from - 1])) --from;
      if (from < end && text[from] == 'k')
        found[text.substr(from, end - from)] =
            text.substr(at + 4, behind_literal(text, at + 3) - at - 5);
    }
  return found;
}

inline std::vector<SaidCode> said_codes(std::map<std::string, std::string> const& texts) {
  Constants constants = constants_in(texts);
  std::vector<SaidCode> said;
  for (auto const& [file, text] : texts) {
    std::vector<SaidCode> here = CodeReader(file, text, constants).read();
    said.insert(said.end(), here.begin(), here.end());
  }
  return said;
}

/// The function, or the variable of a lambda, whose parameters `at` is among.
inline std::string function_around(std::string const& text, size_t at) {
  int depth = 0;
  while (at > 0 && !(text[at] == '(' && depth == 0)) {
    depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
    --at;
  }
  size_t end = at;
  if (at > 0 && text[at - 1] == ']') {  // name = [...](
    end = text.rfind('[', at);
    while (end > 0 && !is_of_word(text[end - 1])) --end;
  }
  size_t from = end;
  while (from > 0 && is_of_word(text[from - 1])) --from;
  return text.substr(from, end - from);
}

/// Functions that take a code: one that this header does not know would say codes unseen.
inline std::set<std::string> takers_of_codes(std::map<std::string, std::string> const& texts) {
  std::set<std::string> names;
  for (auto const& [file, text] : texts)
    for (std::string type :
         {"std::string", "std::string_view", "std::string const&", "char const*"})
      for (size_t at = 0; (at = next_word(text, type + " code", at)) != std::string::npos; ++at) {
        char behind = text[at + type.size() + 5];
        if (behind == ',' || behind == ')') names.insert(function_around(text, at));
      }
  return names;
}

}  // namespace tw::testing
