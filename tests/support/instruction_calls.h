/// Programs that are one call of a processor's instruction, and numbers to call it with.
#pragma once

#include <string>

#include "engine/ir/intrinsic.h"
#include "engine/ir/text.h"
#include "engine/support/base/random.h"
#include "engine/tensor/ndarray.h"
#include "targets/cpu/compiler/cpu_intrinsic.h"

namespace tw::testing {

inline std::string shape_text(ir::BufferNode const& buffer) {
  std::string text = std::string(to_text(buffer.type)) + "[";
  for (size_t d = 0; d < buffer.shape.size(); ++d)
    text += (d > 0 ? ", " : "") + ir::to_text(buffer.shape[d]);
  return text + "]";
}

/// Its elements along axes x0, x1, ...
inline std::string box_text(std::string const& tensor, ir::BufferNode const& buffer) {
  std::string indices, axes;
  for (size_t d = 0; d < buffer.shape.size(); ++d) {
    std::string comma = d > 0 ? ", " : "", axis = "x" + std::to_string(d);
    indices += comma + axis;
    axes += comma + axis + " in " + ir::to_text(buffer.shape[d]);
  }
  return tensor + "[" + indices + "] over (" + axes + ")";
}

/// Y = tensor, element by element.
inline std::string copy_text(std::string const& tensor, ir::BufferNode const& buffer) {
  std::string loops, axes, indices, indent = "  ";
  for (size_t d = 0; d < buffer.shape.size(); ++d) {
    std::string extent = ir::to_text(buffer.shape[d]), number = std::to_string(d);
    std::string comma = d > 0 ? ", " : "";
    loops += indent + "for i" + number + " in " + extent + "\n";
    axes += comma + "v" + number + ": " + extent + " = i" + number;
    indices += comma + "v" + number;
    indent += "  ";
  }
  return loops + indent + "block start(" + axes + ")\n" + indent + "  Y[" + indices +
         "] = " + tensor + "[" + indices + "]\n";
}

/// One call on inputs, and on a copy of one where it updates.
inline std::string program_of_call(CpuIntrinsic const& intrinsic) {
  ir::Intrinsic declaration = tensor_intrinsic(intrinsic).declaration;
  std::string inputs, operands, result, start;
  for (ir::IntrinsicParam const& param : declaration->params) {
    std::string name = "T" + param.name();
    inputs += (inputs.empty() ? "" : ", ") + name + ": " + shape_text(*param.buffer);
    operands +=
        (operands.empty() ? "" : ", ") + box_text(param.writes() ? "Y" : name, *param.buffer);
    if (!param.writes()) continue;
    result = shape_text(*param.buffer);
    start = copy_text(name, *param.buffer);
  }
  return "tilewright program 1\n" + intrinsic.declaration + "program one(" + inputs +
         ") -> (Y: " + result + ")\n" + start + "  block use()\n    call " + declaration->name +
         "(" + operands + ")\n";
}

/// Of all values that the type has.
inline NDArray numbers_for(ir::BufferNode const& buffer, Rng& rng) {
  NDArray array = NDArray::create(buffer.type, *ir::constant_shape(buffer)).value();
  for (int64_t i = 0; i < array.size(); ++i) {
    if (buffer.type == DType::kU8) array.set_value(i, double(rng.below(256)));
    if (buffer.type == DType::kI8) array.set_value(i, double(rng.below(256)) - 128);
    if (buffer.type == DType::kI32) array.set_value(i, double(rng.below(1 << 20)) - (1 << 19));
    if (is_float(buffer.type)) array.set_value(i, rng.uniform() * 2 - 1);
  }
  return array;
}

}  // namespace tw::testing
