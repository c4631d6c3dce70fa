/// Instructions and micro-ops as bits. Fields are packed from the least bit on, in the order of
/// their declaration, and never straddle two 64-bit words; their widths follow from the
/// configuration. Source: Moreau et al. 2018, §2.2, fig. 6 to 8; widths as the published hardware
/// has them.
#pragma once

#include <array>
#include <cstddef>

#include "targets/vta/hardware/instruction.h"

namespace tw::vta {

/// One field of an instruction's words, for who shows the bits.
struct Field {
  std::string name;  ///< "sram_base"
  int word = 0, bit = 0, width = 0;
};
/// The fields of an instruction with that opcode, in their order.
std::vector<Field> fields_of(Configuration const& configuration, Opcode opcode);
std::vector<Field> uop_fields(Configuration const& configuration);

/// An instruction's words; v1 uses the first two. Little-endian in memory.
using Words = std::array<uint64_t, 4>;

/// Errors: unencodable, with the field, its value and the width that it has.
Result<Words> encode(Configuration const& configuration, Instruction const& instruction);
/// Errors: undecodable, with the bits and the field: an opcode, memory or ALU operation that there
/// is none of, or one that this version does not have; bits set where no field is.
Result<Instruction> decode(Configuration const& configuration, Words const& words);

Result<uint64_t> encode(Configuration const& configuration, MicroOp const& uop);
MicroOp decode_uop(Configuration const& configuration, uint64_t bits);

/// A whole stream as it lies in memory. Errors: those of `encode` and `decode`, with the index of
/// the instruction; truncated_stream.
Result<std::vector<std::byte>> encode(Configuration const& configuration,
                                      std::span<Instruction const> stream);
Result<Stream> decode(Configuration const& configuration, std::span<std::byte const> bytes);

}  // namespace tw::vta
