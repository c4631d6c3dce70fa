/// Expressions of kernel IR as C, with what IR means and C does not: arithmetic that wraps,
/// division that rounds down, shifts by any number, max and min that keep a NaN.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/arith/simplify.h"
#include "engine/ir/expr.h"
#include "engine/ir/intrinsic.h"
#include "engine/support/base/error.h"
#include "targets/shared/c_text/dialect.h"

namespace tw::c_text {

class Expressions {
public:
  explicit Expressions(Dialect const& dialect) : dialect_(dialect) {}

  Dialect const& dialect() const { return dialect_; }
  /// The C name of a variable, and of a tensor, which may have the same name in the kernel: one for
  /// each, and none that C has already.
  std::string variable_name(std::string const& of) { return name(of, of); }
  std::string tensor_name(std::string const& of) { return name("[" + of, of); }
  /// Fit to stand by itself: on the right of "=", as an index, as an argument.
  std::string text(ir::Expr const& e) { return text(e, 0); }
  /// What an element of that type is set to.
  std::string stored(ir::Expr const& value);
  /// Of what is computed: of floats of 16 bits f32.
  std::string value_type(DType type) const;
  /// "X[i * 4L + j]"
  std::string element(ir::Buffer const& buffer, ir::Expr const& index);
  /// What stands in the next texts where an element of that text is read.
  void replace_elements(std::map<std::string, std::string> by) { replaced_ = std::move(by); }
  /// The type of a variable that takes these values.
  std::string index_type(std::optional<arith::Interval> const& values) const;
  /// What is known of variables where the next text stands: divisions of what is not negative are
  /// C's own, and numbers that fit are not computed in wider ones.
  arith::Ranges& ranges() { return ranges_; }
  /// Functions that the texts so far call, by their names: each is a definition in C.
  std::map<std::string, std::string> const& helpers() const { return helpers_; }
  /// One of the texts so far divides by what may be zero, and names `fault`.
  bool names_fault() const { return names_fault_; }
  void fail(std::string code, std::string message);
  Status const& status() const { return status_; }

private:
  /// A larger strength binds tighter; the operators' are those of engine/ir/operators.h. `type` is
  /// what C takes the text to be: of an index that is narrowed, i32.
  struct Piece {
    std::string text;
    int strength;
    DType type;
    std::string exact = {};  ///< the text before it was rounded to 16 bits; empty: it was not
  };
  std::string name(std::string const& key, std::string const& of);
  std::string text(ir::Expr const& e, int least_strength);
  std::string wrapped(Piece const& made, int least_strength) const;
  Piece made(ir::Expr const& e);
  Piece piece(ir::IntImm const& node);
  Piece piece(ir::FloatImm const& node);
  Piece piece(ir::Variable const& node);
  Piece piece(ir::Unary const& node);
  Piece piece(ir::Binary const& node);
  Piece piece(ir::Select const& node);
  Piece piece(ir::Cast const& node);
  Piece piece(ir::Load const& node);
  Piece piece(ir::Ramp const& node);
  Piece piece(ir::IntrinsicValue const& node);
  Piece piece(ir::Broadcast const& node);
  Piece function(std::string_view name, DType type, std::string const& arguments);
  Piece float_unary(ir::Unary const& node);
  Piece sum(ir::Binary const& node);
  Piece quotient(ir::Binary const& node);
  Piece infix(ir::Binary const& node, std::string_view symbol, int strength);
  Piece helper(std::string_view kind, DType type, std::string const& arguments);
  Piece of_two(std::string_view kind, ir::Binary const& node);
  Piece narrowed(Piece wide, DType type);
  Piece rounded(Piece wide, DType type);
  Piece without_sign(ir::Binary const& node, std::string_view symbol);
  Piece unsupported(std::string const& what);
  bool narrows(std::optional<arith::Interval> const& values) const;
  DType type_of_both(Piece const& a, Piece const& b) const;

  Dialect const& dialect_;
  std::map<std::string, std::string> names_;
  std::set<std::string> taken_;
  std::map<std::string, std::string> helpers_, replaced_;
  arith::Ranges ranges_;
  bool names_fault_ = false;
  Status status_;
};

}  // namespace tw::c_text
