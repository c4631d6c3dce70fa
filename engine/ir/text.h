/// Programs as text, both ways. What is printed parses back to an equal program.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/ir/program.h"

namespace tw::ir {

std::string to_text(Expr const& e);

/// What one printed line shows.
struct LineInfo {
  int indent = 0;  ///< nesting depth
  LoopId loop;     ///< valid when the line opens this loop
  BlockId block;   ///< valid when the line opens or belongs to this block
  std::vector<LoopId>
      around;  ///< loops that the line is inside of, outermost first, unrolled ones included
};
struct PrintedProgram {
  std::string text;
  std::vector<LineInfo> lines;                       ///< one per line of `text`
  std::unordered_map<StmtNode const*, int> line_of;  ///< 1-based first line of each statement
};
PrintedProgram print(Program const& program);
PrintedProgram print(KernelIr const& kernel);
inline std::string to_text(Program const& program) { return print(program).text; }

/// Reads "tilewright program 1 ..."; errors carry line and column. The result is verified.
Result<Program> parse_program(std::string_view text, std::string_view file = "");
/// Reads one expression; `scope` gives the types of its variables, `buffers` what it may load.
Result<Expr> parse_expr(std::string_view text, std::unordered_map<std::string, DType> const& scope,
                        std::vector<Buffer> const& buffers);

}  // namespace tw::ir
