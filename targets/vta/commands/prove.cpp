#include <fmt/format.h>

#include "engine/support/base/quantities.h"
#include "targets/vta/commands/shared/stream_file.h"
#include "targets/vta/prover/verdict.h"

namespace tw::vta::vta_command_prove {
namespace {

Json to_json(Race const& race, Stream const& stream) {
  return {{"instructions", {race.first, race.second}},
          {"memory", to_text(race.memory)},
          {"in_main_memory", race.in_dram},
          {"element", race.element},
          {"first_writes", race.first_writes},
          {"second_writes", race.second_writes},
          {"sentence", to_sentence(race, stream)}};
}

Json to_json(ProofResult const& proof, Stream const& stream) {
  Json races = Json::array(), hazards = Json::array();
  for (Race const& race : proof.races) races.push_back(to_json(race, stream));
  for (Hazard const& one : proof.hazards)
    hazards.push_back(
        {{"instruction", one.instruction}, {"code", one.code}, {"sentence", one.sentence}});
  return {{"proven", proof.proven()},
          {"all_is_well", proof.all_is_well()},
          {"verdict", verdict_of(proof, stream)},
          {"races", races},
          {"race_count", proof.race_count},
          {"deadlock", proof.deadlock},
          {"undecided", proof.undecided},
          {"hazards", hazards}};
}

std::string to_text(ProofResult const& proof, Stream const& stream) {
  std::string text = verdict_of(proof, stream);
  if (proof.proven() && !proof.all_is_well())
    text += fmt::format("; {} all the same",
                        proof.hazards.size() == 1
                            ? "one thing is wrong"
                            : fmt::format("{} things are wrong", proof.hazards.size()));
  text += "\n";
  if (!proof.undecided.empty() && proof.race_count > 0)
    text += fmt::format("  not decided: {}\n", proof.undecided);
  for (Race const& race : proof.races)
    text += fmt::format("  race: {}\n", to_sentence(race, stream));
  for (Hazard const& hazard : proof.hazards)
    text += fmt::format("  {}: {}\n", hazard.code, hazard.sentence);
  int64_t untold = proof.race_count - int64_t(proof.races.size());
  if (untold > 0) text += fmt::format("  {} more\n", count_text(untold, "race"));
  return text;
}

Result<CommandOutcome> run(CommandArguments const& arguments, StopToken, Progress const&) {
  TRY_ASSIGN(Assembly assembly, read_stream(arguments, StreamNeeds::kProgram));
  TRY_ASSIGN(std::vector<std::byte> memory, main_memory(assembly, {}));
  ProofOptions options;
  options.most_races = arguments.number("--most", options.most_races);
  options.accumulator_latency =
      int(arguments.number("--latency", int64_t(options.accumulator_latency)));
  TRY_ASSIGN(ProofResult proof, prove(assembly.configuration, assembly.stream, memory, options));
  return CommandOutcome{.text = to_text(proof, assembly.stream),
                        .json = to_json(proof, assembly.stream),
                        .failed = !proof.all_is_well()};
}

std::vector<CommandParameter> parameters() {
  std::vector<CommandParameter> all = stream_parameters();
  all.push_back({.name = "--most",
                 .type = "N",
                 .doc = "how many races are told (default: 100)",
                 .kind = ParameterKind::kNumber,
                 .low = 0,
                 .high = 1'000'000});
  all.push_back({.name = "--latency",
                 .type = "N",
                 .doc = "steps of one inner iteration until a sum can be read again (default: 3)",
                 .kind = ParameterKind::kNumber,
                 .low = 1,
                 .high = 1000});
  return all;
}

}  // namespace

TargetCommand const& row() {
  static TargetCommand const command{
      .place = 60,
      .name = "prove",
      .doc =
          "prove that a stream's result is the same whatever the modules' speeds, or list its "
          "races, with both instructions and the element, and what else is wrong: tokens that stay "
          "for "
          "the next run, outputs that are old, micro-ops that nothing loaded",
      .parameters = parameters(),
      .run = run,
  };
  return command;
}

}  // namespace tw::vta::vta_command_prove
