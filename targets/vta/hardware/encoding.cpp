#include "targets/vta/hardware/encoding.h"

#include <fmt/format.h>

#include <bit>

#include "targets/vta/hardware/fields.h"
#include "targets/vta/hardware/widths.h"

namespace tw::vta {
namespace {

constexpr int kOpcodes = 5;

/// "a load", "an alu instruction".
std::string with_article(Opcode opcode) {
  if (opcode == Opcode::kAlu) return "an alu instruction";
  return fmt::format("a {}", to_text(opcode));
}

uint64_t mask(int width) { return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1; }

bool fits(FieldSlot const& slot, Instruction const& instruction) {
  if (slot.is_signed) return instruction.immediate == int16_t(instruction.immediate);
  return slot.get(instruction) <= mask(slot.width);
}

std::unexpected<Error> unencodable(std::string sentence) {
  return bad_input("unencodable", std::move(sentence));
}

/// What this version has no number for.
Status check_version(Configuration const& configuration, Instruction const& instruction) {
  if (configuration.isa != IsaVersion::kV1) return {};
  if (instruction.opcode == Opcode::kAlu && instruction.alu > AluOp::kMul)
    return unencodable(
        fmt::format("version 1 of the instruction set has no alu {}", to_text(instruction.alu)));
  if (instruction.transfer.pad_value != PadValue::kZero)
    return unencodable("version 1 of the instruction set pads with 0 only");
  if (instruction.transfer.saturate)
    return unencodable("version 1 of the instruction set has no saturating store");
  return {};
}

Result<Words> encode_with(FieldTable const& table, Configuration const& configuration,
                          Instruction const& instruction) {
  if (int(instruction.opcode) >= kOpcodes)
    return unencodable(fmt::format("there is no opcode {}", int(instruction.opcode)));
  TRY(check_version(configuration, instruction));
  Words words{};
  Instruction written;
  for (FieldSlot const& slot : table.of(instruction.opcode)) {
    uint64_t value = slot.get(instruction);
    if (!fits(slot, instruction))
      return unencodable(fmt::format(
          "{} of {} is {}, which does not fit {} bits", slot.name, with_article(instruction.opcode),
          slot.is_signed ? fmt::to_string(instruction.immediate) : fmt::to_string(value),
          slot.width));
    words[size_t(slot.word)] |= value << slot.bit;
    slot.set(written, value);
  }
  if (written != instruction)
    return unencodable(
        fmt::format("a field is set that {} does not have", with_article(instruction.opcode)));
  return words;
}

std::string bits_text(Configuration const& configuration, Words const& words) {
  std::string text = fmt::format("0x{:016x}{:016x}", words[1], words[0]);
  if (configuration.isa == IsaVersion::kV1) return text;
  return fmt::format("0x{:016x}{:016x}{}", words[3], words[2], std::string_view(text).substr(2));
}

std::unexpected<Error> undecodable(Configuration const& configuration, Words const& words,
                                   std::string_view sentence) {
  return bad_input("undecodable", fmt::format("{} is no instruction: {}",
                                              bits_text(configuration, words), sentence));
}

/// Numbers that fit their field but stand for nothing; empty: none.
std::string meaningless_field(Configuration const& configuration, Instruction const& instruction) {
  auto const& [opcode, tokens, transfer, nest, alu, use_immediate, immediate] = instruction;
  bool moves = opcode == Opcode::kLoad || opcode == Opcode::kStore;
  if (moves && transfer.memory > Memory::kAccByte)
    return fmt::format("there is no memory {}", int(transfer.memory));
  if (moves && transfer.pad_value > PadValue::kHighest)
    return fmt::format("there is no pad value {}", int(transfer.pad_value));
  if (opcode == Opcode::kAlu && configuration.isa == IsaVersion::kV1 && alu > AluOp::kMul)
    return fmt::format("version 1 has no ALU operation {}", int(alu));
  return "";
}

Result<Instruction> decode_with(FieldTable const& table, Configuration const& configuration,
                                Words const& words) {
  uint64_t opcode = words[0] & 7;
  if (opcode >= kOpcodes)
    return undecodable(configuration, words, fmt::format("there is no opcode {}", opcode));
  Instruction instruction;
  Words known{};
  for (FieldSlot const& slot : table.of(Opcode(opcode))) {
    slot.set(instruction, words[size_t(slot.word)] >> slot.bit & mask(slot.width));
    known[size_t(slot.word)] |= mask(slot.width) << slot.bit;
  }
  for (size_t word = 0; word < words.size(); ++word)
    if (uint64_t rest = words[word] & ~known[word])
      return undecodable(
          configuration, words,
          fmt::format("bit {} is set, where {} has no field",
                      64 * word + size_t(std::countr_zero(rest)), with_article(Opcode(opcode))));
  if (std::string why = meaningless_field(configuration, instruction); !why.empty())
    return undecodable(configuration, words, why);
  return instruction;
}

Error with_index(Error error, size_t index) {
  error.message = fmt::format("instruction {}: {}", index, error.message);
  return error;
}

void append(std::vector<std::byte>& bytes, uint64_t word) {
  for (int i = 0; i < 8; ++i) bytes.push_back(std::byte(word >> 8 * i));
}

uint64_t word_at(std::span<std::byte const> bytes, size_t at) {
  uint64_t word = 0;
  for (size_t i = 0; i < 8; ++i) word |= uint64_t(bytes[at + i]) << 8 * i;
  return word;
}

}  // namespace

std::vector<Field> fields_of(Configuration const& configuration, Opcode opcode) {
  FieldTable const table(configuration);
  std::vector<Field> fields;
  for (FieldSlot const& slot : table.of(opcode))
    fields.push_back({slot.name, slot.word, slot.bit, slot.width});
  return fields;
}

std::vector<Field> uop_fields(Configuration const& configuration) {
  Widths w = widths_of(configuration);
  return {{"dst", 0, 0, w.dst}, {"src", 0, w.dst, w.uop_src}, {"wgt", 0, w.dst + w.uop_src, w.wgt}};
}

Result<Words> encode(Configuration const& configuration, Instruction const& instruction) {
  return encode_with(FieldTable(configuration), configuration, instruction);
}

Result<Instruction> decode(Configuration const& configuration, Words const& words) {
  return decode_with(FieldTable(configuration), configuration, words);
}

Result<uint64_t> encode(Configuration const& configuration, MicroOp const& uop) {
  Widths w = widths_of(configuration);
  auto refuse = [](char const* name, uint32_t value, int width) {
    return unencodable(
        fmt::format("{} of a micro-op is {}, which does not fit {} bits", name, value, width));
  };
  if (uop.dst > mask(w.dst)) return refuse("dst", uop.dst, w.dst);
  if (uop.src > mask(w.uop_src)) return refuse("src", uop.src, w.uop_src);
  if (uop.wgt > mask(w.wgt)) return refuse("wgt", uop.wgt, w.wgt);
  return uop.dst | uint64_t(uop.src) << w.dst | uint64_t(uop.wgt) << (w.dst + w.uop_src);
}

MicroOp decode_uop(Configuration const& configuration, uint64_t bits) {
  Widths w = widths_of(configuration);
  return {.dst = uint32_t(bits & mask(w.dst)),
          .src = uint32_t(bits >> w.dst & mask(w.uop_src)),
          .wgt = uint32_t(bits >> (w.dst + w.uop_src) & mask(w.wgt))};
}

Result<std::vector<std::byte>> encode(Configuration const& configuration,
                                      std::span<Instruction const> stream) {
  FieldTable const table(configuration);
  std::vector<std::byte> bytes;
  bytes.reserve(stream.size() * size_t(configuration.instruction_bytes()));
  for (size_t i = 0; i < stream.size(); ++i) {
    auto words = encode_with(table, configuration, stream[i]);
    if (!words) return std::unexpected(with_index(words.error(), i));
    for (int word = 0; word < configuration.instruction_bytes() / 8; ++word)
      append(bytes, (*words)[size_t(word)]);
  }
  return bytes;
}

Result<Stream> decode(Configuration const& configuration, std::span<std::byte const> bytes) {
  size_t each = size_t(configuration.instruction_bytes());
  if (bytes.size() % each != 0)
    return bad_input("truncated_stream",
                     fmt::format("instruction {} is cut off: it has {} of {} bytes",
                                 bytes.size() / each, bytes.size() % each, each));
  FieldTable const table(configuration);
  Stream stream;
  stream.reserve(bytes.size() / each);
  for (size_t i = 0; i < bytes.size() / each; ++i) {
    Words words{};
    for (size_t word = 0; word < each / 8; ++word)
      words[word] = word_at(bytes, i * each + 8 * word);
    auto instruction = decode_with(table, configuration, words);
    if (!instruction) return std::unexpected(with_index(instruction.error(), i));
    stream.push_back(*instruction);
  }
  return stream;
}

}  // namespace tw::vta
