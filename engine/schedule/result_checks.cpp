#include "engine/schedule/result_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/schedule/names.h"

namespace tw {
namespace {

std::unexpected<Refusal> refused_result(std::string code, std::string message) {
  Refusal refusal;
  refusal.code = std::move(code);
  refusal.message = std::move(message);
  return std::unexpected(std::move(refusal));
}

double bytes_of(ir::BufferNode const& buffer) {
  double bytes = double(size_of(buffer.type));
  for (ir::Expr const& extent : buffer.shape) bytes *= double(ir::as_int(extent).value_or(1));
  return bytes;
}

template <typename F>
void for_buffers(ir::Program const& program, F const& f) {
  for (auto const* list : {&program.inputs, &program.outputs})
    for (ir::Buffer const& buffer : *list) f(*buffer);
  ir::walk(program.body, [&](ir::Stmt const& s) {
    if (auto const* alloc = s.as<ir::Alloc>()) f(*alloc->buffer);
    return true;
  });
}

std::expected<void, Refusal> verify_tensors(ir::Program const& origin, ir::Program const& after) {
  double largest = 0;
  for_buffers(origin, [&](ir::BufferNode const& b) { largest = std::max(largest, bytes_of(b)); });
  double most = std::max(4 * largest, 0x1p30);
  ir::BufferNode const* culprit = nullptr;
  for_buffers(after, [&](ir::BufferNode const& b) { culprit = bytes_of(b) > most ? &b : culprit; });
  if (!culprit) return {};
  return refused_result(
      "tensor_too_large",
      fmt::format("{} would take {:.3g} GB; a step makes tensors of at most {:.3g} GB",
                  culprit->name, bytes_of(*culprit) * 1e-9, most * 1e-9));
}

/// Counts loops without the lists that `loops_of` makes: their lengths add up to the square.
struct Depth {
  size_t loops = 0, most_around = 0;

  void visit(ir::Stmt const& s, size_t around) {
    ir::walk(s, [&](ir::Stmt const& child) {
      auto const* loop = child.as<ir::For>();
      if (!loop) return true;
      ++loops;
      most_around = std::max(most_around, around + 1);
      visit(loop->body, around + 1);
      return false;
    });
  }
};

std::expected<void, Refusal> verify_depth(ir::Program const& after) {
  Depth depth;
  depth.visit(after.body, 0);
  if (depth.most_around > kMostLoopsAround)
    return refused_result("too_many_loops",
                          fmt::format("a block would stand in {} loops; at most {} are made",
                                      depth.most_around, kMostLoopsAround));
  if (depth.loops > kMostLoops)
    return refused_result("too_many_loops",
                          fmt::format("the program would have {} loops; at most {} are made",
                                      depth.loops, kMostLoops));
  return {};
}

/// "Y.j" is loop j of block Y. A loop named so elsewhere would be found in its place.
std::expected<void, Refusal> verify_given_names(Applied const& after, Step const& step) {
  if (step.gives.empty()) return {};
  std::vector<ir::LoopSite> loops = ir::loops_of(after.program.body);
  for (ir::BlockSite const& block : ir::blocks_of(after.program.body))
    for (ir::For const* below : block.loops) {
      std::string reference = block.block->name + "." + below->name();
      for (ir::LoopSite const& site : loops) {
        if (site.loop->name() != reference || site.loop == below) continue;
        bool made = std::ranges::any_of(
            after.made, [&](ir::LoopId id) { return id == site.loop->id || id == below->id; });
        if (made)
          return refused_result(
              "name_taken", fmt::format("a loop named {} cannot be told from loop {} of block {}",
                                        reference, below->name(), block.block->name));
      }
    }
  return {};
}

}  // namespace

std::expected<void, Refusal> verify_result(ir::Program const& origin, Applied const& after,
                                           Step const& step) {
  if (auto depth = verify_depth(after.program); !depth) return depth;
  if (Status status = ir::verify(after.program); !status)
    return refused_result("invalid_result", status.error().message);
  if (auto tensors = verify_tensors(origin, after.program); !tensors) return tensors;
  return verify_given_names(after, step);
}

}  // namespace tw
