// A tuning from the first trial to the last, and the words for its end.
#include "engine/tuner/tune.h"

#include <fmt/format.h>

namespace tw {

std::string_view name_of(TuneEnd end) {
  constexpr std::string_view kNames[] = {"trials", "seconds", "converged", "stopped"};
  return kNames[size_t(end)];
}

Error no_device(double seconds, std::vector<DeviceShare> const& devices) {
  std::string words;
  for (DeviceShare const& share : devices)
    words +=
        (words.empty() ? "" : "; ") + (share.name.empty() ? "" : share.name + ": ") + share.reason;
  return {kNoDevice,
          seconds > 0 ? fmt::format("no device has made a trial for {:g} s ({})", seconds, words)
                      : fmt::format("no device is left ({})", words),
          {},
          Fault::kEnvironment};
}

Result<TuneResult> tune(Space const& space, Device& device, std::vector<NDArray> inputs,
                        te::Expected const& expected, TuneOptions const& options) {
  TRY_ASSIGN(std::unique_ptr<KernelTuning> tuning,
             KernelTuning::create(space, device, std::move(inputs), expected, options));
  TRY(tuning->search(options.trials, options.seconds));
  return tuning->finish();
}

}  // namespace tw
