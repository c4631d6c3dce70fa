/// Launches that the driver has put together, to be started as one.
#pragma once

#include <memory>

#include "engine/runtime/device_runtime.h"
#include "targets/cuda/runtime/driver.h"

namespace tw::cuda {

class CudaGraph final : public CallSequence {
public:
  /// What the stream has captured, in the current context; null with `code` where it is not to be
  /// had.
  static std::unique_ptr<CudaGraph> captured(Driver const& driver, CuContext context,
                                             CuStream stream, CuResult& code);
  CudaGraph(Driver const& driver, CuContext context) : driver_(driver), context_(context) {}
  CudaGraph(CudaGraph const&) = delete;
  CudaGraph& operator=(CudaGraph const&) = delete;
  ~CudaGraph() override;

  CuResult launch(CuStream stream) const { return driver_.cuGraphLaunch(ready_, stream); }
  bool asks_fault = false;  ///< one of the launches may set the fault word

private:
  Driver const& driver_;
  CuContext context_;
  CuGraph graph_ = nullptr;
  CuGraphExec ready_ = nullptr;
};

}  // namespace tw::cuda
