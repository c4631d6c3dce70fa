#include "targets/vta/commands/shared/board_option.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/backend/target_table.h"
#include "engine/support/base/quantities.h"
#include "targets/vta/explore/design.h"
#include "targets/vta/hardware/abilities.h"
#include "targets/vta/hardware/boards.h"

namespace tw::vta {
CommandParameter board_parameter(std::string doc) {
  return {.name = kBoardOption, .type = "NAME|FILE.vta", .doc = std::move(doc)};
}

Result<Configuration> board_of(std::string const& word) {
  if (word.empty()) return boards().front();
  TRY_ASSIGN(Configuration configuration, board_or_file(word));
  if (!find_board(word)) TRY(check_processor(configuration, word));
  return configuration;
}

Status check_processor(Configuration const& configuration, std::string const& file) {
  std::vector<std::string> known{"any"};
  for (TargetEntry const* entry : target_table()) {
    if (entry->beside != nullptr) continue;  // an accelerator
    for (std::string const& name : entry->spellings()) known.push_back(name);
  }
  if (configuration.processor.empty() ||
      std::ranges::find(known, configuration.processor) != known.end())
    return {};
  return bad_input("unknown_processor",
                   fmt::format("there is no processor '{}'; the processors are {}",
                               configuration.processor, fmt::join(known, ", ")),
                   Place{file, 0, 0, {}});
}

std::string derived_text(Configuration const& c) {
  std::string text =
      fmt::format("{}: instruction set v{}, {} products a cycle, {} at {} MHz, a port of {} bits\n",
                  c.key(), int(c.isa), c.macs_per_cycle(), speed_text(c.peak_gops(), "GOP/s"),
                  c.clock_mhz, c.memory_bits);
  for (Memory memory : kOnChip)
    text += fmt::format("  {:<4} {:>8}  {:>6} elements of {}\n", to_text(memory),
                        bytes_text(double(c.buffer_bytes(memory))), c.depth(memory),
                        bytes_text(double(c.element_bytes(memory))));
  text += fmt::format("  {:<4} {:>8}\n", "all", bytes_text(double(sram_bytes(c))));
  text += "what it can do:\n";
  for (Ability const& ability : abilities_of(c))
    text += fmt::format("  {} = {}: {}\n", ability.setting, ability.value, ability.sentence);
  return text;
}

Json derived_json(Configuration const& c) {
  Json memories = Json::array();
  for (Memory memory : kOnChip)
    memories.push_back({{"memory", to_text(memory)},
                        {"bytes", c.buffer_bytes(memory)},
                        {"elements", c.depth(memory)},
                        {"element_bytes", c.element_bytes(memory)}});
  Json abilities = Json::object();
  for (Ability const& ability : abilities_of(c)) abilities[ability.setting] = ability.value;
  return {{"name", c.name},
          {"abilities", abilities},
          {"key", c.key()},
          {"isa", int(c.isa)},
          {"clock_mhz", c.clock_mhz},
          {"memory_bits", c.memory_bits},
          {"products_a_cycle", c.macs_per_cycle()},
          {"peak_gops", c.peak_gops()},
          {"sram_bytes", sram_bytes(c)},
          {"memories", memories}};
}

}  // namespace tw::vta
