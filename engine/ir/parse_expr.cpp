#include "engine/ir/parse_expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "engine/ir/convert.h"
#include "engine/ir/expr.h"
#include "engine/ir/instruction_value.h"
#include "engine/ir/operators.h"
#include "engine/ir/parse_number.h"
#include "engine/ir/text.h"
#include "engine/ir/type_rules.h"
#include "engine/tensor/nearest.h"

namespace tw::ir {
namespace {

constexpr int kMaxDepth = 200;       // deeper nesting is refused before it could exhaust the stack
constexpr int kMaxOperators = 2000;  // and so is a longer sum: its tree is as deep as it is long

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

size_t number_end(std::string_view line, size_t i) {
  while (i < line.size() && is_digit(line[i])) ++i;
  if (i + 1 < line.size() && line[i] == '.' && is_digit(line[i + 1])) {
    ++i;
    while (i < line.size() && is_digit(line[i])) ++i;
  }
  if (i < line.size() && (line[i] == 'e' || line[i] == 'E')) {
    size_t j = i + 1;
    if (j < line.size() && (line[j] == '+' || line[j] == '-')) ++j;
    if (j < line.size() && is_digit(line[j])) {
      while (j < line.size() && is_digit(line[j])) ++j;
      i = j;
    }
  }
  return i;
}

size_t symbol_length(std::string_view rest) {
  for (std::string_view two : {"//", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "->", ".."})
    if (rest.substr(0, 2) == two) return 2;
  return std::string_view("+-*/%<>&|^~()[],:=@.\"").find(rest[0]) != std::string_view::npos ? 1 : 0;
}

class ExprParser {
public:
  ExprParser(LineReader& reader, ExprScope const& scope) : reader_(reader), scope_(scope) {}

  Result<Expr> parse(int strength) {
    if (++depth_ > kMaxDepth)
      return reader_.error("too_deep", "the expression is nested too deeply");
    TRY_ASSIGN(Expr left, operand());
    while (true) {
      Token const token = reader_.peek();
      bool swapped = token.text == ">" || token.text == ">=";
      std::string_view symbol = token.text == ">" ? "<" : token.text == ">=" ? "<=" : token.text;
      BinarySyntax const* syntax = find(token, symbol);
      if (!syntax || syntax->strength < strength) break;
      if (++operators_ > kMaxOperators)
        return reader_.error("too_long", "the expression has too many operators");
      reader_.next();
      TRY_ASSIGN(Expr right, parse(syntax->strength + 1));
      TRY_ASSIGN(left,
                 swapped ? combine(syntax->op, right, left) : combine(syntax->op, left, right));
    }
    --depth_;
    return left;
  }

private:
  static BinarySyntax const* find(Token const& token, std::string_view symbol) {
    if (token.kind != Token::kSymbol) return nullptr;
    for (BinarySyntax const& row : kBinarySyntax)
      if (!row.is_function && row.symbol == symbol) return &row;
    return nullptr;
  }

