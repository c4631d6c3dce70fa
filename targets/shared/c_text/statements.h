/// Statements of kernel IR as lines of C.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/ir/stmt.h"
#include "engine/ir/text.h"
#include "targets/shared/c_text/expressions.h"

namespace tw::c_text {

struct Lines {
  std::string text;
  std::vector<int32_t> source_line;  ///< per line of `text`: line of the lowered kernel, or 0
};

/// By call: the call of an instruction of the target's own that is made in its place.
using OwnCalls = std::map<ir::StmtNode const*, ir::Stmt>;

/// One function under construction. What differs between kinds of C beyond their words is a method
/// to override.
class Statements {
public:
  Statements(Expressions& expressions, ir::PrintedProgram const& lowered)
      : expressions_(expressions), lowered_(lowered) {}
  virtual ~Statements() = default;

  void statement(ir::Stmt const& s);
  void set_own_calls(OwnCalls const& calls) { own_calls_ = &calls; }
  /// With the lines between `head {` and `}` one step further in.
  void line(std::string const& text);
  void open(std::string const& head);
  void close();
  Lines const& lines() const { return lines_; }

protected:
  virtual void print_bound(ir::For const& loop);
  virtual void print_parallel(ir::For const& loop);
  virtual void print_allocation(ir::Alloc const& alloc);
  virtual void print_call(ir::IntrinsicCall const& call);
  /// A line before a loop; empty: none.
  virtual std::string hint_of(ir::For const& loop) const;
  virtual void print_prefetch(ir::Load const&) {}
  /// Around the lines of a serial loop's body.
  virtual void enter(ir::For const&) {}
  virtual void leave(ir::For const&) {}

  void unsupported(std::string const& what);
  void nested(std::string const& head, ir::Stmt const& body);
  /// "float T[64]", after its dialect's word for the scope.
  std::string declaration(ir::BufferNode const& tensor);
  /// The loop's counter with the values that it takes, while `f` runs.
  template <typename F>
  void with_counter(ir::For const& loop, F const& f) {
    auto extent = arith::bounds(loop.extent, expressions_.ranges());
    if (extent) expressions_.ranges().set(loop.name(), {0, std::max<int64_t>(extent->high, 1) - 1});
    f();
    expressions_.ranges().erase(loop.name());
  }
  std::string operand_text(ir::Operand const& operand);
  static std::string counted_from(std::string line, size_t operand);
  static std::string for_each_operand(std::string const& pattern, size_t operands);
  std::string with_operands(std::string_view pattern, std::vector<ir::Operand> const& operands);
  /// Of the loop's counter, which reaches its extent.
  std::string counter_type(ir::For const& loop);

  Expressions& expressions_;
  ir::PrintedProgram const& lowered_;

private:
  void print(ir::Seq const& node);
  void print(ir::Store const& node);
  void print(ir::If const& node);
  void print(ir::For const& node);
  void print(ir::Let const& node);
  void print(ir::Alloc const& node) { print_allocation(node); }
  void print(ir::IntrinsicCall const& node) { print_call(node); }
  void print(ir::Prefetch const& node) { print_prefetch(node.element.to<ir::Load>()); }
  void print(ir::Block const& node);

  Lines lines_;
  OwnCalls const* own_calls_ = nullptr;
  int depth_ = 0;
  int32_t at_ = 0;
};

}  // namespace tw::c_text
