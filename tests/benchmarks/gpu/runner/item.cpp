#include "tests/benchmarks/gpu/runner/item.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/tensor/limits.h"
#include "tests/benchmarks/gpu/values.h"

namespace tw::gpu_bench {
namespace {

constexpr unsigned char kNoNumber = 0xFF;

Result<DType> type_of(Json const& tensor) {
  auto type = parse_dtype(tensor.at("type").get<std::string>());
  if (!type) return bad_input("file_unreadable", "the pack has a tensor of an unknown type");
  return *type;
}

double number_at(DType type, std::vector<std::byte> const& bytes, int64_t index) {
  auto array = NDArray::create(type, {1});
  if (!array) return NAN;
  size_t size = size_t(size_of(type));
  std::memcpy(array->data(), bytes.data() + size_t(index) * size, size);
  return array->value_at(0);
}

}  // namespace

std::vector<std::byte> seeded_bytes(uint64_t seed, int64_t bytes, float scale) {
  std::vector<std::byte> made(static_cast<size_t>(bytes));
  for (int64_t i = 0; i < bytes / 4; ++i) {
    float value = scale * seeded_value(seed, uint64_t(i));
    std::memcpy(made.data() + i * 4, &value, 4);
  }
  return made;
}

int64_t bytes_of(Json const& tensor) {
  auto type = type_of(tensor);
  int64_t bytes = type ? size_of(*type) : 0;
  for (int64_t extent : tensor.at("shape")) bytes *= extent;
  return bytes;
}

Result<ItemTensors> ItemTensors::create(Device const& device, Pack const& pack, Json const& item,
                                        Json const& code) {
  ItemTensors made;
  for (Json const& input : item.at("inputs")) {
    std::vector<std::byte> values;
    if (input.contains("stored")) {
      TRY_ASSIGN(values, pack.stored(input["stored"]));
    } else {
      values = seeded_bytes(input.at("seed"), bytes_of(input), 1);
    }
    TRY_ASSIGN(Memory memory, Memory::create(device, values.size()));
    TRY(memory.write(values));
    made.inputs.push_back(std::move(memory));
  }
  for (Json const& output : item.at("outputs")) {
    TRY_ASSIGN(Memory memory, Memory::create(device, size_t(bytes_of(output))));
    TRY(memory.fill(kNoNumber));
    made.outputs.push_back(std::move(memory));
  }
  TRY_ASSIGN(made.workspace, Memory::create(device, code.at("workspace").get<size_t>()));
  TRY(made.workspace.fill(kNoNumber));
  return made;
}

std::vector<cuda::CuPointer> ItemTensors::places() const {
  std::vector<cuda::CuPointer> list;
  for (Memory const& one : inputs) list.push_back(one.at());
  for (Memory const& one : outputs) list.push_back(one.at());
  list.push_back(workspace.at());
  return list;
}

Status check_all(Pack const& pack, Json const& item, std::vector<Memory> const& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    Json const& wanted = item.at("outputs")[i];
    TRY_ASSIGN(DType type, type_of(wanted));
    TRY_ASSIGN(std::vector<std::byte> low, pack.stored(wanted.at("low")));
    TRY_ASSIGN(std::vector<std::byte> high, pack.stored(wanted.at("high")));
    std::vector<std::byte> values(outputs[i].size());
    TRY(outputs[i].read(values));
    if (low.size() != values.size() || high.size() != values.size())
      return bad_input("file_unreadable", "the pack's reference is not of the output's size");
    int64_t outside = first_outside(type, values, low, high);
    if (outside >= 0)
      return refused("wrong_result",
                     fmt::format("element {} of output {} is {}, not between {} and {}", outside, i,
                                 number_at(type, values, outside), number_at(type, low, outside),
                                 number_at(type, high, outside)));
  }
  return {};
}

Result<double> check_samples(Json const& item, Memory const& output) {
  Json const& samples = item.at("outputs")[0].at("samples");
  double worst = 0, largest = 1e-30;
  int64_t at = 0;
  for (size_t i = 0; i < samples.at("index").size(); ++i) {
    int64_t index = samples["index"][i];
    double wanted = samples["value"][i];
    float value = 0;
    TRY(output.read(std::as_writable_bytes(std::span(&value, 1)), size_t(index) * 4));
    double apart = std::fabs(double(value) - wanted);
    if (std::isnan(apart)) apart = INFINITY;
    if (apart > worst) at = index;
    worst = std::max(worst, apart);
    largest = std::max(largest, std::fabs(wanted));
  }
  double error = worst / largest;
  if (error <= samples.at("tolerance").get<double>()) return error;
  return refused("wrong_result", fmt::format("element {} is wrong: the error is {:.2g} of the "
                                             "largest sampled element",
                                             at, error));
}

Status check_fault(Device const& device) {
  int32_t fault = 0;
  TRY(device.told(
      "the fault word could not be read",
      device.driver.cuMemcpyDtoHAsync_v2(&fault, device.fault, sizeof fault, device.stream)));
  TRY(device.finish());
  if (fault == 0) return {};
  device.driver.cuMemsetD8Async(device.fault, 0, sizeof fault, device.stream);
  return refused("division_by_zero", fmt::format("the kernel's fault word is {}", fault));
}

}  // namespace tw::gpu_bench