  Result<Expr> combine(BinaryOp op, Expr a, Expr b) {
    if (op == BinaryOp::kDiv && is_float(a.type()) && is_int(b, 0))
      return reader_.error(
          "division_by_zero",
          fmt::format("'{}' is divided by zero; to get infinity, divide by 0.0", to_text(a)));
    // An integer literal beside a float is meant as a float: `max(x, 0)`.
    if (is_float(a.type()) && b.as<IntImm>()) b = float_imm(double(*as_int(b)), a.type());
    if (is_float(b.type()) && a.as<IntImm>()) a = float_imm(double(*as_int(a)), b.type());
    if (a.type() != b.type())
      return reader_.error("type_mismatch",
                           fmt::format("'{}' has type {}, but '{}' has type {}", to_text(a),
                                       tw::to_text(a.type()), to_text(b), tw::to_text(b.type())));
    if (op == BinaryOp::kDiv && !is_float(a.type()))
      return reader_.error("integer_division", "integers divide with '//', not with '/'");
    if ((op == BinaryOp::kFloorDiv || op == BinaryOp::kFloorMod) && !is_integer(a.type()))
      return reader_.error("type_mismatch", "'//' and '%' are for integers");
    bool divides = op == BinaryOp::kFloorDiv || op == BinaryOp::kFloorMod;
    if (scope_.written_by_hand && divides && is_int(b, 0))
      return reader_.error("division_by_zero", fmt::format("'{}' is divided by zero", to_text(a)));
    if (is_bitwise(op) && !is_integer(a.type()))
      return reader_.error("type_mismatch",
                           "'&', '|', '^', '<<' and '>>' are for integers; conditions are joined "
                           "by '&&' and '||'");
    bool logic = op == BinaryOp::kAnd || op == BinaryOp::kOr;
    if (logic != (a.type() == DType::kBool) && !is_compare(op))
      return reader_.error("type_mismatch", logic ? "'&&' and '||' are for conditions"
                                                  : "a condition cannot be a number");
    if (std::string wrong = type_misfit(op, a.type()); !wrong.empty()) return mistyped(wrong, a);
    return binary(op, std::move(a), std::move(b));
  }

  Result<Expr> operand() {
    if (reader_.accept("(")) {
      TRY_ASSIGN(Expr inner, parse(0));
      TRY(reader_.expect(")"));
      return inner;
    }
    if (reader_.accept("~")) return all_bits_changed();
    bool negative = reader_.accept("-");
    Token token = reader_.peek();
    if (token.kind == Token::kNumber || token.text == "inf" || token.text == "nan")
      return parse_number(reader_, negative);
    if (negative) {
      if (++depth_ > kMaxDepth)
        return reader_.error("too_deep", "the expression is nested too deeply");
      TRY_ASSIGN(Expr inner, operand());
      --depth_;
      if (std::string wrong = type_misfit(UnaryOp::kNeg, inner.type()); !wrong.empty())
        return reader_.error("type_mismatch", "a condition cannot be a number");
      return unary(UnaryOp::kNeg, inner);
    }
    if (token.kind != Token::kName)
      return reader_.error("expected_expression",
                           fmt::format("expected an expression, found '{}'", token.text));
    reader_.next();
    std::string name(token.text);
    if (name == "true" || name == "false") return bool_imm(name == "true");
    column_ = token.column;
    if (reader_.accept("(")) return call(name);
    if (reader_.accept("[")) return element(name);
    if (name == "value" && reader_.peek().kind == Token::kName) return instruction();
    auto found = scope_.variables.find(name);
    if (found == scope_.variables.end())
      return reader_.error_at(token.column, "unknown_name",
                              fmt::format("'{}' is not an axis or size in scope here", name));
    return var(name, found->second);
  }

  Result<Expr> all_bits_changed() {
    if (++depth_ > kMaxDepth)
      return reader_.error("too_deep", "the expression is nested too deeply");
    TRY_ASSIGN(Expr inner, operand());
    --depth_;
    if (!is_integer(inner.type())) return reader_.error("type_mismatch", "'~' is for integers");
    return unary(UnaryOp::kBitNot, inner);
  }

  Result<std::vector<Expr>> arguments(std::string_view close) {
    std::vector<Expr> list;
    if (reader_.accept(close)) return list;
    do {
      TRY_ASSIGN(Expr e, parse(0));
      list.push_back(std::move(e));
    } while (reader_.accept(","));
    TRY(reader_.expect(close));
    return list;
  }

