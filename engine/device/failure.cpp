#include "engine/device/failure.h"

namespace tw {

wire::Response failure(Error const& error) {
  wire::Response failed;
  failed.mutable_failure()->set_code(error.code);
  failed.mutable_failure()->set_message(error.message);
  failed.mutable_failure()->set_fault(int32_t(error.fault));
  return failed;
}

Error no_memory_left() {
  return {"out_of_memory", "the device has no memory left for this call", {}, Fault::kEnvironment};
}

}  // namespace tw
