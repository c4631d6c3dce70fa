/// Random call programs of VTA, and what they compute, by plain loops that share nothing with the
/// stream maker or the simulators: for 8-bit operands and 32-bit accumulators.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "engine/support/base/random.h"
#include "targets/vta/stream/calls.h"

namespace tw::vta::testing {

using Bytes = std::vector<std::byte>;

/// Runs calls in their order, loops as they are written.
class CallReference {
public:
  explicit CallReference(CallProgram const& program)
      : program_(program), c_(program.configuration), lanes_(c_.batch() * c_.block()) {
    inp_.resize(size_t(c_.depth(Memory::kInp) * c_.batch() * c_.block()));
    wgt_.resize(size_t(c_.depth(Memory::kWgt) * c_.block() * c_.block()));
    acc_.resize(size_t(c_.depth(Memory::kAcc) * lanes_));
    out_.resize(acc_.size());
  }

  void run(std::vector<Bytes>& tensors) {
    for (Call const& call : program_.calls) {
      if (call.kind == CallKind::kLoad) load(call, tensors[size_t(call.tensor)]);
      if (call.kind == CallKind::kStore) store(call, tensors[size_t(call.tensor)]);
      if (call.kind == CallKind::kGemm || call.kind == CallKind::kAlu)
        nest(call, 0, call.dst, call.src, call.wgt);
    }
  }

private:
  template <typename T, typename From>
  void fill(Transfer const& t, int64_t lanes, std::vector<T>& memory, Bytes const& from) {
    for (int64_t r = 0; r < t.rows(); ++r)
      for (int64_t c = 0; c < t.columns(); ++c)
        for (int64_t lane = 0; lane < lanes; ++lane) {
          int64_t y = r - t.y_pad_before, x = c - t.x_pad_before;
          From value{};
          if (y >= 0 && y < t.y_size && x >= 0 && x < t.x_size) {
            int64_t element = int64_t(t.dram) + y * t.x_stride + x;
            std::memcpy(&value, from.data() + (element * lanes + lane) * int64_t(sizeof(From)),
                        sizeof(From));
          }
          memory[size_t((t.sram + r * t.columns() + c) * lanes + lane)] = T(value);
        }
  }
  void load(Call const& call, Bytes const& from) {
    Transfer const& t = call.transfer;
    if (t.x_size == 0 && !c_.pad_only) return;
    if (t.memory == Memory::kInp) fill<int8_t, int8_t>(t, c_.batch() * c_.block(), inp_, from);
    if (t.memory == Memory::kWgt) fill<int8_t, int8_t>(t, c_.block() * c_.block(), wgt_, from);
    if (t.memory == Memory::kAcc) fill<int32_t, int32_t>(t, lanes_, acc_, from);
    if (t.memory == Memory::kAccByte) fill<int32_t, int8_t>(t, lanes_, acc_, from);
  }
  void store(Call const& call, Bytes& to) {
    Transfer const& t = call.transfer;
    for (int64_t y = 0; y < t.y_size; ++y)
      for (int64_t x = 0; x < t.x_size; ++x)
        std::memcpy(to.data() + (int64_t(t.dram) + y * t.x_stride + x) * lanes_,
                    out_.data() + (t.sram + y * t.x_size + x) * lanes_, size_t(lanes_));
  }

  void nest(Call const& call, size_t depth, int64_t dst, int64_t src, int64_t wgt) {
    if (depth == call.loops.size())
      return call.kind == CallKind::kGemm ? gemm(call, dst, src, wgt) : alu(call, dst, src);
    CallLoop const& loop = call.loops[depth];
    for (int64_t i = 0; i < loop.extent; ++i)
      nest(call, depth + 1, dst + i * loop.dst, src + i * loop.src, wgt + i * loop.wgt);
  }
  void gemm(Call const& call, int64_t dst, int64_t src, int64_t wgt) {
    int64_t block = c_.block();
    for (int64_t b = 0; b < c_.batch(); ++b)
      for (int64_t o = 0; o < block; ++o) {
        int32_t& acc = acc_[size_t(dst * lanes_ + b * block + o)];
        uint32_t sum = call.reset ? 0 : uint32_t(acc);
        for (int64_t i = 0; i < block && !call.reset; ++i)
          sum += uint32_t(int32_t(inp_[size_t((src * c_.batch() + b) * block + i)]) *
                          int32_t(wgt_[size_t((wgt * block + o) * block + i)]));
        acc = int32_t(sum);
        out_[size_t(dst * lanes_ + b * block + o)] = int8_t(acc);
      }
  }
  void alu(Call const& call, int64_t dst, int64_t src) {
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      int32_t& acc = acc_[size_t(dst * lanes_ + lane)];
      int32_t other = call.use_immediate ? call.immediate : acc_[size_t(src * lanes_ + lane)];
      if (call.alu == AluOp::kMin) acc = std::min(acc, other);
      if (call.alu == AluOp::kMax) acc = std::max(acc, other);
      if (call.alu == AluOp::kAdd) acc = int32_t(uint32_t(acc) + uint32_t(other));
      if (call.alu == AluOp::kShr)
        acc = other >= 0 ? acc >> other : int32_t(uint32_t(acc) << -other);
      if (call.alu == AluOp::kMul) acc = int32_t(uint32_t(acc) * uint32_t(other));
      out_[size_t(dst * lanes_ + lane)] = int8_t(acc);
    }
  }

