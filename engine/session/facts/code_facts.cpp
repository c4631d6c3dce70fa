#include "engine/session/facts/code_facts.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/session/code_report.h"
#include "engine/session/facts/launch_facts.h"

namespace tw::session {
namespace {

FactInfo const kCodeFacts[] = {
    {"assembly.instructions", "", "number of instructions of the current step's assembly"},
    {"assembly.fused", "", "number of its fused multiply-add instructions"},
    {"assembly.vector_bytes", "", "bytes of the widest registers that these work on"},
    {"assembly.loop_cycles", "", "modelled cycles of an iteration of its hot loop"},
    {"assembly.loop_registers", "", "vector registers that its hot loop uses"},
};

/// The first word of a line that is an instruction; empty: it is a label, a directive or a comment.
std::string_view mnemonic(std::string_view line) {
  auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!line.empty() && blank(line.front())) line.remove_prefix(1);
  size_t end = size_t(std::ranges::find_if(line, blank) - line.begin());
  std::string_view word = line.substr(0, end);
  bool letter = !word.empty() && std::isalpha(static_cast<unsigned char>(word.front()));
  return letter && word.back() != ':' ? word : std::string_view();
}

bool is_fused(std::string_view word) {
  constexpr std::array<std::string_view, 9> kBegins = {
      "vfmadd", "vfnmadd", "vfmsub", "fmla", "fmls", "fmadd", "vfma", "vmla", "vpdp"};
  return std::ranges::any_of(kBegins, [&](auto begin) { return word.starts_with(begin); });
}

/// Of the registers that a line names, as the processors of this kind spell them.
int register_bytes(std::string_view line, std::string_view word) {
  bool one = word.ends_with("ss") || word.ends_with("sd");
  if (line.find("zmm") != line.npos) return 64;
  if (line.find("ymm") != line.npos) return 32;
  if (line.find("xmm") != line.npos) return one ? 4 : 16;
  for (std::string_view lanes : {".4s", ".2d", ".8h", ".16b", "q"})
    if (line.find(lanes) != line.npos) return 16;
  return 4;
}

}  // namespace

std::span<FactInfo const> code_facts() { return kCodeFacts; }

bool is_code_fact(std::string_view name) {
  return is_launch_fact(name) ||
         std::ranges::any_of(kCodeFacts, [&](auto& info) { return info.name == name; });
}

std::optional<FactValue> code_fact(std::string_view name, CodeText const& assembly) {
  if (!is_code_fact(name) || is_loop_fact(name) || is_launch_fact(name) ||
      !assembly.failure.empty())
    return {};
  int all = 0, fused = 0, bytes = 0;
  for (CodeLine const& line : assembly.lines) {
    std::string_view word = mnemonic(line.text);
    if (word.empty()) continue;
    ++all;
    if (!is_fused(word)) continue;
    ++fused;
    bytes = std::max(bytes, register_bytes(line.text, word));
  }
  if (name == "assembly.instructions") return double(all);
  return double(name == "assembly.fused" ? fused : bytes);
}

bool is_loop_fact(std::string_view name) { return name.starts_with("assembly.loop_"); }

std::optional<FactValue> code_fact(std::string_view name, AssemblyReport const& report) {
  if (!is_code_fact(name) || !is_loop_fact(name)) return {};
  if (!report.complete || !report.hot || !report.loop.failure.empty()) return {};
  return name == "assembly.loop_cycles" ? report.loop.cycles : double(report.loop.vector_registers);
}

}  // namespace tw::session