  /// "saturate(i8, x)", "unpack(i4, x, at)", "pack(i4, x, y)": a type is the first argument.
  Result<Expr> conversion(std::string const& name) {
    TRY_ASSIGN(std::string type, reader_.name("a type"));
    TRY(reader_.expect(","));
    TRY_ASSIGN(std::vector<Expr> args, arguments(")"));
    if (name == "saturate") return saturated(type, args);
    auto packed = packed_type(type);
    if (!packed)
      return reader_.error("unknown_type",
                           fmt::format("'{}' is not one of i2, i4, u1, u2, u4", type));
    if (name == "pack") return packed_byte(*packed, args);
    if (args.size() != 2 || args[0].type() != DType::kU8 || !is_integer(args[1].type()))
      return reader_.error("type_mismatch",
                           "'unpack' takes a type, a byte (u8) and the number of a value in it");
    auto at = as_int(args[1]);
    int count = packed->in_a_byte();
    if (at && (*at < 0 || *at >= count))
      return reader_.error("out_of_range",
                           fmt::format("a byte has {} values of {}: from 0 to {}, not {}", count,
                                       type, count - 1, *at));
    return unpack(*packed, args[0], args[1]);
  }

  Result<Expr> packed_byte(PackedType const& type, std::vector<Expr> const& args) {
    bool integers =
        std::ranges::all_of(args, [](Expr const& value) { return is_integer(value.type()); });
    if (int(args.size()) == type.in_a_byte() && integers) return pack(type, args);
    return reader_.error("type_mismatch", fmt::format("'pack' takes {} and {} integers, which a "
                                                      "byte (u8) has room for",
                                                      type.name, type.in_a_byte()));
  }

  Result<Expr> saturated(std::string const& name, std::vector<Expr> const& args) {
    auto type = parse_dtype(name);
    if (!type || !is_integer(*type))
      return reader_.error("unknown_type", fmt::format("'{}' is not an integer type", name));
    if (args.size() != 1 || args[0].type() == DType::kBool)
      return reader_.error("type_mismatch", "'saturate' takes an integer type and a number");
    if (*type == DType::kU64 && is_float(args[0].type()))
      return reader_.error("type_mismatch", "only integers are saturated to u64");
    return saturate(*type, args[0]);
  }

  Result<Expr> call(std::string const& name) {
    if (name == "saturate" || name == "unpack" || name == "pack") return conversion(name);
    TRY_ASSIGN(std::vector<Expr> args, arguments(")"));
    auto wants = [&](size_t n) {
      return reader_.error("wrong_arguments", fmt::format("'{}' takes {} argument{}, got {}", name,
                                                          n, n == 1 ? "" : "s", args.size()));
    };
    for (size_t i = 0; i < kUnaryNames.size(); ++i)
      if (kUnaryNames[i] == name)
        return args.size() == 1 ? function(UnaryOp(i), args[0]) : wants(1);
    for (BinarySyntax const& row : kBinarySyntax)
      if (row.is_function && row.symbol == name)
        return args.size() == 2 ? combine(row.op, args[0], args[1]) : wants(2);
    if (auto type = parse_dtype(name))
      return args.size() == 1 ? Result<Expr>(cast(*type, args[0])) : wants(1);
    if (name == "select") return args.size() == 3 ? choice(args) : wants(3);
    if (name == "ramp" || name == "broadcast") return vector(name, args);
    return reader_.error("unknown_function", fmt::format("there is no function '{}'", name));
  }

  Result<Expr> function(UnaryOp op, Expr const& of) {
    if (std::string wrong = type_misfit(op, of.type()); !wrong.empty()) return mistyped(wrong, of);
    return unary(op, of);
  }

  /// Most often a conversion is what was forgotten.
  Result<Expr> mistyped(std::string const& wrong, Expr const& given) {
    std::string hint =
        wrong.ends_with("floats") ? fmt::format("; f32({}) converts it", to_text(given)) : "";
    return reader_.error("type_mismatch",
                         fmt::format("{}, but '{}' has type {}{}", wrong, to_text(given),
                                     tw::to_text(given.type()), hint));
  }

  Result<Expr> choice(std::vector<Expr>& args) {
    if (args[0].type() != DType::kBool)
      return reader_.error("type_mismatch", "select's first argument must be a condition");
    if (is_float(args[1].type()) && args[2].as<IntImm>())
      args[2] = float_imm(double(*as_int(args[2])), args[1].type());
    if (is_float(args[2].type()) && args[1].as<IntImm>())
      args[1] = float_imm(double(*as_int(args[1])), args[2].type());
    if (args[1].type() != args[2].type())
      return reader_.error("type_mismatch", "both sides of a select must have the same type");
    return select(args[0], args[1], args[2]);
  }