  CallProgram const& program_;
  Configuration const& c_;
  int64_t lanes_;
  std::vector<int8_t> inp_, wgt_, out_;
  std::vector<int32_t> acc_;
};

/// Programs that keep to everything, with tokens at random between calls.
class RandomCalls {
public:
  explicit RandomCalls(Rng& rng) : rng_(rng) {}

  CallProgram program(int calls, Configuration configuration) {
    program_ = {
        .symbol = "random", .configuration = std::move(configuration), .tensors = {}, .calls = {}};
    waiting_ = {};
    for (char const* name : {"a", "b"}) program_.tensors.push_back({name, 1 << 16, false});
    program_.tensors.push_back({"out", 1 << 16, true});
    // Everything that is read was written once.
    for (Memory memory : {Memory::kInp, Memory::kWgt, Memory::kAcc}) fill(memory);
    add({.kind = CallKind::kAlu,
         .alu = AluOp::kShr,
         .use_immediate = true,
         .loops = {{depth(Memory::kAcc), 1, 1, 0}}});
    while (int(program_.calls.size()) < calls) add(call());
    store_all();
    return std::move(program_);
  }

private:
  int64_t depth(Memory memory) const { return program_.configuration.depth(memory); }

  void fill(Memory memory) {
    int64_t bytes = program_.configuration.element_bytes_in_dram(memory);
    int64_t count = std::min(depth(memory), program_.tensors[0].bytes / bytes);
    Transfer transfer{
        .memory = memory, .y_size = 1, .x_size = uint32_t(count), .x_stride = uint32_t(count)};
    add({.kind = CallKind::kLoad, .transfer = transfer, .loops = {}});
  }
  void store_all() {
    int64_t bytes = program_.configuration.element_bytes(Memory::kOut);
    auto count = uint32_t(std::min(depth(Memory::kOut), program_.tensors[2].bytes / bytes));
    Transfer transfer{.memory = Memory::kOut, .y_size = 1, .x_size = count, .x_stride = count};
    add({.kind = CallKind::kStore, .tensor = 2, .transfer = transfer, .loops = {}});
  }

