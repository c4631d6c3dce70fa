/// A device with kernels and tensors, as the tests of devices use it.
#pragma once

#include <QString>
#include <memory>

#include "engine/device/wire_device.h"
#include "tests/device/test_kernels.h"

namespace tw::test {

inline NDArray ramp(int64_t count, float step) {
  NDArray array = NDArray::create(DType::kF32, {count}).value();
  for (int64_t i = 0; i < count; ++i) array.as<float>()[size_t(i)] = float(i) * step;
  return array;
}

/// A device with the common kernels and two inputs.
struct Bench {
  explicit Bench(std::unique_ptr<WireDevice> made) : owner(std::move(made)), device(*owner) {}
  std::unique_ptr<WireDevice> owner;
  WireDevice& device;
  CallOptions options;
  LibraryHandle library;
  TensorHandle a, b, c;

  Status prepare() {
    static std::vector<std::byte> const bytes = test::build_library(test::common_kernels()).value();
    TRY_ASSIGN(library, device.load(bytes, options));
    TRY_ASSIGN(a, put_tensor(device, ramp(1024, 1.0f), options));
    TRY_ASSIGN(b, put_tensor(device, ramp(1024, 0.5f), options));
    TRY_ASSIGN(c, device.allocate(4096, options));
    return {};
  }
  DeviceStep step(std::string symbol, std::vector<TensorHandle> tensors) const {
    DeviceStep made{.library = library, .symbol = std::move(symbol)};
    for (TensorHandle const& tensor : tensors) made.buffers.push_back({tensor});
    return made;
  }
  Status run(DeviceStep const& step, int threads = 1) {
    return device.run(std::span(&step, 1), threads, options);
  }
};

inline QString code_of(Status const& status) {
  return status ? QString("none") : QString::fromStdString(status.error().code);
}

}  // namespace tw::test
