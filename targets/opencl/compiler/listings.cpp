#include "targets/opencl/compiler/listings.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/intrinsic.h"
#include "engine/ir/launches.h"
#include "engine/ir/rewrite.h"
#include "targets/shared/gpu/launch_shape.h"

namespace tw::opencl {
namespace {

/// "product_1<<<8 x 8, 16 x 16>>>(A, B, C)"
std::string launch_text(ir::KernelIr const& kernel, ir::IntrinsicCall const& call) {
  ir::Function const& function = *ir::device_function(kernel, call.intrinsic->function);
  auto shape = gpu::launch_shape(function);
  if (!shape) return function.name;
  auto triple = [](auto const& extents, auto const& text) {
    std::string joined = text(extents[0]);
    size_t last = 3;
    while (last > 1 && text(extents[last - 1]) == "1") --last;
    for (size_t i = 1; i < last; ++i) joined += " x " + text(extents[i]);
    return joined;
  };
  std::string grid = triple(shape->grid, [](ir::Expr const& e) { return ir::to_text(e); });
  std::string block = triple(shape->block, [](int64_t n) { return std::to_string(n); });
  std::string arguments;
  for (ir::Operand const& one : call.operands) {
    auto const* element = one.value.as<ir::Load>();
    arguments += arguments.empty() ? "" : ", ";
    arguments += element ? element->buffer->name : ir::to_text(one.value);
  }
  return fmt::format("launch {}({}) on {} blocks of {} threads", function.name, arguments, grid,
                     block);
}

}  // namespace

std::string source_file(std::map<std::string, std::string> const& helpers,
                        std::string const& functions) {
  std::string file;
  for (auto const& [name, text] : helpers) file += text + "\n";
  return file + functions;
}

CodeListing source_listing(std::string const& key,
                           std::vector<c_text::DeviceText> const& functions) {
  std::map<std::string, std::string> helpers;
  std::string text;
  std::vector<int32_t> lines;
  for (c_text::DeviceText const& one : functions) {
    text += one.lines.text;
    lines.insert(lines.end(), one.lines.source_line.begin(), one.lines.source_line.end());
    helpers.insert(one.helpers.begin(), one.helpers.end());
  }
  CodeListing listing{key, source_file(helpers, text), {}};
  auto all = size_t(std::ranges::count(listing.text, '\n'));
  listing.source_line.resize(all - lines.size());
  listing.source_line.insert(listing.source_line.end(), lines.begin(), lines.end());
  return listing;
}

CodeListing launches_listing(std::string const& key, ir::KernelIr const& kernel,
                             ir::PrintedProgram const& lowered) {
  CodeListing listing{key, {}, {}};
  ir::walk(kernel.host.body, [&](ir::Stmt const& s) {
    auto const* call = s.as<ir::IntrinsicCall>();
    if (!call || call->intrinsic->function.empty()) return true;
    auto line = lowered.line_of.find(s.get());
    listing.text += launch_text(kernel, *call) + "\n";
    listing.source_line.push_back(line == lowered.line_of.end() ? 0 : line->second);
    return true;
  });
  return listing;
}

}  // namespace tw::opencl
