/// What a device does for each request, apart from the socket that it comes over.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/device/device.h"
#include "engine/device/messages.pb.h"
#include "engine/hardware/hardware.h"
#include "engine/runtime/device_runtime.h"
#include "engine/runtime/package/bound_steps.h"

namespace tw {

/// Holds the tensors and libraries of one client. Every number in a request is checked: a client
/// may send anything.
class RequestHandler {
public:
  /// `stopped` tells, between two kernels, whether the client wants an early answer.
  /// `open_ways`: what the system does not stop a kernel from.
  RequestHandler(DeviceRuntime& processor, Hardware const& hardware,
                 std::vector<std::string> const& open_ways, std::function<bool()> stopped)
      : processor_(processor),
        hardware_(hardware),
        open_ways_(open_ways),
        stopped_(std::move(stopped)) {}
  ~RequestHandler();
  RequestHandler(RequestHandler const&) = delete;
  RequestHandler& operator=(RequestHandler const&) = delete;

  /// A failure is a response, too.
  wire::Response answer(wire::Request const& request);

  /// Where answers of a request go that has several, but the last. Errors end the request.
  void send_parts(std::function<Status(wire::Response const&)> send) { part_ = std::move(send); }

  // For the files of `requests/`.
  Status tell_part(wire::Response const& response) const;
  bool stopped() const { return stopped_(); }
  DeviceHolding holding() const;
  std::vector<std::string> const& open_ways() const { return open_ways_; }

private:
  struct Tensor {
    void* memory = nullptr;
    int64_t bytes = 0;
  };
  struct Library {
    std::shared_ptr<KernelLibrary> kernels;
    std::optional<package::Description> network;  ///< what to do with them, of a network
    int64_t bytes = 0;                            ///< as they were sent
  };
  /// A step whose names have become addresses.
  struct BoundStep {
    std::string const* symbol = nullptr;
    void* kernel = nullptr;
    std::vector<MemoryPlace> buffers;
    std::optional<package::BoundSteps> network;  ///< in the place of the kernel
  };

  Result<wire::Response> dispatch(wire::Request const& request);
  Result<wire::Response> describe();
  Result<wire::Response> allocate(wire::Allocate const& request);
  Result<wire::Response> write(wire::Write const& request);
  Result<wire::Response> read(wire::Read const& request);
  Result<wire::Response> free_tensor(int64_t id);
  Result<wire::Response> load(std::string const& bytes);
  Result<wire::Response> load_network(wire::LoadNetwork const& request);
  Result<wire::Response> free_library(int64_t id);
  Result<wire::Response> run(wire::Run const& request);
  Result<wire::Response> time(wire::Time const& request);
  Result<Timing> timed(wire::Time const& request);

  Status memory_failure();
  /// The place `offset` bytes into a tensor of which `bytes` more are used.
  Result<MemoryPlace> locate(int64_t id, int64_t offset, int64_t bytes);
  Result<MemoryPlace> bind(wire::View const& view, int64_t bytes = 0);
  Result<Library const*> find_library(int64_t id) const;
  Result<package::BoundSteps> bind_network(Library const& library, wire::Step const& step);
  Result<BoundStep> bind(wire::Step const& step);
  Result<std::vector<BoundStep>> bind(wire::Run const& run);
  /// Errors: kernel_failed; of a network those of its steps, and cancelled.
  Status call(BoundStep const& step, size_t index);
  Status call_kernel(std::string const& symbol, void* kernel, std::span<MemoryPlace const> buffers,
                     size_t index);

  DeviceRuntime& processor_;
  Hardware const& hardware_;
  std::vector<std::string> const& open_ways_;
  std::function<bool()> stopped_;
  std::function<Status(wire::Response const&)> part_;  ///< may be empty
  std::map<int64_t, Tensor> tensors_;
  std::map<int64_t, Library> libraries_;
  int64_t last_id_ = 0;
  /// The last run, by a processor's own clock: it would take the same again.
  struct OwnTime {
    std::string run;  ///< the request
    double seconds = 0;
  };
  std::optional<OwnTime> own_time_;
};

}  // namespace tw
