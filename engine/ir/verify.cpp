#include <fmt/format.h>

#include <set>

#include "engine/ir/fields.h"
#include "engine/ir/program.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"

namespace tw::ir {
namespace {

std::unexpected<Error> invalid(std::string message) {
  return bad_input("invalid_program", std::move(message));
}

/// Checks one program; `variables_` and `buffers_` are what is in scope.
class Verifier {
public:
  Status run(Program const& program) {
    for (SizeParam const& size : program.sizes) {
      if (size.low < 0 || size.high < size.low)
        return invalid(fmt::format("the size {} has an empty range", to_text(size.var)));
      variables_.insert(to_text(size.var));
    }
    for (auto const* list : {&program.inputs, &program.outputs})
      for (Buffer const& buffer : *list) TRY(declare(*buffer));
    if (!program.body) return invalid("the program has no body");
    TRY(statement(program.body));
    return {};
  }

private:
  Status declare(BufferNode const& buffer) {
    if (!buffers_.insert(buffer.name).second)
      return invalid(fmt::format("there are two tensors named '{}'", buffer.name));
    for (Expr const& extent : buffer.shape) {
      TRY(expression(extent));
      if (auto value = as_int(extent); value && *value < 0)
        return invalid(fmt::format("the tensor '{}' has a negative extent", buffer.name));
    }
    return {};
  }

  Status access(BufferNode const& buffer, std::vector<Expr> const& indices) {
    if (!buffers_.count(buffer.name))
      return invalid(fmt::format("the tensor '{}' is used outside of its scope", buffer.name));
    if (indices.size() != buffer.shape.size())
      return invalid(fmt::format("'{}' has {} dimensions, but {} indices are given", buffer.name,
                                 buffer.shape.size(), indices.size()));
    for (Expr const& index : indices)
      if (!is_integer(index.type()))
        return invalid(fmt::format("an index of '{}' is not an integer", buffer.name));
    return {};
  }

  Status expression(Expr const& root) {
    Status status;
    walk(root, [&](Expr const& e) {
      if (!status) return false;
      if (auto const* variable = e.as<Variable>(); variable && !variables_.count(variable->name))
        status = invalid(fmt::format("'{}' is used outside of its scope", variable->name));
      if (auto const* read = e.as<Load>()) status = access(*read->buffer, read->indices);
      return status.has_value();
    });
    return status;
  }

  Status bind(std::string const& name) {
    if (variables_.insert(name).second) return {};
    return invalid(fmt::format("'{}' is bound twice in one scope", name));
  }

  Status statement(Stmt const& s) {
    switch (s->kind) {
      case NodeKind::kFor:
        return loop(*s.as<For>());
      case NodeKind::kBlock:
        return block(*s.as<Block>());
      case NodeKind::kStore: {
        auto const* store = s.as<Store>();
        TRY(access(*store->buffer, store->indices));
        for (Expr const& index : store->indices) TRY(expression(index));
        if (store->value.type() != store->buffer->type)
          return invalid(fmt::format("'{}' holds {}, but a {} is stored", store->buffer->name,
                                     tw::to_text(store->buffer->type),
                                     tw::to_text(store->value.type())));
        return expression(store->value);
      }
      case NodeKind::kPrefetch: {
        Expr const& element = s.as<Prefetch>()->element;
        if (!element.as<Load>()) return invalid("what is prefetched is no element of a tensor");
        return expression(element);
      }
      case NodeKind::kSeq:
        for (Stmt const& child : s.as<Seq>()->stmts) TRY(statement(child));
        return {};
      case NodeKind::kIf: {
        auto const* node = s.as<If>();
        if (node->condition.type() != DType::kBool)
          return invalid("the condition of an 'if' is not a bool");
        TRY(expression(node->condition));
        TRY(statement(node->then_body));
        if (!node->else_body) return {};
        return statement(node->else_body);
      }
      case NodeKind::kLet: {
        auto const* node = s.as<Let>();
        TRY(expression(node->value));
        TRY(bind(node->var.as<Variable>()->name));
        TRY(statement(node->body));
        variables_.erase(node->var.as<Variable>()->name);
        return {};
      }
      default: {
        auto const* node = s.as<Alloc>();
        TRY(declare(*node->buffer));
        TRY(statement(node->body));
        buffers_.erase(node->buffer->name);
        return {};
      }
    }
  }

  Status loop(For const& node) {
    if (!loops_.insert(node.id.value).second)
      return invalid(fmt::format("the loop '{}' stands in the program twice", node.name()));
    if (auto extent = as_int(node.extent); extent && *extent < 1)
      return invalid(fmt::format("the loop '{}' has no iteration", node.name()));
    if (node.loop_kind == LoopKind::kBind && node.bind.empty())
      return invalid(fmt::format("the loop '{}' binds to nothing", node.name()));
    TRY(expression(node.extent));
    TRY(bind(node.name()));
    TRY(statement(node.body));
    variables_.erase(node.name());
    return {};
  }

  Status block(Block const& node) {
    if (in_block_)
      return invalid(fmt::format("the block '{}' stands inside another block", node.name));
    if (!blocks_.insert(node.name).second)
      return invalid(fmt::format("there are two blocks named '{}'", node.name));
    bool reduces = false;
    for (IterVar const& iter : node.iters) {
      TRY(expression(iter.extent));
      TRY(expression(iter.binding));
      reduces |= iter.kind == IterKind::kReduce;
    }
    if (node.predicate) TRY(expression(node.predicate));
    if (node.predicate && node.predicate.type() != DType::kBool)
      return invalid(fmt::format("the guard of block '{}' is not a bool", node.name));
    if (node.init && !reduces)
      return invalid(fmt::format("block '{}' has an init but reduces nothing", node.name));
    for (IterVar const& iter : node.iters) TRY(bind(iter.name()));
    in_block_ = true;
    if (node.init) TRY(statement(node.init));
    TRY(statement(node.body));
    in_block_ = false;
    for (IterVar const& iter : node.iters) variables_.erase(iter.name());
    return {};
  }

  std::set<std::string> variables_, buffers_, blocks_;
  std::set<int32_t> loops_;
  bool in_block_ = false;
};

}  // namespace

Status verify(Program const& program) { return Verifier().run(program); }

}  // namespace tw::ir
