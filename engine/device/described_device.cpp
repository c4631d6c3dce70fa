#include "engine/device/described_device.h"

#include "engine/device/messages.pb.h"

namespace tw {

std::unexpected<Error> DescribedDevice::no_device() const {
  return environment_failed(
      "not_attached",
      "no " + hardware_.name + " is attached: it is only described here, nothing runs");
}

Result<wire::Response> DescribedDevice::ask(wire::Request const&, CallOptions const&) {
  return no_device();
}
Result<TensorHandle> DescribedDevice::allocate(int64_t, CallOptions const&) { return no_device(); }
Status DescribedDevice::write(TensorHandle const&, int64_t, std::span<std::byte const>,
                              CallOptions const&) {
  return no_device();
}
Status DescribedDevice::read(TensorHandle const&, int64_t, std::span<std::byte>,
                             CallOptions const&) {
  return no_device();
}
Status DescribedDevice::free(TensorHandle const&) { return {}; }
Result<LibraryHandle> DescribedDevice::load(std::span<std::byte const>, CallOptions const&) {
  return no_device();
}
Result<LibraryHandle> DescribedDevice::load_network(LibraryHandle const&, std::string const&,
                                                    CallOptions const&) {
  return no_device();
}
Status DescribedDevice::free(LibraryHandle const&) { return {}; }
Status DescribedDevice::run(std::span<DeviceStep const>, int, CallOptions const&) {
  return no_device();
}
Result<Timing> DescribedDevice::time(std::span<DeviceStep const>, int, TimingOptions const&,
                                     CallOptions const&) {
  return no_device();
}

}  // namespace tw
