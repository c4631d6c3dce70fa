/// How many bits each field of the instruction words has.
#pragma once

#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// Bits. Indices and factors follow from the depths; the rest is fixed by the version.
struct Widths {
  int uop = 0;       ///< of uop_begin; uop_end has one more, it is exclusive
  int dst = 0;       ///< of an index into ACC, and of an ALU's source
  int gemm_src = 0;  ///< of an index into INP
  int uop_src = 0;   ///< of a micro-op's source: the wider of both
  int wgt = 0;
  int iterations = 14;
  int sram = 16, dram = 32;
  int y_size = 16, x_size = 16, x_stride = 16;
  int pad = 4;
  int uop_bits = 32;
};

inline Widths widths_of(Configuration const& configuration) {
  Widths widths;
  widths.uop = configuration.log_depth(Memory::kUop);
  widths.dst = configuration.log_depth(Memory::kAcc);
  widths.gemm_src = configuration.log_depth(Memory::kInp);
  widths.uop_src = widths.dst > widths.gemm_src ? widths.dst : widths.gemm_src;
  widths.wgt = configuration.log_depth(Memory::kWgt);
  if (configuration.isa == IsaVersion::kV1) return widths;
  widths.iterations = 20;
  widths.sram = 24, widths.dram = 48;
  widths.y_size = 20, widths.x_size = 20, widths.x_stride = 24;
  widths.pad = 8;
  widths.uop_bits = 64;
  return widths;
}

}  // namespace tw::vta
