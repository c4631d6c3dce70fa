/// Where a protobuf file is damaged: the parser itself only says that it is.
#pragma once

#include <string>
#include <string_view>

namespace tw::onnx_reader {

/// "at byte 1234, inside node 3 of the graph: the field says 512 bytes, 100 are left". The bytes
/// are walked as a model's or a tensor's fields.
std::string describe_damage(std::string_view bytes, bool is_model);

}  // namespace tw::onnx_reader
