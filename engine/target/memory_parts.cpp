#include "engine/target/memory_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/support/base/quantities.h"

namespace tw {
namespace {

constexpr double kMost = 0x1p50;  // sums of what is larger would not be numbers any more

}  // namespace

bool has_limited_memories(Target const& target) {
  return std::ranges::any_of(target.scopes, [](MemoryScope const& one) { return one.bytes > 0; });
}

std::shared_ptr<Target const> without_capacities(Target target) {
  for (MemoryScope& memory : target.scopes) memory.bytes = 0;
  return std::make_shared<Target const>(std::move(target));
}

int64_t bytes_taken(MemoryScope const& memory, int64_t bytes, int64_t count) {
  int64_t alignment = memory.bytes > 0 ? std::max<int64_t>(memory.alignment, 1) : 1;
  int64_t rows = bytes / alignment + (bytes % alignment > 0);
  return int64_t(std::min(double(rows) * double(alignment) * double(count), kMost));
}

std::string parts_text(std::vector<MemoryPart> const& parts) {
  std::string text;
  for (MemoryPart const& part : parts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part.tensor,
                        bytes_text(double(part.bytes)));
  return text;
}

Error overflow_of(MemoryUse const& use) {
  auto [has, needs] = bytes_apart(double(use.capacity), double(use.bytes));
  return refused("scope_overflow",
                 fmt::format("the memory '{}' has {}, but {} are needed at the same time: {}",
                             use.memory, has, needs, parts_text(use.parts)))
      .error();
}

}  // namespace tw
