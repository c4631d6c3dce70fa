/// What every use case is given: a model and how it was opened, a backend, a device.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/schedule/decisions.h"
#include "engine/tensor/ndarray.h"

namespace tw {
class Backend;
class Device;
}  // namespace tw

namespace tw::session {

class LoadedModel;
using Model = std::shared_ptr<LoadedModel const>;

struct LoadOptions {
  std::map<std::string, Shape> fixes;         ///< input name -> shape, over what the file says
  std::map<std::string, NDArray> known;       ///< inputs that become constants
  Point arrangement = {};                     ///< see `arrangement_knobs`
  std::map<std::string, int64_t> sizes = {};  ///< of a tensor expression: values to show
  Backend const* helper = nullptr;  ///< an accelerator that may take kernels over: it has a say in
                                    ///< layouts
};

}  // namespace tw::session
