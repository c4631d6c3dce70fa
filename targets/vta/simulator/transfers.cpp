// LOAD and STORE of a machine: what moves between DRAM and its memories.
#include <algorithm>
#include <limits>

#include "targets/vta/simulator/elements.h"
#include "targets/vta/simulator/gemm.h"
#include "targets/vta/simulator/machine.h"

namespace tw::vta {
namespace {

/// What fills the border of a load of values with `bits` each.
int32_t pad_of(PadValue value, int bits) {
  int32_t most = int32_t((uint32_t(1) << (bits - 1)) - 1);
  return value == PadValue::kZero ? 0 : value == PadValue::kHighest ? most : -most - 1;
}

/// Fills the padded image of a load. `copy(element in DRAM, count, element in SRAM)` moves a row,
/// `pad(element in SRAM, count)` fills.
template <typename Copy, typename Pad>
void for_each_row(Transfer const& t, Copy&& copy, Pad&& pad) {
  int64_t columns = t.columns();
  for (int64_t row = 0; row < t.rows(); ++row) {
    int64_t at = t.sram + row * columns, y = row - t.y_pad_before;
    if (y < 0 || y >= int64_t(t.y_size)) {
      pad(at, columns);
      continue;
    }
    pad(at, t.x_pad_before);
    if (t.x_size > 0) copy(t.dram + uint64_t(y) * t.x_stride, t.x_size, at + t.x_pad_before);
    pad(at + t.x_pad_before + t.x_size, t.x_pad_after);
  }
}

/// One of the memories that hold values: `values` in each element, `bits` each in DRAM.
template <typename T>
void load_values(Transfer const& t, std::span<std::byte const> dram, int64_t element_bytes,
                 int64_t values, int bits, std::vector<T>& memory) {
  for_each_row(
      t,
      [&](uint64_t from, int64_t count, int64_t to) {
        unpack(dram.subspan(size_t(from) * size_t(element_bytes), size_t(count * element_bytes)),
               bits, std::span(memory).subspan(size_t(to * values), size_t(count * values)));
      },
      [&](int64_t to, int64_t count) {
        std::fill_n(memory.begin() + to * values, count * values, T(pad_of(t.pad_value, bits)));
      });
}

}  // namespace

void Machine::load(Transfer const& t, std::span<std::byte const> dram) {
  Configuration const& c = configuration_;
  if (fills_nothing(c, t)) return;
  int64_t bytes = c.element_bytes_in_dram(t.memory), lanes = c.batch() * c.block();
  int64_t moved = int64_t(t.x_size) * t.y_size * bytes;
  switch (t.memory) {
    case Memory::kUop:
      counters_.uop_bytes += moved;
      return load_uops(t, dram);
    case Memory::kInp:
      counters_.inp_bytes += moved;
      return load_values(t, dram, bytes, lanes, 1 << c.log_inp_bits, inp_);
    case Memory::kWgt:
      counters_.wgt_bytes += moved;
      load_values(t, dram, bytes, c.block() * c.block(), 1 << c.log_wgt_bits, wgt_);
      return renew_pairs(t.sram, t.sram + t.rows() * t.columns());
    case Memory::kAcc:
      counters_.acc_bytes += moved;
      return load_values(t, dram, bytes, lanes, 1 << c.log_acc_bits, acc_);
    case Memory::kAccByte:
      counters_.acc_bytes += moved;
      return load_values(t, dram, bytes, lanes, 1 << c.log_inp_bits, acc_);
    case Memory::kOut:
      break;  // was refused
  }
}

void Machine::load_uops(Transfer const& t, std::span<std::byte const> dram) {
  auto bytes = size_t(configuration_.uop_bytes());
  for_each_row(
      t,
      [&](uint64_t from, int64_t count, int64_t to) {
        for (int64_t i = 0; i < count; ++i)
          uops_[size_t(to + i)] = decode_uop(
              configuration_, read_bits(dram, (size_t(from) + size_t(i)) * bytes, bytes));
      },
      [&](int64_t to, int64_t count) { std::fill_n(uops_.begin() + to, count, MicroOp()); });
}

void Machine::store(Transfer const& t, Dram dram) {
  if (t.nothing()) return;
  Configuration const& c = configuration_;
  int64_t bytes = c.element_bytes(Memory::kOut), lanes = c.batch() * c.block();
  counters_.out_bytes += int64_t(t.x_size) * t.y_size * bytes;
  std::span<int8_t const> plane = t.saturate ? out_saturated_ : out_;
  for (uint32_t y = 0; y < t.y_size; ++y) {
    size_t from = size_t(t.sram) + size_t(y) * t.x_size;
    size_t to = size_t(t.dram) + size_t(y) * t.x_stride;
    pack(plane.subspan(from * size_t(lanes), t.x_size * size_t(lanes)), 1 << c.log_inp_bits,
         dram.subspan(to * size_t(bytes), t.x_size * size_t(bytes)));
  }
}

}  // namespace tw::vta
