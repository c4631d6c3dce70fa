// The machine in use with other roofs or caches.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "engine/backend/target_table.h"
#include "engine/session/what_if.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

constexpr std::string_view kOneCore = ", one core";

struct UnitWord {
  std::string_view word;
  QuantityKind kind;
  double factor;  ///< to GFLOP/s or GOP/s, GB/s, bytes
};
constexpr UnitWord kUnits[] = {
    {"GFLOP/s", QuantityKind::kArithmetic, 1}, {"TFLOP/s", QuantityKind::kArithmetic, 1000},
    {"GOP/s", QuantityKind::kArithmetic, 1},   {"TOP/s", QuantityKind::kArithmetic, 1000},
    {"GB/s", QuantityKind::kBandwidth, 1},     {"TB/s", QuantityKind::kBandwidth, 1000},
    {"MB/s", QuantityKind::kBandwidth, 1e-3},  {"B", QuantityKind::kCapacity, 1},
    {"KB", QuantityKind::kCapacity, 1 << 10},  {"MB", QuantityKind::kCapacity, 1 << 20},
    {"GB", QuantityKind::kCapacity, 1 << 30}};

std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

std::unexpected<Error> wrong(std::string_view part, std::string const& why) {
  return bad_input("bad_what_if", fmt::format("'{}': {}", part, why));
}

/// By its name, or a roof of arithmetic by the type that it is of.
MachineQuantity const* quantity_named(std::vector<MachineQuantity> const& all, QuantityKind kind,
                                      std::string_view name) {
  for (MachineQuantity const& one : all)
    if (one.kind == kind && same_word(one.name, name)) return &one;
  for (MachineQuantity const& one : all)
    if (one.kind == QuantityKind::kArithmetic && kind == one.kind &&
        same_word(one.name.substr(one.name.rfind(' ') + 1), name))
      return &one;
  return nullptr;
}

std::string names_of(std::vector<MachineQuantity> const& all, QuantityKind kind) {
  std::string names;
  for (MachineQuantity const& one : all)
    if (one.kind == kind) names += (names.empty() ? "" : ", ") + one.name;
  return names;
}

Result<MachineQuantity> parse_change(std::string_view part,
                                     std::vector<MachineQuantity> const& all) {
  size_t sign = part.find('=');
  if (sign == std::string_view::npos)
    return wrong(part, "a change is written NAME=NUMBER UNIT, as in L2=2MB or DRAM=40GB/s");
  std::string_view name = trimmed(part.substr(0, sign)), value = trimmed(part.substr(sign + 1));
  double number = 0;
  auto [end, trouble] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (trouble != std::errc() || !std::isfinite(number) || number <= 0)
    return wrong(part, "the value is a number above 0");
  std::string_view word = trimmed({end, size_t(value.data() + value.size() - end)});
  auto unit = std::ranges::find_if(kUnits, [&](auto& one) { return same_word(one.word, word); });
  if (unit == std::ranges::end(kUnits))
    return wrong(part, "the unit is GFLOP/s, GOP/s, GB/s, KB or MB");
  MachineQuantity const* known = quantity_named(all, unit->kind, name);
  if (!known) {
    std::string names = names_of(all, unit->kind);
    return wrong(part, names.empty()
                           ? fmt::format("nothing of this machine is given in {}", unit->word)
                           : fmt::format("what has a value in {} is {}", unit->word, names));
  }
  MachineQuantity changed = *known;
  changed.value = number * unit->factor;
  if (changed.kind == QuantityKind::kCapacity) changed.value = std::round(changed.value);
  if (changed.value < 1e-3 || changed.value > 1e15) return wrong(part, "no machine has that");
  return changed;
}

/// A level nearer to the core would hold more than the one behind it.
Status caches_grow(std::vector<MachineQuantity> const& all) {
  MachineQuantity const* nearer = nullptr;
  for (MachineQuantity const& one : all) {
    if (one.kind != QuantityKind::kCapacity) continue;
    if (nearer && one.value < nearer->value) {
      auto [less, more] = bytes_apart(one.value, nearer->value);
      return bad_input("bad_what_if", fmt::format("{} would hold {}, less than {} with {}",
                                                  one.name, less, nearer->name, more));
    }
    nearer = &one;
  }
  return {};
}

std::string value_text(MachineQuantity const& one) {
  return one.kind == QuantityKind::kCapacity ? bytes_text(one.value)
                                             : speed_text(one.value, one.unit);
}

double factor_of(WhatIf const& what, std::vector<MachineQuantity> const& are, QuantityKind kind,
                 std::string const& name) {
  for (MachineQuantity const& change : what.changes)
    for (MachineQuantity const& now : are)
      if (change.is(now) && now.kind == kind && now.name == name) return change.value / now.value;
  return 1;
}

void scale(Rate& rate, double factor) {
  rate.one_core *= factor;
  rate.all_cores *= factor;
}

}  // namespace

