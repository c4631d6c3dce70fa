#include "targets/vta/simulator/port_cache.h"

#include <algorithm>
#include <limits>

namespace tw::vta {

PortCache::PortCache(int64_t bytes, int64_t begin, int64_t end)
    : begin_(begin / kLine * kLine),
      lines_(size_t(std::max<int64_t>(0, end - begin_) / kLine + 1)),
      room_(std::max<int64_t>(1, bytes / kLine)) {}

void PortCache::take_out(int32_t line) {
  Line& one = lines_[size_t(line)];
  (one.before >= 0 ? lines_[size_t(one.before)].after : first_) = one.after;
  (one.after >= 0 ? lines_[size_t(one.after)].before : last_) = one.before;
}

void PortCache::put_first(int32_t line) {
  Line& one = lines_[size_t(line)];
  one.before = -1, one.after = first_;
  (first_ >= 0 ? lines_[size_t(first_)].before : last_) = line;
  first_ = line;
}

int64_t PortCache::touch(int64_t address, int64_t bytes) {
  int64_t missed = 0, end = address + bytes - begin_;
  for (int64_t at = address - begin_; at < end;) {
    auto line = int32_t(at / kLine);
    int64_t next = std::min(end, (line + 1) * kLine);
    Line& one = lines_[size_t(line)];
    if (one.held) {
      take_out(line);
    } else {
      missed += next - at;
      one.held = true;
      if (--room_ < 0) {
        lines_[size_t(last_)].held = false;
        take_out(last_);
        room_ = 0;
      }
    }
    put_first(line);
    at = next;
  }
  return missed;
}

namespace {

bool moves_bytes(Instruction const& one) {
  bool transfer = one.opcode == Opcode::kLoad || one.opcode == Opcode::kStore;
  return transfer && !one.transfer.nothing();
}

struct Range {
  int64_t begin = 0, end = 0;
};

/// The bytes of one row of a transfer.
Range row_of(Configuration const& c, Transfer const& t, int64_t y) {
  int64_t element = c.element_bytes_in_dram(t.memory);
  int64_t begin = (int64_t(t.dram) + y * t.x_stride) * element;
  return {begin, begin + t.x_size * element};
}

Range index_bounds_of(Configuration const& c, std::span<Instruction const> stream) {
  Range all{std::numeric_limits<int64_t>::max(), 0};
  for (Instruction const& one : stream) {
    if (!moves_bytes(one)) continue;
    all.begin = std::min(all.begin, row_of(c, one.transfer, 0).begin);
    all.end = std::max(all.end, row_of(c, one.transfer, one.transfer.y_size - 1).end);
  }
  return all.end > all.begin ? all : Range();
}

}  // namespace

std::vector<int64_t> missed_bytes(Configuration const& c, std::span<Instruction const> stream,
                                  int64_t cache_bytes) {
  Range reach = index_bounds_of(c, stream);
  PortCache cache(cache_bytes, reach.begin, reach.end);
  std::vector<int64_t> missed(stream.size());
  for (size_t i = 0; i < stream.size(); ++i) {
    Transfer const& t = stream[i].transfer;
    if (!moves_bytes(stream[i])) continue;
    for (int64_t y = 0; y < t.y_size; ++y) {
      Range row = row_of(c, t, y);
      int64_t bytes = cache.touch(row.begin, row.end - row.begin);
      if (stream[i].opcode == Opcode::kLoad) missed[i] += bytes;
    }
  }
  return missed;
}

}  // namespace tw::vta
