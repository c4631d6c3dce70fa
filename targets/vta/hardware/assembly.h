/// Streams as text, both ways.
#pragma once

#include "targets/vta/hardware/instruction.h"

namespace tw::vta {

/// A stream with what lies in DRAM before it runs, as far as it matters: micro-ops above all.
struct Assembly {
  Configuration configuration;
  Stream stream;
  /// "uop ADDRESS: ..." lines: micro-ops by the element index in DRAM that LOAD UOP reads.
  std::vector<std::pair<uint64_t, MicroOp>> uops;
  bool operator==(Assembly const&) const = default;
};

/// One line without its number: "load inp sram=0 dram=64 y=4 x=14 stride=56 pad=1,0,1,1 pop_next
/// push_next". Fields at their default are left out.
std::string to_line(Instruction const& instruction);
/// The other way. Errors: bad_assembly, at `place` with the column.
Result<Instruction> parse_line(std::string_view line, Place place = {});
/// "uop 12: dst=0 src=1 wgt=2".
std::string to_line(uint64_t address, MicroOp const& uop);

inline constexpr char kAssemblyHead[] = "tilewright vta 1";
/// "configuration name=pynq log_block=3": what is not at its default.
std::string configuration_line(Configuration const& configuration);
/// "tilewright vta 1", "configuration name=pynq log_block=3 ..." (settings at their default are
/// left out), "uop" lines, then an instruction a line; "#" begins a comment.
std::string to_text(Assembly const& assembly);
/// Reads "tilewright vta 1 ...". A number before an instruction is for who reads it, and says
/// nothing; micro-ops may stand anywhere below the configuration. Errors: bad_assembly, with line
/// and column.
Result<Assembly> parse_assembly(std::string_view text, std::string_view file = "");

}  // namespace tw::vta
