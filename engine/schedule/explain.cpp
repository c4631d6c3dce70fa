#include "engine/schedule/explain.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/schedule/repairs.h"
#include "engine/schedule/trace.h"

namespace tw {
namespace {

nlohmann::ordered_json to_json(Iteration const& iteration) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (auto const& [loop, value] : iteration.loops) json[loop] = value;
  return json;
}

std::string range_text(Parameter const& parameter) {
  std::string text;
  for (std::string const& choice : choices_of(parameter, *any_target()))
    text += (text.empty() ? "" : "|") + choice;
  if (text.empty()) text = fmt::format("{}..{}", parameter.low, parameter.high);
  if (parameter.preset) text += fmt::format(", {} if left out", *parameter.preset);
  return parameter.optional ? text + ", optional" : text;
}

}  // namespace

Refusal with_repairs(Schedule const& schedule, Step const& step, Refusal refusal) {
  if (refusal.repairs.empty()) refusal.repairs = repairs_for(schedule, step);
  return refusal;
}

std::string to_text(Step const& step, Refusal const& refusal) {
  std::string text = refusal.line > 0 ? fmt::format("line {}: ", refusal.line) : "";
  text += fmt::format("{} refused: {}\n  {}\n", to_text(step), refusal.code, refusal.message + ".");
  std::string repairs;
  for (Repair const& repair : refusal.repairs)
    repairs += fmt::format("{}{} ({})", repairs.empty() ? "" : " or ", repair.step, repair.effect);
  return repairs.empty() ? text : text + "  legal instead: " + repairs + "\n";
}

nlohmann::ordered_json to_json(Refusal const& refusal) {
  nlohmann::ordered_json json = {{"code", refusal.code}, {"message", refusal.message}};
  if (!refusal.condition.empty()) json["condition"] = refusal.condition;
  json["culprits"] = nlohmann::ordered_json::array();
  for (ir::LoopId id : refusal.culprits) json["culprits"].push_back(id.value);
  if (refusal.conflict)
    json["counterexample"] = {{"first", to_json(refusal.conflict->first)},
                              {"second", to_json(refusal.conflict->second)},
                              {"block", refusal.conflict->block},
                              {"buffer", refusal.conflict->buffer},
                              {"index", refusal.conflict->index},
                              {"first_writes", refusal.conflict->first_writes},
                              {"second_writes", refusal.conflict->second_writes}};
  for (Repair const& repair : refusal.repairs)
    json["repairs"].push_back({{"step", repair.step}, {"effect", repair.effect}});
  if (refusal.undecided) json["undecided"] = true;
  return json;
}

std::string help_text(Primitive const& primitive) {
  std::string loops = primitive.targets < 0 ? "LOOP, LOOP, ..." : "LOOP";
  for (int i = 1; i < primitive.targets; ++i) loops += ", LOOP";
  for (Parameter const& parameter : primitive.parameters)
    loops += fmt::format(", {}=...", parameter.name);
  std::string text = fmt::format("{}({})   key {}\n  {}\n  {}\n", primitive.name, loops,
                                 primitive.key, primitive.doc, primitive.rewrite);
  for (Parameter const& parameter : primitive.parameters)
    text += fmt::format("  {}: {} ({})\n", parameter.name, parameter.doc, range_text(parameter));
  return text;
}

}  // namespace tw
