/// What one VTA accelerator is: widths, shapes, sizes of its memories, queues, clock. Run-time
/// values, from which everything else follows. Sources: Moreau et al. 2018, "VTA: An Open
/// Hardware-Software Stack for Deep Learning", §2; the fields of the instruction words bound them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/base/error.h"

namespace tw::vta {

/// v1 is what boards have: 128-bit instructions, 32-bit micro-ops. v2 has 256-bit instructions and
/// 64-bit micro-ops, saturating stores, clip, products of bytes, and a choice of what pads.
enum class IsaVersion : uint8_t { kV1 = 1, kV2 = 2 };

/// The memories of an instruction's `memory` field, by their number there.
enum class Memory : uint8_t {
  kUop = 0,
  kWgt = 1,
  kInp = 2,
  kAcc = 3,
  kOut = 4,
  kAccByte = 5,  ///< ACC, loaded from bytes that are widened
};
inline constexpr int kMemories = 5;  ///< that exist: kAccByte is a way to load ACC

std::string_view to_text(Memory memory);  ///< "uop", "wgt", "inp", "acc", "out", "acc8"

/// Logarithms to base 2, as the hardware is parametrized by them.
struct Configuration {
  std::string name;  ///< for people: "pynq"
  IsaVersion isa = IsaVersion::kV1;
  int log_inp_bits = 3, log_wgt_bits = 3, log_acc_bits = 5;  ///< OUT is as wide as INP
  int log_batch = 0, log_block = 4;                          ///< BLOCK_IN = BLOCK_OUT
  int log_uop_bytes = 15, log_inp_bytes = 15, log_wgt_bytes = 18, log_acc_bytes = 17;
  int command_queue = 512;  ///< instructions that wait for each module
  int token_queue = 1024;   ///< tokens that wait between two modules
  double clock_mhz = 100;
  int memory_bits = 64;  ///< of the port to DRAM
  /// The target of the processor that the accelerator sits beside: "cpu:armv7"; empty: any.
  std::string processor = {};
  // What published implementations do each in their own way; as it stands here, what all published
  // hardware can do.
  bool acc8 = false;         ///< LOAD widens bytes into ACC
  bool mul = false;          ///< the ALU multiplies
  int shift_bits = 5;        ///< of a shift's amount, the lowest, with a sign: -16 to 15
  bool pad_only = true;      ///< a LOAD without columns fills its padding; else it does nothing
  bool pad_wgt = false;      ///< a LOAD pads weights; else INP and ACC alone are padded
  bool uop_rows = false;     ///< LOAD UOP takes several rows, and padding; else one row
  bool tokens_stall = true;  ///< who pushes into a full queue waits; else the token is lost
  bool operator==(Configuration const&) const = default;

  int64_t batch() const { return int64_t(1) << log_batch; }
  int64_t block() const { return int64_t(1) << log_block; }
  /// Of one element: INP [batch][block], WGT [block][block], ACC and OUT [batch][block]
  /// (row-major), UOP one micro-op.
  int64_t element_bytes(Memory memory) const;
  int64_t element_bytes_in_dram(Memory memory) const;  ///< differs for kAccByte alone
  int64_t buffer_bytes(Memory memory) const;
  int log_depth(Memory memory) const;
  int64_t depth(Memory memory) const { return int64_t(1) << log_depth(memory); }  ///< elements
  int64_t macs_per_cycle() const { return batch() * block() * block(); }
  double peak_gops() const { return 2e-3 * double(macs_per_cycle()) * clock_mhz; }
  int instruction_bytes() const { return isa == IsaVersion::kV1 ? 16 : 32; }
  int uop_bytes() const { return isa == IsaVersion::kV1 ? 4 : 8; }

  /// "1x16_i8w8a32_15_15_18_17", as bitstreams are called; with "_v2" for that instruction set.
  std::string key() const;
};

/// Whether an accelerator can be built so: every index and count fits its field of the instruction
/// words and of the micro-op, element sizes are whole bytes and no larger than a page. Errors:
/// illegal_configuration, which names the quantity, the inequality with its numbers, and what to
/// make smaller.
Status validate(Configuration const& configuration);
/// All that is broken, where `validate` says the first: what follows from values that are out of
/// range, or from elements that cannot be, is left out. Empty: it is legal.
std::vector<Error> violations(Configuration const& configuration);

/// "tilewright vta configuration 1", then a line "name = value" for each setting, once, in any
/// order; the name alone may be left out. Both ways; errors carry the line. The result is
/// validated. Errors: illegal_configuration, incomplete_configuration.
Result<Configuration> parse_configuration(std::string_view text, std::string_view file = "");
/// The same of what may be illegal: who asks wants to know all that is.
Result<Configuration> parse_settings(std::string_view text, std::string_view file = "");
std::string to_text(Configuration const& configuration);

}  // namespace tw::vta