  Result<Expr> vector(std::string const& name, std::vector<Expr> const& args) {
    auto lanes = args.empty() ? std::nullopt : as_int(args.back());
    if (!lanes || *lanes < 1 || *lanes > 4096 || args.size() != (name == "ramp" ? 3u : 2u))
      return reader_.error("wrong_arguments",
                           fmt::format("'{}' ends with a lane count from 1 to 4096", name));
    if (name == "broadcast") return make<Broadcast>(args[0], int(*lanes));
    if (args[0].type() != args[1].type())
      return reader_.error("type_mismatch", "base and stride of a ramp must have the same type");
    return make<Ramp>(args[0], args[1], int(*lanes));
  }

  /// "value dot(C[ramp(0, 1, 16)], ...)"
  Result<Expr> instruction() {
    Token name = reader_.next();
    auto found = scope_.intrinsics.find(std::string(name.text));
    if (found == scope_.intrinsics.end())
      return reader_.error_at(name.column, "unknown_intrinsic",
                              fmt::format("no intrinsic '{}' is declared", name.text));
    TRY(reader_.expect("("));
    TRY_ASSIGN(std::vector<Expr> operands, arguments(")"));
    IntrinsicParam const* result = value_params(*found->second).result;
    if (!result)
      return reader_.error_at(name.column, "wrong_arguments",
                              fmt::format("'{}' does not write one tensor", name.text));
    return make<IntrinsicValue>(found->second, result->buffer->type, lanes_of(*result),
                                std::move(operands));
  }

  Result<Expr> element(std::string const& name) {
    auto found = scope_.buffers.find(name);
    if (found == scope_.buffers.end())
      return reader_.error_at(column_, "unknown_buffer",
                              fmt::format("there is no tensor '{}' here", name));
    TRY_ASSIGN(std::vector<Expr> indices, arguments("]"));
    for (Expr const& index : indices)
      if (!is_integer(index.type()))
        return reader_.error("type_mismatch",
                             fmt::format("the index '{}' is not an integer", to_text(index)));
    if (indices.size() != found->second->shape.size())
      return reader_.error("rank_mismatch",
                           fmt::format("'{}' has {} dimensions, but {} indices are given", name,
                                       found->second->shape.size(), indices.size()));
    return load(found->second, std::move(indices));
  }

