#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/cli/output.h"
#include "engine/schedule/macros/macro_set.h"
#include "engine/support/files.h"

namespace tw::cli::command_macros {
namespace {

/// "two_level_tile(loop i, loop j, outer=64, inner=8)"
std::string usage_of(Macro const& macro) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < macro.targets.size(); ++i)
    parts.push_back((macro.head.kinds[i] == TargetKind::kBlock ? "block " : "loop ") +
                    macro.targets[i]);
  for (Parameter const& parameter : macro.head.parameters) {
    auto word = macro.presets.find(parameter.name);
    std::string preset = parameter.preset              ? std::to_string(*parameter.preset)
                         : word != macro.presets.end() ? word->second
                                                       : "...";
    parts.push_back(parameter.name + "=" + preset);
  }
  return fmt::format("{}({})", macro.head.name, fmt::join(parts, ", "));
}

Json to_json(Macro const& macro) {
  std::vector<std::string> parameters;
  for (Parameter const& parameter : macro.head.parameters) parameters.push_back(parameter.name);
  return {{"name", macro.head.name},    {"title", macro.head.title}, {"doc", macro.head.doc},
          {"targets", macro.targets},   {"gives", macro.gives},      {"parameters", parameters},
          {"steps", macro.body.size()}, {"file", macro.file},        {"text", to_text(macro)}};
}

/// What is wrong with files of the folders is said, and the others are listed.
int list(Context const& context) {
  Json rows = Json::array();
  for (Macro const& macro : context.macros->all()) {
    rows.push_back(to_json(macro));
    if (!context.json) fmt::print("{}\n  {}\n", usage_of(macro), macro.head.doc);
  }
  if (context.json) print(rows);
  int code = 0;
  for (Error const& error : context.macros->errors()) code = report(context, error);
  return code;
}

int show(Context const& context, std::string const& name) {
  Macro const* macro = context.macros->find(name);
  if (!macro)
    return report(context,
                  Error{"unknown_macro",
                        fmt::format("there is no macro '{}'; `tw macros list` lists them", name),
                        {},
                        Fault::kBadInput});
  if (context.json)
    print(to_json(*macro));
  else
    fmt::print("{}", to_text(*macro));
  return 0;
}

/// A file beside the macros that there are: one of the folders may be that file.
Result<Macro> checked(Context const& context, std::string const& file) {
  TRY_ASSIGN(std::string text, read_text(file, 1 << 20));
  TRY_ASSIGN(Macro macro, parse_macro(text, file));
  std::vector<MacroSource> sources{{file, text}};
  for (Macro const& other : context.macros->all())
    if (other.head.name != macro.head.name || other.file.starts_with("resources/"))
      sources.push_back({other.file, to_text(other)});
  MacroSet set(sources);
  for (Error const& error : set.errors())
    if (error.place.file == file || error.code == "macro_twice") return std::unexpected(error);
  return macro;
}

int check(Context const& context, std::string const& file) {
  auto macro = checked(context, file);
  if (!macro) return report(context, macro.error());
  if (context.json)
    print(to_json(*macro));
  else
    fmt::print("{}: {} can be used\n", file, usage_of(*macro));
  return 0;
}

void add_macros(Command app, Context& context) {
  auto command =
      app.add_subcommand("macros", "scripts with parameters that scripts use like primitives");
  command.require_subcommand(1);
  auto word = std::make_shared<std::string>();
  auto add = [&](char const* name, char const* doc, char const* operand, char const* what,
                 auto run) {
    auto one = command.add_subcommand(name, doc);
    if (*operand) one.add_option(operand, *word, what).required();
    one.callback([&context, word, run] {
      context.needs_target = false;
      context.run = [&context, word, run] { return run(context, *word); };
    });
  };
  add("list", "list them: those of the program and your own", "", "",
      [](Context const& c, std::string const&) { return list(c); });
  add("show", "print the text of one", "NAME", "the macro", show);
  add("check", "check whether a file is a usable macro", "FILE", "a .twm file", check);
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 165, .add = add_macros};
  return row;
}

}  // namespace tw::cli::command_macros
