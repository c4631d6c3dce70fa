#include "engine/device/stop_descriptor.h"

#include <sys/eventfd.h>
#include <unistd.h>

namespace tw {

StopDescriptor::StopDescriptor(StopToken const& token) {
  if (!token.stop_possible()) return;
  descriptor_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  callback_.emplace(token, [descriptor = descriptor_] { eventfd_write(descriptor, 1); });
}

StopDescriptor::~StopDescriptor() {
  callback_.reset();  // after this no callback runs, and the descriptor may go
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace tw
