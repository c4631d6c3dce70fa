/// A stop token as a descriptor that `poll` can wait for.
#pragma once

#include <functional>
#include <optional>

#include "engine/support/base/job.h"

namespace tw {

class StopDescriptor {
public:
  explicit StopDescriptor(StopToken const& token);
  ~StopDescriptor();
  StopDescriptor(StopDescriptor const&) = delete;
  StopDescriptor& operator=(StopDescriptor const&) = delete;

  /// Readable once the token is stopped; -1 for a token that cannot be.
  int get() const { return descriptor_; }

private:
  int descriptor_ = -1;
  std::optional<std::stop_callback<std::function<void()>>> callback_;
};

}  // namespace tw
