#include "targets/vta/stream/calls.h"

#include <fmt/format.h>

#include "targets/vta/hardware/description.h"

namespace tw::vta {
namespace {

std::string tokens_text(Tokens const& tokens) {
  std::string text;
  if (tokens.pop_prev) text += " pop_prev";
  if (tokens.pop_next) text += " pop_next";
  if (tokens.push_prev) text += " push_prev";
  if (tokens.push_next) text += " push_next";
  return text;
}

void add(std::string& line, char const* name, int64_t value, int64_t standard = 0) {
  if (value != standard) line += fmt::format(" {}={}", name, value);
}

std::string transfer_text(Call const& call) {
  Transfer const& t = call.transfer;
  std::string line = fmt::format("{} {} tensor={}", call.kind == CallKind::kLoad ? "load" : "store",
                                 to_text(t.memory), call.tensor);
  add(line, "sram", t.sram);
  if (t.dram != 0) line += fmt::format(" dram={}", t.dram);
  add(line, "y", t.y_size);
  add(line, "x", t.x_size);
  add(line, "stride", t.x_stride);
  if (t.y_pad_before || t.y_pad_after || t.x_pad_before || t.x_pad_after)
    line += fmt::format(" pad={},{},{},{}", t.y_pad_before, t.y_pad_after, t.x_pad_before,
                        t.x_pad_after);
  if (t.pad_value != PadValue::kZero)
    line += t.pad_value == PadValue::kLowest ? " pad_value=lowest" : " pad_value=highest";
  if (t.saturate) line += " saturate";
  return line;
}

std::string nest_text(Call const& call) {
  bool alu = call.kind == CallKind::kAlu;
  std::string line = alu ? fmt::format("alu {}", to_text(call.alu)) : "gemm";
  if (call.reset) line += " reset";
  if (call.use_immediate) line += fmt::format(" imm={}", call.immediate);
  add(line, "dst", call.dst);
  add(line, "src", call.src);
  add(line, "wgt", call.wgt);
  for (CallLoop const& loop : call.loops)
    line += fmt::format(" loop={},{},{},{}", loop.extent, loop.dst, loop.src, loop.wgt);
  return line;
}

}  // namespace

Module module_of(Call const& call) {
  if (call.kind == CallKind::kStore) return Module::kStore;
  Memory memory = call.transfer.memory;
  bool operand = memory == Memory::kInp || memory == Memory::kWgt;
  return call.kind == CallKind::kLoad && operand ? Module::kLoad : Module::kCompute;
}

std::string to_text(CallProgram const& program) {
  std::string text = fmt::format("tilewright vta kernel 1\nsymbol {}\nconfiguration {}\n",
                                 program.symbol, to_line(program.configuration));
  for (CallTensor const& tensor : program.tensors)
    text += fmt::format("tensor {} bytes={}{}\n", tensor.name, tensor.bytes,
                        tensor.written ? " written" : "");
  for (Call const& call : program.calls) {
    bool moves = call.kind == CallKind::kLoad || call.kind == CallKind::kStore;
    text += (moves ? transfer_text(call) : nest_text(call)) + tokens_text(call.tokens);
    if (call.line != 0) text += fmt::format(" line={}", call.line);
    text += "\n";
  }
  // A library that was cut off is seen.
  return text + "end\n";
}

}  // namespace tw::vta
