/// Which elements of the shared memories each instruction touches: exact sets, as intervals.
#pragma once

#include <map>

#include "engine/order/footprint.h"
#include "targets/vta/simulator/machine.h"

namespace tw::vta {

using order::Interval;
using order::Intervals;
using order::IntervalSet;

struct Footprint {
  IntervalSet inp, wgt;  ///< LOAD fills, GEMM reads
  IntervalSet acc;       ///< that LOAD, GEMM or ALU write
  IntervalSet result;    ///< that GEMM or ALU write: in OUT, too
  IntervalSet out;       ///< that STORE reads
  IntervalSet dram;      ///< bytes that LOAD reads, STORE writes
  /// Changes wherever the micro-ops that a nest reads may have changed.
  int64_t uop_version = 0;
};

/// Follows a stream in its order, for what micro-ops there are.
class FootprintMaker {
public:
  FootprintMaker(Configuration const& configuration, std::span<std::byte const> dram);

  /// Errors: those of `Machine::execute`.
  Result<Footprint> next(Instruction const& instruction);
  /// As they are before the next instruction.
  std::span<MicroOp const> uops() const { return uops_; }
  /// The first micro-op of a GEMM or ALU, which was legal, that no load brought.
  std::optional<uint32_t> unloaded(Instruction const& instruction) const;

private:
  struct NestSets {
    IntervalSet inp, wgt, acc;
  };
  void load_uops(Transfer const& transfer);
  IntervalSet dram_bytes(Transfer const& transfer) const;
  IntervalSet touched(Nest const& nest, Memory memory, uint32_t MicroOp::*operand,
                      Factors const& factors) const;
  Result<Footprint> nest(Instruction const& instruction);

  Configuration configuration_;
  std::span<std::byte const> dram_;
  std::vector<MicroOp> uops_;
  std::vector<int64_t> versions_;  ///< per micro-op: which load it is of
  int64_t loads_ = 0;
  std::map<std::vector<int64_t>, NestSets> known_;
};

}  // namespace tw::vta
