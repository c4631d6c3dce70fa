/// Declarations of intrinsics: instructions of a machine as data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/handles.h"
#include "engine/support/base/error.h"

namespace tw::ir {

enum class ParamKind : uint8_t { kScalar, kRead, kWrite, kUpdate };

/// What a call must hand over. For kScalar a number (`var`, a Variable, names it); else elements of
/// a tensor of `buffer`'s type and shape, which may be made of scalars before it. Of its scope,
/// too, unless that is empty: "global" takes what is known when the model is loaded as well.
/// kWrite: every element is written; kUpdate: read, and some or all written.
struct IntrinsicParam {
  ParamKind kind = ParamKind::kScalar;
  Expr var;
  Buffer buffer;
  bool reads() const { return kind == ParamKind::kRead || kind == ParamKind::kUpdate; }
  bool writes() const { return kind == ParamKind::kWrite || kind == ParamKind::kUpdate; }
  std::string const& name() const;
  /// Whether a tensor of that scope lies where the operand must.
  bool takes_scope(std::string_view scope) const;
};

/// A configuration register of a machine, and what it holds.
struct RegisterValue {
  std::string name;
  Expr value;  ///< a whole number of the scalar parameters
};

/// When what a call does is done.
enum class Completion : uint8_t {
  kAtOnce,   ///< before the next statement
  kStarted,  ///< by a wait for its group: until then nobody may use what it writes or overwrite
             ///< what it reads
  kCommits,  ///< it ends a group of those that were started
  kWaits,    ///< when at most as many groups as its one number says are under way
  // Of a barrier with phases, the word of shared memory that it is handed (order::PhaseBarrier):
  kOpens,     ///< its first phase begins; each is over when as many as its number says have arrived
  kArrives,   ///< the thread has arrived at the phase that is not over yet
  kDelivers,  ///< the same, as soon as all copies that the thread has started are done
  kAwaits,    ///< until the phase of its number is over; that of -1 is at the beginning
  kShuffles,  ///< at once, by the threads of a group together (`shuffles`)
};
/// Whether it is of a barrier with phases.
constexpr bool has_phases(Completion completion) {
  return completion >= Completion::kOpens && completion <= Completion::kAwaits;
}
/// Whether each thread gets what another one hands over: its four operands are the tensor that it
/// writes, the one that it reads, and two numbers, `lanes` and `step`. Threads are counted along
/// their loops, the innermost fastest; those of `lanes` numbers from a multiple of it on are a
/// group, all of which call it together, and thread t gets what thread t ^ step reads.
constexpr bool shuffles(Completion completion) { return completion == Completion::kShuffles; }

/// In a declaration's text: "async", "commits", "waits", "opens", "arrives", "delivers", "awaits",
/// "shuffles".
std::string_view word_of(Completion completion);

/// One instruction. The declaration is all that anybody knows of it: a call refers to it, and a
/// program's text lists the declarations of its calls before the program.
struct IntrinsicNode {
  std::string name;
  std::string doc;  ///< a sentence; not part of equality
  std::vector<IntrinsicParam> params;
  /// What runs before it is over when it runs, and what comes after has not begun: no access moves
  /// across it. A wait is a barrier, too.
  bool barrier = false;
  Completion completion = Completion::kAtOnce;
  /// Of what is started, committed or waited for: those of one queue are done one after the other,
  /// so that one may update what another one of them still updates. Empty: that of copies.
  std::string queue = {};
  /// The state of the machine that it works by: registers that must hold these values when it runs.
  std::vector<RegisterValue> needs = {};
  /// Registers that hold these values from then on. What sets some does nothing else.
  std::vector<RegisterValue> sets = {};
  /// The device function (`KernelIr::device`) that a call starts, with its operands as parameters;
  /// empty: none. Then that function's body is what it does, and `behaviour` is null.
  std::string function = {};
  Stmt behaviour;  ///< over the parameters, without blocks and calls; null: it changes nothing
};

/// A declaration checked by the rules: parameters with names of their own, a behaviour that reads
/// and writes what the parameters say and nothing else. Errors: invalid_intrinsic.
Result<Intrinsic> declare(IntrinsicNode node);
Status verify(IntrinsicNode const& intrinsic);

/// The distinct declarations that the calls of a statement refer to, in the order of the calls.
std::vector<Intrinsic> intrinsics_of(Stmt const& body);

IntrinsicParam scalar_param(std::string name, DType type = DType::kI64);
IntrinsicParam tensor_param(ParamKind kind, Buffer buffer);
/// All elements of a box of `extents` that begins at `begin`; one axis for each dimension.
Operand box_operand(Buffer const& buffer, std::vector<Expr> const& begin,
                    std::vector<int64_t> const& extents);

}  // namespace tw::ir
