/// What a device does for each request, apart from the socket that it comes over.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "engine/device/messages.pb.h"
#include "engine/hardware/hardware.h"
#include "engine/runtime/processor.h"

namespace tw {

/// Holds the tensors and libraries of one client. Every number in a request is checked: a client
/// may send anything.
class RequestHandler {
public:
  /// `stopped` tells, between two kernels, whether the client wants an early answer.
  RequestHandler(Processor& processor, Hardware const& hardware, std::function<bool()> stopped)
      : processor_(processor), hardware_(hardware), stopped_(std::move(stopped)) {}
  ~RequestHandler();
  RequestHandler(RequestHandler const&) = delete;
  RequestHandler& operator=(RequestHandler const&) = delete;

  /// A failure is a response, too.
  wire::Response answer(wire::Request const& request);

private:
  struct Tensor {
    void* memory = nullptr;
    int64_t bytes = 0;
  };
  /// A step whose names have become addresses.
  struct BoundStep {
    void* kernel = nullptr;
    std::vector<void*> buffers;
  };

  Result<wire::Response> dispatch(wire::Request const& request);
  Result<wire::Response> describe();
  Result<wire::Response> status();
  Result<wire::Response> allocate(wire::Allocate const& request);
  Result<wire::Response> write(wire::Write const& request);
  Result<wire::Response> read(wire::Read const& request);
  Result<wire::Response> free_tensor(int64_t id);
  Result<wire::Response> load(std::string const& bytes);
  Result<wire::Response> free_library(int64_t id);
  Result<wire::Response> run(wire::Run const& request);
  Result<wire::Response> time(wire::Time const& request);

  /// The address `offset` bytes into a tensor of which `bytes` more are used.
  Result<std::byte*> locate(int64_t id, int64_t offset, int64_t bytes);
  Result<void*> bind(wire::View const& view);
  Result<BoundStep> bind(wire::Step const& step);
  Result<std::vector<BoundStep>> bind(wire::Run const& run);
  int32_t call(BoundStep const& step, size_t index);
  std::unexpected<Error> failed(wire::Run const& run, std::string const& how) const;

  Processor& processor_;
  Hardware const& hardware_;
  std::function<bool()> stopped_;
  std::map<int64_t, Tensor> tensors_;
  std::map<int64_t, std::unique_ptr<KernelLibrary>> libraries_;
  int64_t last_id_ = 0;
  size_t running_ = 0;  ///< index of the step that runs, or ran last
};

}  // namespace tw
