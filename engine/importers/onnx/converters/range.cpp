#include <fmt/format.h>

#include <array>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_range {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  constexpr std::array kNames{"start", "end", "step"};
  Attributes attributes;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (!input_given(context, i)) return unsupported(fmt::format("the {} is missing", kNames[i]));
    if (context.constants[i].empty()) return known_at_run_time(fmt::format("the {}", kNames[i]));
    attributes[kNames[i]] = context.constants[i];
  }
  return keep_inputs(context, 0, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Range", .attributes = {{"stash_type", 27}}, .op = "range", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_range
