#include "targets/cuda/runtime/cuda_graph.h"

namespace tw::cuda {

std::unique_ptr<CudaGraph> CudaGraph::captured(Driver const& driver, CuContext context,
                                               CuStream stream, CuResult& code) {
  auto made = std::make_unique<CudaGraph>(driver, context);
  code = driver.cuStreamEndCapture(stream, &made->graph_);
  if (code == kCuSuccess) code = driver.cuGraphInstantiateWithFlags(&made->ready_, made->graph_, 0);
  return code == kCuSuccess ? std::move(made) : nullptr;
}

CudaGraph::~CudaGraph() {
  driver_.cuCtxSetCurrent(context_);
  if (ready_) driver_.cuGraphExecDestroy(ready_);
  if (graph_) driver_.cuGraphDestroy(graph_);
}

}  // namespace tw::cuda
