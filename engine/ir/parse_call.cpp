#include "engine/ir/parse_call.h"

#include <fmt/format.h>

#include <utility>

#include "engine/ir/stmt.h"

namespace tw::ir {
namespace {

/// Up to the "over", comma or bracket that ends an operand's element.
Status skip_operand(LineReader& reader) {
  int open = 0;
  while (!reader.at_end()) {
    std::string_view text = reader.peek().text;
    bool ends = open == 0 && (text == "over" || text == "," || text == ")");
    if (ends) return {};
    open += text == "(" || text == "[";
    open -= text == ")" || text == "]";
    reader.next();
  }
  return reader.error("expected_token", "expected ')' after the operands");
}

/// The axes stand behind the element that speaks of them: it is read again once they are known.
Result<Operand> operand(LineReader& reader, ExprScope const& scope) {
  Operand given;
  LineReader element = reader;
  ExprScope names = scope;
  TRY(skip_operand(reader));
  if (reader.accept("over")) {
    TRY(reader.expect("("));
    do {
      TRY_ASSIGN(std::string name, reader.name("an axis's name"));
      if (!names.variables.emplace(name, DType::kI64).second)
        return reader.error("name_taken", fmt::format("'{}' is already bound", name));
      TRY(reader.expect("in"));
      TRY_ASSIGN(Expr extent, parse_expr(reader, scope));
      given.axes.push_back({var(name), std::move(extent)});
    } while (reader.accept(","));
    TRY(reader.expect(")"));
  }
  TRY_ASSIGN(given.value, parse_expr(element, names));
  return given;
}

}  // namespace

Result<IntrinsicParam> parse_intrinsic_param(LineReader& reader, ExprScope& scope) {
  if (reader.accept("scalar")) {
    TRY_ASSIGN(std::string name, reader.name("a number's name"));
    TRY(reader.expect(":"));
    TRY_ASSIGN(std::string type, reader.name("a type"));
    auto parsed = parse_dtype(type);
    if (!parsed) return reader.error("unknown_type", fmt::format("'{}' is not a type", type));
    scope.variables[name] = *parsed;
    return scalar_param(name, *parsed);
  }
  static constexpr std::pair<std::string_view, ParamKind> kWords[] = {
      {"read", ParamKind::kRead}, {"write", ParamKind::kWrite}, {"update", ParamKind::kUpdate}};
  for (auto const& [word, kind] : kWords) {
    if (!reader.accept(word)) continue;
    TRY_ASSIGN(Buffer parsed, parse_buffer(reader, scope));
    BufferNode node = *parsed;
    node.scope.clear();
    if (reader.accept("@")) {
      TRY_ASSIGN(node.scope, reader.name("a memory scope"));
    }
    auto buffer = std::make_shared<BufferNode const>(std::move(node));
    scope.buffers[buffer->name] = buffer;
    return tensor_param(kind, buffer);
  }
  return reader.error("expected_parameter", "expected 'scalar', 'read', 'write' or 'update'");
}

Result<Stmt> parse_call(LineReader& reader, ExprScope const& scope, Intrinsics const& known) {
  reader.next();
  TRY_ASSIGN(std::string name, reader.name("an intrinsic's name"));
  auto found = known.find(name);
  if (found == known.end())
    return reader.error("unknown_intrinsic", fmt::format("no intrinsic '{}' is declared", name));
  std::vector<Operand> operands;
  TRY(reader.expect("("));
  if (!reader.accept(")")) {
    do {
      TRY_ASSIGN(Operand given, operand(reader, scope));
      operands.push_back(std::move(given));
    } while (reader.accept(","));
    TRY(reader.expect(")"));
  }
  TRY(reader.end());
  return make<IntrinsicCall>(found->second, std::move(operands));
}

}  // namespace tw::ir
