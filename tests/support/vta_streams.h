/// Random streams of VTA instructions that are legal: free of races, without tokens left over,
/// ended by FINISH. Modules overlap, buffers are used again, tokens wait in their queues.
#pragma once

#include <deque>

#include "engine/support/base/random.h"
#include "targets/vta/hardware/encoding.h"

namespace tw::vta::testing {

struct RandomStream {
  Configuration configuration;
  Stream stream;
  std::vector<std::byte> dram;
};

/// Two to four elements in each memory's smallest case, one in eight of boards' block of 16.
inline Configuration random_configuration(Rng& rng) {
  Configuration c;
  c.name = "random";
  c.isa = rng.below(2) ? IsaVersion::kV1 : IsaVersion::kV2;
  c.log_batch = int(rng.below(3));
  c.log_block = rng.below(8) ? int(rng.between(1, 3)) : 4;
  if (rng.below(4) == 0) {
    c.log_inp_bits = int(rng.between(1, 3)), c.log_wgt_bits = int(rng.between(1, 3));
    c.log_acc_bits = int(rng.between(3, 5));
  }
  // Elements are whole bytes.
  while (c.log_batch + c.log_block + c.log_inp_bits < 3) ++c.log_block;
  int log_lanes = c.log_batch + c.log_block;
  c.log_uop_bytes = int(rng.between(3, 5)) + (c.isa == IsaVersion::kV1 ? 2 : 3);
  c.log_inp_bytes = int(rng.between(3, 6)) + log_lanes + c.log_inp_bits - 3;
  c.log_wgt_bytes = int(rng.between(2, 5)) + 2 * c.log_block + c.log_wgt_bits - 3;
  c.log_acc_bytes = int(rng.between(3, 6)) + log_lanes + c.log_acc_bits - 3;
  c.command_queue = int(rng.between(1, 8));
  c.acc8 = c.mul = c.pad_wgt = c.uop_rows = true;
  c.shift_bits = rng.below(2) ? 5 : 32;
  c.tokens_stall = rng.below(2);
  return c;
}

/// Which elements an instruction touches; memories by their number, DRAM by its bytes.
class Touched {
public:
  static constexpr size_t kSpaces = 6, kDram = 5;
  void add(size_t space, int64_t begin, int64_t count, bool write) {
    auto& bits = (write ? writes_ : reads_)[space];
    if (int64_t(bits.size()) * 64 < begin + count) bits.resize(size_t(begin + count + 63) / 64);
    for (int64_t i = begin; i < begin + count; ++i) bits[size_t(i) / 64] |= uint64_t(1) << i % 64;
  }
  bool conflicts(Touched const& other) const {
    for (size_t space = 0; space < kSpaces; ++space)
      if (meet(writes_[space], other.writes_[space]) || meet(writes_[space], other.reads_[space]) ||
          meet(reads_[space], other.writes_[space]))
        return true;
    return false;
  }

private:
  using Bits = std::vector<uint64_t>;
  static bool meet(Bits const& a, Bits const& b) {
    for (size_t i = 0; i < a.size() && i < b.size(); ++i)
      if (a[i] & b[i]) return true;
    return false;
  }
  std::array<Bits, kSpaces> reads_, writes_;
};

/// Adds instructions one after another, each with the tokens that order it behind every earlier one
/// of another module with which it conflicts.
class StreamMaker {
public:
  explicit StreamMaker(Rng& rng) : rng_(rng) {
    made_.configuration = random_configuration(rng);
    Configuration const& c = made_.configuration;
    uops_.resize(size_t(c.depth(Memory::kUop)));
    fill_dram();
  }

  RandomStream make() {
    for (int64_t i = rng_.between(3, 36); i > 0; --i) add_random();
    // FINISH tells the host that all is done.
    for (Module module : {Module::kLoad, Module::kStore}) {
      drain(module, Module::kCompute);
      add_nop(module);
      order(module, made_.stream.size() - 1, Module::kCompute);
      drain(Module::kCompute, module);
    }
    add_nop(Module::kCompute);
    add({.opcode = Opcode::kFinish}, {});
    set_token_queue();
    return std::move(made_);
  }

private:
  using Clock = std::array<int64_t, kModules>;  ///< per module: how many of it are done before
  struct Added {
    Module module;
    int64_t index = 0;  ///< among those of its module
    Clock end{};        ///< what is done when it is done, itself included
    Touched touched;
  };
  static bool neighbours(Module a, Module b) {
    return (a == Module::kCompute) != (b == Module::kCompute);
  }
  /// Of the module that pushes or pops: the flag towards `other`.
  static bool& flag(Tokens& tokens, Module module, Module other, bool push) {
    bool prev = other < module;
    return push ? (prev ? tokens.push_prev : tokens.push_next)
                : (prev ? tokens.pop_prev : tokens.pop_next);
  }
  std::deque<Clock>& queue(Module from, Module to) { return queues_[size_t(from)][size_t(to)]; }

