#include "targets/shared/c_text/statements.h"

#include <fmt/format.h>

#include <cctype>

#include "engine/arith/places.h"
#include "engine/ir/fields.h"
#include "engine/lowering/pipeline.h"
#include "targets/shared/c_text/vector_loops.h"

namespace tw::c_text {

using namespace ir;

void Statements::line(std::string const& text) {
  if (!text.empty()) lines_.text += std::string(size_t(depth_) * 2, ' ') + text;
  lines_.text += '\n';
  lines_.source_line.push_back(at_);
}

void Statements::open(std::string const& head) {
  line(head.empty() ? "{" : head + " {");
  ++depth_;
}

void Statements::close() {
  --depth_;
  line("}");
}

void Statements::nested(std::string const& head, Stmt const& body) {
  open(head);
  statement(body);
  close();
}

void Statements::unsupported(std::string const& what) {
  expressions_.fail("unsupported_statement", what + " has no code on this target");
}

void Statements::statement(Stmt const& s) {
  int32_t outside = at_;
  if (auto found = lowered_.line_of.find(s.get()); found != lowered_.line_of.end())
    at_ = found->second;
  dispatch(*s, [&](auto const& node) { print(node); });
  at_ = outside;
}

void Statements::print(Seq const& node) {
  for (Stmt const& child : node.stmts) statement(child);
}

void Statements::print(Store const& node) {
  std::string element = expressions_.element(node.buffer, node.indices[0]);
  line(fmt::format("{} = {};", element, expressions_.stored(node.value)));
}

void Statements::print(If const& node) {
  nested(fmt::format("if ({})", expressions_.text(node.condition)), node.then_body);
  if (node.else_body) nested("else", node.else_body);
}

std::string Statements::counter_type(For const& loop) {
  auto extent = arith::bounds(loop.extent, expressions_.ranges());
  return expressions_.index_type(extent ? std::optional(arith::Interval{0, extent->high})
                                        : std::nullopt);
}

void Statements::print(For const& node) {
  if (node.loop_kind == LoopKind::kBind) return print_bound(node);
  if (node.loop_kind == LoopKind::kParallel) return print_parallel(node);
  if (print_vector_loop(*this, expressions_, node)) return;
  if (std::string hint = hint_of(node); !hint.empty()) line(hint);
  std::string counter = expressions_.variable_name(node.name());
  std::string head = fmt::format("for ({0} {1} = 0; {1} < {2}; ++{1})", counter_type(node), counter,
                                 expressions_.text(node.extent));
  enter(node);
  with_counter(node, [&] { nested(head, node.body); });
  leave(node);
}

void Statements::print(Let const& node) {
  std::string name = node.var.to<Variable>().name;
  bool index = node.var.type() == DType::kI64;
  auto values = index ? arith::bounds(node.value, expressions_.ranges()) : std::nullopt;
  std::string type =
      index ? expressions_.index_type(values) : expressions_.value_type(node.var.type());
  std::string value = expressions_.text(node.value);
  open("");
  line(fmt::format("{} const {} = {};", type, expressions_.variable_name(name), value));
  if (values) expressions_.ranges().set(name, *values);
  statement(node.body);
  expressions_.ranges().erase(name);
  close();
}

void Statements::print(Block const& node) { unsupported("the block " + node.name); }

void Statements::print_bound(For const& loop) { unsupported("the loop " + loop.name()); }

void Statements::print_parallel(For const& loop) {
  unsupported("the parallel loop " + loop.name());
}

std::string Statements::declaration(BufferNode const& tensor) {
  auto const& scopes = expressions_.dialect().scopes;
  auto word = scopes.find(tensor.scope);
  if (word == scopes.end()) {
    unsupported("memory '" + tensor.scope + "'");
    return "";
  }
  return fmt::format("{}{} {}[{}]", word->second, expressions_.dialect().type(tensor.type),
                     expressions_.tensor_name(tensor.name), expressions_.text(tensor.shape[0]));
}

void Statements::print_allocation(Alloc const& alloc) {
  if (alloc.buffer->scope == kWorkspaceScope) return statement(alloc.body);
  open("");
  line(declaration(*alloc.buffer) + ";");
  statement(alloc.body);
  close();
}

void Statements::print_call(IntrinsicCall const& declared) {
  auto own = own_calls_ ? own_calls_->find(&declared) : OwnCalls::const_iterator();
  bool has_own = own_calls_ && own != own_calls_->end();
  IntrinsicCall const& call = has_own ? own->second.to<IntrinsicCall>() : declared;
  auto const& calls = expressions_.dialect().calls;
  auto found = calls.find(call.intrinsic->name);
  if (found == calls.end()) return unsupported(call.intrinsic->name);
  std::string text =
      with_operands(for_each_operand(found->second, call.operands.size()), call.operands);
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    line(text.substr(at, end - at));
    at = end + 1;
  }
}

/// A line that begins with "%each 1 3 " comes for operands 1, 4, 7, ...: there "%+2" is the second
/// behind it.
std::string Statements::for_each_operand(std::string const& pattern, size_t operands) {
  static constexpr std::string_view kEach = "%each ";
  std::string text;
  auto add = [&](std::string const& line) { text += (text.empty() ? "" : "\n") + line; };
  for (size_t at = 0; at <= pattern.size();) {
    size_t end = std::min(pattern.find('\n', at), pattern.size());
    std::string line = pattern.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(kEach)) {
      add(line);
      continue;
    }
    line.erase(0, kEach.size());
    size_t space = line.find(' '), next = line.find(' ', space + 1);
    auto first = size_t(std::stoul(line)), step = size_t(std::stoul(line.substr(space)));
    for (size_t i = first; i < operands; i += step) add(counted_from(line.substr(next + 1), i));
  }
  return text;
}

std::string Statements::counted_from(std::string line, size_t operand) {
  for (size_t mark = line.find("%+"); mark != std::string::npos; mark = line.find("%+", mark))
    line.replace(mark, 3, "%" + std::to_string(operand + size_t(line[mark + 2] - '0')));
  return line;
}

std::string Statements::with_operands(std::string_view pattern,
                                      std::vector<Operand> const& operands) {
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size() || pattern[i + 1] == '%') {
      text += pattern[i];
      i += pattern[i] == '%';
      continue;
    }
    size_t number = 0;
    for (; i + 1 < pattern.size() && std::isdigit(static_cast<unsigned char>(pattern[i + 1])); ++i)
      number = number * 10 + size_t(pattern[i + 1] - '0');
    std::string operand = operand_text(operands.at(number));
    if (text.ends_with('*') && operand.starts_with('&')) text.pop_back(), operand.erase(0, 1);
    text += operand;
  }
  return text;
}

std::string Statements::operand_text(Operand const& operand) {
  Expr first = arith::first_of(operand);
  auto const* load = first.as<Load>();
  return load && !operand.axes.empty() ? "&" + expressions_.element(load->buffer, load->indices[0])
                                       : expressions_.text(first);
}

std::string Statements::hint_of(For const& loop) const {
  bool unrolled = loop.loop_kind == LoopKind::kUnroll || loop.loop_kind == LoopKind::kVector;
  return unrolled ? std::string(expressions_.dialect().unroll) : "";
}

}  // namespace tw::c_text
