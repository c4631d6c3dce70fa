/// What a code generator says of code that it made: what each instruction is and costs, how a loop
/// of them runs on the processor as it is modelled, and what it did not do and why.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tw {

/// By the code generator's tables for the processor.
struct InstructionFacts {
  int32_t line = 0;   ///< of the assembly, from 0
  std::string name;   ///< without operands: "vfmadd231ps"
  std::string intel;  ///< the line in Intel's syntax; empty: the processor has only one
  std::vector<std::string> reads, writes;  ///< registers; "flags"
  bool loads = false, stores = false, branches = false, calls = false, returns = false;
  int32_t operations = 0;  ///< micro-operations; 0: the model does not know the instruction
  int32_t latency = 0;     ///< cycles until its result can be used
  double interval = 0;     ///< cycles between two that do not wait for each other

  bool operator==(InstructionFacts const&) const = default;
};

/// A part of the processor that takes one micro-operation at a time.
struct PortUse {
  std::string name;
  double cycles = 0;  ///< in which it is busy, for each iteration
  bool operator==(PortUse const&) const = default;
};

/// The part of an iteration's cycles that the processor spends on one instruction.
struct LineCost {
  int32_t line = 0;
  double cycles = 0;
  bool operator==(LineCost const&) const = default;
};

/// A loop as the processor's model runs it: data in the nearest cache, branches foreseen.
struct LoopModel {
  std::string failure;  ///< a sentence; nothing below is there then
  std::string processor;
  double cycles = 0;  ///< of an iteration
  int32_t instructions = 0, operations = 0;
  int32_t width = 0;                ///< micro-operations that can begin in a cycle
  std::vector<PortUse> ports;       ///< those that are used, in the order of the model
  std::vector<LineCost> lines;      ///< their sum is `cycles`
  std::string bottleneck;           ///< a sentence
  int32_t vector_registers = 0;     ///< that the loop uses
  int32_t of_vector_registers = 0;  ///< that the processor has

  bool operator==(LoopModel const&) const = default;
};

struct CodeReport {
  std::vector<InstructionFacts> instructions;  ///< those that could be read, in the order of lines
  LoopModel loop;
};

/// What a pass of the code generator says of what it did or did not do.
struct CodeRemark {
  enum class Kind : uint8_t { kDone, kMissed, kReason };
  Kind kind = Kind::kDone;
  std::string pass;   ///< "loop-vectorize"
  int32_t line = 0;   ///< of the lowered program, from 1; 0: of no one
  std::string words;  ///< as the pass says it
  bool operator==(CodeRemark const&) const = default;
};

}  // namespace tw
