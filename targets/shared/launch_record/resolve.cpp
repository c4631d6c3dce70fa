#include "targets/shared/launch_record/resolve.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::launch_record {

Result<std::vector<KernelRecord>> parse_records(std::string_view lines) {
  std::vector<KernelRecord> records;
  while (!lines.empty()) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    TRY_ASSIGN(KernelRecord record, parse_record(line));
    records.push_back(std::move(record));
  }
  return records;
}

Status check_buffers(KernelRecord const& record, size_t given) {
  if (int64_t(given) >= record.buffers) return {};
  return bad_input("wrong_buffers", fmt::format("the kernel '{}' takes {} buffers, not {}",
                                                record.symbol, record.buffers, given));
}

Result<Extents> extents_of(Launch const& launch, std::span<int64_t const> sizes) {
  Extents extents;
  for (size_t d = 0; d < 3; ++d) {
    TRY_ASSIGN(extents.grid[d], value_of(launch.grid[d], sizes));
    TRY_ASSIGN(extents.block[d], value_of(launch.block[d], sizes));
    int64_t blocks = extents.grid[d], threads = extents.block[d];
    if (blocks < 1 || threads < 1 || blocks > INT32_MAX || threads > INT32_MAX)
      return bad_input("bad_launch",
                       fmt::format("'{}' cannot be launched on {} blocks of {} threads",
                                   launch.function, blocks, threads));
  }
  return extents;
}

}  // namespace tw::launch_record
