/// What carries the gain of a schedule: a job that times it without each of its parts.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "engine/measure/kernel_bench.h"
#include "engine/session/state/ablated.h"
#include "engine/session/tuning.h"
#include "engine/support/base/error.h"
#include "engine/support/base/job.h"
#include "engine/te/expected.h"

namespace tw {
struct AblationOptions;
}

namespace tw::session {

struct Parts;

class Ablating {
public:
  explicit Ablating(Parts& parts) : parts_(parts) {}
  void start(Ablated what);
  /// One that waits for its turn is dropped by whom nobody is told.
  void stop();

private:
  void change(int number, std::function<void(AblationView&)> const& change);
  void show(int number, std::vector<AblatedPart> parts, double seconds = 0,
            double rule_seconds = 0);
  // On the main queue's thread.
  Status run(Ablated const& what, StopToken stop, Progress const& progress);
  Status of_choices(Ablated const& what, AblationOptions const& options, KernelBench& bench,
                    te::Expected const& expected);
  Status of_steps(Ablated const& what, AblationOptions const& options, KernelBench& bench,
                  te::Expected const& expected);

  Parts& parts_;
  std::atomic<int> last_number_ = 0;
};

}  // namespace tw::session
