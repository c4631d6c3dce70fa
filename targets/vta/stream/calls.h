/// A kernel as the runtime gets it: calls of what the accelerator does, one after another, with
/// tensors by number and tokens between modules. The runtime makes instructions and micro-ops of
/// them when it runs (Moreau et al. 2018, §3: the JIT runtime's interface).
#pragma once

#include <string>
#include <vector>

#include "targets/vta/hardware/instruction.h"

namespace tw::vta {

enum class CallKind : uint8_t { kLoad, kStore, kGemm, kAlu };

/// One loop of a GEMM or ALU call: what each step adds to the indices.
struct CallLoop {
  int64_t extent = 1;
  int64_t dst = 0, src = 0, wgt = 0;
  bool operator==(CallLoop const&) const = default;
};

/// Of kLoad and kStore `transfer`, whose `dram` counts elements from the begin of `tensor`; of
/// kGemm and kAlu the rest. Tokens as of the module that executes: pops before, pushes after all
/// instructions that are made of it.
struct Call {
  CallKind kind = CallKind::kLoad;
  Tokens tokens;
  int32_t tensor = 0;  ///< number of a parameter: inputs, then outputs
  Transfer transfer;
  bool reset = false;
  AluOp alu = AluOp::kMin;
  bool use_immediate = false;
  int32_t immediate = 0;
  int64_t dst = 0, src = 0, wgt = 0;  ///< indices where all loops begin
  std::vector<CallLoop> loops;  ///< outermost first; how they become instruction and micro-ops
                                ///< the runtime decides
  int32_t line = 0;             ///< of the lowered kernel, from 1; 0: none
  bool operator==(Call const&) const = default;
};

Module module_of(Call const& call);

/// A parameter of a kernel.
struct CallTensor {
  std::string name;
  int64_t bytes = 0;
  bool written = false;
  bool operator==(CallTensor const&) const = default;
};

struct CallProgram {
  std::string symbol;
  Configuration configuration;
  std::vector<CallTensor> tensors;
  std::vector<Call> calls;
  bool operator==(CallProgram const&) const = default;
};

/// "tilewright vta kernel 1", both ways: what a library of the target holds, one after another.
/// Errors: bad_kernel, with the line. A call's fields are those of the instruction's line
/// (hardware/assembly.h), with "tensor=" and "loop" for what an instruction does not have.
std::string to_text(CallProgram const& program);
Result<std::vector<CallProgram>> parse_call_programs(std::string_view text);

}  // namespace tw::vta
