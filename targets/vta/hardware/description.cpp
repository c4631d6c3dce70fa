#include "targets/vta/hardware/description.h"

#include <fmt/format.h>

#include "targets/vta/hardware/configuration_text.h"
#include "targets/vta/hardware/words.h"

namespace tw::vta {
namespace {

/// What the known boards have.
constexpr int64_t kDramBytes = int64_t(512) << 20;

}  // namespace

std::string to_line(Configuration const& configuration) {
  std::string line;
  for (Setting const& setting : settings_of(configuration, true))
    line += fmt::format("{}{}={}", line.empty() ? "" : " ", setting.name, setting.value);
  return line;
}

Result<Configuration> configuration_of_line(std::string_view line) {
  Configuration configuration;
  for (Word const& word : words_of(line)) {
    auto setting = name_and_value(word.text);
    if (!setting)
      return bad_input("illegal_configuration",
                       fmt::format("'{}' is no setting 'name=value'", word.text.substr(0, 80)));
    TRY(set(configuration, setting->name, setting->value));
  }
  TRY(validate(configuration));
  return configuration;
}

Hardware describe(Configuration const& configuration) {
  Hardware hardware{.target = kVtaTarget, .name = "VTA", .code = {}, .units = {}, .memories = {}};
  if (!configuration.name.empty()) hardware.name += " " + configuration.name;
  hardware.code[kConfigurationWord] = to_line(configuration);
  hardware.units = {{.name = "core",
                     .count = 1,
                     .vector_bytes = int(configuration.element_bytes(Memory::kInp)),
                     .vector_registers = 1}};
  for (Memory memory : {Memory::kAcc, Memory::kInp, Memory::kWgt, Memory::kUop})
    hardware.memories.push_back({.name = std::string(to_text(memory)),
                                 .bytes = configuration.buffer_bytes(memory),
                                 .line_bytes = int(configuration.element_bytes(memory)),
                                 .cache = false});
  hardware.memories.push_back({.name = "DRAM", .bytes = kDramBytes, .cache = false});
  return hardware;
}

Result<Configuration> configuration_of(Hardware const& hardware) {
  if (hardware.target != kVtaTarget)
    return bad_input("illegal_configuration",
                     fmt::format("'{}' is no VTA: its target is '{}'", hardware.name.substr(0, 80),
                                 hardware.target.substr(0, 80)));
  return configuration_of_line(hardware.word(kConfigurationWord));
}

}  // namespace tw::vta
