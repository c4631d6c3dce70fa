/// Recursive descent over one line of text; also used by the tensor-expression reader.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/ir/program.h"

namespace tw::ir {

struct Token {
  enum Kind : uint8_t { kEnd, kName, kNumber, kSymbol } kind = kEnd;
  std::string_view text;
  int column = 1;
};

/// Tokens of one line. `#` starts a comment. Names may hold dots and start with a letter or `_`.
class LineReader {
public:
  /// Errors: bad_token with the place.
  static Result<LineReader> create(std::string_view line, std::string file, int number);

  Token const& peek() const { return tokens_[at_]; }
  Token next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool at_end() const { return peek().kind == Token::kEnd; }
  bool accept(std::string_view text);
  Status expect(std::string_view text);
  Result<std::string> name(std::string_view what);
  Result<int64_t> integer(std::string_view what);
  Status end();
  std::unexpected<Error> error(std::string code, std::string message) const;
  std::unexpected<Error> error_at(int column, std::string code, std::string message) const;
  Place place() const { return {file_, number_, peek().column, {}}; }

private:
  std::vector<Token> tokens_;
  size_t at_ = 0;
  std::string file_;
  int number_ = 0;
};

/// What names mean while an expression is read.
struct ExprScope {
  std::unordered_map<std::string, DType> variables;
  std::unordered_map<std::string, Buffer> buffers;
  std::map<std::string, Intrinsic> intrinsics = {};  ///< of kernels, by name
  /// A literal 0 as a divisor is then a mistake where it stands. In a program that was made of what
  /// was written it may stand behind a condition that never holds.
  bool written_by_hand = false;
};
/// Reads one expression from the reader's place. Every operand is checked for its type.
Result<Expr> parse_expr(LineReader& reader, ExprScope const& scope);
/// "X: f32[1, 128]"
/// A tensor of a head: with "@param" after it where it is a parameter.
Result<Buffer> parse_input(LineReader& reader, ExprScope const& scope);
Result<Buffer> parse_buffer(LineReader& reader, ExprScope const& scope);

}  // namespace tw::ir
