#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "engine/ir/kernel.h"
#include "engine/ir/loop_words.h"
#include "engine/ir/operators.h"
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
  return fmt::format("{}:{}", imm.value, tw::to_text(imm.type));
}

std::string binary_text(Binary const& node, int context) {
  BinarySyntax const& syntax = syntax_of(node.op);
  if (syntax.is_function)
    return fmt::format("{}({}, {})", syntax.symbol, text_of(node.a, 0), text_of(node.b, 0));
  // Left-associative: the right operand needs parentheses at equal strength.
  bool tight = syntax.strength >= 5;
  std::string text = text_of(node.a, syntax.strength) + (tight ? "" : " ") +
                     std::string(syntax.symbol) + (tight ? "" : " ") +
                     text_of(node.b, syntax.strength + 1);
  return syntax.strength < context ? "(" + text + ")" : text;
}

std::string text_of(Expr const& e, int context) {
  switch (e->kind) {
    case NodeKind::kIntImm:
      return int_text(*e.as<IntImm>());
    case NodeKind::kFloatImm:
      return float_text(e.as<FloatImm>()->value, e.type());
    case NodeKind::kVariable:
      return e.as<Variable>()->name;
    case NodeKind::kUnary:
      return fmt::format("{}({})", name_of(e.as<Unary>()->op), text_of(e.as<Unary>()->a, 0));
    case NodeKind::kBinary:
      return binary_text(*e.as<Binary>(), context);
    case NodeKind::kSelect: {
      auto const* s = e.as<Select>();
      return fmt::format("select({}, {}, {})", text_of(s->condition, 0), text_of(s->a, 0),
                         text_of(s->b, 0));
    }
    case NodeKind::kCast:
      return fmt::format("{}({})", tw::to_text(e.type()), text_of(e.as<Cast>()->a, 0));
    case NodeKind::kLoad:
      return fmt::format("{}[{}]", e.as<Load>()->buffer->name, join(e.as<Load>()->indices));
    case NodeKind::kRamp:
      return fmt::format("ramp({}, {}, {})", text_of(e.as<Ramp>()->base, 0),
                         text_of(e.as<Ramp>()->stride, 0), e.lanes());
    case NodeKind::kBroadcast:
      return fmt::format("broadcast({}, {})", text_of(e.as<Broadcast>()->value, 0), e.lanes());
    default:
      return "?";
  }
}

std::string buffer_text(BufferNode const& buffer) {
  return fmt::format("{}: {}[{}]", buffer.name, tw::to_text(buffer.type), join(buffer.shape));
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

  PrintedProgram take() { return std::move(result_); }

private:
  /// `inside` is the indent of what a let or an allocation holds for.
  void statement(Stmt const& s, int indent, int inside) {
    result_.line_of.emplace(s.get(), int(result_.lines.size()) + 1);
    switch (s->kind) {
      case NodeKind::kFor:
        return loop(*s.as<For>(), indent);
      case NodeKind::kBlock:
        return block(*s.as<Block>(), indent);
      case NodeKind::kStore:
        return store(*s.as<Store>(), indent, "");
      case NodeKind::kPrefetch:
        return line(indent, "prefetch " + text_of(s.as<Prefetch>()->element, 0),
                    with_origin(*s.as<Prefetch>()));
      case NodeKind::kSeq:
        return sequence(*s.as<Seq>(), indent);
      case NodeKind::kIf:
        return condition(*s.as<If>(), indent);
      case NodeKind::kLet:
        line(indent,
             fmt::format("let {} = {}", text_of(s.as<Let>()->var, 0),
                         text_of(s.as<Let>()->value, 0)),
             with_origin(*s.get()));
        return statement(s.as<Let>()->body, inside);
      default: {
        auto const* alloc = s.as<Alloc>();
        line(indent, fmt::format("alloc {} @{}", buffer_text(*alloc->buffer), alloc->buffer->scope),
             with_origin(*s.get()));
        return statement(alloc->body, inside);
      }
    }
  }

  /// A let or an allocation holds up to the end of its group of lines; one that ends before has a
  /// group of its own.
  void sequence(Seq const& node, int indent) {
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

  void loop(For const& node, int indent) {
    std::string bind = node.loop_kind == LoopKind::kBind ? "(" + node.bind + ")" : "";
    LineInfo info = with_origin(node);
    info.loop = node.id;
    line(indent,
         fmt::format("{}{} {} in {}", keyword(node.loop_kind), bind, node.name(),
                     text_of(node.extent, 0)),
         info);
    around_.push_back(node.id);
    statement(node.body, indent + 1);
    around_.pop_back();
  }

  void block(Block const& node, int indent) {
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
    line(indent, fmt::format("block {}({}){}{}", node.name, iters, op, guard), info);
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
         fmt::format("{}{}[{}] = {}", prefix, node.buffer->name, join(node.indices),
                     text_of(node.value, 0)),
         with_origin(node));
  }

  void condition(If const& node, int indent) {
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
  print_function(printer, kernel.host, "host");
  for (Function const& function : kernel.device) print_function(printer, function, "device");
  return printer.take();
}

}  // namespace tw::ir
