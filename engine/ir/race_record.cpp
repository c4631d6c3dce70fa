#include "engine/ir/race_record.h"

#include <algorithm>

namespace tw::ir {

void Seen::add(Seen const& other) {
  if (other.arrivals.empty()) return;
  first = other.first;
  arrivals.resize(std::max(arrivals.size(), other.arrivals.size()));
  for (size_t i = 0; i < other.arrivals.size(); ++i)
    arrivals[i] = std::max(arrivals[i], other.arrivals[i]);
}

void RaceRecord::read(Cell& cell, Touch const& now) {
  Touch& last = cell.reads[0];
  if (last.launch != now.launch) cell.earlier_block = {};
  if (last.launch == now.launch && last.block != now.block) cell.earlier_block = last;
  if (last.launch != now.launch || last.block != now.block || last.epoch != now.epoch)
    cell.reads = {now, Touch()};
  else
    (last.thread == now.thread ? last : cell.reads[1]) = now;
}

std::optional<Touch> RaceRecord::touch(NDArray const& tensor, int64_t element, Touch const& now,
                                       Seen const& seen) {
  std::vector<Cell>& cells = tensors_[tensor.data()];
  if (cells.empty()) cells.resize(size_t(tensor.size()));
  Cell& cell = cells[size_t(element)];
  if (cell.write.meets(now) && !seen.has(cell.write)) return cell.write;
  if (!now.writes) {
    read(cell, now);
    return {};
  }
  for (Touch const& earlier : {cell.earlier_block, cell.reads[0], cell.reads[1]})
    if (earlier.meets(now) && !seen.has(earlier)) return earlier;
  cell.write = now;
  return {};
}

}  // namespace tw::ir
