#include "engine/backend/target_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw {
namespace {

std::unexpected<Error> unknown_target(std::string const& name) {
  std::vector<std::string> names = target_names();
  std::string known = names.empty() ? "this build has none"
                                    : fmt::format("the targets are {}", fmt::join(names, ", "));
  return bad_input("unknown_target", fmt::format("there is no target '{}'; {}", name, known));
}

/// "vta:my.vta" for the kind "vta" whose files end in ".vta".
bool names_file(TargetEntry const& entry, std::string_view spelling) {
  return !entry.file_ending.empty() && spelling.starts_with(entry.name + ":") &&
         spelling.ends_with(entry.file_ending);
}

/// Null: no kind has that spelling.
TargetEntry const* entry_spelled(std::string const& spelling) {
  for (TargetEntry const* entry : target_table()) {
    std::vector<std::string> all = entry->spellings();
    if (std::ranges::find(all, spelling) != all.end() || names_file(*entry, spelling)) return entry;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (TargetEntry const* entry : target_table())
    for (std::string& spelling : entry->spellings()) names.push_back(std::move(spelling));
  return names;
}

Result<Hardware> target_hardware(std::string const& spelling) {
  TargetEntry const* entry = entry_spelled(spelling);
  if (!entry) return unknown_target(spelling);
  return entry->hardware(spelling);
}

std::optional<std::string> processor_beside(std::string const& spelling) {
  TargetEntry const* entry = entry_spelled(spelling);
  return entry && entry->beside ? std::optional(entry->beside(spelling)) : std::nullopt;
}

bool is_described_by_device(std::string const& spelling) {
  std::string name = spelling.substr(0, spelling.find(':'));
  return std::ranges::any_of(target_table(), [&](TargetEntry const* entry) {
    return entry->described_by_device && entry->name == name;
  });
}

std::vector<std::string> described_devices() {
  std::vector<std::string> names;
  for (TargetEntry const* entry : target_table()) {
    if (!entry->described) continue;
    std::vector<std::string> all = entry->spellings();
    names.insert(names.end(), all.begin() + 1, all.end());
  }
  return names;
}

bool is_described(std::string const& device) {
  std::vector<std::string> names = described_devices();
  return std::ranges::find(names, device) != names.end();
}

bool can_be_here(std::string const& spelling) {
  if (is_described_by_device(spelling)) return true;
  TargetEntry const* entry = entry_spelled(spelling);
  return entry && (spelling == entry->name || entry->simulated);
}

Result<Hardware> target_hardware_here() {
  for (TargetEntry const* entry : target_table())
    if (Result<Hardware> hardware = entry->hardware(entry->name)) return hardware;
  return environment_failed("no_such_hardware", "no target of this build is there on this machine");
}

namespace {

/// Null: there is none.
TargetEntry const* entry_of(Hardware const& hardware) {
  for (TargetEntry const* entry : target_table())
    if (entry->matches(hardware)) return entry;
  return nullptr;
}

}  // namespace

std::string kind_of(Hardware const& hardware) {
  TargetEntry const* entry = entry_of(hardware);
  return entry && entry->kind ? entry->kind(hardware) : "";
}

bool is_simulated(Hardware const& hardware) {
  TargetEntry const* entry = entry_of(hardware);
  return entry && entry->is_simulated && entry->is_simulated(hardware);
}

Result<std::shared_ptr<Backend const>> create_backend(Hardware const& hardware,
                                                      std::string generator) {
  TargetEntry const* entry = entry_of(hardware);
  if (!entry) return unknown_target(hardware.target);
  return entry->create_backend(hardware, std::move(generator));
}

std::optional<Roofs> computed_roofs(Hardware const& hardware) {
  TargetEntry const* entry = entry_of(hardware);
  return entry && entry->roofs ? entry->roofs(hardware) : std::nullopt;
}

std::optional<Schedule> schedule_in_turn(ir::Program const& program, Backend const& backend) {
  TargetEntry const* entry = entry_of(backend.target().hardware);
  return entry && entry->in_turn ? entry->in_turn(program, backend) : std::nullopt;
}

}  // namespace tw
