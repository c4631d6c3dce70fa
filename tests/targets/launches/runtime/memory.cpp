#include "tests/targets/launches/runtime/memory.h"

namespace tw::launches {
namespace {

constexpr uintptr_t kLine = 64, kGap = 4096;

std::byte* first_line(std::vector<std::byte>& bytes) {
  auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  return bytes.data() + ((begin + kLine - 1) / kLine * kLine - begin);
}

}  // namespace

Result<uintptr_t> Memory::allocate(int64_t bytes) {
  if (bytes < 0 || bytes > most_bytes_ - used_bytes_)
    return refused("tensor_too_large",
                   "the machine has no memory for " + std::to_string(bytes) + " bytes");
  used_bytes_ += bytes;
  uintptr_t place = next_;
  next_ += (uintptr_t(bytes) + kGap) / kGap * kGap + kGap;
  tensors_[place].resize(size_t(bytes) + kLine);
  return place;
}

void Memory::release(uintptr_t place) {
  auto found = tensors_.find(place);
  if (found == tensors_.end()) return;
  used_bytes_ -= int64_t(found->second.size() - kLine);
  tensors_.erase(found);
}

std::optional<Memory::Found> Memory::find(uintptr_t place) {
  auto after = tensors_.upper_bound(place);
  if (after == tensors_.begin()) return std::nullopt;
  auto& [begin, bytes] = *std::prev(after);
  auto left = int64_t(bytes.size() - kLine) - int64_t(place - begin);
  if (left < 0) return std::nullopt;
  return Found{first_line(bytes) + (place - begin), left};
}

}  // namespace tw::launches
