#include "engine/importers/onnx/tensor.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <map>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_reader {
namespace {

using onnx::TensorProto;

std::unexpected<Error> bad(TensorProto const& tensor, std::string const& message) {
  return bad_input("bad_tensor", fmt::format("the tensor '{}' {}", tensor.name(), message));
}

/// How many elements the typed fields hold for this type; -1: the type has no such field.
int64_t listed(TensorProto const& tensor, DType type) {
  switch (type) {
    case DType::kF32:
      return tensor.float_data_size();
    case DType::kF64:
      return tensor.double_data_size();
    case DType::kI64:
      return tensor.int64_data_size();
    case DType::kU32:
    case DType::kU64:
      return tensor.uint64_data_size();
    default:
      return tensor.int32_data_size();
  }
}

void copy_listed(TensorProto const& tensor, NDArray& array) {
  for (int i = 0; i < int(array.size()); ++i) {
    auto at = size_t(i);
    switch (array.type()) {
      case DType::kF32:
        array.as<float>()[at] = tensor.float_data(i);
        break;
      case DType::kF64:
        array.as<double>()[at] = tensor.double_data(i);
        break;
      case DType::kI64:
        array.as<int64_t>()[at] = tensor.int64_data(i);
        break;
      case DType::kU64:
        array.as<uint64_t>()[at] = tensor.uint64_data(i);
        break;
      case DType::kU32:
        array.as<uint32_t>()[at] = uint32_t(tensor.uint64_data(i));
        break;
      case DType::kF16:
      case DType::kBF16:
        array.as<uint16_t>()[at] = uint16_t(tensor.int32_data(i));
        break;  // the bits
      default:
        array.set_value(i, tensor.int32_data(i));
    }
  }
}

Result<NDArray> from_bytes(TensorProto const& tensor, DType type, Shape shape, int64_t count) {
  std::string const& raw = tensor.raw_data();
  // Divided, not multiplied: a claimed count may be near 2^62.
  if (raw.size() % size_t(size_of(type)) != 0 || int64_t(raw.size()) / size_of(type) != count)
    return bad(tensor, fmt::format("of shape {} has {} bytes", to_text(shape), raw.size()));
  TRY_ASSIGN(NDArray array, NDArray::create(type, std::move(shape)));
  std::memcpy(array.data(), raw.data(), raw.size());
  return array;
}

/// ONNX's name of an element type that we have none for, with its number.
std::string type_name(int number) {
  static std::map<int, char const*> const names{
      {0, "undefined"},     {8, "string"},          {14, "complex64"},  {15, "complex128"},
      {17, "float8e4m3fn"}, {18, "float8e4m3fnuz"}, {19, "float8e5m2"}, {20, "float8e5m2fnuz"},
      {21, "uint4"},        {22, "int4"},           {23, "float4e2m1"}, {24, "float8e8m0"}};
  auto found = names.find(number);
  return found == names.end() ? std::to_string(number)
                              : fmt::format("{} ({})", found->second, number);
}

/// A number that the tensor gives as text; `otherwise` where it gives none.
Result<int64_t> external_number(TensorProto const& tensor, char const* key, int64_t otherwise) {
  std::string text = external_entry(tensor, key);
  if (text.empty()) return otherwise;
  int64_t value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  return bad(tensor, fmt::format("has an invalid {} of its data: '{}'", key, text.substr(0, 40)));
}

/// The shape says how much is read: a claimed length that differs is refused before.
Result<NDArray> from_elsewhere(TensorProto const& tensor, DType type, Shape shape, int64_t count,
                               ExternalBytes const& external) {
  if (count > INT64_MAX / size_of(type)) return bad(tensor, "is too large");
  int64_t wanted = count * size_of(type);
  TRY_ASSIGN(int64_t offset, external_number(tensor, "offset", 0));
  TRY_ASSIGN(int64_t length, external_number(tensor, "length", wanted));
  if (length != wanted)
    return bad(tensor, fmt::format("of shape {} has {} bytes elsewhere", to_text(shape), length));
  TRY_ASSIGN(std::string bytes, external(external_entry(tensor, "location"), offset, length));
  if (int64_t(bytes.size()) != wanted)
    return bad(tensor, fmt::format("of shape {} has {} bytes", to_text(shape), bytes.size()));
  TRY_ASSIGN(NDArray array, NDArray::create(type, std::move(shape)));
  std::memcpy(array.data(), bytes.data(), bytes.size());
  return array;
}

}  // namespace

std::optional<DType> dtype_of(int onnx_type) { return rules::onnx_dtype(onnx_type); }

bool is_external(TensorProto const& tensor) {
  return tensor.data_location() == TensorProto::EXTERNAL || tensor.external_data_size() > 0;
}

std::string external_entry(TensorProto const& tensor, std::string_view key) {
  for (auto const& entry : tensor.external_data())
    if (entry.key() == key) return entry.value();
  return "";
}

Result<NDArray> to_array(TensorProto const& tensor, ExternalBytes const& external) {
  auto type = dtype_of(tensor.data_type());
  if (!type)
    return bad_input("unsupported_type",
                     fmt::format("the tensor '{}' has the element type {}, which is not supported",
                                 tensor.name(), type_name(tensor.data_type())));
  if (is_external(tensor) && !external)
    return bad_input(
        "external_data",
        fmt::format(
            "the tensor '{}' keeps its data in another file: save the model with the data inside",
            tensor.name()));
  if (tensor.has_segment()) return bad(tensor, "is stored in segments, which are not supported");
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  auto count = element_count(shape);
  if (!count) return bad(tensor, fmt::format("cannot be: {}", count.error().message));
  if (is_external(tensor)) return from_elsewhere(tensor, *type, shape, *count, external);
  if (tensor.has_raw_data()) return from_bytes(tensor, *type, shape, *count);
  if (listed(tensor, *type) != *count)
    return bad(tensor,
               fmt::format("of shape {} has {} elements", to_text(shape), listed(tensor, *type)));
  TRY_ASSIGN(NDArray array, NDArray::create(*type, shape));
  copy_listed(tensor, array);
  return array;
}

}  // namespace tw::onnx_reader
