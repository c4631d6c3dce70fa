#include "engine/schedule/validate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/schedule/names.h"

namespace tw {

Refusal unusable(std::string code, std::string message) {
  Refusal refusal;
  refusal.code = std::move(code);
  refusal.message = std::move(message);
  return refusal;
}

namespace {

std::expected<void, Refusal> validate_argument(Primitive const& primitive,
                                               Parameter const& parameter,
                                               ArgumentValue const& value, Target const& target) {
  if (parameter.axis && target.axes.empty())
    return std::unexpected(unusable(
        "no_thread_axes",
        fmt::format("{}: the target {} has no blocks or threads", primitive.name, target.name)));
  if (parameter.intrinsic && target.intrinsics.empty())
    return std::unexpected(unusable(
        "no_intrinsics",
        fmt::format("{}: the target {} has no instructions", primitive.name, target.name)));
  if (parameter.annotation && target.annotations.empty())
    return std::unexpected(
        unusable("no_words", fmt::format("{}: the target {} has no annotations for loops or blocks",
                                         primitive.name, target.name)));
  if (std::vector<std::string> choices = choices_of(parameter, target); !choices.empty()) {
    auto const* word = std::get_if<std::string>(&value);
    if (word && std::ranges::find(choices, *word) != choices.end()) return {};
    return std::unexpected(
        unusable("bad_argument", fmt::format("{}: {} must be one of {}", primitive.name,
                                             parameter.name, fmt::join(choices, ", "))));
  }
  auto const* number = std::get_if<int64_t>(&value);
  if (parameter.list) {
    if (number || numbers_of(std::get<std::string>(value))) return {};
    return std::unexpected(
        unusable("bad_argument", fmt::format("{}: {} must be numbers with commas between them",
                                             primitive.name, parameter.name)));
  }
  if (parameter.word) {
    if (!number) return {};
    return std::unexpected(unusable(
        "bad_argument", fmt::format("{}: {} must be a name", primitive.name, parameter.name)));
  }
  if (!number)
    return std::unexpected(unusable(
        "bad_argument", fmt::format("{}: {} must be a number", primitive.name, parameter.name)));
  if (*number < parameter.low || *number > parameter.high)
    return std::unexpected(
        unusable("argument_out_of_range",
                 fmt::format("{}: {}={} is not from {} to {}", primitive.name, parameter.name,
                             *number, parameter.low, parameter.high)));
  return {};
}

std::string targets_text(Primitive const& primitive) {
  if (!primitive.kinds.empty()) {
    std::string text;
    for (TargetKind kind : primitive.kinds)
      text += fmt::format("{}{}", text.empty() ? "" : " and ",
                          kind == TargetKind::kBlock    ? "a block"
                          : kind == TargetKind::kEither ? "a loop or a block"
                                                        : "a loop");
    return text;
  }
  if (primitive.targets < 0) return "two or more loops";
  return primitive.targets == 1 ? "one loop" : fmt::format("{} loops", primitive.targets);
}

}  // namespace

std::expected<void, Refusal> validate_form(Primitive const& primitive, Step const& step) {
  if (primitive.targets < 0 ? step.targets.size() < 2
                            : int(step.targets.size()) != primitive.targets)
    return std::unexpected(
        unusable("wrong_targets", fmt::format("{} takes {}, not {}", primitive.name,
                                              targets_text(primitive), step.targets.size())));
  if (!step.gives.empty() && int(step.gives.size()) != primitive.gives)
    return std::unexpected(unusable(
        "wrong_names", fmt::format("{} makes {} loop{}, but {} name{} given", primitive.name,
                                   primitive.gives, primitive.gives == 1 ? "" : "s",
                                   step.gives.size(), step.gives.size() == 1 ? " is" : "s are")));
  for (auto const& [name, value] : step.arguments)
    if (std::ranges::find(primitive.parameters, name, &Parameter::name) ==
        primitive.parameters.end())
      return std::unexpected(unusable(
          "unknown_argument", fmt::format("{} has no argument '{}'", primitive.name, name)));
  return {};
}

std::expected<void, Refusal> validate_complete(Primitive const& primitive, Step const& step) {
  for (Parameter const& parameter : primitive.parameters)
    if (!step.arguments.contains(parameter.name) && !parameter.preset && !parameter.optional)
      return std::unexpected(unusable(
          "missing_argument", fmt::format("{} needs {}=...", primitive.name, parameter.name)));
  return {};
}

std::expected<Step, Refusal> validate(Primitive const& primitive, Step step, Target const& target) {
  if (auto form = validate_form(primitive, step); !form) return std::unexpected(form.error());
  for (auto const& [name, value] : step.arguments) {
    Parameter const& parameter = *std::ranges::find(primitive.parameters, name, &Parameter::name);
    if (auto ok = validate_argument(primitive, parameter, value, target); !ok)
      return std::unexpected(ok.error());
  }
  if (auto all = validate_complete(primitive, step); !all) return std::unexpected(all.error());
  for (Parameter const& parameter : primitive.parameters)
    if (parameter.preset) step.arguments.try_emplace(parameter.name, *parameter.preset);
  return step;
}

bool is_block_target(ir::Program const& program, Primitive const& primitive, size_t index,
                     std::string const& name) {
  if (index >= primitive.kinds.size()) return false;
  TargetKind kind = primitive.kinds[index];
  return kind == TargetKind::kBlock || (kind == TargetKind::kEither && find_block(program, name));
}

}  // namespace tw
