#include "engine/tensor/ndarray.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "engine/support/base/hash.h"
#include "engine/tensor/integers.h"
#include "engine/tensor/nearest.h"

namespace tw {

float half_to_float(uint16_t h) {
  uint32_t sign = uint32_t(h & 0x8000) << 16, exponent = (h >> 10) & 31, mantissa = h & 1023;
  double magnitude;
  if (exponent == 31)
    magnitude = mantissa ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = std::ldexp(double(mantissa), -24);
  else
    magnitude = std::ldexp(double(mantissa | 1024), int(exponent) - 25);
  return float(sign ? -magnitude : magnitude);
}

float bfloat_to_float(uint16_t b) {
  uint32_t bits = uint32_t(b) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

namespace {

uint16_t float_to_half(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  uint16_t sign = uint16_t((bits >> 16) & 0x8000);
  double magnitude = std::fabs(double(value));
  if (std::isnan(value)) return sign | 0x7E00;
  if (magnitude >= 65520.0) return sign | 0x7C00;
  if (magnitude < std::ldexp(1.0, -14))
    return sign | uint16_t(std::nearbyint(std::ldexp(magnitude, 24)));
  int exponent;
  double fraction = std::frexp(magnitude, &exponent);  // fraction in [0.5, 1)
  auto mantissa = uint32_t(std::nearbyint(std::ldexp(fraction, 11)));
  return sign | uint16_t(((exponent + 14) << 10) + (mantissa - 1024));
}

uint16_t float_to_bfloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (std::isnan(value)) return uint16_t((bits >> 16) | 0x40);
  return uint16_t((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);  // round to nearest even
}

uint64_t whole_unsigned(double value) {
  if (!(value >= 0x1p63)) return uint64_t(whole_number(value));
  return value >= 0x1p64 ? std::numeric_limits<uint64_t>::max() : uint64_t(value);
}

}  // namespace

Result<int64_t> element_count(Shape const& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 0)
      return bad_input("negative_extent", "the shape " + to_text(shape) + " has a negative extent");
    if (__builtin_mul_overflow(count, extent, &count) || count > (int64_t(1) << 62))
      return bad_input("tensor_too_large", "a tensor of shape " + to_text(shape) +
                                               " has more elements than can be counted");
  }
  return count;
}

std::string to_text(Shape const& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? "x" : "") + std::to_string(shape[i]);
  return text;
}

Result<Shape> parse_shape(std::string_view text) {
  Shape shape;
  if (text == "scalar") return shape;
  char const* at = text.data();
  char const* end = at + text.size();
  while (true) {
    int64_t extent = 0;
    auto [next, code] = std::from_chars(at, end, extent);
    if (code != std::errc() || extent < 0)
      return bad_input("bad_shape", "'" + std::string(text) + "' is not a shape like 1x3x224x224");
    shape.push_back(extent);
    if (next == end) return shape;
    if (*next != 'x')
      return bad_input("bad_shape", "'" + std::string(text) + "' is not a shape like 1x3x224x224");
    at = next + 1;
  }
}

Result<NDArray> NDArray::create(DType type, Shape shape) {
  TRY_ASSIGN(int64_t count, element_count(shape));
  if (count > kMaxBytes / size_of(type))
    return bad_input("tensor_too_large",
                     "a tensor of shape " + to_text(shape) + " would take more than 8 GiB");
  NDArray array;
  array.type_ = type;
  array.size_ = count;
  auto bytes = size_t((count * size_of(type) + 127) / 64 * 64);
  void* memory = std::aligned_alloc(64, bytes);
  if (!memory)
    return environment_failed("out_of_memory",
                              "there is not enough memory for a tensor of shape " + to_text(shape));
  std::memset(memory, 0, bytes);
  array.storage_ = std::shared_ptr<void>(memory, std::free);
  array.shape_ = std::move(shape);
  return array;
}

NDArray NDArray::clone() const {
  if (empty()) return {};
  NDArray copy = create(type_, shape_).value();
  std::memcpy(copy.data(), data(), size_t(byte_size()));
  return copy;
}

NDArray NDArray::reshaped(Shape shape) const {
  NDArray view = *this;
  TW_ASSERT(element_count(shape).value_or(-1) == size_, "reshape keeps the element count");
  view.shape_ = std::move(shape);
  return view;
}

double nearest(DType type, double value) {
  switch (type) {
    case DType::kF32:
      return double(float(value));
    case DType::kF16:
      return double(half_to_float(float_to_half(float(value))));
    case DType::kBF16:
      return double(bfloat_to_float(float_to_bfloat(float(value))));
    default:
      return value;
  }
}

namespace {

/// The number of the type beside another one of it.
double beside(DType type, double value, bool above) {
  if (type == DType::kF32)
    return double(std::nextafter(float(value), above ? INFINITY : -INFINITY));
  bool half = type == DType::kF16;
  uint16_t bits = half ? float_to_half(float(value)) : float_to_bfloat(float(value));
  if (value == 0)
    bits = above ? 1 : 0x8001;
  else
    bits = uint16_t(above == (value > 0) ? bits + 1 : bits - 1);
  return double(half ? half_to_float(bits) : bfloat_to_float(bits));
}

}  // namespace