  void fill_dram() {
    Configuration const& c = made_.configuration;
    made_.dram.resize(size_t(kUopBytes + kDataBytes));
    for (std::byte& byte : made_.dram) byte = std::byte(rng_.next());
    for (int64_t i = 0; i < kUopBytes / c.uop_bytes(); ++i) {
      MicroOp uop = random_uop();
      uint64_t bits = encode(c, uop).value();
      for (int64_t b = 0; b < c.uop_bytes(); ++b)
        made_.dram[size_t(i * c.uop_bytes() + b)] = std::byte(bits >> 8 * b);
    }
  }

  /// Half of each memory, so that loops have somewhere to go.
  MicroOp random_uop() {
    Configuration const& c = made_.configuration;
    int64_t src = std::min(c.depth(Memory::kInp), c.depth(Memory::kAcc));
    return {.dst = uint32_t(rng_.below(c.depth(Memory::kAcc) / 2)),
            .src = uint32_t(rng_.below(src / 2)),
            .wgt = uint32_t(rng_.below(c.depth(Memory::kWgt) / 2))};
  }

  void add_random() {
    switch (rng_.below(8)) {
      case 0:
        return add_load(Memory::kInp);
      case 1:
        return add_load(Memory::kWgt);
      case 2:
        return add_load(Memory::kUop);
      case 3:
        return add_load(rng_.below(2) ? Memory::kAcc : Memory::kAccByte);
      case 4:
        return add_store();
      case 5:
        return add_nest(Opcode::kAlu);
      default:
        return add_nest(Opcode::kGemm);
    }
  }

  /// A place and a size in a memory of `depth`, rows apart in DRAM or overlapping there.
  Transfer random_transfer(Memory memory) {
    Configuration const& c = made_.configuration;
    Transfer t{.memory = memory};
    int64_t depth = c.depth(memory), bytes = c.element_bytes_in_dram(memory);
    t.x_size = uint32_t(rng_.between(1, std::min<int64_t>(depth, 6)));
    t.y_size = uint32_t(rng_.between(1, std::min<int64_t>(depth / t.x_size, 4)));
    t.x_stride = uint32_t(rng_.between(memory == Memory::kOut ? t.x_size : 0, 8));
    if (memory != Memory::kOut && rng_.below(3) == 0) add_pads(t, depth);
    t.sram = uint32_t(rng_.below(depth - t.rows() * t.columns() + 1));
    bool uops = memory == Memory::kUop;
    int64_t behind = int64_t(t.y_size - 1) * t.x_stride + t.x_size;
    int64_t first = uops ? 0 : (kUopBytes + bytes - 1) / bytes;
    int64_t last = (uops ? kUopBytes : kUopBytes + kDataBytes) / bytes - behind;
    t.dram = uint64_t(rng_.between(first, last));
    return t;
  }

  void add_pads(Transfer& t, int64_t depth) {
    for (uint32_t* pad : {&t.y_pad_before, &t.y_pad_after, &t.x_pad_before, &t.x_pad_after}) {
      *pad = uint32_t(rng_.below(3));
      if (t.rows() * t.columns() > depth) *pad = 0;
    }
    if (made_.configuration.isa == IsaVersion::kV2 && t.memory != Memory::kUop)
      t.pad_value = PadValue(rng_.below(3));
  }

  void touch_dram(Transfer const& t, bool write, Touched& touched) {
    int64_t bytes = made_.configuration.element_bytes_in_dram(t.memory);
    for (uint32_t y = 0; y < t.y_size; ++y)
      touched.add(Touched::kDram, int64_t(t.dram + uint64_t(y) * t.x_stride) * bytes,
                  t.x_size * bytes, write);
  }

  void add_load(Memory memory) {
    Transfer t = random_transfer(memory);
    Touched touched;
    touch_dram(t, false, touched);
    Memory into = memory == Memory::kAccByte ? Memory::kAcc : memory;
    touched.add(size_t(into), t.sram, t.rows() * t.columns(), true);
    if (memory == Memory::kUop) follow_uops(t);
    add({.opcode = Opcode::kLoad, .transfer = t}, std::move(touched));
  }