  Call call() {
    int64_t what = rng_.below(10);
    if (what < 3) return transfer(CallKind::kLoad);
    if (what < 4) return transfer(CallKind::kStore);
    return what < 7 ? gemm() : alu();
  }
  Call transfer(CallKind kind) {
    constexpr Memory kMemories[] = {Memory::kInp, Memory::kWgt, Memory::kAcc, Memory::kAccByte};
    bool loads = kind == CallKind::kLoad;
    Memory memory =
        loads ? kMemories[rng_.below(program_.configuration.acc8 ? 4 : 3)] : Memory::kOut;
    Call call{.kind = kind,
              .tensor = loads ? int32_t(rng_.below(2)) : 2,
              .transfer = {.memory = memory},
              .loops = {}};
    Transfer& t = call.transfer;
    int64_t room = depth(loads ? memory : Memory::kOut);
    t.y_size = uint32_t(rng_.between(0, 4)), t.x_size = uint32_t(rng_.between(0, 4));
    t.x_stride = t.x_size + uint32_t(rng_.below(3));
    bool pads = memory != Memory::kWgt || program_.configuration.pad_wgt;
    if (loads && pads && rng_.below(3) == 0)
      for (uint32_t* pad : {&t.y_pad_before, &t.y_pad_after, &t.x_pad_before, &t.x_pad_after})
        *pad = uint32_t(rng_.below(2));
    if (t.rows() * t.columns() > room) t = {.memory = memory};
    t.sram = uint32_t(rng_.below(room - t.rows() * t.columns() + 1));
    t.dram = uint64_t(rng_.below(16));
    return call;
  }
  /// Loops whose indices stay inside.
  std::vector<CallLoop> loops(Call& call, Memory dst, Memory src) {
    std::vector<CallLoop> loops;
    int64_t count = rng_.between(0, 5);
    std::array<Memory, 3> of{dst, src, Memory::kWgt};
    std::array<int64_t, 3> low{}, high{};
    for (int64_t i = 0; i < count; ++i) {
      CallLoop loop{rng_.between(1, 5), 0, 0, 0};
      std::array<int64_t*, 3> factors{&loop.dst, &loop.src, &loop.wgt};
      for (size_t k = 0; k < 3; ++k) {
        int64_t factor = rng_.below(3) == 0 ? 0 : rng_.between(-1, 6);
        int64_t reach = (loop.extent - 1) * factor;
        if (high[k] - low[k] + std::abs(reach) >= depth(of[k])) continue;
        *factors[k] = factor, (reach < 0 ? low : high)[k] += reach;
      }
      loops.push_back(loop);
    }
    std::array<int64_t*, 3> bases{&call.dst, &call.src, &call.wgt};
    for (size_t k = 0; k < 3; ++k)
      *bases[k] = -low[k] + rng_.below(depth(of[k]) - (high[k] - low[k]));
    return loops;
  }
  Call gemm() {
    Call call{.kind = CallKind::kGemm, .reset = rng_.below(4) == 0, .loops = {}};
    call.loops = loops(call, Memory::kAcc, Memory::kInp);
    return call;
  }
  Call alu() {
    Call call{.kind = CallKind::kAlu,
              .alu = AluOp(rng_.below(program_.configuration.mul ? 5 : 4)),
              .use_immediate = rng_.below(2) == 0,
              .loops = {}};
    call.loops = loops(call, Memory::kAcc, Memory::kAcc);
    call.wgt = 0;
    for (CallLoop& loop : call.loops) loop.wgt = 0;
    if (call.alu == AluOp::kShr) call.use_immediate = true;
    if (call.use_immediate) call.immediate = int32_t(rng_.between(-7, 7));
    return call;
  }

  /// Pops where a token waits, now and then, and pushes.
  void add(Call call) {
    int module = int(module_of(call));
    auto maybe = [&](bool& flag, int change, int queue) {
      flag = rng_.below(3) == 0 && waiting_[size_t(queue)] + change >= 0;
      if (flag) waiting_[size_t(queue)] += change;
    };
    // Queues: load->compute, compute->load, compute->store, store->compute.
    if (module == 1) maybe(call.tokens.pop_prev, -1, 0), maybe(call.tokens.pop_next, -1, 3);
    if (module == 0) maybe(call.tokens.pop_next, -1, 1), maybe(call.tokens.push_next, 1, 0);
    if (module == 2) maybe(call.tokens.pop_prev, -1, 2), maybe(call.tokens.push_prev, 1, 3);
    if (module == 1) maybe(call.tokens.push_prev, 1, 1), maybe(call.tokens.push_next, 1, 2);
    call.line = int32_t(program_.calls.size()) + 1;
    program_.calls.push_back(std::move(call));
  }

  Rng& rng_;
  CallProgram program_;
  std::array<int, 4> waiting_{};
};

/// Small memories, so that everything meets everything.
inline Configuration small_configuration(Rng& rng) {
  Configuration c{.name = "small"};
  c.log_batch = int(rng.below(2)), c.log_block = int(rng.between(1, 2));
  int inp = c.log_batch + c.log_block, wgt = 2 * c.log_block;
  c.log_inp_bytes = inp + int(rng.between(5, 7));
  c.log_wgt_bytes = wgt + int(rng.between(5, 6));
  c.log_acc_bytes = inp + 2 + int(rng.between(5, 7));
  c.log_uop_bytes = 2 + int(rng.between(4, 8));
  c.acc8 = c.mul = c.pad_wgt = true;
  c.pad_only = rng.below(2);
  return c;
}

}  // namespace tw::vta::testing