double nearest_above(DType type, double value) {
  double near = nearest(type, value);
  return near < value ? beside(type, near, true) : near;
}

double nearest_below(DType type, double value) {
  double near = nearest(type, value);
  return near > value ? beside(type, near, false) : near;
}

double NDArray::value_at(int64_t i) const {
  switch (type_) {
    case DType::kF32:
      return double(as<float>()[i]);
    case DType::kF64:
      return as<double>()[i];
    case DType::kF16:
      return double(half_to_float(as<uint16_t>()[i]));
    case DType::kBF16:
      return double(bfloat_to_float(as<uint16_t>()[i]));
    case DType::kI8:
      return as<int8_t>()[i];
    case DType::kU8:
      return as<uint8_t>()[i];
    case DType::kI16:
      return as<int16_t>()[i];
    case DType::kU16:
      return as<uint16_t>()[i];
    case DType::kI32:
      return as<int32_t>()[i];
    case DType::kU32:
      return as<uint32_t>()[i];
    case DType::kI64:
      return double(as<int64_t>()[i]);
    case DType::kU64:
      return double(as<uint64_t>()[i]);
    case DType::kBool:
      return as<uint8_t>()[i] != 0;
  }
  return 0;
}

void NDArray::set_value(int64_t i, double v) {
  switch (type_) {
    case DType::kF32:
      as<float>()[i] = float(v);
      return;
    case DType::kF64:
      as<double>()[i] = v;
      return;
    case DType::kF16:
      as<uint16_t>()[i] = float_to_half(float(v));
      return;
    case DType::kBF16:
      as<uint16_t>()[i] = float_to_bfloat(float(v));
      return;
    case DType::kI8:
      as<int8_t>()[i] = int8_t(whole_number(v));
      return;
    case DType::kU8:
      as<uint8_t>()[i] = uint8_t(whole_number(v));
      return;
    case DType::kI16:
      as<int16_t>()[i] = int16_t(whole_number(v));
      return;
    case DType::kU16:
      as<uint16_t>()[i] = uint16_t(whole_number(v));
      return;
    case DType::kI32:
      as<int32_t>()[i] = int32_t(whole_number(v));
      return;
    case DType::kU32:
      as<uint32_t>()[i] = uint32_t(whole_number(v));
      return;
    case DType::kI64:
      as<int64_t>()[i] = whole_number(v);
      return;
    case DType::kU64:
      as<uint64_t>()[i] = whole_unsigned(v);
      return;
    case DType::kBool:
      as<uint8_t>()[i] = v != 0;
      return;
  }
}

uint64_t NDArray::hash() const {
  Hasher hasher;
  hasher.number(uint64_t(type_)).number(shape_.size());
  for (int64_t extent : shape_) hasher.number(uint64_t(extent));
  if (!empty()) hasher.bytes(data(), size_t(byte_size()));
  return hasher.finish();
}

namespace {

/// Exactly: doubles hold 53 bits. The distance of others is as near as a double is.
Comparison compare_integers(NDArray const& actual, NDArray const& reference) {
  Comparison result;
  result.equal = true;
  for (int64_t i = 0; i < reference.size(); ++i) {
    double wanted = reference.value_at(i);
    result.max_abs_ref = std::max(result.max_abs_ref, std::fabs(wanted));
    if (integer_at(actual, i) == integer_at(reference, i)) continue;
    double apart = std::max(1.0, std::fabs(actual.value_at(i) - wanted));
    if (apart > result.max_abs_diff) result.worst_index = i;
    result.max_abs_diff = std::max(result.max_abs_diff, apart);
    result.equal = false;
  }
  return result;
}

}  // namespace

Comparison compare(NDArray const& actual, NDArray const& reference, double relative,
                   double absolute) {
  Comparison result;
  if (actual.size() != reference.size()) return result;
  bool odd = false;
  if (is_integer(actual.type()) && actual.type() == reference.type())
    return compare_integers(actual, reference);
  for (int64_t i = 0; i < reference.size(); ++i) {
    double a = actual.value_at(i), r = reference.value_at(i);
    if (std::isnan(a) || std::isnan(r) || std::isinf(a) || std::isinf(r)) {
      bool same = (std::isnan(a) && std::isnan(r)) || a == r;
      if (!same && !odd) result.worst_index = i;
      odd |= !same;
      continue;
    }
    result.max_abs_ref = std::max(result.max_abs_ref, std::fabs(r));
    if (std::fabs(a - r) > result.max_abs_diff) {
      result.max_abs_diff = std::fabs(a - r);
      if (!odd) result.worst_index = i;
    }
  }
  if (odd) result.max_abs_diff = std::numeric_limits<double>::infinity();
  if (!is_float(reference.type()) && !is_float(actual.type())) relative = absolute = 0;
  result.equal = !odd && result.max_abs_diff <= relative * result.max_abs_ref + absolute;
  return result;
}

}  // namespace tw
