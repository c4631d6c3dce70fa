/// A device with faults that tests put into it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "engine/device/device.h"
#include "engine/device/messages.pb.h"

namespace tw::testing {

/// Answers wrongly, or fails, where it is told to; every load is a new candidate's.
class TroubledDevice final : public Device {
public:
  explicit TroubledDevice(Device& device) : device_(device) {}
  std::function<bool(int load)> lies, crashes, is_lost;
  /// What becomes of an attempt in one call instead of an answer; nothing: the answer.
  std::function<std::optional<Error>(int attempt, std::span<std::byte const> library)> fails;
  std::function<void(int attempt, TrialAnswer& answer)> changes;
  /// Seconds that every sample of a library takes, of which a call for times speaks.
  std::function<double(double true_seconds)> times;
  bool in_one_call = false;  ///< judges by itself
  /// A library in place of the candidate's; empty: the candidate's.
  std::function<std::span<std::byte const>(std::span<std::byte const> library)> instead;
  bool is_small = false;
  std::function<bool(double true_seconds)> says_wrong;
  std::atomic<bool> said_wrong = false;  ///< of the last one
  bool lies_fast = false;                ///< says so, and that everything takes a nanosecond
  std::chrono::milliseconds pace{0};     ///< that each attempt takes, whatever it is
  std::atomic<int> attempts = 0;
  std::chrono::milliseconds trip{0};  ///< that every call takes besides; then it takes several
  std::atomic<int> calls_of_several = 0;
  std::set<int> timed_with;  ///< threads
  /// Of the speed it has at best, at each look at it: a trial or a question for it. Then a trial
  /// takes what `true_seconds` says of its library, at that speed.
  std::function<double(int look)> speed;
  std::atomic<int> looks = 0;
  static double true_seconds(std::span<std::byte const> library) {
    size_t hash = std::hash<std::string_view>()(
        {reinterpret_cast<char const*>(library.data()), library.size()});
    return 1e-3 + 1e-6 * double(hash % 400);
  }

  Result<Hardware> describe(CallOptions const& options) override {
    if (is_lost && is_lost(++attempts))
      return environment_failed("device_unavailable", "nobody answers");
    return device_.describe(options);
  }
  Result<wire::Response> ask(wire::Request const& request, CallOptions const& options) override {
    std::this_thread::sleep_for(trip);
    TRY_ASSIGN(wire::Response answer, device_.ask(request, options));
    if (speed && answer.has_status()) answer.mutable_status()->set_speed(kFull * speed(++looks));
    if (instead && answer.has_status()) answer.mutable_status()->set_speed(kFull);
    return answer;
  }
  Result<TensorHandle> allocate(int64_t bytes, CallOptions const& options) override {
    return device_.allocate(bytes, options);
  }
  Status write(TensorHandle const& tensor, int64_t offset, std::span<std::byte const> from,
               CallOptions const& options) override {
    return device_.write(tensor, offset, from, options);
  }
  Status read(TensorHandle const& tensor, int64_t offset, std::span<std::byte> to,
              CallOptions const& options) override {
    TRY(device_.read(tensor, offset, to, options));
    if (lies && lies(loads_)) to[to.size() / 2] ^= std::byte{0x55};
    if (lies && lies(loads_)) to[to.size() / 2 + 3] ^= std::byte{0x15};
    return {};
  }
  Status free(TensorHandle const& tensor) override { return device_.free(tensor); }
  Result<LibraryHandle> load(std::span<std::byte const> library,
                             CallOptions const& options) override {
    ++loads_;
    if (is_lost && is_lost(loads_)) return environment_failed("device_lost", "the line was cut");
    auto loaded = device_.load(library, options);
    if (loaded) true_seconds_[loaded->id] = true_seconds(library);
    return loaded;
  }
  Result<LibraryHandle> load_network(LibraryHandle const& library, std::string const& description,
                                     CallOptions const& options) override {
    return device_.load_network(library, description, options);
  }
  Status free(LibraryHandle const& library) override { return device_.free(library); }
  Status run(std::span<DeviceStep const> steps, int threads, CallOptions const& options) override {
    if (crashes && crashes(loads_)) return refused("kernel_crashed", "the kernel crashed");
    return device_.run(steps, threads, options);
  }
  Result<Timing> time(std::span<DeviceStep const> steps, int threads, TimingOptions const& timing,
                      CallOptions const& options) override {
    timed_with.insert(threads);
    auto timed = device_.time(steps, threads, timing, options);
    if (timed && times)
      for (double& sample : timed->total.seconds)
        sample = times(true_seconds_[steps.front().library.id]);
    return timed;
  }
  Result<TrialAnswer> attempt(std::span<std::byte const> library, DeviceStep const& step,
                              std::span<LimitedOutput const> outputs, int threads,
                              TimingOptions const& timing, CallOptions const& options) override {
    if (!in_one_call) return Device::attempt(library, step, outputs, threads, timing, options);
    std::this_thread::sleep_for(trip);
    return attempt_here({library, step}, outputs, threads, timing, options);
  }
  Status attempt_each(std::span<TrialCall const> trials, std::span<LimitedOutput const> outputs,
                      int threads, TimingOptions const& timing, CallOptions const& options,
                      OnTrial const& on_answer) override {
    if (trip.count() == 0) return bad_input("unknown_request", "only one at a time");
    ++calls_of_several;
    std::this_thread::sleep_for(trip);
    for (TrialCall const& trial : trials) {
      auto answer = attempt_here(trial, outputs, threads, timing, options);
      if (!answer && answer.error().code == "device_lost") return std::unexpected(answer.error());
      on_answer(answer);
    }
    return {};
  }

private:
  Result<TrialAnswer> attempt_here(TrialCall const& trial, std::span<LimitedOutput const> outputs,
                                   int threads, TimingOptions const& timing,
                                   CallOptions const& options) {
    auto [library, step] = trial;
    ++attempts;
    if (std::span<std::byte const> other = instead ? instead(library) : library; !other.empty())
      library = other;
    if (is_small) return bad_input("tensor_too_large", "there is no room for the limits");
    if (is_lost && is_lost(attempts)) return environment_failed("device_lost", "the line was cut");
    if (auto failure = fails ? fails(attempts, library) : std::nullopt; failure)
      return std::unexpected(*failure);
    auto answer = device_.attempt(library, step, outputs, threads, timing, options);
    if (answer && instead) answer->speed = {kFull};  // nobody asks again because it became slower
    if (answer && pace.count() > 0) {
      std::this_thread::sleep_for(pace);
      answer->samples.seconds = {1e-3};
    }
    if (answer && speed) {
      double now = speed(++looks);
      answer->samples.seconds = {true_seconds(library) / now};
      answer->speed = {kFull * now};
    }
    said_wrong = answer && says_wrong && says_wrong(true_seconds(library));
    if (said_wrong) *answer = {.wrong_output = 0};
    if (answer && changes) changes(attempts, *answer);
    if (answer && lies_fast) *answer = {.wrong_output = -1, .samples = {{1e-9}}, .speed = {}};
    return answer;
  }

  static constexpr double kFull = 4;
  Device& device_;
  int loads_ = 0;
  std::map<uint64_t, double> true_seconds_;  ///< of each library that was loaded
};

}  // namespace tw::testing
