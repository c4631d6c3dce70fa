#include "engine/schedule/result_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/stages.h"
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
  return refused_result("tensor_too_large",
                        fmt::format("{} would take {:.3g} GB; the limit for a tensor is {:.3g} GB",
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
                          fmt::format("a block would be in {} loops; the limit is {}",
                                      depth.most_around, kMostLoopsAround));
  if (depth.loops > kMostLoops)
    return refused_result(
        "too_many_loops",
        fmt::format("the program would have {} loops; the limit is {}", depth.loops, kMostLoops));
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
              "name_taken",
              fmt::format("a loop named {} could not be told from loop {} of block {}", reference,
                          below->name(), block.block->name));
      }
    }
  return {};
}

/// How a block stands to a barrier: the loops around both, and who comes first in an iteration.
struct Side {
  std::vector<ir::LoopId> loops;
  int at_once = 0;  ///< loops whose iterations run together
  bool before = false;
  bool operator==(Side const&) const = default;
};

struct Barrier {
  std::string name;
  std::map<ir::BlockId, Side> blocks;
};

Side side_of(std::vector<ir::BlockSite> const& sites, size_t block, size_t barrier) {
  Side side;
  side.before = block < barrier;
  auto const &a = sites[block].loops, &b = sites[barrier].loops;
  for (size_t i = 0; i < a.size() && i < b.size() && a[i]->id == b[i]->id; ++i) {
    side.loops.push_back(a[i]->id);
    side.at_once +=
        a[i]->loop_kind != ir::LoopKind::kSerial && a[i]->loop_kind != ir::LoopKind::kUnroll;
  }
  return side;
}

std::map<ir::BlockId, Barrier> barriers_of(ir::Program const& program) {
  std::map<ir::BlockId, Barrier> barriers;
  std::vector<ir::BlockSite> sites = ir::blocks_of(program.body);
  for (size_t i = 0; i < sites.size(); ++i) {
    if (!ir::has_barrier(sites[i].block->body)) continue;
    Barrier& barrier = barriers[sites[i].block->id];
    barrier.name = sites[i].block->name;
    for (size_t b = 0; b < sites.size(); ++b)
      if (b != i) barrier.blocks[sites[b].block->id] = side_of(sites, b, i);
  }
  return barriers;
}

/// The loops that the old ones became, in their order.
std::vector<ir::LoopId> followed(std::vector<ir::LoopId> const& loops, CursorMap const& cursors) {
  std::vector<ir::LoopId> now;
  for (ir::LoopId id : loops) {
    auto to = cursors.find(id);
    for (ir::LoopId next : to == cursors.end() ? std::vector{id} : to->second)
      if (now.empty() || now.back() != next) now.push_back(next);
  }
  return now;
}

}  // namespace

std::expected<void, Refusal> calls_keep_their_place(ir::Program const& before,
                                                    Applied const& after) {
  for (ir::BlockSite const& site : ir::blocks_of(after.program.body))
    for (ir::For const* loop : site.loops)
      if (loop->loop_kind == ir::LoopKind::kVector && site.block->body.as<ir::IntrinsicCall>())
        return refused_result(
            "call_in_vector_loop",
            fmt::format("{} is a call, which a vector loop cannot contain", site.block->name));
  auto now = barriers_of(after.program);
  std::vector<ir::BlockSite> sites = ir::blocks_of(after.program.body);
  for (auto& [id, barrier] : barriers_of(before))
    for (auto& [block, side] : barrier.blocks) {
      auto found = now[id].blocks.find(block);
      if (found == now[id].blocks.end()) continue;  // one of the two is gone
      side.loops = followed(side.loops, after.cursors);
      if (side == found->second) continue;
      auto name = std::ranges::find(sites, block, [](auto const& site) { return site.block->id; });
      return refused_result(
          "across_a_barrier",
          fmt::format("{} would run in a different order relative to the barrier {}",
                      name->block->name, barrier.name));
    }
  return {};
}

namespace {

/// Loops around the place where a tensor is allocated.
size_t loops_around(ir::Program const& program, std::string const& tensor) {
  std::vector<ir::LoopSite> loops = ir::loops_of(program.body);
  return size_t(std::ranges::count_if(
      loops, [&](ir::LoopSite const& site) { return is_allocated_in(site.loop->body, tensor); }));
}

/// How blocks that use a tensor stand to one that writes it, in the loops inside of its place.
using Turns = std::map<std::pair<ir::BlockId, ir::BlockId>, Side>;
Turns turns_of(ir::Program const& program, std::string const& tensor) {
  size_t outside = loops_around(program, tensor);
  std::vector<ir::BlockSite> sites = ir::blocks_of(program.body);
  std::set<ir::BlockId> writers, users;
  for (ir::BlockSite const& site : writers_of(program, tensor)) writers.insert(site.block->id);
  users = writers;
  for (ir::BlockSite const& site : readers_of(program, tensor)) users.insert(site.block->id);
  Turns turns;
  for (size_t w = 0; w < sites.size(); ++w)
    for (size_t u = 0; u < sites.size(); ++u) {
      if (u == w || !writers.contains(sites[w].block->id) || !users.contains(sites[u].block->id))
        continue;
      Side side = side_of(sites, u, w);
      side.at_once = 0;
      side.loops.erase(side.loops.begin(),
                       side.loops.begin() + int64_t(std::min(outside, side.loops.size())));
      turns[{sites[w].block->id, sites[u].block->id}] = std::move(side);
    }
  return turns;
}

std::set<std::string> tensors_with_turns(ir::Program const& program) {
  std::set<std::string> tensors;
  for (ir::BlockSite const& site : ir::blocks_of(program.body))
    if (takes_turns(*site.block)) tensors.insert(written_buffer(site)->name);
  return tensors;
}

}  // namespace

bool has_turns(ir::Program const& program) {
  return std::ranges::any_of(ir::blocks_of(program.body),
                             [](ir::BlockSite const& site) { return takes_turns(*site.block); });
}

std::expected<void, Refusal> turns_keep_their_order(ir::Program const& before,
                                                    Applied const& after) {
  for (std::string const& tensor : tensors_with_turns(before)) {
    Turns then = turns_of(before, tensor);
    for (auto const& [blocks, now] : turns_of(after.program, tensor)) {
      auto was = then.find(blocks);
      bool same = was != then.end() && was->second.before == now.before &&
                  followed(was->second.loops, after.cursors) == now.loops;
      if (same) continue;
      std::string writer, user;
      for (ir::BlockSite const& site : ir::blocks_of(after.program.body)) {
        if (site.block->id == blocks.first) writer = site.block->name;
        if (site.block->id == blocks.second) user = site.block->name;
      }
      return refused_result("order_of_turns",
                            fmt::format("{} uses elements of {} that {} writes again and again, "
                                        "and would no longer do so in the same iterations",
                                        user, tensor, writer));
    }
  }
  return {};
}

std::expected<void, Refusal> verify_result(ir::Program const& origin, Applied const& after,
                                           Step const& step, ProofBudget budget) {
  if (auto depth = verify_depth(after.program); !depth) return depth;
  if (budget == ProofBudget::kTrusted) return verify_tensors(origin, after.program);
  if (Status status = ir::verify(after.program); !status)
    return refused_result("invalid_result", status.error().message);
  if (auto tensors = verify_tensors(origin, after.program); !tensors) return tensors;
  return verify_given_names(after, step);
}

}  // namespace tw