  LineReader& reader_;
  ExprScope const& scope_;
  int depth_ = 0;
  int operators_ = 0;
  int column_ = 0;  // of the name that a call or an element starts with
};

}  // namespace

Result<LineReader> LineReader::create(std::string_view line, std::string file, int number) {
  LineReader reader;
  reader.file_ = std::move(file);
  reader.number_ = number;
  // A text that came from an editor or the clipboard, as a file, may begin with a byte-order mark.
  if (number <= 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  size_t i = 0;
  while (i < line.size()) {
    char c = line[i];
    if (c == '#') break;
    if (c == ' ' || c == '\t' || c == '\r') {
      ++i;
      continue;
    }
    size_t end = i;
    Token::Kind kind = Token::kSymbol;
    if (starts_name(c)) {
      kind = Token::kName;
      while (end < line.size() && continues_name(line[end])) ++end;
      // "a..b" is a range of names, and a name never ends with a dot.
      size_t dots = line.substr(i, end - i).find("..");
      if (dots != std::string_view::npos) end = i + dots;
      while (line[end - 1] == '.') --end;
    } else if (is_digit(c)) {
      kind = Token::kNumber;
      end = number_end(line, i);
    } else {
      end = i + symbol_length(line.substr(i));
    }
    if (end == i)
      return bad_input("bad_token",
                       fmt::format("unexpected character '{}'",
                                   std::isprint(static_cast<unsigned char>(c))
                                       ? std::string(1, c)
                                       : fmt::format("\\x{:02x}", static_cast<unsigned char>(c))),
                       Place{reader.file_, number, int(i) + 1, {}});
    reader.tokens_.push_back({kind, line.substr(i, end - i), int(i) + 1});
    i = end;
  }
  reader.tokens_.push_back({Token::kEnd, "end of line", int(line.size()) + 1});
  return reader;
}

bool LineReader::accept(std::string_view text) {
  if (peek().kind == Token::kEnd || peek().text != text) return false;
  next();
  return true;
}

Status LineReader::expect(std::string_view text) {
  if (accept(text)) return {};
  return error("expected_token", fmt::format("expected '{}', found '{}'", text, peek().text));
}

Result<std::string> LineReader::name(std::string_view what) {
  if (peek().kind != Token::kName)
    return error("expected_name", fmt::format("expected {}, found '{}'", what, peek().text));
  return std::string(next().text);
}

Result<int64_t> LineReader::integer(std::string_view what) {
  int64_t value = 0;
  Token token = peek();
  auto [end, code] =
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (token.kind != Token::kNumber || code != std::errc() ||
      end != token.text.data() + token.text.size())
    return error("expected_number", fmt::format("expected {}, found '{}'", what, token.text));
  next();
  return value;
}

Status LineReader::end() {
  if (at_end()) return {};
  return error("trailing_text", fmt::format("unexpected '{}' at the end of the line", peek().text));
}

std::unexpected<Error> LineReader::error(std::string code, std::string message) const {
  return bad_input(std::move(code), std::move(message), place());
}

Result<Expr> parse_expr(LineReader& reader, ExprScope const& scope) {
  return ExprParser(reader, scope).parse(0);
}

std::unexpected<Error> LineReader::error_at(int column, std::string code,
                                            std::string message) const {
  return bad_input(std::move(code), std::move(message), Place{file_, number_, column, {}});
}

Result<Buffer> parse_buffer(LineReader& reader, ExprScope const& scope) {
  BufferNode node;
  TRY_ASSIGN(node.name, reader.name("a tensor's name"));
  TRY(reader.expect(":"));
  TRY_ASSIGN(std::string type, reader.name("a type"));
  auto parsed = parse_dtype(type);
  if (!parsed) return reader.error("unknown_type", fmt::format("'{}' is not a type", type));
  node.type = *parsed;
  TRY(reader.expect("["));
  if (!reader.accept("]")) {
    do {
      TRY_ASSIGN(Expr extent, parse_expr(reader, scope));
      auto value = as_int(extent);
      if (extent.type() != DType::kI64 || (value && (*value < 0 || *value > (int64_t(1) << 40))))
        return reader.error("bad_extent", fmt::format("'{}' is not an extent", to_text(extent)));
      node.shape.push_back(std::move(extent));
    } while (reader.accept(","));
    TRY(reader.expect("]"));
  }
  return std::make_shared<BufferNode const>(std::move(node));
}

Result<Buffer> parse_input(LineReader& reader, ExprScope const& scope) {
  TRY_ASSIGN(Buffer buffer, parse_buffer(reader, scope));
  if (!reader.accept("@")) return buffer;
  TRY(reader.expect(kParameterScope));
  BufferNode node = *buffer;
  node.scope = kParameterScope;
  return std::make_shared<BufferNode const>(std::move(node));
}

Result<Expr> parse_expr(std::string_view text, std::unordered_map<std::string, DType> const& scope,
                        std::vector<Buffer> const& buffers) {
  ExprScope names{scope, {}};
  for (Buffer const& buffer : buffers) names.buffers[buffer->name] = buffer;
  TRY_ASSIGN(LineReader reader, LineReader::create(text, "", 0));
  TRY_ASSIGN(Expr e, parse_expr(reader, names));
  TRY(reader.end());
  return e;
}

}  // namespace tw::ir
