#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "engine/ir/annotations.h"
#include "engine/ir/fields.h"
#include "engine/ir/index_map.h"
#include "engine/ir/kernel.h"
#include "engine/ir/loop_words.h"
#include "engine/ir/operators.h"
#include "engine/ir/stmt.h"
#include "engine/ir/text.h"

namespace tw::ir {
namespace {

std::string text_of(Expr const& e, int context);

std::string join(std::vector<Expr> const& list) {
  std::string text;
  for (size_t i = 0; i < list.size(); ++i) text += (i ? ", " : "") + text_of(list[i], 0);
  return text;
}

/// The one of no special bits is "nan"; any other one tells its bits as a number.
std::string nan_text(double value) {
  constexpr uint64_t kQuiet = 0x7ff8000000000000, kSign = uint64_t(1) << 63;
  auto bits = std::bit_cast<uint64_t>(value);
  std::string sign = bits & kSign ? "-" : "";
  bits &= ~kSign;
  return bits == kQuiet ? sign + "nan" : fmt::format("{}nan({})", sign, bits);
}

std::string float_text(double value, DType type) {
  std::string digits;
  if (std::isnan(value))
    digits = nan_text(value);
  else if (std::isinf(value))
    digits = value < 0 ? "-inf" : "inf";
  else if (type == DType::kF32)
    digits = fmt::format("{}", float(value));
  else
    digits = fmt::format("{}", value);
  bool plain = digits.find_first_not_of("-0123456789") == std::string::npos;
  if (plain) digits += ".0";
  return type == DType::kF32 ? digits : fmt::format("{}:{}", digits, tw::to_text(type));
}

std::string int_text(IntImm const& imm) {
  if (imm.type == DType::kBool) return imm.value ? "true" : "false";
  if (imm.type == DType::kI64) return std::to_string(imm.value);
  if (imm.type == DType::kU64) return fmt::format("{}:u64", uint64_t(imm.value));
  return fmt::format("{}:{}", imm.value, tw::to_text(imm.type));
}

std::string binary_text(Binary const& node, int context) {
  BinarySyntax const& syntax = syntax_of(node.op);
  if (syntax.is_function)
    return fmt::format("{}({}, {})", syntax.symbol, text_of(node.a, 0), text_of(node.b, 0));
  // Left-associative: the right operand needs parentheses at equal strength.
  bool tight = syntax.strength >= kSumStrength;
  std::string text = text_of(node.a, syntax.strength) + (tight ? "" : " ") +
                     std::string(syntax.symbol) + (tight ? "" : " ") +
                     text_of(node.b, syntax.strength + 1);
  return syntax.strength < context ? "(" + text + ")" : text;
}

std::string text_of(Expr const& e, int context) {
  return dispatch(
      *e,
      overloaded{
          [](IntImm const& n) { return int_text(n); },
          [](FloatImm const& n) { return float_text(n.value, n.type); },
          [](Variable const& n) { return n.name; },
          [](Unary const& n) { return fmt::format("{}({})", name_of(n.op), text_of(n.a, 0)); },
          [&](Binary const& n) { return binary_text(n, context); },
          [](Select const& n) {
            return fmt::format("select({}, {}, {})", text_of(n.condition, 0), text_of(n.a, 0),
                               text_of(n.b, 0));
          },
          [](Cast const& n) { return fmt::format("{}({})", tw::to_text(n.type), text_of(n.a, 0)); },
          [](Load const& n) { return fmt::format("{}[{}]", n.buffer->name, join(n.indices)); },
          [](Ramp const& n) {
            return fmt::format("ramp({}, {}, {})", text_of(n.base, 0), text_of(n.stride, 0),
                               n.lanes);
          },
          [](Broadcast const& n) {
            return fmt::format("broadcast({}, {})", text_of(n.value, 0), n.lanes);
          },
          [](IntrinsicValue const& n) {
            return fmt::format("value {}({})", n.intrinsic->name, join(n.operands));
          },
      });
}

std::string operand_text(Operand const& operand) {
  std::string text = text_of(operand.value, 0);
  for (size_t i = 0; i < operand.axes.size(); ++i)
    text += fmt::format("{}{} in {}", i ? ", " : " over (", operand.axes[i].name(),
                        text_of(operand.axes[i].extent, 0));
  return operand.axes.empty() ? text : text + ")";
}

std::string buffer_text(BufferNode const& buffer) {
  std::string text =
      fmt::format("{}: {}[{}]", buffer.name, tw::to_text(buffer.type), join(buffer.shape));
  for (StrideAlignment const& one : buffer.alignments)
    text += fmt::format(" align({}, {}, {})", one.dimension, one.factor, one.offset);
  if (buffer.map) text += fmt::format(" map({})", to_text(*buffer.map));
  return text;
}

std::string buffers_text(std::vector<Buffer> const& buffers) {
  std::string text;
  for (size_t i = 0; i < buffers.size(); ++i) {
    text += (i ? ", " : "") + buffer_text(*buffers[i]);
    if (buffers[i]->scope != "global") text += " @" + buffers[i]->scope;
  }
  return text;
}

class Printer {
public:
  void line(int indent, std::string const& text, LineInfo info = {}) {
    info.indent = indent;
    if (info.around.empty()) info.around = around_;
    if (!info.block.valid()) info.block = block_;
    result_.text += std::string(size_t(indent) * 2, ' ') + text + "\n";
    result_.lines.push_back(std::move(info));
  }