  /// Which micro-ops there are now: indices of nests depend on them.
  void follow_uops(Transfer const& t) {
    Configuration const& c = made_.configuration;
    for (int64_t i = 0; i < t.rows() * t.columns(); ++i) {
      int64_t y = i / t.columns() - t.y_pad_before, x = i % t.columns() - t.x_pad_before;
      MicroOp uop;
      if (y >= 0 && y < t.y_size && x >= 0 && x < t.x_size) {
        int64_t at = (int64_t(t.dram) + y * t.x_stride + x) * c.uop_bytes();
        uint64_t bits = 0;
        for (int64_t b = 0; b < c.uop_bytes(); ++b)
          bits |= uint64_t(made_.dram[size_t(at + b)]) << 8 * b;
        uop = decode_uop(c, bits);
      }
      uops_[size_t(t.sram + i)] = uop;
    }
  }

  void add_store() {
    Transfer t = random_transfer(Memory::kOut);
    t.saturate = made_.configuration.isa == IsaVersion::kV2 && rng_.below(2);
    Touched touched;
    touch_dram(t, true, touched);
    touched.add(size_t(Memory::kOut), t.sram, int64_t(t.x_size) * t.y_size, false);
    add({.opcode = Opcode::kStore, .transfer = t}, std::move(touched));
  }

  /// Factors for which the last iteration stays inside of `depth`.
  Factors random_factors(Nest const& nest, Memory memory, uint32_t MicroOp::*index) {
    int64_t most = 0, room = 0;
    for (uint32_t i = nest.uop_begin; i < nest.uop_end; ++i)
      most = std::max<int64_t>(most, uops_[i].*index);
    room = made_.configuration.depth(memory) - 1 - most;
    Factors f;
    if (nest.outer > 1) f.outer = uint32_t(rng_.below(room / (nest.outer - 1) + 1));
    room -= int64_t(f.outer) * (nest.outer - 1);
    if (nest.inner > 1) f.inner = uint32_t(rng_.below(room / (nest.inner - 1) + 1));
    return f;
  }

  void add_nest(Opcode opcode) {
    Instruction instruction{.opcode = opcode};
    Nest& nest = instruction.nest;
    auto depth = made_.configuration.depth(Memory::kUop);
    nest.uop_begin = uint32_t(rng_.below(depth));
    nest.uop_end =
        uint32_t(rng_.between(nest.uop_begin, std::min(depth, nest.uop_begin + int64_t(5))));
    nest.outer = uint32_t(rng_.between(rng_.below(16) ? 1 : 0, 4));
    nest.inner = uint32_t(rng_.between(rng_.below(16) ? 1 : 0, 4));
    bool gemm = opcode == Opcode::kGemm;
    nest.reset = gemm && rng_.below(4) == 0;
    nest.dst = random_factors(nest, Memory::kAcc, &MicroOp::dst);
    nest.src = random_factors(nest, gemm ? Memory::kInp : Memory::kAcc, &MicroOp::src);
    if (gemm) nest.wgt = random_factors(nest, Memory::kWgt, &MicroOp::wgt);
    if (!gemm) add_operation(instruction);
    Touched touched = touched_by(instruction);
    add(instruction, std::move(touched));
  }

  void add_operation(Instruction& instruction) {
    instruction.alu = AluOp(rng_.below(made_.configuration.isa == IsaVersion::kV1 ? 5 : 8));
    instruction.use_immediate = rng_.below(2);
    if (!instruction.use_immediate) return;
    bool far = rng_.below(2);
    instruction.immediate = int32_t(far ? rng_.between(-32768, 32767) : rng_.between(-20, 20));
  }

  Touched touched_by(Instruction const& instruction) {
    Nest const& nest = instruction.nest;
    bool gemm = instruction.opcode == Opcode::kGemm;
    Touched touched;
    if (nest.steps() == 0) return touched;
    touched.add(size_t(Memory::kUop), nest.uop_begin, nest.uops(), false);
    for (uint32_t o = 0; o < nest.outer; ++o)
      for (uint32_t i = 0; i < nest.inner; ++i)
        for (uint32_t k = nest.uop_begin; k < nest.uop_end; ++k) {
          auto at = [&](uint32_t base, Factors const& f) {
            return int64_t(base) + int64_t(o) * f.outer + int64_t(i) * f.inner;
          };
          touched.add(size_t(Memory::kAcc), at(uops_[k].dst, nest.dst), 1, true);
          touched.add(size_t(Memory::kOut), at(uops_[k].dst, nest.dst), 1, true);
          if (!gemm && !instruction.use_immediate)
            touched.add(size_t(Memory::kAcc), at(uops_[k].src, nest.src), 1, false);
          if (!gemm || nest.reset) continue;
          touched.add(size_t(Memory::kInp), at(uops_[k].src, nest.src), 1, false);
          touched.add(size_t(Memory::kWgt), at(uops_[k].wgt, nest.wgt), 1, false);
        }
    return touched;
  }