std::vector<MachineQuantity> quantities_of(MachineView const& machine) {
  std::vector<MachineQuantity> all;
  if (!machine.rates || !machine.hardware) return all;
  auto add = [&](MachineQuantity one) {
    bool known = std::ranges::any_of(all, [&](auto const& other) { return other.is(one); });
    if (one.value > 0 && !known) all.push_back(std::move(one));
  };
  for (ComputeRoof const& roof : machine.rates->compute)
    add({QuantityKind::kArithmetic, roof.name, roof.rate.all_cores,
         unit_of(RoofView{roof.name, true, 0, 1})});
  for (MemoryRoof const& roof : machine.rates->memory)
    add({QuantityKind::kBandwidth, roof.name, roof.load.all_cores, "GB/s"});
  for (MemoryLevel const& cache : machine.hardware->caches())
    add({QuantityKind::kCapacity, cache.name, double(cache.bytes), "B"});
  return all;
}

Result<WhatIf> parse_what_if(std::string const& text, MachineView const& machine) {
  std::vector<MachineQuantity> const are = quantities_of(machine);
  if (are.empty()) return bad_input("unknown_roofs", "the machine's roofs are not known");
  WhatIf what;
  std::vector<MachineQuantity> then = are;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find_first_of(",;", begin), text.size());
    std::string_view part = trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (part.empty()) continue;
    TRY_ASSIGN(MachineQuantity change, parse_change(part, are));
    for (MachineQuantity const& other : what.changes)
      if (other.is(change)) return wrong(part, other.name + " is changed twice");
    for (MachineQuantity& one : then)
      if (one.is(change)) one = change;
    what.changes.push_back(std::move(change));
  }
  TRY(caches_grow(then));
  std::erase_if(what.changes, [&](auto const& one) { return std::ranges::count(are, one) > 0; });
  return what;
}

std::string to_text(MachineQuantity const& quantity) {
  if (quantity.kind != QuantityKind::kCapacity)
    return fmt::format("{}={}{}", quantity.name, quantity.value, quantity.unit);
  auto bytes = int64_t(quantity.value);
  if (bytes % (1 << 20) == 0) return fmt::format("{}={}MB", quantity.name, bytes >> 20);
  if (bytes % (1 << 10) == 0) return fmt::format("{}={}KB", quantity.name, bytes >> 10);
  return fmt::format("{}={}B", quantity.name, bytes);
}

std::string to_text(WhatIf const& what) {
  std::string text;
  for (MachineQuantity const& one : what.changes) text += (text.empty() ? "" : ", ") + to_text(one);
  return text;
}

std::string words_of(WhatIf const& what, MachineView const& machine) {
  std::string words;
  for (MachineQuantity const& change : what.changes)
    for (MachineQuantity const& now : quantities_of(machine))
      if (change.is(now))
        words += fmt::format("{}{} {} instead of {}", words.empty() ? "" : ", ", change.name,
                             value_text(change), value_text(now));
  return words;
}

Result<HypotheticalMachine> machine_if(MachineView const& machine,
                                       std::shared_ptr<Backend const> const& backend,
                                       WhatIf const& what) {
  std::vector<MachineQuantity> const are = quantities_of(machine);
  HypotheticalMachine changed{machine, backend};
  if (are.empty() || what.changes.empty()) return changed;
  Roofs rates = *machine.rates;
  for (ComputeRoof& roof : rates.compute)
    scale(roof.rate, factor_of(what, are, QuantityKind::kArithmetic, roof.name));
  for (MemoryRoof& roof : rates.memory) {
    double factor = factor_of(what, are, QuantityKind::kBandwidth, roof.name);
    scale(roof.load, factor);
    scale(roof.triad, factor);
  }
  for (RoofView& roof : changed.view.roofs)
    roof.value *=
        factor_of(what, are, roof.compute ? QuantityKind::kArithmetic : QuantityKind::kBandwidth,
                  roof.name.substr(0, roof.name.find(kOneCore)));
  Hardware hardware = *machine.hardware;
  size_t cache = 0;
  for (MemoryLevel& memory : hardware.memories) {
    if (!memory.cache || cache >= changed.view.cache_bytes.size()) continue;
    double factor = factor_of(what, are, QuantityKind::kCapacity, memory.name);
    memory.bytes = int64_t(std::round(double(memory.bytes) * factor));
    changed.view.cache_bytes[cache++] = memory.bytes;
  }
  changed.view.rates = std::make_shared<Roofs const>(std::move(rates));
  if (hardware != *machine.hardware) {
    TRY_ASSIGN(changed.backend, create_backend(hardware));
    changed.view.hardware = std::make_shared<Hardware const>(std::move(hardware));
  }
  return changed;
}

std::string words_of(HypotheticalPoint const& point) {
  double gain = point.now.model_ms / point.then.model_ms;
  std::string how = std::abs(gain - 1) < 0.005 ? "as fast as now"
                    : gain > 1                 ? fmt::format("{}x as fast", number_text(gain))
                                               : fmt::format("{}x as slow", number_text(1 / gain));
  std::string text =
      fmt::format("{}, modelled: {} -> {}", how, milliseconds_text(point.now.model_ms),
                  milliseconds_text(point.then.model_ms));
  if (point.bound_then.empty()) return text;
  return text +
         (point.bound_then == point.bound_now
              ? fmt::format(", bottleneck still: {}", point.bound_then)
              : fmt::format(", bottleneck: {} instead of {}", point.bound_then, point.bound_now));
}

}  // namespace tw::session
