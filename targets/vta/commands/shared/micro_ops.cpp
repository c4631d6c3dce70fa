#include "targets/vta/commands/shared/micro_ops.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::vta {
namespace {

struct Range {
  uint64_t begin = 0, end = 0;  ///< end exclusive
};

/// What there is, sorted and apart.
std::vector<Range> ranges_of(Assembly const& assembly) {
  std::vector<uint64_t> addresses;
  for (auto const& [address, uop] : assembly.uops) addresses.push_back(address);
  std::ranges::sort(addresses);
  std::vector<Range> ranges;
  for (uint64_t address : addresses)
    if (!ranges.empty() && address <= ranges.back().end)
      ranges.back().end = address + 1;
    else
      ranges.push_back({address, address + 1});
  return ranges;
}

bool contains(std::vector<Range> const& ranges, Range const& wanted) {
  auto after = std::ranges::upper_bound(ranges, wanted.begin, {}, &Range::begin);
  return after != ranges.begin() && wanted.end <= std::prev(after)->end;
}

std::string to_text(Range const& range) {
  if (range.end - range.begin == 1) return fmt::to_string(range.begin);
  return fmt::format("{} to {}", range.begin, range.end - 1);
}

std::string to_text(std::vector<Range> const& ranges) {
  constexpr size_t kMostTold = 3;
  if (ranges.empty()) return "none";
  std::string text;
  for (size_t i = 0; i < std::min(kMostTold, ranges.size()); ++i)
    text += (i == 0 ? "" : ", ") + to_text(ranges[i]);
  return ranges.size() > kMostTold ? text + ", ..." : text;
}

/// The first row of a LOAD UOP that is not there whole; none: all of them are.
std::optional<Range> missing_row(Transfer const& transfer, std::vector<Range> const& there) {
  uint64_t row = transfer.dram;
  for (uint32_t y = 0; y < transfer.y_size; ++y, row += transfer.x_stride)
    if (Range wanted{row, row + transfer.x_size}; !contains(there, wanted)) return wanted;
  return std::nullopt;
}

}  // namespace

Status check_micro_ops(Assembly const& assembly, std::string const& file) {
  std::vector<Range> there = ranges_of(assembly);
  for (size_t i = 0; i < assembly.stream.size(); ++i) {
    Transfer const& transfer = assembly.stream[i].transfer;
    bool loads = assembly.stream[i].opcode == Opcode::kLoad && transfer.memory == Memory::kUop &&
                 !transfer.nothing();
    auto missing = loads ? missing_row(transfer, there) : std::nullopt;
    if (!missing) continue;
    bool one = missing->end - missing->begin == 1;
    return bad_input("missing_micro_ops",
                     fmt::format("instruction {} loads micro-op{} {}, but the file has {}", i,
                                 one ? "" : "s", to_text(*missing), to_text(there)),
                     Place{file, 0, 0, {}});
  }
  return {};
}

}  // namespace tw::vta