  /// An instruction that moves nothing, for its tokens.
  void add_nop(Module module) {
    Instruction nop{.opcode = module == Module::kStore ? Opcode::kStore : Opcode::kLoad};
    nop.transfer.memory = module == Module::kLoad      ? Memory::kInp
                          : module == Module::kCompute ? Memory::kUop
                                                       : Memory::kOut;
    append(nop, {});
  }

  void add(Instruction const& instruction, Touched touched) {
    Module module = module_of(instruction);
    for (size_t i = 0; i < added_.size(); ++i)
      if (added_[i].module != module && added_[i].touched.conflicts(touched))
        order_behind(i, module);
    append(instruction, std::move(touched));
    // Now and then a token that nothing needs, which waits until somebody drains the queue.
    for (Module other : {Module::kLoad, Module::kCompute, Module::kStore})
      if (instruction.opcode != Opcode::kFinish && neighbours(module, other) && rng_.below(8) == 0)
        push(made_.stream.size() - 1, other);
  }

  void append(Instruction instruction, Touched touched) {
    Module module = module_of(instruction);
    Clock& now = now_[size_t(module)];
    instruction.tokens = pending_[size_t(module)];
    pending_[size_t(module)] = {};
    int64_t index = count_[size_t(module)]++;
    now[size_t(module)] = index + 1;
    made_.stream.push_back(instruction);
    added_.push_back({module, index, now, std::move(touched)});
  }

  /// Whatever comes next in `module` begins after instruction `i` is done.
  void order_behind(size_t i, Module module) {
    if (known(i, module)) return;
    if (neighbours(added_[i].module, module)) return order(added_[i].module, i, module);
    // Load and store have compute between them.
    if (!known(i, Module::kCompute)) order(added_[i].module, i, Module::kCompute);
    add_nop(Module::kCompute);
    order(Module::kCompute, made_.stream.size() - 1, module);
  }

  bool known(size_t i, Module module) const {
    return now_[size_t(module)][size_t(added_[i].module)] > added_[i].index;
  }

  /// A token from the last instruction of `from` to the next one of `to`.
  void order(Module from, size_t i, Module to) {
    drain(to, from);
    if (known(i, to)) return;
    size_t last = made_.stream.size();
    while (added_[--last].module != from) {
    }
    push(last, to);
    pop(to, from);
  }

  void push(size_t i, Module to) {
    Module from = added_[i].module;
    bool& pushes = flag(made_.stream[i].tokens, from, to, true);
    if (pushes) return;
    pushes = true;
    queue(from, to).push_back(added_[i].end);
  }

  void pop(Module module, Module from) {
    bool& pops = flag(pending_[size_t(module)], module, from, false);
    // One token an instruction.
    if (pops) {
      add_nop(module);
      return pop(module, from);
    }
    pops = true;
    Clock const& end = queue(from, module).front();
    for (size_t m = 0; m < size_t(kModules); ++m)
      now_[size_t(module)][m] = std::max(now_[size_t(module)][m], end[m]);
    queue(from, module).pop_front();
  }

  void drain(Module module, Module from) {
    while (!queue(from, module).empty()) pop(module, from);
  }

  /// As many tokens as could ever wait.
  void set_token_queue() {
    int64_t most = 1;
    for (Module from : {Module::kLoad, Module::kCompute, Module::kStore})
      for (Module to : {Module::kLoad, Module::kCompute, Module::kStore}) {
        if (!neighbours(from, to)) continue;
        int64_t pushes = 0;
        for (Instruction& instruction : made_.stream)
          pushes += module_of(instruction) == from && flag(instruction.tokens, from, to, true);
        most = std::max(most, pushes);
      }
    made_.configuration.token_queue = int(most);
  }

  static constexpr int64_t kUopBytes = 512, kDataBytes = 8192;

  Rng& rng_;
  RandomStream made_;
  std::vector<Added> added_;
  std::vector<MicroOp> uops_;
  std::array<Clock, kModules> now_{};
  std::array<int64_t, kModules> count_{};
  std::array<Tokens, kModules> pending_{};  ///< pops of the next instruction
  std::array<std::array<std::deque<Clock>, kModules>, kModules> queues_;
};

/// Free of races: of two instructions that touch one element, one of them writing, tokens order the
/// earlier before the later. The streams are the same for the same numbers.
inline RandomStream random_stream(Rng& rng) { return StreamMaker(rng).make(); }

}  // namespace tw::vta::testing
