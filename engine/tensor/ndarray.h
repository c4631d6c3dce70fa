/// Dense row-major tensors with shared storage.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/support/base/error.h"
#include "engine/tensor/dtype.h"

namespace tw {

using Shape = std::vector<int64_t>;

/// Product of the extents, or an error when it does not fit 2^62 (a file may claim anything).
Result<int64_t> element_count(Shape const& shape);
/// "1x3x224x224"; "scalar" for rank 0.
std::string to_text(Shape const& shape);
/// Reads "1x3x224x224"; every extent at least 0.
Result<Shape> parse_shape(std::string_view text);

/// A tensor: 64-byte aligned storage shared by copies. Copying shares; `clone` does not.
class NDArray {
public:
  NDArray() = default;
  /// Zero-filled. Errors: tensor_too_large (over `kMaxBytes`, or memory refused).
  static Result<NDArray> create(DType type, Shape shape);
  static constexpr int64_t kMaxBytes = int64_t(1) << 33;

  bool empty() const { return storage_ == nullptr; }
  DType type() const { return type_; }
  Shape const& shape() const { return shape_; }
  int64_t size() const { return size_; }
  int64_t byte_size() const { return size_ * size_of(type_); }
  void* data() { return storage_.get(); }
  void const* data() const { return storage_.get(); }
  template <typename T>
  std::span<T> as() {
    return {static_cast<T*>(data()), size_t(size_)};
  }
  template <typename T>
  std::span<T const> as() const {
    return {static_cast<T const*>(data()), size_t(size_)};
  }
  NDArray clone() const;
  /// The same elements under another shape of equal count.
  NDArray reshaped(Shape shape) const;
  /// Element `index` (flat) as a double, whatever the type.
  double value_at(int64_t index) const;
  void set_value(int64_t index, double value);
  /// Content hash of type, shape and bytes.
  uint64_t hash() const;

private:
  DType type_ = DType::kF32;
  Shape shape_;
  int64_t size_ = 0;
  std::shared_ptr<void> storage_;
};

struct Comparison {
  double max_abs_diff = 0;
  double max_abs_ref = 0;
  bool equal = false;        ///< max_abs_diff <= relative * max_abs_ref + absolute, no new NaN
  int64_t worst_index = -1;  ///< flat index of the largest difference, -1 if none
};
/// Compares by the largest difference against the largest reference value. Shapes must agree in
/// element count, else `equal` is false. NaN equals NaN only.
Comparison compare(NDArray const& actual, NDArray const& reference, double relative = 1e-3,
                   double absolute = 1e-6);

}  // namespace tw
