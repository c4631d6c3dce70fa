#include "engine/hardware/hardware.h"

#include <algorithm>

#include "engine/support/base/hash.h"

namespace tw {

std::string Hardware::word(std::string const& key) const {
  auto found = code.find(key);
  return found == code.end() ? std::string() : found->second;
}

std::span<MemoryLevel const> Hardware::caches() const {
  auto end = std::ranges::find(memories, false, &MemoryLevel::cache);
  return {memories.data(), size_t(end - memories.begin())};
}

MemoryLevel const* Hardware::memory(std::string_view level_name) const {
  auto found = std::ranges::find(memories, level_name, &MemoryLevel::name);
  return found == memories.end() ? nullptr : &*found;
}

int64_t Hardware::main_memory_bytes() const {
  return memories.empty() || memories.back().cache ? 0 : memories.back().bytes;
}

int Hardware::line_bytes() const {
  return memories.empty() ? MemoryLevel{}.line_bytes : memories.front().line_bytes;
}

void set_main_memory(Hardware& hardware, int64_t bytes) {
  if (hardware.memories.empty() || hardware.memories.back().cache)
    hardware.memories.push_back({.name = "memory", .cache = false});
  hardware.memories.back().bytes = bytes;
}

Rate Roofs::best(std::string_view type) const {
  auto found = std::ranges::find(compute, type, &ComputeRoof::type);
  return found == compute.end() ? Rate{} : found->rate;
}

Rate Roofs::of(std::string_view unit, std::string_view type) const {
  auto found = std::ranges::find_if(
      compute, [&](ComputeRoof const& one) { return one.unit == unit && one.type == type; });
  return found == compute.end() ? Rate{} : found->rate;
}

uint64_t fingerprint(Hardware const& hardware) {
  Hasher hasher;
  hasher.text(hardware.target).text(hardware.name);
  for (auto const& [key, word] : hardware.code) hasher.text(key).text(word);
  for (Unit const& unit : hardware.units)
    hasher.text(unit.name).number(uint64_t(unit.count)).number(uint64_t(unit.vector_bytes));
  for (MemoryLevel const& level : hardware.memories) {
    // The exact size of main memory changes from boot to boot.
    uint64_t bytes = level.cache ? uint64_t(level.bytes) : uint64_t(level.bytes >> 30);
    hasher.text(level.name).number(bytes).number(uint64_t(level.shared_by));
  }
  return hasher.finish();
}

}  // namespace tw
