#include <fmt/format.h>

#include <map>
#include <set>

#include "engine/ir/annotations.h"
#include "engine/ir/fields.h"
#include "engine/ir/kernel.h"
#include "engine/ir/launches.h"
#include "engine/ir/one_to_one.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/verify_expr.h"

namespace tw::ir {
namespace {

std::unexpected<Error> invalid(std::string message) {
  return bad_input("invalid_program", std::move(message));
}

/// So that no stride of a shape that is read leaves the range of its type.
constexpr int64_t kMostAlignment = int64_t(1) << 20;

/// Checks one program, or one function of a kernel; `variables_` and `buffers_` are what is in
/// scope. In a kernel types and lanes must fit too, and a loop may stand in several copies.
class Verifier {
public:
  Status run(Program const& program) {
    TRY(declare(program.sizes));
    for (auto const* list : {&program.inputs, &program.outputs})
      for (Buffer const& buffer : *list) TRY(declare_parameter(buffer));
    if (!program.body) return invalid("the program has no body");
    return statement(program.body);
  }

  Status run(Function const& function) {
    lowered_ = true;
    Status status = check(function);
    if (status) return {};
    std::string where = culprit_ ? ", in: " + first_line(culprit_) : "";
    return bad_input("invalid_kernel", status.error().message + where);
  }

private:
  Status check(Function const& function) {
    TRY(declare(function.sizes));
    for (Buffer const& buffer : function.params) TRY(declare_parameter(buffer));
    if (!function.body) return invalid(fmt::format("{} has no body", function.name));
    return statement(function.body);
  }

  Status declare(std::vector<SizeParam> const& sizes) {
    for (SizeParam const& size : sizes) {
      if (size.low < 0 || size.high < size.low)
        return invalid(fmt::format("the size {} has an empty range", to_text(size.var)));
      variables_.emplace(to_text(size.var), size.var.type());
    }
    return {};
  }

  /// Whoever calls the kernel knows of no alignment.
  Status declare_parameter(Buffer const& buffer) {
    if (!buffer->alignments.empty() || buffer->map)
      return invalid(fmt::format("the parameter '{}' has {}", buffer->name,
                                 buffer->map ? "a map" : "an alignment"));
    return declare(buffer);
  }

  Status declare(Buffer const& declared) {
    BufferNode const& buffer = *declared;
    if (!buffers_.emplace(buffer.name, declared).second)
      return invalid(fmt::format("there are two tensors named '{}'", buffer.name));
    for (Expr const& extent : buffer.shape) {
      TRY(expression(extent));
      if (auto value = as_int(extent); value && *value < 0)
        return invalid(fmt::format("the tensor '{}' has a negative extent", buffer.name));
    }
    TRY(mapped(buffer));
    return aligned(buffer);
  }

  Status mapped(BufferNode const& buffer) const {
    if (!buffer.map) return {};
    auto shape = constant_shape(buffer);
    if (!shape || !buffer.alignments.empty())
      return invalid(fmt::format("the tensor '{}' has a map, and {}", buffer.name,
                                 shape ? "alignments" : "a shape that is not known"));
    if (Status places = check_one_to_one(*buffer.map, *shape); !places)
      return invalid(
          fmt::format("the map of the tensor '{}': {}", buffer.name, places.error().message));
    return {};
  }

  Status aligned(BufferNode const& buffer) const {
    int before = -1;
    for (StrideAlignment const& one : buffer.alignments) {
      bool sound = one.dimension > before && one.dimension < int(buffer.shape.size()) &&
                   one.factor >= 1 && one.factor <= kMostAlignment && one.offset >= 0 &&
                   one.offset < one.factor;
      if (!sound)
        return invalid(fmt::format(
            "the tensor '{}' has an alignment of no dimension of it, out of order, or with an "
            "offset that is not below its factor",
            buffer.name));
      before = one.dimension;
    }
    return {};
  }

  Status access(Buffer const& used, std::vector<Expr> const& indices) {
    BufferNode const& buffer = *used;
    auto declared = buffers_.find(buffer.name);
    if (declared == buffers_.end())
      return invalid(fmt::format("the tensor '{}' is used outside its scope", buffer.name));
    if (lowered_ && !equal(declared->second, used))
      return invalid(fmt::format(
          "the tensor '{}' is used with a different type or shape than declared", buffer.name));
    if (indices.size() != buffer.shape.size())
      return invalid(fmt::format("'{}' has {} dimensions, but {} indices are given", buffer.name,
                                 buffer.shape.size(), indices.size()));
    for (Expr const& index : indices)
      if (!is_integer(index.type()))
        return invalid(fmt::format("an index of '{}' is not an integer", buffer.name));
    if (!lowered_) return {};
    int lanes = Load::lanes_of(indices);
    for (Expr const& index : indices)
      if (index.lanes() != 1 && index.lanes() != lanes)
        return invalid(fmt::format("the indices of '{}' differ in lanes", buffer.name));
    return {};
  }

