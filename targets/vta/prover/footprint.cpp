#include "targets/vta/prover/footprint.h"

#include <algorithm>

#include "targets/vta/simulator/checks.h"

namespace tw::vta {
namespace {

using Bits = std::vector<uint64_t>;

/// into |= from << by; bits beyond the end are dropped.
void add_shifted(Bits& into, Bits const& from, size_t by) {
  size_t words = by / 64, bits = by % 64;
  for (size_t i = words; i < into.size(); ++i) {
    into[i] |= from[i - words] << bits;
    if (bits != 0 && i > words) into[i] |= from[i - words - 1] >> (64 - bits);
  }
}

/// What `count` steps of `factor` make of a set; indices are known to stay inside.
Bits repeated(Bits const& set, uint32_t count, uint32_t factor) {
  if (factor == 0 || count <= 1) return set;
  Bits all(set.size());
  for (uint64_t i = 0; i < count; ++i) add_shifted(all, set, size_t(i * factor));
  return all;
}

IntervalSet intervals_of(Bits const& set) {
  auto made = std::make_shared<Intervals>();
  for (size_t i = 0; i < set.size() * 64; ++i) {
    if (set[i / 64] == 0 && i % 64 == 0) i += 63;
    if (!(set[i / 64] >> i % 64 & 1)) continue;
    auto at = int64_t(i);
    if (!made->empty() && made->back().end == at)
      ++made->back().end;
    else
      made->push_back({at, at + 1});
  }
  return made->empty() ? nullptr : made;
}

IntervalSet one(int64_t begin, int64_t end) {
  return std::make_shared<Intervals>(Intervals{{begin, end}});
}

}  // namespace

FootprintMaker::FootprintMaker(Configuration const& configuration, std::span<std::byte const> dram)
    : configuration_(configuration),
      dram_(dram),
      uops_(size_t(configuration.depth(Memory::kUop))),
      versions_(uops_.size()) {}

Result<Footprint> FootprintMaker::next(Instruction const& instruction) {
  TRY(check_fields(configuration_, instruction));
  TRY(check_dram(configuration_, instruction, dram_.size()));
  if (instruction.opcode == Opcode::kGemm || instruction.opcode == Opcode::kAlu)
    return nest(instruction);
  Footprint made;
  Transfer const& t = instruction.transfer;
  if (instruction.opcode == Opcode::kFinish) return made;
  bool stores = instruction.opcode == Opcode::kStore;
  if (!t.nothing()) made.dram = dram_bytes(t);
  if (stores ? t.nothing() : fills_nothing(configuration_, t)) return made;
  IntervalSet filled = one(t.sram, t.sram + t.rows() * t.columns());
  if (stores) made.out = filled;
  if (stores) return made;
  if (t.memory == Memory::kInp) made.inp = filled;
  if (t.memory == Memory::kWgt) made.wgt = filled;
  if (t.memory == Memory::kAcc || t.memory == Memory::kAccByte) made.acc = filled;
  if (t.memory == Memory::kUop) load_uops(t);
  return made;
}

/// Rows that meet or overlap become one interval.
IntervalSet FootprintMaker::dram_bytes(Transfer const& t) const {
  int64_t bytes = configuration_.element_bytes_in_dram(t.memory);
  Intervals rows;
  for (int64_t y = 0; y < t.y_size; ++y) {
    int64_t begin = (int64_t(t.dram) + y * t.x_stride) * bytes, end = begin + t.x_size * bytes;
    if (!rows.empty() && begin <= rows.back().end)
      rows.back().end = std::max(rows.back().end, end);
    else
      rows.push_back({begin, end});
  }
  return std::make_shared<Intervals>(std::move(rows));
}

void FootprintMaker::load_uops(Transfer const& t) {
  ++loads_;
  auto bytes = size_t(configuration_.uop_bytes());
  for (int64_t r = 0; r < t.rows(); ++r)
    for (int64_t c = 0; c < t.columns(); ++c) {
      int64_t y = r - t.y_pad_before, x = c - t.x_pad_before;
      uint64_t bits = 0;
      if (y >= 0 && y < t.y_size && x >= 0 && x < t.x_size) {
        size_t at = size_t(int64_t(t.dram) + y * t.x_stride + x) * bytes;
        for (size_t b = 0; b < bytes; ++b) bits |= uint64_t(dram_[at + b]) << 8 * b;
      }
      auto place = size_t(t.sram + r * t.columns() + c);
      uops_[place] = decode_uop(configuration_, bits);
      versions_[place] = loads_;
    }
}

std::optional<uint32_t> FootprintMaker::unloaded(Instruction const& instruction) const {
  Nest const& n = instruction.nest;
  bool reads = instruction.opcode == Opcode::kGemm || instruction.opcode == Opcode::kAlu;
  if (!reads || n.steps() == 0) return std::nullopt;
  for (uint32_t k = n.uop_begin; k < n.uop_end; ++k)
    if (versions_[k] == 0) return k;
  return std::nullopt;
}

IntervalSet FootprintMaker::touched(Nest const& nest, Memory memory, uint32_t MicroOp::*operand,
                                    Factors const& factors) const {
  Bits set(size_t(configuration_.depth(memory) + 63) / 64);
  for (uint32_t k = nest.uop_begin; k < nest.uop_end; ++k) {
    uint32_t index = uops_[k].*operand;
    set[index / 64] |= uint64_t(1) << index % 64;
  }
  return intervals_of(
      repeated(repeated(set, nest.inner, factors.inner), nest.outer, factors.outer));
}

Result<Footprint> FootprintMaker::nest(Instruction const& instruction) {
  Nest const& n = instruction.nest;
  Footprint made;
  if (n.steps() == 0) return made;
  TRY(check_indices(configuration_, instruction,
                    std::span(uops_).subspan(n.uop_begin, size_t(n.uops()))));
  for (uint32_t k = n.uop_begin; k < n.uop_end; ++k)
    made.uop_version = std::max(made.uop_version, versions_[k]);
  bool reads = instruction.opcode == Opcode::kGemm && !n.reset;
  std::vector<int64_t> key{made.uop_version, reads,       n.uop_begin, n.uop_end,
                           n.outer,          n.inner,     n.dst.outer, n.dst.inner,
                           n.src.outer,      n.src.inner, n.wgt.outer, n.wgt.inner};
  auto [known, is_new] = known_.try_emplace(std::move(key));
  NestSets& sets = known->second;
  if (is_new) {
    sets.acc = touched(n, Memory::kAcc, &MicroOp::dst, n.dst);
    if (reads) sets.inp = touched(n, Memory::kInp, &MicroOp::src, n.src);
    if (reads) sets.wgt = touched(n, Memory::kWgt, &MicroOp::wgt, n.wgt);
  }
  made.inp = sets.inp, made.wgt = sets.wgt, made.acc = made.result = sets.acc;
  return made;
}

}  // namespace tw::vta
