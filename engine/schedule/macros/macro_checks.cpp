#include "engine/schedule/macros/macro_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "engine/schedule/validate.h"

namespace tw {
namespace {

bool takes_a_block(Primitive const& head, size_t target) {
  return target < head.kinds.size() && head.kinds[target] == TargetKind::kBlock;
}

bool is_number(Parameter const& parameter) {
  return parameter.choices.empty() && !parameter.word && !parameter.scope && !parameter.axis &&
         !parameter.intrinsic && !parameter.list;
}

/// Line by line, with the names that the lines before have given.
class BodyCheck {
public:
  BodyCheck(Macro const& macro, MacroSet const& macros) : macro_(macro), macros_(macros) {
    for (size_t i = 0; i < macro.targets.size(); ++i)
      (takes_a_block(macro.head, i) ? blocks_ : loops_).insert(macro.targets[i]);
  }

  Status run() {
    for (MacroLine const& line : macro_.body) TRY(check(line));
    for (std::string const& name : macro_.gives)
      if (!loops_.contains(name) || std::ranges::find(macro_.targets, name) != macro_.targets.end())
        return bad_input("unknown_name", fmt::format("no step gives the loop {}", name),
                         Place{macro_.file, macro_.line, 0, {}});
    return {};
  }

private:
  Status check(MacroLine const& line) {
    Step const& step = line.step;
    Primitive const* head = head_of(step.primitive, macros_);
    if (!head)
      return wrong(line, step.primitive, "unknown_primitive",
                   fmt::format("there is no primitive or macro '{}'", step.primitive));
    Step form = step;
    bool names_a_block = head->gives == 0 && step.gives.size() == 1;
    if (names_a_block) form.gives.clear();
    for (auto const& valid : {validate_form(*head, form), validate_complete(*head, form)})
      if (!valid) return wrong(line, step.primitive, valid.error().code, valid.error().message);
    for (size_t i = 0; i < step.targets.size(); ++i)
      TRY(check_target(line, step.targets[i], takes_a_block(*head, i)));
    for (auto const& [name, value] : step.arguments)
      TRY(check_value(line, *std::ranges::find(head->parameters, name, &Parameter::name), value));
    for (std::string const& name : step.gives) {
      if (loops_.contains(name) || blocks_.contains(name) || parameter(name))
        return wrong(line, name, "name_taken", fmt::format("the name {} is already used", name));
      (names_a_block ? blocks_ : loops_).insert(name);
    }
    return {};
  }

  Status check_target(MacroLine const& line, std::string const& name, bool block) const {
    if ((block ? blocks_ : loops_).contains(name)) return {};
    if ((block ? loops_ : blocks_).contains(name))
      return wrong(line, name, "wrong_target",
                   fmt::format("{} takes a {} there, and {} is a {}", line.step.primitive,
                               block ? "block" : "loop", name, block ? "loop" : "block"));
    size_t dot = name.find('.');
    if (!block && dot != std::string::npos && blocks_.contains(name.substr(0, dot))) return {};
    return wrong(line, name, "unknown_name",
                 fmt::format("'{}' is neither a target of {} nor given by a step before", name,
                             macro_.head.name));
  }

  Status check_value(MacroLine const& line, Parameter const& takes,
                     ArgumentValue const& value) const {
    if (auto const* number = std::get_if<int64_t>(&value)) {
      if (is_number(takes) && (*number < takes.low || *number > takes.high))
        return wrong(line, takes.name, "argument_out_of_range",
                     fmt::format("{}: {}={} is not from {} to {}", line.step.primitive, takes.name,
                                 *number, takes.low, takes.high));
      return {};
    }
    std::string const& word = std::get<std::string>(value);
    Parameter const* given = parameter(word);
    if (is_number(takes) && !(given && is_number(*given)))
      return wrong(line, word, "bad_argument",
                   fmt::format("{}: {} must be a number, or a number among the parameters of {}",
                               line.step.primitive, takes.name, macro_.head.name));
    bool known = given || takes.choices.empty() ||
                 std::ranges::find(takes.choices, word) != takes.choices.end();
    if (!known)
      return wrong(line, word, "bad_argument",
                   fmt::format("{}: {} must be one of {}", line.step.primitive, takes.name,
                               fmt::join(takes.choices, ", ")));
    return {};
  }

  Parameter const* parameter(std::string const& name) const {
    auto found = std::ranges::find(macro_.head.parameters, name, &Parameter::name);
    return found == macro_.head.parameters.end() ? nullptr : &*found;
  }

  std::unexpected<Error> wrong(MacroLine const& line, std::string const& word, std::string code,
                               std::string message) const {
    return bad_input(std::move(code), std::move(message), place_of(macro_, line, word));
  }

  Macro const& macro_;
  MacroSet const& macros_;
  std::set<std::string> loops_, blocks_;
};

/// The way from a macro over those that it uses back to it; empty: there is none. `seen`: the
/// macros from which none leads there.
std::vector<std::string> way_back(Macro const& from, std::string const& to, MacroSet const& macros,
                                  std::set<std::string>& seen) {
  for (MacroLine const& line : from.body) {
    std::string const& name = line.step.primitive;
    if (name == to) return {name};
    Macro const* used = macros.find(name);
    if (!used || !seen.insert(name).second) continue;
    auto way = way_back(*used, to, macros, seen);
    if (way.empty()) continue;
    way.insert(way.begin(), name);
    return way;
  }
  return {};
}

}  // namespace

Primitive const* primitive_of_table(std::string_view name) {
  for (Primitive const* primitive : primitive_table())
    if (primitive->name == name) return primitive;
  return nullptr;
}

Primitive const* head_of(std::string_view step, MacroSet const& macros) {
  if (Primitive const* primitive = primitive_of_table(step)) return primitive;
  Macro const* macro = macros.find(step);
  return macro ? &macro->head : nullptr;
}

Status check_macro(Macro const& macro, MacroSet const& macros) {
  TRY(BodyCheck(macro, macros).run());
  std::set<std::string> seen;
  auto way = way_back(macro, macro.head.name, macros, seen);
  if (way.empty()) return {};
  return bad_input("macro_cycle",
                   fmt::format("{} uses itself: {} uses {}", macro.head.name, macro.head.name,
                               fmt::join(way, ", which uses ")),
                   Place{macro.file, macro.line, 0, {}});
}

}  // namespace tw