  void sizes(std::vector<SizeParam> const& sizes) {
    for (SizeParam const& size : sizes)
      line(1, fmt::format("size {} in {}..{}", text_of(size.var, 0), size.low, size.high));
  }

  void statement(Stmt const& s, int indent) { statement(s, indent, indent); }

  void intrinsics(std::vector<Intrinsic> const& list) {
    for (Intrinsic const& intrinsic : list) declaration(*intrinsic);
  }

  PrintedProgram take() { return std::move(result_); }

private:
  /// `inside` is the indent of what a let or an allocation holds for.
  void statement(Stmt const& s, int indent, int inside) {
    result_.line_of.emplace(s.get(), int(result_.lines.size()) + 1);
    dispatch(*s, [&](auto const& node) {
      if constexpr (requires { print_holding(node, indent, inside); })
        print_holding(node, indent, inside);
      else
        print(node, indent);
    });
  }

  /// A let or an allocation holds up to the end of its group of lines; one that ends before has a
  /// group of its own.
  void print(Seq const& node, int indent) {
    if (node.stmts.empty()) line(indent, "nothing");
    for (size_t i = 0; i < node.stmts.size(); ++i)
      statement(node.stmts[i], indent, i + 1 < node.stmts.size() ? indent + 1 : indent);
  }

  /// A statement of lowered code knows its loops by its origin, which includes unrolled ones.
  LineInfo with_origin(StmtNode const& s) const {
    LineInfo info;
    if (!s.origin.loops.empty()) info.around = s.origin.loops;
    if (!s.origin.blocks.empty()) info.block = s.origin.blocks.front();
    return info;
  }

  /// " needs mode = 1, stride = n"; nothing without registers.
  static std::string registers_text(std::string text, std::vector<RegisterValue> const& registers) {
    for (RegisterValue const& one : registers)
      text += fmt::format("{} {} = {}", &one == registers.data() ? "" : ",", one.name,
                          text_of(one.value, 0));
    return registers.empty() ? "" : text;
  }

  void declaration(IntrinsicNode const& node) {
    static constexpr char const* kWords[] = {"scalar", "read", "write", "update"};
    std::string params;
    for (IntrinsicParam const& param : node.params) {
      params += fmt::format("{}{} ", params.empty() ? "" : ", ", kWords[int(param.kind)]);
      params += param.buffer ? buffer_text(*param.buffer)
                             : fmt::format("{}: {}", param.name(), tw::to_text(param.var.type()));
      if (param.buffer && !param.buffer->scope.empty()) params += " @" + param.buffer->scope;
    }
    if (!node.doc.empty()) line(0, "# " + node.doc);
    std::string kind = node.barrier ? " barrier" : "";
    if (node.completion != Completion::kAtOnce)
      kind += fmt::format(" {}", word_of(node.completion));
    if (!node.queue.empty()) kind += " in " + node.queue;
    if (!node.function.empty()) kind += " launches " + node.function;
    kind += registers_text(" needs", node.needs) + registers_text(" sets", node.sets);
    line(0, fmt::format("intrinsic {}({}){}", node.name, params, kind));
    if (node.behaviour) statement(node.behaviour, 1);
  }

  void print(For const& node, int indent) {
    std::string bind = node.loop_kind == LoopKind::kBind ? "(" + node.bind + ")" : "";
    LineInfo info = with_origin(node);
    info.loop = node.id;
    line(indent,
         fmt::format("{}{} {} in {}{}", keyword(node.loop_kind), bind, node.name(),
                     text_of(node.extent, 0), annotations_text(node)),
         info);
    around_.push_back(node.id);
    statement(node.body, indent + 1);
    around_.pop_back();
  }

