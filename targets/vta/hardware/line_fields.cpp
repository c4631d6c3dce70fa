#include "targets/vta/hardware/line_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <ranges>

#include "targets/vta/hardware/words.h"

namespace tw::vta {
namespace {

template <typename T>
bool set_number(T& into, std::string_view value) {
  auto number = whole_number(value);
  if (!number || *number > std::numeric_limits<T>::max()) return false;
  into = T(*number);
  return true;
}

/// "1,0,2": as many as there are.
template <size_t kCount>
bool set_list(std::array<uint32_t*, kCount> into, std::string_view value) {
  size_t at = 0;
  for (auto part : std::views::split(value, ',')) {
    if (at == kCount || !set_number(*into[at++], std::string_view(part.begin(), part.end())))
      return false;
  }
  return at == kCount;
}

bool set_flag(bool& into, std::string_view value) {
  into = true;
  return value.empty();
}

bool set_factors(Factors& into, std::string_view value) {
  return set_list<2>({&into.outer, &into.inner}, value);
}

bool set_pads(Transfer& t, std::string_view value) {
  return set_list<4>({&t.y_pad_before, &t.y_pad_after, &t.x_pad_before, &t.x_pad_after}, value);
}

bool set_pad_value(Transfer& transfer, std::string_view value) {
  if (value != "lowest" && value != "highest") return false;
  transfer.pad_value = value == "lowest" ? PadValue::kLowest : PadValue::kHighest;
  return true;
}

/// "begin..end", end exclusive.
bool set_range(Nest& nest, std::string_view value) {
  size_t dots = value.find("..");
  return dots != std::string_view::npos && set_number(nest.uop_begin, value.substr(0, dots)) &&
         set_number(nest.uop_end, value.substr(dots + 2));
}

bool set_immediate(Instruction& instruction, std::string_view value, bool used) {
  auto number = signed_number(value);
  if (!number || *number != int16_t(*number)) return false;
  instruction.immediate = int32_t(*number);
  instruction.use_immediate = used;
  return true;
}

constexpr unsigned kMoves = 1u << int(Opcode::kLoad) | 1u << int(Opcode::kStore);
constexpr unsigned kGemms = 1u << int(Opcode::kGemm);
constexpr unsigned kAlus = 1u << int(Opcode::kAlu);
constexpr unsigned kNests = kGemms | kAlus;
constexpr unsigned kAll = kMoves | kNests | 1u << int(Opcode::kFinish);

struct LineField {
  std::string_view name;
  unsigned opcodes;  ///< bits
  bool (*set)(Instruction&, std::string_view value);
  std::string_view values = "an integer from 0 on";  ///< for people
};
constexpr std::string_view kFlagValues = "there or not, without a value";
constexpr std::string_view kFactorValues = "two integers, OUTER,INNER";
constexpr std::string_view kImmediateValues = "an integer from -32768 to 32767";
using I = Instruction;
using Text = std::string_view;
constexpr LineField kLineFields[] = {
    {"sram", kMoves, [](I& i, Text v) { return set_number(i.transfer.sram, v); }},
    {"dram", kMoves, [](I& i, Text v) { return set_number(i.transfer.dram, v); }},
    {"y", kMoves, [](I& i, Text v) { return set_number(i.transfer.y_size, v); }},
    {"x", kMoves, [](I& i, Text v) { return set_number(i.transfer.x_size, v); }},
    {"stride", kMoves, [](I& i, Text v) { return set_number(i.transfer.x_stride, v); }},
    {"pad", kMoves, [](I& i, Text v) { return set_pads(i.transfer, v); },
     "four integers, ABOVE,BELOW,LEFT,RIGHT"},
    {"value", kMoves, [](I& i, Text v) { return set_pad_value(i.transfer, v); },
     "lowest or highest"},
    {"saturate", kMoves, [](I& i, Text v) { return set_flag(i.transfer.saturate, v); },
     kFlagValues},
    {"reset", kNests, [](I& i, Text v) { return set_flag(i.nest.reset, v); }, kFlagValues},
    {"uops", kNests, [](I& i, Text v) { return set_range(i.nest, v); },
     "BEGIN..END, without the end"},
    {"outer", kNests, [](I& i, Text v) { return set_number(i.nest.outer, v); }},
    {"inner", kNests, [](I& i, Text v) { return set_number(i.nest.inner, v); }},
    {"dst", kNests, [](I& i, Text v) { return set_factors(i.nest.dst, v); }, kFactorValues},
    {"src", kNests, [](I& i, Text v) { return set_factors(i.nest.src, v); }, kFactorValues},
    {"wgt", kGemms, [](I& i, Text v) { return set_factors(i.nest.wgt, v); }, kFactorValues},
    {"imm", kAlus, [](I& i, Text v) { return set_immediate(i, v, true); }, kImmediateValues},
    // An immediate that is encoded, but not used.
    {"idle_imm", kAlus, [](I& i, Text v) { return set_immediate(i, v, false); }, kImmediateValues},
    {"pop_prev", kAll, [](I& i, Text v) { return set_flag(i.tokens.pop_prev, v); }, kFlagValues},
    {"pop_next", kAll, [](I& i, Text v) { return set_flag(i.tokens.pop_next, v); }, kFlagValues},
    {"push_prev", kAll, [](I& i, Text v) { return set_flag(i.tokens.push_prev, v); }, kFlagValues},
    {"push_next", kAll, [](I& i, Text v) { return set_flag(i.tokens.push_next, v); }, kFlagValues},
};

/// Words of a line, one after another.
class LineWriter {
public:
  void number(char const* name, uint64_t value, uint64_t standard = 0) {
    if (value != standard) text_ += fmt::format(" {}={}", name, value);
  }
  void factors(char const* name, Factors const& f) {
    if (f != Factors{}) text_ += fmt::format(" {}={},{}", name, f.outer, f.inner);
  }
  void flag(char const* name, bool set) {
    if (set) text_ += fmt::format(" {}", name);
  }
  void add(std::string const& words) { text_ += words; }
  std::string take() { return std::move(text_); }

private:
  std::string text_;
};

void write_transfer(LineWriter& line, Transfer const& t) {
  line.number("sram", t.sram);
  line.number("dram", t.dram);
  line.number("y", t.y_size);
  line.number("x", t.x_size);
  line.number("stride", t.x_stride);
  if (t.y_pad_before || t.y_pad_after || t.x_pad_before || t.x_pad_after)
    line.add(fmt::format(" pad={},{},{},{}", t.y_pad_before, t.y_pad_after, t.x_pad_before,
                         t.x_pad_after));
  if (t.pad_value != PadValue::kZero)
    line.add(t.pad_value == PadValue::kLowest ? " value=lowest" : " value=highest");
  line.flag("saturate", t.saturate);
}

void write_nest(LineWriter& line, Instruction const& instruction) {
  Nest const& nest = instruction.nest;
  line.flag("reset", nest.reset);
  if (nest.uop_begin || nest.uop_end)
    line.add(fmt::format(" uops={}..{}", nest.uop_begin, nest.uop_end));
  line.number("outer", nest.outer, 1);
  line.number("inner", nest.inner, 1);
  line.factors("dst", nest.dst);
  line.factors("src", nest.src);
  if (instruction.opcode == Opcode::kGemm) return line.factors("wgt", nest.wgt);
  if (instruction.use_immediate || instruction.immediate != 0)
    line.add(fmt::format(" {}={}", instruction.use_immediate ? "imm" : "idle_imm",
                         instruction.immediate));
}

}  // namespace

Status set_line_field(Instruction& instruction, std::string_view word) {
  auto pair = name_and_value(word);
  std::string_view name = pair ? pair->name : word, value = pair ? pair->value : "";
  auto found = std::ranges::find(kLineFields, name, &LineField::name);
  if (found == std::ranges::end(kLineFields) || !(found->opcodes >> int(instruction.opcode) & 1))
    return bad_input("bad_assembly", fmt::format("{} {} has no field '{}'",
                                                 instruction.opcode == Opcode::kAlu ? "an" : "a",
                                                 to_text(instruction.opcode), name.substr(0, 80)));
  if (!found->set(instruction, value))
    return bad_input("bad_assembly", fmt::format("'{}' is no value of {}, which is {}",
                                                 value.substr(0, 80), name, found->values));
  return {};
}

std::string line_fields(Instruction const& instruction) {
  LineWriter line;
  if (kMoves >> int(instruction.opcode) & 1) write_transfer(line, instruction.transfer);
  if (kNests >> int(instruction.opcode) & 1) write_nest(line, instruction);
  line.flag("pop_prev", instruction.tokens.pop_prev);
  line.flag("pop_next", instruction.tokens.pop_next);
  line.flag("push_prev", instruction.tokens.push_prev);
  line.flag("push_next", instruction.tokens.push_next);
  return line.take();
}

}  // namespace tw::vta
