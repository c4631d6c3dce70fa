#include "engine/lowering/checks.h"

#include <fmt/format.h>

#include <cstring>

namespace tw {

std::string describe_report(std::span<CheckedAccess const> accesses,
                            std::span<std::byte const> record) {
  int64_t words[kReportWords] = {};
  std::memcpy(words, record.data(), std::min(record.size(), sizeof words));
  if (words[0] < 1 || words[0] > int64_t(accesses.size())) return "";
  CheckedAccess const& access = accesses[size_t(words[0] - 1)];
  static constexpr char const* kWords[] = {"out-of-bounds read of", "out-of-bounds write of",
                                           "read of an unwritten element of",
                                           "unwritten element in the output"};
  std::string text = fmt::format("{} {} at {} of {}", kWords[size_t(access.kind)], access.buffer,
                                 words[1], access.extent);
  for (size_t i = 0; i < access.loops.size(); ++i)
    text += fmt::format("{}{} = {}", i == 0 ? ", loops " : ", ", access.loops[i], words[2 + i]);
  return access.statement.empty() ? text : text + ", in: " + access.statement;
}

}  // namespace tw
