/// How often each line of a film of accesses missed, up to any of its frames.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/session/memory.h"

namespace tw::session {

class MissCounts {
public:
  /// Every cache that did not have the line counts: an access that came from behind three of them
  /// counts three times.
  static constexpr int kAllLevels = -1;

  MissCounts() = default;
  /// Of the accesses that came to the cache `level` (the nearest: 0) and did not find their line
  /// there, or `kAllLevels`. The film need not stay.
  MissCounts(AccessFilm const& film, int level);

  /// Of the line that the element is in, from the first frame up to and with this one.
  int64_t at(int frame, int32_t tensor, int64_t element) const;
  /// Of the line that missed most often up to there; 0: none did.
  int64_t most(int frame) const;
  /// The same of a tensor's lines.
  struct Most {
    int64_t count = 0, element = 0;  ///< the first one of the line
  };
  Most most_of(int frame, int32_t tensor) const;

private:
  struct Tensor {
    FilmTensor shown;
    std::unordered_map<int64_t, std::vector<int32_t>> frames = {};  ///< of each miss, by line
  };
  int64_t line_bytes_ = 64;
  std::vector<Tensor> tensors_;
  std::vector<int64_t> most_;  ///< by frame
};

}  // namespace tw::session
