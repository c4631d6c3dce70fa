/// Whether bytes are an ONNX model, by their outermost structure.
#pragma once

#include <string_view>

namespace tw {

/// The fields of a ModelProto (onnx.proto3), each of its wire type, up to and with its graph. The
/// graph itself is not looked at, so that a file that is cut off inside of it is recognised.
bool looks_like_onnx(std::string_view bytes);

}  // namespace tw
