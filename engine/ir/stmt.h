/// Statements.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/ir/expr.h"

namespace tw::ir {

/// Every kind of statement, once.
#define TW_STMT_NODES(NODE) \
  NODE(For)                 \
  NODE(Block)               \
  NODE(Store)               \
  NODE(Seq)                 \
  NODE(If)                  \
  NODE(Let)                 \
  NODE(Alloc)               \
  NODE(Prefetch)            \
  NODE(IntrinsicCall)
enum class StmtKind : uint8_t { TW_STMT_NODES(TW_KIND) };
#undef TW_KIND

/// `var` runs from 0 to extent-1. `id` survives rewriting (not part of equality).
struct For : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kFor;
  static constexpr auto fields() {
    return std::tuple{&For::var, &For::extent, &For::loop_kind, &For::bind, &For::body};
  }
  For(LoopId i, Expr v, Expr e, LoopKind k, Stmt b, std::string bind_to = {})
      : StmtNode(kKind),
        id(i),
        var(std::move(v)),
        extent(std::move(e)),
        loop_kind(k),
        bind(std::move(bind_to)),
        body(std::move(b)) {}
  std::string const& name() const { return var.to<Variable>().name; }
  LoopId id;
  Expr var;  ///< a Variable
  Expr extent;
  LoopKind loop_kind;
  std::string bind;  ///< for kBind: "blockIdx.x", "threadIdx.x", "vthread", ...
  Stmt body;
};

struct IterVar {
  Expr var;     ///< a Variable, visible in predicate, init and body
  Expr extent;  ///< values are 0..extent-1
  IterKind kind = IterKind::kSpatial;
  Expr binding;      ///< its value as an expression of the loops around
  std::string role;  ///< what the axis is for ("out_channel", "height", ...); may be empty
  std::string const& name() const { return var.to<Variable>().name; }
};

/// A statement instance set: computes for the values of its iterators. One block may write several
/// buffers. `init` runs before `body` in the iteration in which all reduce iterators are 0.
struct Block : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kBlock;
  static constexpr auto fields() {
    return std::tuple{&Block::name,      &Block::op,   &Block::iters,
                      &Block::predicate, &Block::init, &Block::body};
  }
  Block(BlockId i, std::string n, std::string o, std::vector<IterVar> v, Expr p, Stmt s, Stmt b)
      : StmtNode(kKind),
        id(i),
        name(std::move(n)),
        op(std::move(o)),
        iters(std::move(v)),
        predicate(std::move(p)),
        init(std::move(s)),
        body(std::move(b)) {}
  BlockId id;
  std::string name;
  std::string op;  ///< operator that it computes ("conv2d", "relu"); may be empty
  std::vector<IterVar> iters;
  Expr predicate;  ///< over loop variables; null = always. Guards of remainders.
  Stmt init;       ///< null = none
  Stmt body;
};

struct Store : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kStore;
  static constexpr auto fields() {
    return std::tuple{&Store::buffer, &Store::indices, &Store::value};
  }
  Store(Buffer b, std::vector<Expr> i, Expr v)
      : StmtNode(kKind), buffer(std::move(b)), indices(std::move(i)), value(std::move(v)) {}
  Buffer buffer;
  std::vector<Expr> indices;
  Expr value;
};

struct Seq : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kSeq;
  static constexpr auto fields() { return std::tuple{&Seq::stmts}; }
  explicit Seq(std::vector<Stmt> s) : StmtNode(kKind), stmts(std::move(s)) {}
  std::vector<Stmt> stmts;
};

struct If : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kIf;
  static constexpr auto fields() {
    return std::tuple{&If::condition, &If::then_body, &If::else_body};
  }
  If(Expr c, Stmt t, Stmt e = nullptr)
      : StmtNode(kKind),
        condition(std::move(c)),
        then_body(std::move(t)),
        else_body(std::move(e)) {}
  Expr condition;  ///< scalar, or a vector of bool lanes that masks the stores of `then_body`
  Stmt then_body, else_body;  ///< else may be null
};

struct Let : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kLet;
  static constexpr auto fields() { return std::tuple{&Let::var, &Let::value, &Let::body}; }
  Let(Expr v, Expr x, Stmt b)
      : StmtNode(kKind), var(std::move(v)), value(std::move(x)), body(std::move(b)) {}
  Expr var, value;
  Stmt body;
};

/// `buffer` lives while `body` runs: one instance per iteration of the loops around.
struct Alloc : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kAlloc;
  static constexpr auto fields() { return std::tuple{&Alloc::buffer, &Alloc::body}; }
  Alloc(Buffer b, Stmt s) : StmtNode(kKind), buffer(std::move(b)), body(std::move(s)) {}
  Buffer buffer;
  Stmt body;
};

/// A statement of expressions alone that changes no value: a word and its expressions as text, no
/// effect when it runs. Printer, parser, verifier, interpreter and passes know the concept, so that
/// a further one is this declaration and its code on the targets. `fault` says what is wrong with
/// its expressions; null: nothing.
template <typename N>
concept HintNode = std::is_base_of_v<StmtNode, N> && requires(N const& node) {
  { N::kWord } -> std::convertible_to<char const*>;
  { node.fault() } -> std::same_as<char const*>;
};

/// A hint that `element`, a Load, will be read soon. An element outside of its tensor is no error.
struct Prefetch : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kPrefetch;
  static constexpr char const* kWord = "prefetch";
  static constexpr auto fields() { return std::tuple{&Prefetch::element}; }
  explicit Prefetch(Expr e) : StmtNode(kKind), element(std::move(e)) {}
  char const* fault() const {
    return element.as<Load>() ? nullptr : "a prefetch needs an element of a tensor";
  }
  Expr element;
};

/// A dimension of what an operand covers. The variable is known in the operand's element only.
struct OperandAxis {
  Expr var;  ///< a Variable
  Expr extent;
  std::string const& name() const { return var.to<Variable>().name; }
};

/// What a call hands over: a number, or the elements of a tensor that `value`, a Load, reaches as
/// the axes run: `A[i*4+a, k*4+b] over (a in 4, b in 4)`.
struct Operand {
  Expr value;
  std::vector<OperandAxis> axes;
};

/// One instruction of a machine, by its declaration: a barrier, a copy, a wait, a matrix product.
/// What it reads and writes, and what it does, stands in the declaration; nobody knows one by name.
/// All that it reads is read before anything is written.
struct IntrinsicCall : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kIntrinsicCall;
  static constexpr auto fields() {
    return std::tuple{&IntrinsicCall::intrinsic, &IntrinsicCall::operands};
  }
  IntrinsicCall(Intrinsic i, std::vector<Operand> o)
      : StmtNode(kKind), intrinsic(std::move(i)), operands(std::move(o)) {}
  Intrinsic intrinsic;
  std::vector<Operand> operands;  ///< one for each parameter of the declaration
};

template <typename N, typename... Args>
Stmt make(Args&&... args) requires std::is_base_of_v<StmtNode, N> {
  return Stmt(new N(std::forward<Args>(args)...));
}
/// Like `make`, with the origin of the statement that it replaces.
template <typename N, typename... Args>
Stmt make_from(Origin origin, Args&&... args) requires std::is_base_of_v<StmtNode, N> {
  N* node = new N(std::forward<Args>(args)...);
  node->origin = std::move(origin);
  return Stmt(node);
}
/// A sequence without nested sequences and nulls; a single statement stays itself.
Stmt seq(std::vector<Stmt> stmts);

}  // namespace tw::ir
