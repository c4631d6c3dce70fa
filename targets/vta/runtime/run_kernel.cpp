#include "targets/vta/runtime/run_kernel.h"

#include <algorithm>
#include <utility>

namespace tw::vta {
namespace {

/// Memory that goes back to the driver with the value.
class Borrowed {
public:
  static Result<Borrowed> take(Driver& driver, int64_t bytes) {
    TRY_ASSIGN(uint64_t address, driver.allocate(bytes));
    return Borrowed(driver, address);
  }
  Borrowed(Borrowed&& other) noexcept
      : driver_(other.driver_), address_(std::exchange(other.address_, 0)) {}
  Borrowed& operator=(Borrowed&&) = delete;
  ~Borrowed() {
    if (address_ != 0) driver_.release(address_);
  }
  uint64_t address() const { return address_; }

private:
  Borrowed(Driver& driver, uint64_t address) : driver_(driver), address_(address) {}
  Driver& driver_;
  uint64_t address_;
};

Status copy(Driver& driver, uint64_t to, uint64_t from, int64_t bytes) {
  std::vector<std::byte> between(static_cast<size_t>(bytes));
  TRY(driver.read(between, from));
  return driver.write(to, between);
}

Result<std::vector<std::byte>> bytes_of(Configuration const& configuration,
                                        std::span<MicroOp const> uops) {
  std::vector<std::byte> bytes;
  bytes.reserve(uops.size() * size_t(configuration.uop_bytes()));
  for (MicroOp const& uop : uops) {
    TRY_ASSIGN(uint64_t bits, encode(configuration, uop));
    for (int i = 0; i < configuration.uop_bytes(); ++i) bytes.push_back(std::byte(bits >> 8 * i));
  }
  return bytes;
}

/// An upper bound of a batch's micro-ops is what one run may have; most kernels have few.
int64_t most_uops(std::vector<Batch> const& batches) {
  size_t most = 0;
  for (Batch const& batch : batches) most = std::max(most, batch.uops.size());
  return int64_t(most);
}

}  // namespace

LoadedKernel::LoadedKernel(CallProgram program)
    : program_(std::move(program)), alignments_(tensor_alignments(program_)) {}

Status LoadedKernel::run(Driver& driver, std::vector<uint64_t> tensors,
                         std::chrono::milliseconds limit) {
  std::vector<Borrowed> moved;
  std::vector<std::pair<size_t, uint64_t>> back;  // tensors that are written, and their own place
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i] % uint64_t(alignments_[i]) == 0) continue;
    TRY_ASSIGN(Borrowed place, Borrowed::take(driver, program_.tensors[i].bytes));
    TRY(copy(driver, place.address(), tensors[i], program_.tensors[i].bytes));
    if (program_.tensors[i].written) back.emplace_back(i, tensors[i]);
    tensors[i] = place.address();
    moved.push_back(std::move(place));
  }
  TRY(run_aligned(driver, tensors, limit));
  for (auto const& [i, own] : back) TRY(copy(driver, own, tensors[i], program_.tensors[i].bytes));
  return {};
}

/// Streams differ in the micro-ops' address alone, which is known only when their number is: made
/// once for address 0, and again where they came to lie.
Status LoadedKernel::run_aligned(Driver& driver, std::vector<uint64_t> const& tensors,
                                 std::chrono::milliseconds limit) {
  if (batches_.empty()) TRY(prepare(tensors, 0));
  Configuration const& configuration = program_.configuration;
  TRY_ASSIGN(Borrowed uops,
             Borrowed::take(driver, most_uops(batches_) * configuration.uop_bytes()));
  TRY(prepare(tensors, uops.address()));
  size_t most = 0;
  for (Batch const& batch : batches_) most = std::max(most, batch.stream.size());
  TRY_ASSIGN(Borrowed stream,
             Borrowed::take(driver, int64_t(most) * configuration.instruction_bytes()));
  for (Batch const& batch : batches_)
    TRY(run_batch(driver, batch, uops.address(), stream.address(), limit));
  return {};
}

Status LoadedKernel::prepare(std::vector<uint64_t> const& tensors, uint64_t uops) {
  if (!batches_.empty() && made_for_.tensors == tensors && made_for_.uops == uops) return {};
  made_for_ = {tensors, uops};
  auto made = make_batches(program_, made_for_);
  if (!made) return std::unexpected(made.error());
  batches_ = std::move(*made);
  return {};
}

Status LoadedKernel::run_batch(Driver& driver, Batch const& batch, uint64_t uops, uint64_t stream,
                               std::chrono::milliseconds limit) {
  TRY_ASSIGN(std::vector<std::byte> kernels, bytes_of(program_.configuration, batch.uops));
  TRY_ASSIGN(std::vector<std::byte> words, encode(program_.configuration, batch.stream));
  TRY(driver.write(uops, kernels));
  TRY(driver.write(stream, words));
  return driver.run(stream, int64_t(batch.stream.size()), limit);
}

}  // namespace tw::vta
