#include "targets/vta/prover/stored_micro_ops.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::vta {
namespace {

/// The first byte that both touch; both are sorted.
std::optional<int64_t> common_byte(Intervals const& a, Intervals const& b) {
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    int64_t begin = std::max(a[i].begin, b[k].begin);
    if (begin < std::min(a[i].end, b[k].end)) return begin;
    ++(a[i].end < b[k].end ? i : k);
  }
  return std::nullopt;
}

/// From the first byte that a store writes to the last.
Interval written_by(std::span<int32_t const> stores, std::span<Footprint const> footprints) {
  Interval all{INT64_MAX, 0};
  for (int32_t store : stores)
    if (IntervalSet const& bytes = footprints[size_t(store)].dram) {
      all.begin = std::min(all.begin, bytes->front().begin);
      all.end = std::max(all.end, bytes->back().end);
    }
  return all;
}

}  // namespace

std::optional<StoredMicroOps> stored_micro_ops(TokenOrder const& order,
                                               std::span<Instruction const> stream,
                                               std::span<Footprint const> footprints) {
  std::vector<int32_t> const& stores = order.ran(Module::kStore);
  Interval all = written_by(stores, footprints);
  for (int32_t i : order.ran(Module::kCompute)) {
    IntervalSet const& read = footprints[size_t(i)].dram;
    bool uops = stream[size_t(i)].opcode == Opcode::kLoad &&
                stream[size_t(i)].transfer.memory == Memory::kUop;
    // Micro-ops mostly lie apart from all that is stored.
    if (!uops || !read || read->back().end <= all.begin || all.end <= read->front().begin) continue;
    for (int32_t store : stores) {
      IntervalSet const& written = footprints[size_t(store)].dram;
      if (!written || order.is_before(i, store)) continue;
      if (auto byte = common_byte(*read, *written)) return StoredMicroOps{i, store, *byte};
    }
  }
  return std::nullopt;
}

std::string to_sentence(StoredMicroOps const& found) {
  return fmt::format(
      "instruction {} loads micro-ops that instruction {} may have stored (the byte at address "
      "{:#x} of DRAM): which elements they touch is known when it has run",
      found.load, found.store, found.byte);
}

}  // namespace tw::vta
