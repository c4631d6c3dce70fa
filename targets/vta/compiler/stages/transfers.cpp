#include "targets/vta/compiler/stages/transfers.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::vta {
namespace {

constexpr int64_t kMostExtent = 65535;  // x_size, y_size and x_stride have 16 bits
constexpr int64_t kMostPadding = 15;    // pads have four

/// A loop with what its steps add on both sides, and which of its iterations are no padding.
struct Dim {
  std::string name;
  int64_t extent = 1, sram = 0, dram = 0, first = 0, last = 1;
  bool padded() const { return first > 0 || last < extent; }
};

std::unexpected<Error> no_transfer(std::string message) {
  return refused("vta_transfer", std::move(message));
}

/// The loops by their steps in SRAM, the largest first.
std::vector<Dim> dims_of(Copy const& copy) {
  std::vector<Dim> dims;
  for (size_t i = 0; i < copy.loops.size(); ++i) {
    Dim dim{
        copy.loops[i].name,  copy.loops[i].extent, copy.sram.factors[i], copy.dram.factors[i], 0,
        copy.loops[i].extent};
    if (!copy.inside.empty()) std::tie(dim.first, dim.last) = copy.inside[i];
    dims.push_back(dim);
  }
  std::ranges::stable_sort(dims, std::greater(), &Dim::sram);
  return dims;
}

/// Two that run through both sides as one do so.
void merge(std::vector<Dim>& dims) {
  for (size_t i = dims.size(); i-- > 1;) {
    Dim &outer = dims[i - 1], &inner = dims[i];
    bool one = !inner.padded() && outer.sram == inner.sram * inner.extent &&
               outer.dram == inner.dram * inner.extent;
    if (!one) continue;
    outer = {outer.name, outer.extent * inner.extent, inner.sram,
             inner.dram, outer.first * inner.extent,  outer.last * inner.extent};
    dims.erase(dims.begin() + int64_t(i));
  }
}

class Moving {
public:
  explicit Moving(Copy copy) : copy_(std::move(copy)), dims_(dims_of(copy_)) { merge(dims_); }

  Result<std::vector<StageCall>> run() {
    if (!dims_.empty() && dims_.back().sram == 1 && dims_.back().dram == 1) x_ = pop();
    if (!dims_.empty() && dims_.back().sram == x_.extent && dims_.back().dram >= 0) y_ = pop();
    TRY(fits());
    TRY(each(0, copy_.sram.base, copy_.dram.base));
    return std::move(calls_);
  }

private:
  Dim pop() {
    Dim last = dims_.back();
    dims_.pop_back();
    return last;
  }

  Status fits() const {
    for (Dim const& dim : {x_, y_}) {
      if (dim.extent > kMostExtent || dim.dram > kMostExtent)
        return no_transfer(
            fmt::format("the loop {} has {} elements {} apart; a transfer has room "
                        "for {} each: split it",
                        dim.name, dim.extent, dim.dram, kMostExtent));
      int64_t pad = std::max(dim.first, dim.extent - dim.last);
      if (pad > kMostPadding)
        return no_transfer(
            fmt::format("{} rows or columns of zeros along {}: a transfer has at "
                        "most {}; make the tile smaller, or pad in a stage of its own",
                        pad, dim.name, kMostPadding));
    }
    return {};
  }

  Status each(size_t d, int64_t sram, int64_t dram) {
    if (d == dims_.size()) return add(sram, dram);
    for (int64_t i = 0; i < dims_[d].extent; ++i) {
      if (i < dims_[d].first || i >= dims_[d].last)
        return no_transfer(
            fmt::format("zeros along {}, which is neither row nor column of what is "
                        "loaded: order the tensor so that it is",
                        dims_[d].name));
      TRY(each(d + 1, sram + i * dims_[d].sram, dram + i * dims_[d].dram));
    }
    return {};
  }

  Status add(int64_t sram, int64_t dram) {
    if (x_.last <= x_.first || y_.last <= y_.first)
      return no_transfer(
          "a part of the tensor that is all zeros would be loaded: the accelerator "
          "fills borders only; choose tiles that reach inside");
    int64_t begin = dram + x_.first * x_.dram + y_.first * y_.dram;
    if (sram < 0 || begin < 0) return no_transfer("a transfer would begin before its tensor");
    StageCall stage;
    stage.call.kind = copy_.load ? CallKind::kLoad : CallKind::kStore;
    stage.call.tensor = copy_.tensor;
    Transfer& t = stage.call.transfer;
    t.memory = copy_.memory;
    t.saturate = copy_.saturate;
    t.sram = uint32_t(sram);
    t.dram = uint64_t(begin);
    t.x_size = uint32_t(x_.last - x_.first);
    t.y_size = uint32_t(y_.last - y_.first);
    t.x_stride = uint32_t(t.y_size > 1 ? y_.dram : t.x_size);
    t.x_pad_before = uint32_t(x_.first), t.x_pad_after = uint32_t(x_.extent - x_.last);
    t.y_pad_before = uint32_t(y_.first), t.y_pad_after = uint32_t(y_.extent - y_.last);
    Memory memory =
        copy_.memory == Memory::kInp || copy_.memory == Memory::kWgt ? copy_.memory : Memory::kAcc;
    stage.indices = {copy_.sram.index, copy_.dram.index, nullptr};
    stage.touched = {{memory, sram, sram + t.rows() * t.columns(), copy_.load}};
    calls_.push_back(std::move(stage));
    return {};
  }

  Copy copy_;
  std::vector<Dim> dims_;
  Dim x_, y_;
  std::vector<StageCall> calls_;
};

}  // namespace

Result<std::vector<StageCall>> transfers_of(Copy copy) { return Moving(std::move(copy)).run(); }

}  // namespace tw::vta
