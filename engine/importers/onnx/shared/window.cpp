#include "engine/importers/onnx/shared/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::rules {

Result<Attributes> window_attributes(ForeignContext const& context, std::vector<int64_t> kernel) {
  Attributes result;
  std::vector<int64_t> given = foreign_integers(context.node, "kernel_shape");
  if (!given.empty()) kernel = given;
  if (kernel.empty()) return unsupported("the window's size is not known");
  result["kernel"] = kernel;
  result["strides"] =
      foreign_integers(context.node, "strides", std::vector<int64_t>(kernel.size(), 1));
  result["dilations"] =
      foreign_integers(context.node, "dilations", std::vector<int64_t>(kernel.size(), 1));
  std::string same = foreign_text(context.node, "auto_pad", "NOTSET");
  if (same == "NOTSET" || same.empty()) {
    result["pads"] =
        foreign_integers(context.node, "pads", std::vector<int64_t>(2 * kernel.size(), 0));
  } else if (same == "SAME_UPPER" || same == "SAME_LOWER" || same == "VALID") {
    std::transform(same.begin(), same.end(), same.begin(),
                   [](char c) { return c == '_' ? c : char(c - 'A' + 'a'); });
    result["auto_pad"] = same;
  } else {
    return unsupported(fmt::format("auto_pad '{}' is not known", same));
  }
  return result;
}

}  // namespace tw::rules
