/// JSON in lines, between processes.
#pragma once

#include "tests/benchmarks/gpu/runner/pack.h"

namespace tw::gpu_bench {

class Lines {
public:
  Lines() = default;
  /// Closes both at its end.
  Lines(int from, int to) : from_(from), to_(to) {}
  Lines(Lines&& other) noexcept { *this = std::move(other); }
  Lines& operator=(Lines&& other) noexcept;
  ~Lines();

  /// Errors: device_failed, where the other one ended.
  Status send(Json const& line) const;
  /// Errors: device_failed, program_timed_out.
  Result<Json> receive(double seconds);

private:
  int from_ = -1, to_ = -1;
  std::string rest_;
};

}  // namespace tw::gpu_bench
