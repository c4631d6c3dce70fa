#include "engine/device/hardware_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tw {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Unit, name, count, vector_bytes, vector_registers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryLevel, name, bytes, line_bytes, shared_by, cache)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Hardware, target, name, code, units, memories)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Rate, one_core, all_cores, spread)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ComputeRoof, name, unit, type, rate)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryRoof, name, working_set, load, triad)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Roofs, compute, memory)

namespace {

/// The first field of a record that must be whole and is 1.5 or 1e300, which no int holds; null
/// for none.
char const* broken_field(Json const& record) {
  if (!record.is_object()) return nullptr;
  for (char const* field : {"bytes", "line_bytes", "shared_by", "count", "vector_bytes",
                            "vector_registers", "working_set"})
    if (auto found = record.find(field); found != record.end() && found->is_number_float())
      return field;
  return nullptr;
}

/// The same for a whole description, whose lists hold records.
char const* broken_number(Json const& json) {
  if (char const* field = broken_field(json); field || !json.is_object()) return field;
  for (char const* list : {"units", "memories", "memory"})
    if (auto found = json.find(list); found != json.end() && found->is_array())
      for (Json const& item : *found)
        if (char const* field = broken_field(item)) return field;
  return nullptr;
}

/// What older devices say: one kind of processor, caches by their number.
Json in_todays_words(Json const& old) {
  Json memories = Json::array();
  for (Json const& cache : old.at("caches"))
    memories.push_back({{"name", "L" + cache.at("level").dump()},
                        {"bytes", cache.at("bytes")},
                        {"line_bytes", cache.at("line_bytes")},
                        {"shared_by", cache.at("shared_by")},
                        {"cache", true}});
  memories.push_back({{"name", "DRAM"},
                      {"bytes", old.at("memory_bytes")},
                      {"line_bytes", MemoryLevel{}.line_bytes},
                      {"shared_by", 1},
                      {"cache", false}});
  return {{"target", old.value("target", "")},
          {"name", old.at("name")},
          {"code",
           {{"triple", old.at("triple")},
            {"processor", old.at("cpu")},
            {"features", old.at("features")}}},
          {"units",
           {{{"name", "core"},
             {"count", old.at("cores")},
             {"vector_bytes", old.at("vector_bytes")},
             {"vector_registers", old.at("vector_registers")}}}},
          {"memories", std::move(memories)}};
}

template <typename T>
Result<T> parse(std::string_view text, char const* code) {
  try {
    Json json = Json::parse(text);
    if (json.is_object() && json.contains("caches")) json = in_todays_words(json);
    if (char const* field = broken_number(json))
      return bad_input(code, std::string("'") + field + "' is not an integer");
    return json.get<T>();
  } catch (Json::exception const& error) {
    return bad_input(code, std::string("not a hardware description: ") + error.what());
  }
}

template <typename T>
std::string print(T const& value) {
  // A name may come from a file or another machine: bytes that are not UTF-8 are replaced.
  return Json(value).dump(2, ' ', false, Json::error_handler_t::replace);
}

bool between(int64_t value, int64_t least, int64_t most) { return least <= value && value <= most; }

bool is_rate(Rate const& rate) {
  return std::isfinite(rate.one_core) && std::isfinite(rate.all_cores) && rate.one_core > 0 &&
         rate.all_cores > 0;
}

}  // namespace

std::string to_json_text(Hardware const& hardware) { return print(hardware); }
std::string to_json_text(Roofs const& roofs) { return print(roofs); }

Result<Hardware> parse_hardware(std::string_view json) {
  TRY_ASSIGN(Hardware hardware, parse<Hardware>(json, "bad_hardware_text"));
  // Another machine wrote it: plans are made with these numbers.
  bool sane = between(int64_t(hardware.units.size()), 1, 16) && hardware.memories.size() <= 16;
  for (Unit const& unit : hardware.units)
    sane = sane && between(unit.count, 1, 1 << 16) && between(unit.vector_bytes, 4, 4096) &&
           between(unit.vector_registers, 1, 4096);
  for (MemoryLevel const& level : hardware.memories)
    sane = sane && between(level.bytes, 0, int64_t(1) << 50) &&
           between(level.line_bytes, 1, 1 << 16) && between(level.shared_by, 1, 1 << 16);
  if (!sane) return bad_input("bad_hardware_text", "the hardware description is out of range");
  return hardware;
}

Result<Roofs> parse_roofs(std::string_view json) {
  TRY_ASSIGN(Roofs roofs, parse<Roofs>(json, "bad_roofs_text"));
  bool sane = !roofs.compute.empty() && !roofs.memory.empty();
  for (ComputeRoof const& one : roofs.compute) sane = sane && is_rate(one.rate);
  for (MemoryRoof const& memory : roofs.memory) {
    sane = sane && is_rate(memory.load) && is_rate(memory.triad);
  }
  if (!sane) return bad_input("bad_roofs_text", "the roofs are out of range");
  return roofs;
}

}  // namespace tw
