#include "targets/shared/gpu_text/listings.h"

#include <fmt/format.h>

#include "engine/ir/intrinsic.h"
#include "engine/ir/launches.h"
#include "engine/ir/rewrite.h"
#include "targets/shared/gpu/launch_shape.h"

namespace tw::gpu_text {
namespace {

/// "product_1<<<8 x 8, 16 x 16>>>(A, B, C)"
std::string launch_text(ir::KernelIr const& kernel, ir::IntrinsicCall const& call) {
  ir::Function const& function = *ir::device_function(kernel, call.intrinsic->function);
  auto shape = gpu::launch_shape(function);
  if (!shape) return function.name;
  std::string arguments;
  for (ir::Operand const& one : call.operands) {
    auto const* element = one.value.as<ir::Load>();
    arguments += arguments.empty() ? "" : ", ";
    arguments += element ? element->buffer->name : ir::to_text(one.value);
  }
  return fmt::format("launch {}({}) on {} blocks of {} threads", function.name, arguments,
                     gpu::grid_text(*shape), gpu::block_text(*shape));
}

}  // namespace

std::string source_file(std::map<std::string, std::string> const& helpers,
                        std::string const& functions) {
  std::string file;
  for (auto const& [name, text] : helpers) file += text + "\n";
  return file + functions;
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

}  // namespace tw::gpu_text