  Status expression(Expr const& root) {
    Status status;
    walk(root, [&](Expr const& e) {
      if (!status) return false;
      if (auto const* used = e.as<Variable>()) status = variable(*used);
      if (auto const* read = e.as<Load>()) status = access(read->buffer, read->indices);
      if (auto const* node = e.as<Binary>();
          node && is_bitwise(node->op) && !is_integer(node->a.type()))
        status = invalid(fmt::format("'{}' needs the bits of an integer", to_text(e)));
      if (!status) return false;
      if (std::string wrong = misfit(e); !wrong.empty()) status = invalid(std::move(wrong));
      return status.has_value();
    });
    return status;
  }

  Status variable(Variable const& used) const {
    auto bound = variables_.find(used.name);
    if (bound == variables_.end())
      return invalid(fmt::format("'{}' is used outside its scope", used.name));
    if (!lowered_ || bound->second == used.type) return {};
    return invalid(fmt::format("'{}' is bound as {} and used as {}", used.name,
                               tw::to_text(bound->second), tw::to_text(used.type)));
  }

  Status bind(Expr const& var) {
    std::string const& name = var.as<Variable>()->name;
    if (variables_.emplace(name, var.type()).second) return {};
    return invalid(fmt::format("'{}' is bound twice in one scope", name));
  }

  /// Keeps the innermost statement that is wrong.
  Status statement(Stmt const& s) {
    Status status = words(*s);
    if (status) status = dispatch(*s, [&](auto const& node) { return check(node); });
    if (!status && !culprit_) culprit_ = s;
    return status;
  }

  static Status words(StmtNode const& node) {
    std::vector<Annotation> const& said = node.origin.annotations;
    if (said.empty()) return {};
    if (!takes_annotations(node.kind))
      return invalid("only loops, blocks and assignments have annotations");
    for (size_t i = 0; i < said.size(); ++i) {
      if (said[i].value < 1)
        return invalid(fmt::format("the annotation '{}' has no value", said[i].word));
      if (i > 0 && !(said[i - 1].word < said[i].word))
        return invalid(fmt::format("the annotation '{}' is out of order", said[i].word));
    }
    return {};
  }

  Status check(Store const& node) {
    TRY(access(node.buffer, node.indices));
    for (Expr const& index : node.indices) TRY(expression(index));
    if (node.value.type() != node.buffer->type)
      return invalid(fmt::format("'{}' has type {}, but a {} is stored", node.buffer->name,
                                 tw::to_text(node.buffer->type), tw::to_text(node.value.type())));
    if (lowered_ && node.value.lanes() != Load::lanes_of(node.indices))
      return invalid(fmt::format("{} elements are stored from {} values",
                                 Load::lanes_of(node.indices), node.value.lanes()));
    return expression(node.value);
  }

  template <HintNode N>
  Status check(N const& node) {
    if (char const* fault = node.fault()) return invalid(fault);
    Status status;
    for_each_field(node, [&](Expr const& e) {
      if (status) status = expression(e);
    });
    return status;
  }

  Status check(Seq const& node) {
    for (Stmt const& child : node.stmts) TRY(statement(child));
    return {};
  }

  Status check(If const& node) {
    if (node.condition.type() != DType::kBool)
      return invalid("the condition of an 'if' is not a bool");
    TRY(expression(node.condition));
    if (node.condition.lanes() > 1 && node.else_body) return invalid("a mask cannot have an else");
    TRY(statement(node.then_body));
    return node.else_body ? statement(node.else_body) : Status();
  }

  Status check(Let const& node) {
    TRY(expression(node.value));
    if (lowered_ && (node.var.type() != node.value.type() || node.value.lanes() != 1))
      return invalid(fmt::format("'{}' does not have the type of its value", to_text(node.var)));
    TRY(bind(node.var));
    TRY(statement(node.body));
    variables_.erase(node.var.to<Variable>().name);
    return {};
  }

  Status check(Alloc const& node) {
    TRY(declare(node.buffer));
    TRY(statement(node.body));
    buffers_.erase(node.buffer->name);
    return {};
  }

