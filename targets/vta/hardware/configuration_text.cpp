#include "targets/vta/hardware/configuration_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <map>
#include <ranges>

#include "targets/vta/hardware/words.h"

namespace tw::vta {
namespace {

constexpr std::string_view kHead = "tilewright vta configuration 1";
constexpr std::string_view kAnyProcessor = "any";

struct IntSetting {
  char const* name;
  int Configuration::*member;
};
constexpr IntSetting kIntSettings[] = {
    {"log_inp_bits", &Configuration::log_inp_bits},
    {"log_wgt_bits", &Configuration::log_wgt_bits},
    {"log_acc_bits", &Configuration::log_acc_bits},
    {"log_batch", &Configuration::log_batch},
    {"log_block", &Configuration::log_block},
    {"log_uop_bytes", &Configuration::log_uop_bytes},
    {"log_inp_bytes", &Configuration::log_inp_bytes},
    {"log_wgt_bytes", &Configuration::log_wgt_bytes},
    {"log_acc_bytes", &Configuration::log_acc_bytes},
    {"command_queue", &Configuration::command_queue},
    {"token_queue", &Configuration::token_queue},
    {"memory_bits", &Configuration::memory_bits},
    {"shift_bits", &Configuration::shift_bits},
};

struct WordSetting {
  char const* name;
  bool Configuration::*member;
  char const *on, *off;
};
constexpr WordSetting kWordSettings[] = {
    {"acc8", &Configuration::acc8, "yes", "no"},
    {"mul", &Configuration::mul, "yes", "no"},
    {"pad_only", &Configuration::pad_only, "yes", "no"},
    {"pad_wgt", &Configuration::pad_wgt, "yes", "no"},
    {"uop_rows", &Configuration::uop_rows, "yes", "no"},
    {"full_tokens", &Configuration::tokens_stall, "stall", "lose"},
};

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == ':';
  });
}

std::unexpected<Error> bad_value(std::string_view name, std::string_view value,
                                 std::string_view kind) {
  return bad_input("illegal_configuration",
                   fmt::format("'{}' is no {} for {}", value.substr(0, 80), kind, name));
}

Status set_clock(Configuration& configuration, std::string_view value) {
  double mhz = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), mhz);
  if (error != std::errc() || end != value.data() + value.size())
    return bad_value("clock_mhz", value, "number");
  configuration.clock_mhz = mhz;
  return {};
}

Status set_isa(Configuration& configuration, std::string_view value) {
  if (value != "1" && value != "2") return bad_value("isa", value, "version (1 or 2)");
  configuration.isa = value == "1" ? IsaVersion::kV1 : IsaVersion::kV2;
  return {};
}

Status set_word(Configuration& configuration, WordSetting const& setting, std::string_view value) {
  if (value != setting.on && value != setting.off)
    return bad_value(setting.name, value, fmt::format("word ({} or {})", setting.on, setting.off));
  configuration.*(setting.member) = value == setting.on;
  return {};
}

/// What a file must say: all but the name. A default that somebody meant and one that fell out of
/// a file that was cut look the same.
std::vector<std::string_view> required_settings() {
  std::vector<std::string_view> names{"isa", "clock_mhz", "processor"};
  for (IntSetting const& setting : kIntSettings) names.push_back(setting.name);
  for (WordSetting const& setting : kWordSettings) names.push_back(setting.name);
  return names;
}

using LineOf = std::map<std::string, int, std::less<>>;  ///< by the settings' names

/// "name = value", with or without blanks around "=".
Status read_setting(Configuration& configuration, std::string_view line, int number,
                    LineOf& line_of) {
  line = line.substr(0, line.find('#'));
  size_t equals = line.find('=');
  std::vector<Word> name = words_of(line.substr(0, equals));
  if (name.empty() && equals == std::string_view::npos) return {};
  std::vector<Word> value =
      equals == std::string_view::npos ? std::vector<Word>() : words_of(line.substr(equals + 1));
  if (name.size() != 1 || value.size() != 1)
    return bad_input("illegal_configuration", "a line is 'name = value'");
  TRY(set(configuration, name[0].text, value[0].text));
  auto [before, is_new] = line_of.try_emplace(std::string(name[0].text), number);
  if (is_new) return {};
  return bad_input("illegal_configuration",
                   fmt::format("{} is set a second time: the first is in line {}", name[0].text,
                               before->second));
}

