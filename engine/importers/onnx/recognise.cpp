#include "engine/importers/onnx/recognise.h"

#include <cstdint>
#include <optional>

namespace tw {
namespace {

constexpr uint64_t kVarint = 0, kBytes = 2;  // wire types (Protocol Buffers, "Encoding")
constexpr uint64_t kGraph = 7;

std::optional<uint64_t> varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto byte = uint8_t(bytes.front());
    bytes.remove_prefix(1);
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

/// The wire type of a field of ModelProto; 3: it has none of that number.
uint64_t type_of(uint64_t field) {
  switch (field) {
    case 1:  // ir_version
    case 5:  // model_version
      return kVarint;
    case 2:   // producer_name
    case 3:   // producer_version
    case 4:   // domain
    case 6:   // doc_string
    case 7:   // graph
    case 8:   // opset_import
    case 14:  // metadata_props
    case 20:  // training_info
    case 25:  // functions
    case 26:  // configuration
      return kBytes;
    default:
      return 3;
  }
}

}  // namespace

bool looks_like_onnx(std::string_view bytes) {
  while (!bytes.empty()) {
    auto tag = varint(bytes);
    if (!tag || type_of(*tag >> 3) != (*tag & 7)) return false;
    auto value = varint(bytes);
    if (!value) return false;
    if (*tag >> 3 == kGraph) return true;
    if ((*tag & 7) != kBytes) continue;
    if (*value > bytes.size()) return false;
    bytes.remove_prefix(size_t(*value));
  }
  return false;
}

}  // namespace tw
