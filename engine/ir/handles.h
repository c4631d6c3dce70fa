/// What programs are held by: expressions, statements and tensors, without the kinds of their nodes
/// (expr.h, stmt.h). Enough for those who keep programs, hand them on, compare or print them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/node.h"
#include "engine/support/base/id.h"
#include "engine/tensor/dtype.h"

namespace tw::ir {

enum class ExprKind : uint8_t;  // expr.h
enum class UnaryOp : uint8_t;
enum class BinaryOp : uint8_t;
enum class StmtKind : uint8_t;  // stmt.h

struct ExprNode : Node {
  ExprNode(ExprKind node_kind, DType element, int lane_count)
      : kind(node_kind), type(element), lanes(lane_count) {}
  ExprKind const kind;
  DType type;
  int lanes;  ///< 1 = scalar; more only in kernel IR after vectorization
};

/// A handle used as a value.
class Expr : public Ref<ExprNode> {
public:
  using Ref<ExprNode>::Ref;
  Expr() = default;
  Expr(Ref<ExprNode> ref) : Ref<ExprNode>(std::move(ref)) {}
  DType type() const { return get()->type; }
  int lanes() const { return get()->lanes; }
};

/// The stride of a dimension, in elements, is `offset` modulo `factor`; it is the least that is.
struct StrideAlignment {
  int dimension = 0;
  int64_t factor = 1;  ///< from 1 on
  int64_t offset = 0;  ///< below the factor
  bool operator==(StrideAlignment const&) const = default;
};

/// Where elements of a tensor lie: `to`, one index for each dimension in memory, of the variables
/// that `from` names, one for each of its own dimensions. See index_map.h.
struct IndexMap {
  std::vector<std::string> from;
  std::vector<Expr> to;
};

/// A tensor in memory. Identified by its name, which is unique in a program.
struct BufferNode {
  std::string name;
  DType type = DType::kF32;
  std::vector<Expr> shape;
  /// Where it lives: "global", "register", "shared", "local", or a scope of the target. Scope and
  /// place of the allocation define how many instances there are and who shares them. An input of
  /// scope `kParameterScope` is known when the model is loaded, and the same in every run.
  std::string scope = "global";
  /// By dimension, at most one of each. Rows then have elements between them that nothing reads:
  /// strides.h. Only of tensors that are allocated in the kernel.
  std::vector<StrideAlignment> alignments = {};
  /// Null: row-major. No two elements lie in one place. Only of tensors of constant shape that are
  /// allocated in the kernel and have no alignments; who uses them knows nothing of it.
  std::shared_ptr<IndexMap const> map = nullptr;
};
using Buffer = std::shared_ptr<BufferNode const>;
inline constexpr char const* kParameterScope = "param";

struct IntrinsicNode;  // intrinsic.h
using Intrinsic = std::shared_ptr<IntrinsicNode const>;

using LoopId = Id<struct LoopTag>;
using BlockId = Id<struct BlockTag>;

/// A word about a loop or a block to those who make code of it; the target says what it means.
struct Annotation {
  std::string word;
  int64_t value = 1;
  bool operator==(Annotation const&) const = default;
};

/// Where a statement of lowered code comes from. Not part of equality or hash, but for annotations.
struct Origin {
  std::vector<LoopId> loops;  ///< outermost first; loops that were unrolled or vectorized included
  std::vector<BlockId> blocks;          ///< the block(s) it computes
  std::vector<Annotation> annotations;  ///< of the loop or block itself, by word
};

struct StmtNode : Node {
  explicit StmtNode(StmtKind node_kind) : kind(node_kind) {}
  StmtKind const kind;
  Origin origin;
};

class Stmt : public Ref<StmtNode> {
public:
  using Ref<StmtNode>::Ref;
  Stmt() = default;
  Stmt(Ref<StmtNode> ref) : Ref<StmtNode>(std::move(ref)) {}
};

enum class LoopKind : uint8_t { kSerial, kParallel, kVector, kUnroll, kBind };

/// kOrdered: a recurrence (scan), iterations run in order. kOpaque: nothing is known.
enum class IterKind : uint8_t { kSpatial, kReduce, kOrdered, kOpaque };

struct For;
struct Block;
struct Store;
struct Load;
struct Alloc;
struct IntrinsicCall;
struct IterVar;
struct Operand;

Expr var(std::string name, DType type = DType::kI64);
Buffer make_buffer(std::string name, DType type, std::vector<int64_t> const& shape,
                   std::string scope = "global");
/// The value of an integer constant, if it is one.
std::optional<int64_t> as_int(Expr const& e);
bool is_int(Expr const& e, int64_t value);
/// The shape as numbers, or empty optional when an extent is no constant.
std::optional<std::vector<int64_t>> constant_shape(BufferNode const& buffer);

}  // namespace tw::ir
