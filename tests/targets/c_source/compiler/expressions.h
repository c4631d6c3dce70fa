/// Expressions of kernel IR as C, with what IR means and C does not: arithmetic that wraps,
/// division that rounds down, shifts by any number, max and min that keep a NaN.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/ir/expr.h"
#include "engine/ir/intrinsic.h"
#include "engine/support/base/error.h"

namespace tw::c_source {

/// Of one element in memory: "float", "int8_t"; a bool is a byte.
std::string memory_type(DType type);

class Expressions {
public:
  /// The C name of a variable or a tensor: one for each name, and none that C has already.
  std::string name(std::string const& of);
  /// Fit to stand by itself: on the right of "=", as an index, as an argument.
  std::string text(ir::Expr const& e) { return text(e, 0); }
  /// "X[i * 4L + j]"
  std::string element(ir::Buffer const& buffer, ir::Expr const& index);
  /// Functions that the texts so far call, by their names: each is a definition in C.
  std::map<std::string, std::string> const& helpers() const { return helpers_; }
  void fail(std::string code, std::string message);
  Status const& status() const { return status_; }

private:
  /// A larger strength binds tighter; the operators' are those of engine/ir/operators.h.
  struct Piece {
    std::string text;
    int strength;
  };
  std::string text(ir::Expr const& e, int least_strength);
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
  Piece function(char const* name, DType type, ir::Expr const& a);
  Piece infix(ir::Binary const& node, std::string_view symbol, int strength);
  Piece helper(char const* kind, DType type, std::string const& arguments);
  Piece narrowed(Piece wide, DType type);
  Piece unsupported(std::string const& what);

  std::map<std::string, std::string> names_;
  std::set<std::string> taken_;
  std::map<std::string, std::string> helpers_;
  Status status_;
};

}  // namespace tw::c_source
