#include "engine/session/miss_counts.h"

#include <algorithm>

namespace tw::session {

MissCounts::MissCounts(AccessFilm const& film, int level) : line_bytes_(film.line_bytes) {
  for (FilmTensor const& tensor : film.tensors) tensors_.push_back({tensor});
  int64_t most = 0;
  for (int frame = 0; frame < film.frames(); ++frame) {
    for (int64_t i = film.first_access[size_t(frame)]; i < film.first_access[size_t(frame) + 1];
         ++i) {
      FilmAccess const& access = film.accesses[size_t(i)];
      int times = level == kAllLevels ? int(access.level) : int(access.level > level);
      if (times == 0) continue;
      Tensor& tensor = tensors_[size_t(access.tensor)];
      std::vector<int32_t>& frames =
          tensor.frames[tensor.shown.byte_of(access.element) / line_bytes_];
      frames.insert(frames.end(), size_t(times), frame);
      most = std::max(most, int64_t(frames.size()));
    }
    most_.push_back(most);
  }
}

namespace {

/// Frames are in their order.
int64_t count_up_to(std::vector<int32_t> const& frames, int frame) {
  return std::ranges::upper_bound(frames, frame) - frames.begin();
}

}  // namespace

int64_t MissCounts::at(int frame, int32_t tensor, int64_t element) const {
  Tensor const& of = tensors_[size_t(tensor)];
  auto line = of.frames.find(of.shown.byte_of(element) / line_bytes_);
  return line == of.frames.end() ? 0 : count_up_to(line->second, frame);
}

int64_t MissCounts::most(int frame) const {
  return most_.empty() ? 0 : most_[size_t(std::clamp(frame, 0, int(most_.size()) - 1))];
}

MissCounts::Most MissCounts::most_of(int frame, int32_t tensor) const {
  Tensor const& of = tensors_[size_t(tensor)];
  Most most;
  for (auto const& [line, frames] : of.frames) {
    int64_t count = count_up_to(frames, frame);
    // An element can begin in the line before.
    int64_t element = of.shown.element_at(line * line_bytes_ + of.shown.element_bytes - 1);
    if (count > most.count || (count == most.count && count > 0 && element < most.element))
      most = {count, element};
  }
  return most;
}

}  // namespace tw::session
