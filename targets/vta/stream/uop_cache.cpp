#include "targets/vta/stream/uop_cache.h"

#include <algorithm>

namespace tw::vta {

std::optional<int64_t> UopCache::find(int64_t kernel) {
  auto found = place_of_.find(kernel);
  if (found == place_of_.end()) return std::nullopt;
  by_place_.at(found->second).last_use = ++clock_;
  return found->second;
}

int64_t UopCache::place(int64_t kernel, int64_t size) {
  std::optional<int64_t> free = size <= depth_ - used_ ? free_place(size) : std::nullopt;
  int64_t place = free ? *free : least_recent_place(size);
  evict(place, place + size);
  by_place_[place] = {kernel, size, ++clock_};
  place_of_[kernel] = place;
  used_ += size;
  return place;
}

std::optional<int64_t> UopCache::free_place(int64_t size) const {
  // Behind the last one first: that is where room is until the memory was full once.
  if (by_place_.empty()) return 0;
  auto const& [last, resident] = *by_place_.rbegin();
  if (size <= depth_ - last - resident.size) return last + resident.size;
  int64_t end = 0;
  for (auto const& [place, one] : by_place_) {
    if (size <= place - end) return end;
    end = place + one.size;
  }
  return std::nullopt;
}

/// A window begins at 0 or where a kernel begins or ends; its age is that of the newest in it.
int64_t UopCache::least_recent_place(int64_t size) const {
  int64_t best = 0, best_age = INT64_MAX;
  auto look = [&](int64_t begin) {
    if (size > depth_ - begin) return;
    auto one = by_place_.upper_bound(begin);
    if (one != by_place_.begin() && std::prev(one)->first + std::prev(one)->second.size > begin)
      --one;
    int64_t age = 0;
    for (; one != by_place_.end() && one->first < begin + size && age < best_age; ++one)
      age = std::max(age, one->second.last_use);
    if (age < best_age) best = begin, best_age = age;
  };
  look(0);
  for (auto const& [place, one] : by_place_) {
    look(place);
    look(place + one.size);
  }
  return best;
}

void UopCache::evict(int64_t begin, int64_t end) {
  auto one = by_place_.upper_bound(begin);
  if (one != by_place_.begin() && std::prev(one)->first + std::prev(one)->second.size > begin)
    --one;
  while (one != by_place_.end() && one->first < end) {
    used_ -= one->second.size;
    place_of_.erase(one->second.kernel);
    one = by_place_.erase(one);
  }
}

}  // namespace tw::vta
