#include "engine/ir/race_record.h"

namespace tw::ir {

void RaceRecord::read(Cell& cell, Touch const& now) {
  Touch& last = cell.reads[0];
  if (last.launch != now.launch) cell.earlier_block = {};
  if (last.launch == now.launch && last.block != now.block) cell.earlier_block = last;
  if (last.launch != now.launch || last.block != now.block || last.epoch != now.epoch)
    cell.reads = {now, Touch()};
  else if (last.thread != now.thread)
    cell.reads[1] = now;
}

std::optional<Touch> RaceRecord::touch(NDArray const& tensor, int64_t element, Touch const& now) {
  std::vector<Cell>& cells = tensors_[tensor.data()];
  if (cells.empty()) cells.resize(size_t(tensor.size()));
  Cell& cell = cells[size_t(element)];
  if (cell.write.meets(now)) return cell.write;
  if (!now.writes) {
    read(cell, now);
    return {};
  }
  for (Touch const& earlier : {cell.earlier_block, cell.reads[0], cell.reads[1]})
    if (earlier.meets(now)) return earlier;
  cell.write = now;
  return {};
}

}  // namespace tw::ir
