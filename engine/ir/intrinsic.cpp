#include "engine/ir/intrinsic.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/fields.h"
#include "engine/ir/program.h"
#include "engine/ir/rewrite.h"

namespace tw::ir {
namespace {

std::unexpected<Error> wrong(IntrinsicNode const& node, std::string what) {
  return bad_input("invalid_intrinsic",
                   fmt::format("the intrinsic {}: {}", node.name, std::move(what)));
}

/// What starts a device function does nothing else.
Status verify_launch(IntrinsicNode const& node) {
  bool alone = !node.behaviour && !node.barrier && node.completion == Completion::kAtOnce &&
               node.needs.empty() && node.sets.empty();
  if (!node.function.empty() && !alone)
    return wrong(node, "what launches a device function does nothing else");
  return {};
}

/// What is of a barrier with phases takes its word, and opening and awaiting a number besides.
Status verify_phases(IntrinsicNode const& node) {
  bool counts = node.completion == Completion::kOpens || node.completion == Completion::kAwaits;
  bool fits = node.params.size() == (counts ? 2 : 1) && !node.barrier && node.queue.empty() &&
              node.params[0].kind == ParamKind::kUpdate && (!counts || !node.params[1].buffer);
  if (!fits)
    return wrong(node,
                 "a barrier with phases is one tensor that is updated; with a number when it "
                 "is opened or awaited");
  return {};
}

/// Each thread writes one tensor of what another one reads of the other, told by two numbers.
Status verify_shuffle(IntrinsicNode const& node) {
  auto const& params = node.params;
  bool fits = params.size() == 4 && params[0].kind == ParamKind::kWrite &&
              params[1].kind == ParamKind::kRead && !params[2].buffer && !params[3].buffer &&
              params[0].buffer->type == params[1].buffer->type &&
              params[0].buffer->shape.size() == params[1].buffer->shape.size();
  for (size_t d = 0; fits && d < params[0].buffer->shape.size(); ++d)
    fits = equal(params[0].buffer->shape[d], params[1].buffer->shape[d]);
  if (!fits || node.barrier || !node.queue.empty())
    return wrong(node,
                 "a shuffle writes one tensor and reads one of its type and shape, and takes two "
                 "numbers");
  return {};
}

Status verify_params(IntrinsicNode const& node) {
  std::set<std::string> names;
  for (IntrinsicParam const& param : node.params) {
    if (bool(param.buffer) == (param.kind == ParamKind::kScalar) || (!param.buffer && !param.var))
      return wrong(node, "a scalar parameter needs a variable, every other parameter a tensor");
    if (!names.insert(param.name()).second)
      return wrong(node, fmt::format("two parameters are named {}", param.name()));
  }
  TRY(verify_launch(node));
  bool orders = node.barrier || node.completion >= Completion::kCommits || !node.sets.empty();
  if (!node.behaviour && !orders && node.function.empty()) return wrong(node, "it does nothing");
  if (node.behaviour && node.completion >= Completion::kCommits)
    return wrong(node, "what commits or waits does nothing else");
  if (!node.queue.empty() && node.completion == Completion::kAtOnce)
    return wrong(node, "what is done at once is in no queue");
  if (has_phases(node.completion)) return verify_phases(node);
  if (shuffles(node.completion)) return verify_shuffle(node);
  size_t numbers = node.completion == Completion::kWaits ? 1 : 0;
  if (node.completion >= Completion::kCommits &&
      (node.params.size() != numbers || (numbers == 1 && node.params[0].buffer)))
    return wrong(node, "a commit takes nothing, and a wait one number");
  return {};
}

Status verify_registers(IntrinsicNode const& node, std::vector<RegisterValue> const& registers) {
  std::set<std::string> names;
  for (RegisterValue const& one : registers) {
    if (!names.insert(one.name).second)
      return wrong(node, fmt::format("the register {} has two values", one.name));
    bool plain = one.value.type() == DType::kI64;
    walk(one.value, [&](Expr const& e) {
      auto const* used = e.as<Variable>();
      bool known = !used || std::ranges::any_of(node.params, [&](IntrinsicParam const& param) {
        return !param.buffer && param.name() == used->name;
      });
      return plain = plain && known && !e.as<Load>(), plain;
    });
    if (!plain)
      return wrong(
          node,
          fmt::format(
              "the value of the register {} is not an integer expression of its scalar parameters",
              one.name));
  }
  return {};
}

Status verify_state(IntrinsicNode const& node) {
  TRY(verify_registers(node, node.needs));
  TRY(verify_registers(node, node.sets));
  bool alone = !node.behaviour && !node.barrier && node.completion == Completion::kAtOnce &&
               node.needs.empty();
  if (!node.sets.empty() && !alone) return wrong(node, "what sets registers does nothing else");
  return {};
}

/// The program of the behaviour: parameters are inputs, of which some are written. The rules of
/// programs hold for it: names, ranks, types.
Program program_of(IntrinsicNode const& node) {
  Program program;
  program.name = node.name;
  for (IntrinsicParam const& param : node.params)
    if (param.buffer)
      program.inputs.push_back(param.buffer);
    else
      program.sizes.push_back({param.var, 0, 0});
  program.body = node.behaviour;
  return program;
}

Status verify_effects(IntrinsicNode const& node) {
  std::set<std::string> own;
  bool plain = true;
  walk(node.behaviour, [&](Stmt const& s) {
    plain = plain && !s.as<Block>() && !s.as<IntrinsicCall>();
    if (auto const* alloc = s.as<Alloc>()) own.insert(alloc->buffer->name);
    return plain;
  });
  if (!plain) return wrong(node, "its behaviour contains a block or another call");
  auto undeclared = [&](std::string const& name, bool writes) {
    return !own.contains(name) && std::ranges::none_of(node.params, [&](IntrinsicParam const& p) {
      return p.buffer && p.name() == name && (writes ? p.writes() : p.reads());
    });
  };
  std::string culprit;
  walk_writes(node.behaviour, [&](Touched const& at) {
    if (undeclared(at.buffer->name, true)) culprit = "writes " + at.buffer->name;
  });
  walk_reads(node.behaviour, [&](Touched const& at) {
    if (undeclared(at.buffer->name, false)) culprit = "reads " + at.buffer->name;
  });
  if (culprit.empty()) return {};
  return wrong(node,
               fmt::format("its behaviour {}, but its parameters do not declare this", culprit));
}

}  // namespace

std::string const& IntrinsicParam::name() const {
  return buffer ? buffer->name : var.to<Variable>().name;
}

bool IntrinsicParam::takes_scope(std::string_view scope) const {
  if (!buffer || buffer->scope.empty() || buffer->scope == scope) return true;
  return buffer->scope == BufferNode().scope && scope == kParameterScope;
}

std::string_view word_of(Completion completion) {
  static constexpr std::string_view kWords[] = {
      "", "async", "commits", "waits", "opens", "arrives", "delivers", "awaits", "shuffles"};
  return kWords[size_t(completion)];
}

Status verify(IntrinsicNode const& node) {
  TRY(verify_params(node));
  TRY(verify_state(node));
  if (!node.behaviour) return {};
  if (Status status = verify(program_of(node)); !status) return wrong(node, status.error().message);
  return verify_effects(node);
}

Result<Intrinsic> declare(IntrinsicNode node) {
  TRY(verify(node));
  return std::make_shared<IntrinsicNode const>(std::move(node));
}

std::vector<Intrinsic> intrinsics_of(Stmt const& body) {
  std::vector<Intrinsic> found;
  auto add = [&](Intrinsic const& one) {
    if (std::ranges::none_of(found, [&](Intrinsic const& known) { return equal(known, one); }))
      found.push_back(one);
  };
  walk(body, [&](Stmt const& s) {
    if (auto const* call = s.as<IntrinsicCall>()) add(call->intrinsic);
    return true;
  });
  walk_exprs(body, [&](Expr const& e) {
    if (auto const* value = e.as<IntrinsicValue>()) add(value->intrinsic);
    return true;
  });
  return found;
}

IntrinsicParam scalar_param(std::string name, DType type) {
  return {ParamKind::kScalar, var(std::move(name), type), nullptr};
}

IntrinsicParam tensor_param(ParamKind kind, Buffer buffer) {
  return {kind, nullptr, std::move(buffer)};
}

Operand box_operand(Buffer const& buffer, std::vector<Expr> const& begin,
                    std::vector<int64_t> const& extents) {
  Operand operand;
  std::vector<Expr> indices = begin;
  for (size_t d = 0; d < extents.size(); ++d) {
    Expr axis = var(fmt::format("{}.{}", buffer->name, d));
    operand.axes.push_back({axis, int_imm(extents[d])});
    indices[d] = begin[d] + axis;
  }
  operand.value = load(buffer, std::move(indices));
  return operand;
}

}  // namespace tw::ir
