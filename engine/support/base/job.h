/// What a long computation is given: a way to be stopped and a way to say how far it is.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

namespace tw {

using StopToken = std::stop_token;

struct ProgressReport {
  std::string what;
  int64_t done = 0;
  int64_t total = 0;  ///< 0: unknown
};
using Progress = std::function<void(ProgressReport const&)>;

}  // namespace tw