  void print_holding(Let const& node, int indent, int inside) {
    line(indent, fmt::format("let {} = {}", text_of(node.var, 0), text_of(node.value, 0)),
         with_origin(node));
    statement(node.body, inside);
  }

  void print_holding(Alloc const& node, int indent, int inside) {
    line(indent, fmt::format("alloc {} @{}", buffer_text(*node.buffer), node.buffer->scope),
         with_origin(node));
    statement(node.body, inside);
  }

  template <HintNode N>
  void print(N const& node, int indent) {
    std::string text;
    for_each_field(node,
                   [&](Expr const& e) { text += (text.empty() ? "" : ", ") + text_of(e, 0); });
    line(indent, fmt::format("{} {}", N::kWord, text), with_origin(node));
  }

  void print(IntrinsicCall const& node, int indent) {
    std::string operands;
    for (Operand const& operand : node.operands)
      operands += (operands.empty() ? "" : ", ") + operand_text(operand);
    line(indent, fmt::format("call {}({})", node.intrinsic->name, operands), with_origin(node));
  }

  void print(Store const& node, int indent) { store(node, indent, ""); }

  void print(Block const& node, int indent) {
    static constexpr char const* kWords[] = {"", "reduce ", "ordered ", "opaque "};
    std::string iters;
    for (IterVar const& iter : node.iters) {
      if (!iters.empty()) iters += ", ";
      iters += fmt::format("{}{}: {} = {}", kWords[int(iter.kind)], iter.name(),
                           text_of(iter.extent, 0), text_of(iter.binding, 0));
      if (!iter.role.empty()) iters += " as " + iter.role;
    }
    std::string op = node.op.empty() ? "" : " op " + node.op;
    std::string guard = node.predicate ? " if " + text_of(node.predicate, 0) : "";
    LineInfo info;
    info.block = node.id;
    line(indent,
         fmt::format("block {}({}){}{}{}", node.name, iters, op, guard, annotations_text(node)),
         info);
    block_ = node.id;
    if (auto const* init = node.init.as<Store>()) {
      result_.line_of.emplace(node.init.get(), int(result_.lines.size()) + 1);
      store(*init, indent + 1, "init ");
    } else if (node.init) {
      line(indent + 1, "init");
      statement(node.init, indent + 2);
    }
    statement(node.body, indent + 1);
    block_ = {};
  }

  void store(Store const& node, int indent, std::string const& prefix) {
    line(indent,
         fmt::format("{}{}[{}] = {}{}", prefix, node.buffer->name, join(node.indices),
                     text_of(node.value, 0), annotations_text(node)),
         with_origin(node));
  }

  void print(If const& node, int indent) {
    line(indent, "if " + text_of(node.condition, 0), with_origin(node));
    statement(node.then_body, indent + 1);
    if (!node.else_body) return;
    line(indent, "else", with_origin(node));
    statement(node.else_body, indent + 1);
  }

  PrintedProgram result_;
  std::vector<LoopId> around_;
  BlockId block_;
};

void print_function(Printer& printer, Function const& function, std::string const& word) {
  printer.line(0, fmt::format("{} {}({})", word, function.name, buffers_text(function.params)));
  printer.sizes(function.sizes);
  printer.statement(function.body, 1);
}

}  // namespace

std::string to_text(Expr const& e) { return text_of(e, 0); }

PrintedProgram print(Program const& program) {
  Printer printer;
  printer.line(0, "tilewright program 1");
  printer.intrinsics(intrinsics_of(program.body));
  printer.line(0, fmt::format("program {}({}) -> ({})", program.name, buffers_text(program.inputs),
                              buffers_text(program.outputs)));
  printer.sizes(program.sizes);
  printer.statement(program.body, 1);
  return printer.take();
}

std::string first_line(Stmt const& s) {
  Printer printer;
  printer.statement(s, 0);
  std::string text = printer.take().text;
  return text.substr(0, text.find('\n'));
}

PrintedProgram print(KernelIr const& kernel) {
  Printer printer;
  printer.line(0, "tilewright kernel 1");
  std::vector<Stmt> bodies;
  for_each_function(kernel, [&](Function const& function) { bodies.push_back(function.body); });
  printer.intrinsics(intrinsics_of(seq(std::move(bodies))));
  print_function(printer, kernel.host, "host");
  for (Function const& function : kernel.device) print_function(printer, function, "device");
  return printer.take();
}

}  // namespace tw::ir
