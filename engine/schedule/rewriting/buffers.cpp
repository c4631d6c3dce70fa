#include "engine/schedule/rewriting/buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw {

using namespace ir;

namespace {

class Exchange : public Rewriter {
public:
  Exchange(std::string from, Buffer to, Side side)
      : from_(std::move(from)), to_(std::move(to)), side_(side) {}
  Expr visit(Expr const& e) override {
    Expr next = rebuild(e);
    auto const* read = next.as<Load>();
    bool exchange = read && read->buffer->name == from_ && side_ != Side::kWrites;
    return exchange ? load(to_, read->indices) : next;
  }
  Stmt visit(Stmt const& s) override {
    if (auto const* call = s.as<IntrinsicCall>()) return exchanged(*call);
    Stmt next = rebuild(s);
    auto const* store = next.as<Store>();
    bool exchange = store && store->buffer->name == from_ && side_ != Side::kReads;
    return exchange ? make_from<Store>(store->origin, to_, store->indices, store->value) : next;
  }

private:
  /// By what the parameters say; an update is both sides.
  Stmt exchanged(IntrinsicCall const& call) {
    std::vector<Operand> operands = call.operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      IntrinsicParam const& param = call.intrinsic->params[i];
      if (!param.buffer) {
        operands[i].value = visit(operands[i].value);
        continue;
      }
      auto const& element = operands[i].value.to<Load>();
      std::vector<Expr> indices;
      for (Expr const& index : element.indices) indices.push_back(visit(index));
      bool meant =
          (param.reads() && side_ != Side::kWrites) || (param.writes() && side_ != Side::kReads);
      operands[i].value =
          load(meant && element.buffer->name == from_ ? to_ : element.buffer, std::move(indices));
    }
    return make_from<IntrinsicCall>(call.origin, call.intrinsic, std::move(operands));
  }

  std::string from_;
  Buffer to_;
  Side side_;
};

class Remap : public Rewriter {
public:
  using Indices = std::function<std::vector<Expr>(std::vector<Expr> const&)>;
  Remap(std::string name, Buffer to, Indices at)
      : name_(std::move(name)), to_(std::move(to)), at_(std::move(at)) {}
  Expr visit(Expr const& e) override {
    Expr next = rebuild(e);
    auto const* read = next.as<Load>();
    return read && read->buffer->name == name_ ? load(to_, at_(read->indices)) : next;
  }
  Stmt visit(Stmt const& s) override {
    Stmt next = rebuild(s);
    if (auto const* store = next.as<Store>(); store && store->buffer->name == name_)
      return make_from<Store>(store->origin, to_, at_(store->indices), store->value);
    if (auto const* alloc = next.as<Alloc>(); alloc && alloc->buffer->name == name_)
      return make_from<Alloc>(alloc->origin, to_, alloc->body);
    return next;
  }

private:
  std::string name_;
  Buffer to_;
  Indices at_;
};

}  // namespace

Stmt with_buffer(Block const& block, std::string const& from, Buffer const& to, Side side) {
  Exchange exchange(from, to, side);
  return make_from<Block>(block.origin, block.id, block.name, block.op, block.iters,
                          block.predicate, block.init ? exchange.visit(block.init) : Stmt(),
                          exchange.visit(block.body));
}

std::string free_tensor_name(Program const& program, std::string const& wanted) {
  std::set<std::string> taken;
  for (auto const* list : {&program.inputs, &program.outputs})
    for (Buffer const& buffer : *list) taken.insert(buffer->name);
  walk(program.body, [&](Stmt const& s) {
    if (auto const* alloc = s.as<Alloc>()) taken.insert(alloc->buffer->name);
    if (auto const* block = s.as<Block>()) taken.insert(block->name);
    return true;
  });
  std::string name = wanted;
  for (int number = 2; taken.contains(name); ++number) name = fmt::format("{}_{}", wanted, number);
  return name;
}

std::vector<Expr> written_shape(Program const& program, BufferNode const& buffer) {
  std::vector<Expr> shape = buffer.shape;
  for (BlockSite const& writer : writers_of(program, buffer.name)) {
    auto const* store = writer.block->body.as<Store>();
    for (size_t d = 0; store && d < shape.size(); ++d)
      if (auto const* v = store->indices[d].as<Variable>())
        for (IterVar const& iter : writer.block->iters)
          if (iter.name() == v->name) shape[d] = iter.extent;
  }
  return shape;
}

/// Those that one block writes of a dimension.
std::optional<arith::Interval> written_by(BlockSite const& writer, size_t dimension) {
  auto const* store = writer.block->body.as<Store>();
  auto const* v = store ? store->indices[dimension].as<Variable>() : nullptr;
  bool known = v && std::ranges::all_of(writer.block->iters, [](IterVar const& iter) {
                 return as_int(iter.extent).has_value();
               });
  if (!known) return std::nullopt;
  std::vector<arith::Interval> domains = domains_of(writer);
  for (size_t i = 0; i < domains.size(); ++i)
    if (writer.block->iters[i].name() == v->name) return domains[i];
  return std::nullopt;
}

std::vector<std::optional<arith::Interval>> written_parts(Program const& program,
                                                          BufferNode const& buffer) {
  std::vector<std::optional<arith::Interval>> parts(buffer.shape.size());
  std::vector<BlockSite> writers = writers_of(program, buffer.name);
  for (size_t d = 0; d < parts.size(); ++d)
    for (size_t w = 0; w < writers.size(); ++w) {
      auto one = written_by(writers[w], d);
      if (!one || (w > 0 && !parts[d])) {
        parts[d].reset();
        break;
      }
      parts[d] = w == 0 ? *one
                        : arith::Interval{std::min(parts[d]->low, one->low),
                                          std::max(parts[d]->high, one->high)};
    }
  return parts;
}

Stmt copy_nest(Buffer const& from, Buffer const& to, BufferNode const& written, Program& program) {
  std::vector<Expr> shape = written_shape(program, written);
  auto parts = written_parts(program, written);
  std::vector<IterVar> iters;
  std::vector<Expr> loops, counts, indices;
  for (size_t d = 0; d < shape.size(); ++d) {
    loops.push_back(var(fmt::format("d{}", d)));
    int64_t first = parts[d] ? parts[d]->low : 0;
    counts.push_back(parts[d] ? int_imm(parts[d]->high - first + 1) : shape[d]);
    iters.push_back({var(fmt::format("vd{}", d)), shape[d], IterKind::kSpatial,
                     first == 0 ? loops.back() : loops.back() + first, ""});
    indices.push_back(iters.back().var);
  }
  Stmt body = make<Block>(program.fresh_block(), to->name, "copy", std::move(iters), Expr(), Stmt(),
                          make<Store>(to, indices, load(from, indices)));
  for (size_t d = loops.size(); d-- > 0;)
    body = make<For>(program.fresh_loop(), loops[d], counts[d], LoopKind::kSerial, body);
  return body;
}

Buffer find_buffer(Program const& program, std::string const& name) {
  Buffer found;
  for (auto const* list : {&program.inputs, &program.outputs})
    for (Buffer const& buffer : *list)
      if (buffer->name == name) found = buffer;
  walk(program.body, [&](Stmt const& s) {
    if (auto const* alloc = s.as<Alloc>(); alloc && alloc->buffer->name == name)
      found = alloc->buffer;
    return !found;
  });
  return found;
}

Stmt remap_buffer(Stmt const& body, std::string const& name, Buffer const& to,
                  std::function<std::vector<Expr>(std::vector<Expr> const&)> const& at) {
  return Remap(name, to, at).visit(body);
}

}  // namespace tw