  Status check(IntrinsicCall const& node) {
    IntrinsicNode const& intrinsic = *node.intrinsic;
    auto [known, added] = intrinsics_.emplace(intrinsic.name, node.intrinsic);
    if (added) TRY(verify(intrinsic));
    if (!lowered_ && !intrinsic.function.empty())
      return invalid(fmt::format("{} launches a device function, which a program has none of",
                                 intrinsic.name));
    if (!equal(known->second, node.intrinsic))
      return invalid(fmt::format("two intrinsics are named '{}'", intrinsic.name));
    if (node.operands.size() != intrinsic.params.size())
      return invalid(fmt::format("{} takes {} operands, but {} are given", intrinsic.name,
                                 intrinsic.params.size(), node.operands.size()));
    Substitution scalars;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      TRY(operand(node.operands[i], intrinsic.params[i], intrinsic.name, scalars));
      if (!intrinsic.params[i].buffer) scalars[intrinsic.params[i].name()] = node.operands[i].value;
    }
    return {};
  }

  Status operand(Operand const& given, IntrinsicParam const& param, std::string const& intrinsic,
                 Substitution const& scalars) {
    auto wrong = [&](std::string const& what) {
      return invalid(fmt::format("{} of {} {}", param.name(), intrinsic, what));
    };
    DType type = param.buffer ? param.buffer->type : param.var.type();
    auto const* element = given.value.as<Load>();
    if (param.buffer && !element)
      return wrong("must be elements of a tensor, but a number is given");
    if (!param.buffer && !given.axes.empty())
      return wrong("must be a number, but a tensor is given");
    if (given.value.type() != type)
      return wrong(fmt::format("must be {}, but {} is given", tw::to_text(type),
                               tw::to_text(given.value.type())));
    if (param.buffer) {
      std::string const& scope = element->buffer->scope;
      if (!param.takes_scope(scope))
        return wrong(fmt::format("must be in {}, but '{}' is in {}", param.buffer->scope,
                                 element->buffer->name, scope));
      TRY(shape(given, param, intrinsic, scalars));
    }
    for (OperandAxis const& axis : given.axes) {
      TRY(expression(axis.extent));
      TRY(bind(axis.var));
    }
    TRY(expression(given.value));
    for (OperandAxis const& axis : given.axes) variables_.erase(axis.name());
    return {};
  }

  Status shape(Operand const& given, IntrinsicParam const& param, std::string const& intrinsic,
               Substitution const& scalars) {
    std::vector<Expr> const& wanted = param.buffer->shape;
    if (wanted.size() != given.axes.size())
      return invalid(fmt::format("{} of {} has {} dimensions, but {} are given", param.name(),
                                 intrinsic, wanted.size(), given.axes.size()));
    for (size_t d = 0; d < wanted.size(); ++d) {
      Expr extent = substitute(wanted[d], scalars);
      if (!equal(extent, given.axes[d].extent))
        return invalid(fmt::format("dimension {} of {} of {} is {}, but {} are given", d,
                                   param.name(), intrinsic, to_text(extent),
                                   to_text(given.axes[d].extent)));
    }
    return {};
  }

  Status check(For const& node) {
    if (!lowered_ && !loops_.insert(node.id.value).second)
      return invalid(fmt::format("the loop '{}' occurs twice in the program", node.name()));
    if (auto extent = as_int(node.extent); extent && *extent < 1)
      return invalid(fmt::format("the loop '{}' has no iterations", node.name()));
    if (node.loop_kind == LoopKind::kBind && node.bind.empty())
      return invalid(fmt::format("the loop '{}' is bound to nothing", node.name()));
    TRY(expression(node.extent));
    TRY(bind(node.var));
    TRY(statement(node.body));
    variables_.erase(node.name());
    return {};
  }

  Status check(Block const& node) {
    if (in_block_) return invalid(fmt::format("the block '{}' is inside another block", node.name));
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
    for (IterVar const& iter : node.iters) TRY(bind(iter.var));
    in_block_ = true;
    if (node.init) TRY(statement(node.init));
    TRY(statement(node.body));
    in_block_ = false;
    for (IterVar const& iter : node.iters) variables_.erase(iter.name());
    return {};
  }

  std::map<std::string, DType> variables_;
  std::map<std::string, Buffer> buffers_;
  std::set<std::string> blocks_;
  std::set<int32_t> loops_;
  std::map<std::string, Intrinsic> intrinsics_;  // by name
  Stmt culprit_;
  bool in_block_ = false, lowered_ = false;
};

}  // namespace

Status verify(Program const& program) { return Verifier().run(program); }

Status verify(KernelIr const& kernel) {
  TRY(Verifier().run(kernel.host));
  for (Function const& function : kernel.device) TRY(Verifier().run(function));
  return verify_launches(kernel);
}

}  // namespace tw::ir