Status check_complete(LineOf const& line_of, std::string_view file) {
  std::vector<std::string_view> missing = required_settings();
  std::erase_if(missing, [&](std::string_view name) { return line_of.contains(name); });
  if (missing.empty()) return {};
  return bad_input(
      "incomplete_configuration",
      fmt::format("{} missing: {}; `tw vta boards pynq` prints a whole file",
                  missing.size() == 1 ? "a setting is" : "settings are", fmt::join(missing, ", ")),
      Place{std::string(file), 0, 0, {}});
}

}  // namespace

std::vector<Setting> settings_of(Configuration const& configuration, bool only_changed) {
  Configuration const standard;
  std::vector<Setting> settings;
  auto add = [&](std::string name, std::string value, bool changed) {
    if (changed || !only_changed) settings.push_back({std::move(name), std::move(value)});
  };
  if (!configuration.name.empty()) add("name", configuration.name, true);
  add("isa", fmt::to_string(int(configuration.isa)), configuration.isa != standard.isa);
  for (auto const& [name, member] : kIntSettings)
    add(name, fmt::to_string(configuration.*member), configuration.*member != standard.*member);
  add("clock_mhz", fmt::to_string(configuration.clock_mhz),
      configuration.clock_mhz != standard.clock_mhz);
  for (auto const& [name, member, on, off] : kWordSettings)
    add(name, configuration.*member ? on : off, configuration.*member != standard.*member);
  bool any = configuration.processor.empty();
  add("processor", any ? std::string(kAnyProcessor) : configuration.processor, !any);
  return settings;
}

Status set(Configuration& configuration, std::string_view name, std::string_view value) {
  if (name == "name") {
    if (!is_name(value)) return bad_value("name", value, "word of letters, digits, '-' and '_'");
    configuration.name = value;
    return {};
  }
  if (name == "processor") {
    if (!is_name(value)) return bad_value("processor", value, "target, as in cpu:armv7,");
    configuration.processor = value == kAnyProcessor ? "" : value;
    return {};
  }
  if (name == "isa") return set_isa(configuration, value);
  if (name == "clock_mhz") return set_clock(configuration, value);
  auto word = std::ranges::find(kWordSettings, name, &WordSetting::name);
  if (word != std::ranges::end(kWordSettings)) return set_word(configuration, *word, value);
  auto found = std::ranges::find(kIntSettings, name, &IntSetting::name);
  if (found == std::ranges::end(kIntSettings))
    return bad_input("illegal_configuration",
                     fmt::format("there is no setting '{}'", name.substr(0, 80)));
  auto number = signed_number(value);
  if (!number || *number < INT_MIN || *number > INT_MAX)
    return bad_value(name, value, "whole number");
  configuration.*(found->member) = int(*number);
  return {};
}

Result<Configuration> parse_settings(std::string_view text, std::string_view file) {
  Configuration configuration;
  Place place{.file = std::string(file), .line = 1};
  auto placed = [&](Error error) {
    error.place = place;
    return std::unexpected(std::move(error));
  };
  LineOf line_of;
  if (text.empty()) text = "\n";  // which has a first line, too
  for (auto part : std::views::split(text, '\n')) {
    std::string_view line(part.begin(), part.end());
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (place.line == 1 && line != kHead)
      return placed({"illegal_configuration", fmt::format("the first line is not '{}'", kHead)});
    if (place.line > 1)
      if (auto read = read_setting(configuration, line, place.line, line_of); !read)
        return placed(read.error());
    ++place.line;
  }
  TRY(check_complete(line_of, file));
  return configuration;
}

Result<Configuration> parse_configuration(std::string_view text, std::string_view file) {
  TRY_ASSIGN(Configuration configuration, parse_settings(text, file));
  if (auto legal = validate(configuration); !legal) {
    legal.error().place.file = file;
    return std::unexpected(legal.error());
  }
  return configuration;
}

std::string to_text(Configuration const& configuration) {
  std::string text = std::string(kHead) + "\n";
  for (auto const& [name, value] : settings_of(configuration, false))
    text += fmt::format("{} = {}\n", name, value);
  return text;
}

}  // namespace tw::vta
