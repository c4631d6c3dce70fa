#include "engine/importers/onnx/wire.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tw::onnx_reader {
namespace {

enum class Message : uint8_t { kModel, kGraph, kNode, kTensor, kOther };

constexpr char const* kNames[] = {"the model", "the graph", "node", "tensor", "a record"};

/// The records below a record that are walked, too: those in which damage is worth naming.
Message record_of(Message outer, uint64_t field) {
  if (outer == Message::kModel && field == 7) return Message::kGraph;
  if (outer == Message::kGraph && field == 1) return Message::kNode;
  if (outer == Message::kGraph && field == 5) return Message::kTensor;
  return Message::kOther;
}

class Walker {
public:
  explicit Walker(std::string_view bytes) : bytes_(bytes) {}

  /// True when the record is sound; else `message` says what is wrong.
  bool walk(Message kind, size_t end, std::string const& where) {
    size_t nodes = 0, tensors = 0;
    while (at_ < end) {
      size_t start = at_;
      std::optional<uint64_t> key = varint(end);
      if (!key) return damaged(start, where, "a field's key is truncated");
      if (!field(kind, *key, end, where, start, nodes, tensors)) return false;
    }
    return true;
  }

  std::string message;

private:
  std::optional<uint64_t> varint(size_t end) {
    uint64_t value = 0;
    for (int shift = 0; at_ < end && shift < 70; shift += 7) {
      auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= uint64_t(byte & 127) << std::min(shift, 63);
      if (byte < 128) return value;
    }
    return std::nullopt;
  }

  bool field(Message kind, uint64_t key, size_t end, std::string const& where, size_t start,
             size_t& nodes, size_t& tensors) {
    uint64_t number = key >> 3, type = key & 7;
    if (number == 0 || (type != 0 && type != 1 && type != 2 && type != 5))
      return damaged(start, where, fmt::format("field {} of type {} does not exist", number, type));
    if (type == 0) return varint(end) ? true : damaged(start, where, "a number is truncated");
    std::optional<uint64_t> size =
        type == 2 ? varint(end) : std::optional<uint64_t>(type == 1 ? 8 : 4);
    if (!size) return damaged(start, where, "a field's length is truncated");
    if (*size > end - at_)
      return damaged(start, where,
                     fmt::format("a field claims {} bytes, but {} are left", *size, end - at_));
    Message inner = record_of(kind, number);
    size_t after = at_ + *size;
    if (type == 2 && inner != Message::kOther) {
      std::string name = kNames[size_t(inner)];
      if (inner == Message::kNode) name += fmt::format(" {}", nodes++);
      if (inner == Message::kTensor) name += fmt::format(" {}", tensors++);
      if (!walk(inner, after, name)) return false;
    }
    at_ = after;
    return true;
  }

  bool damaged(size_t at, std::string const& where, std::string const& what) {
    message = fmt::format("at byte {}, inside {}: {}", at, where, what);
    return false;
  }

  std::string_view bytes_;
  size_t at_ = 0;
};

}  // namespace

std::string describe_damage(std::string_view bytes, bool is_model) {
  Walker walker(bytes);
  Message kind = is_model ? Message::kModel : Message::kTensor;
  if (!walker.walk(kind, bytes.size(), is_model ? "the model" : "the tensor"))
    return walker.message;
  return "its fields have the wrong types";
}

}  // namespace tw::onnx_reader
