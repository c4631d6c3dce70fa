/// What the interpreter runs: statements whose expressions are resolved to slots, and the state of
/// those that run them. Of the interpreter alone.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/interpreter.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/race_record.h"
#include "engine/ir/stmt.h"
#include "engine/support/base/random.h"

namespace tw::ir {

struct Callee;

/// A statement with its expressions resolved to slots.
struct Code {
  Stmt source;
  int slot = -1;
  LoopKind loop_kind = LoopKind::kSerial;
  std::vector<Compiled> exprs;  // extent | indices then value | condition | value
  std::vector<int> iter_slots;
  std::vector<Compiled> iter_extents;
  std::vector<IterKind> iter_kinds;
  Compiled predicate;
  int buffer = -1;
  int lanes = 1;
  bool together = false;  ///< threads meet in it: a bound loop, a barrier, a tensor that they share
  bool for_all = false;   ///< all threads of a block do: not those of a role or a warp alone
  bool awaits = false;    ///< one role waits for another in it
  std::vector<std::unique_ptr<Code>> children;
  std::unique_ptr<Callee> callee;
};
using CodePtr = std::unique_ptr<Code>;

/// An operand of a call: a number, or a tensor's elements as the axes run.
struct Passed {
  int formal = -1;                       // slot of the parameter in the callee
  int buffer = -1;                       // of the tensor that is handed over
  std::vector<int> axes;                 // slots
  std::vector<Compiled> extents, exprs;  // of the axes; indices, or the number
};

/// An element that a copy under way writes or reads.
struct Flight {
  int buffer = -1;
  NDArray tensor;
  int64_t element = 0;
  bool writes = false;
  bool updates = false;  ///< it writes what it reads, and others of its queue come after it
};

/// Copies that are waited for together.
struct CopyGroup {
  std::vector<Flight> flights;
  std::string call;  ///< the instruction that started the last one
};

/// What one queue has started and not waited for.
struct CopyQueue {
  std::vector<CopyGroup> groups;  ///< the oldest first
  CopyGroup open;                 ///< started and not put in a group
};

/// The copies under way that touch one element.
struct InFlight {
  int writers = 0, readers = 0;
  std::string updated_in = {};  ///< the queue of all that touch it, which update it; empty: not so
  std::shared_ptr<std::string const> iteration = {};  ///< that started the last one
  std::string call = {};
};

/// One of those that run iterations of bound loops at once: its variables, the tensors that it
/// sees, and which iterations it is.
struct Thread {
  ExprEvaluator::State state = {};
  std::vector<std::pair<For const*, int64_t>> at = {};
  int32_t number = 1;  ///< of all that were ever made
  int32_t block = 0;
  std::map<std::string, CopyQueue> queues = {};   ///< by name
  std::map<std::string, int64_t> registers = {};  ///< those that it has set
  Seen seen = {};                                 ///< where threads have roles
};

/// A barrier with phases: how many have arrived, and what who waits for it may rely on.
struct Phases {
  int64_t arrivals = 0, arrived = 0, over = 0;
  int32_t epoch = 0;              ///< when it was opened: others see that in the next one
  Seen arriving, arrived_before;  ///< in the phase at hand, in those that are over
  std::vector<CopyGroup> coming;  ///< copies that it is told of
};

class RoleTurns;
class StatementInterpreter;

/// Threads of a block that take sides of a condition below which they wait for phases.
class Roles {
public:
  explicit Roles(StatementInterpreter& machine) : machine_(machine) {}

  using Threads = std::vector<Thread*>;
  /// Two roles, each of which goes on until it has to wait for the other one.
  void run(Code const& code, std::array<Threads, 2> const& roles);
  void await(Code const& code, Threads const& threads);
  /// What the thread at hand does with a barrier but to wait for it.
  void use(IntrinsicNode const& intrinsic, Code const& code);
  void forget(NDArray const& tensor);

private:
  Phases* phases_of(Code const& code);
  /// Whether the thread at hand may go on; what it waits for stands in `waits`.
  bool passes(Code const& code, std::string& waits);
  void arrive(Phases& phases);

  StatementInterpreter& machine_;
  std::map<std::pair<void const*, int64_t>, Phases> phases_;  ///< by tensor and element
  RoleTurns* turns_ = nullptr;
};

/// A shuffle of all threads that stand there.
void run_shuffle(StatementInterpreter& machine, IntrinsicNode const& intrinsic, Code const& code,
                 std::vector<Thread*> const& threads);

/// Executes statements of one function. The first failure stops it.
class StatementInterpreter final : private AccessObserver {
public:
  explicit StatementInterpreter(InterpretOptions const& options);

  Status bind_sizes(std::vector<SizeParam> const& sizes);
  Result<Shape> shape_of(BufferNode const& buffer);
  Result<NDArray> fresh(BufferNode const& buffer);
  void bind(BufferNode const& buffer, NDArray array);
  Status run(Stmt const& body);

  /// For a run of the same again: the iteration that statement `step` is of.
  void watch(int64_t step) { watched_step_ = step; }
  std::string const& watched() const { return watched_; }
  /// Of the access that raced with the last one; 0: none did.
  int64_t raced_step() const { return raced_.step; }

private:
  // machine_code.cpp
  CodePtr compile(Stmt const& s);
  void compile(For const& node, Code& code);
  void compile(Block const& node, Code& code);
  void compile(Store const& node, Code& code);
  void compile(Seq const& node, Code& code);
  void compile(If const& node, Code& code);
  void compile(Let const& node, Code& code);
  void compile(Alloc const& node, Code& code);
  void compile(HintNode auto const&, Code&) {}  // nothing that a program could notice
  void compile(IntrinsicCall const& node, Code& code);
  Passed compile(IntrinsicParam const& param, Operand const& operand, StatementInterpreter& inner);

  // machine.cpp
  void execute(Code const& code);
  void execute(For const&, Code const& code);
  void execute(Block const&, Code const& code);
  void execute(Store const&, Code const& code);
  void execute(Seq const&, Code const& code);
  void execute(If const&, Code const& code);
  void execute(Let const&, Code const& code);
  void execute(Alloc const& node, Code const& code);
  void execute(HintNode auto const&, Code const&) {}
  void execute(IntrinsicCall const& node, Code const& code);
  void iterate(Code const& code, int64_t extent, bool free_order);
  void run_elsewhere(Code const& iteration);
  std::vector<int64_t> order_of(int64_t extent, bool free_order);
  /// Sets the iterators; whether the block runs, and whether its `init` does.
  bool enter_block(Code const& code, bool& first);
  bool count_step();
  std::string iteration_text();

  // machine_calls.cpp
  void refuse_call(IntrinsicNode const& intrinsic, std::string const& why);
  void check_registers(IntrinsicNode const& intrinsic, Callee const& callee);
  NDArray hand_over(IntrinsicParam const& param, Passed const& passed, StatementInterpreter& inner);
  void take_back(Passed const& passed, NDArray const& array);
  template <typename F>
  void for_elements(Passed const& passed, NDArray const& array, F const& f);

  // machine_flights.cpp
  void start_copy(IntrinsicNode const& intrinsic);
  void started_copy();
  /// Fails where the access comes too early for a copy under way.
  bool disturbs_flight(int buffer, NDArray const& tensor, int64_t element, bool writes);
  /// `queue`: null where others wait for it than who has started it.
  void land(CopyGroup const& group, std::string const* queue);
  void complete(IntrinsicNode const& intrinsic, int64_t groups);
  void check_landed(Thread const& thread);
  /// Fails where a copy under way still needs the tensor, which goes away here.
  void check_released(BufferNode const& buffer, NDArray const& tensor);

  // machine_threads.cpp
  using Threads = std::vector<Thread*>;
  void run_together(Code const& code, Threads const& threads);
  void together(For const& node, Code const& code, Threads const& threads);
  void together(Block const& node, Code const& code, Threads const& threads);
  void together(Store const&, Code const&, Threads const&) {}  // never met
  void together(Seq const& node, Code const& code, Threads const& threads);
  void together(If const& node, Code const& code, Threads const& threads);
  void together(Let const& node, Code const& code, Threads const& threads);
  void together(Alloc const& node, Code const& code, Threads const& threads);
  void together(HintNode auto const&, Code const&, Threads const&) {}
  void together(IntrinsicCall const& node, Code const& code, Threads const& threads);
  void run_bound(For const& node, Code const& code, Threads const& threads, int64_t extent);
  void run_blocks(For const& node, Code const& code, Thread const& from, int64_t extent);
  void run_threads(For const& node, Code const& code, Threads const& threads, int64_t extent);
  Thread made_from(Thread const& from, For const& node, Code const& code, int64_t iteration);
  bool is_launched(For const& node, Level level, Threads const& threads);
  /// The same in all threads, or a failure that names two that differ.
  int64_t agreed(Compiled e, Threads const& threads, std::string const& what);
  template <typename F>
  void as_each(Threads const& threads, F const& f);
  template <typename F>
  auto as_one(Thread& thread, F const& f);
  bool is_shared(BufferNode const& buffer) const;
  /// Bound loops around, without those of virtual threads, which one processor runs.
  size_t processor_loops(Thread const& thread) const;
  void touched(int buffer, NDArray const& tensor, int64_t element, bool writes) override;
  std::string element_text(int buffer, NDArray const& tensor, int64_t element);
  void fail_race(int buffer, NDArray const& tensor, int64_t element, bool writes);
  void fail(std::string code, std::string message);

  InterpretOptions const& options_;
  Rng rng_;
  ExprEvaluator evaluator_;
  Compiled const* mask_ = nullptr;
  int64_t steps_ = 0;
  int at_once_ = 0;  // loops around whose iterations run together
  std::vector<std::pair<std::string const*, int>> around_;  // loops, with their slots
  std::map<std::string, int64_t> registers_;                // outside of threads
  int operand_ = -1;  // slot of a tensor that goes back to where it came from
  // Of bound loops.
  Thread* current_ = nullptr;
  RaceRecord races_;
  Touch raced_;
  int32_t launch_ = 0, epoch_ = 0, threads_made_ = 1, blocks_made_ = 0;
  std::unordered_map<void const*, size_t> owners_;  // bound loops around a tensor of one thread
  // Of copies under way, by tensor and element.
  std::unordered_map<void const*, std::unordered_map<int64_t, InFlight>> in_flight_;
  std::shared_ptr<std::string const> starting_;  ///< the iteration of the copy that starts now
  std::string starting_queue_;                   ///< or that which lands
  bool updates_ = false;                         ///< the operand at hand is updated
  std::vector<Flight> starting_flights_;
  friend Roles;
  friend void run_shuffle(StatementInterpreter& machine, IntrinsicNode const& intrinsic,
                          Code const& code, std::vector<Thread*> const& threads);
  Roles roles_{*this};
  int64_t watched_step_ = 0;
  std::string watched_;
};

template <typename F>
auto StatementInterpreter::as_one(Thread& thread, F const& f) {
  struct Turn {
    StatementInterpreter& machine;
    Thread& thread;
    Thread* before;
    Turn(StatementInterpreter& m, Thread& t) : machine(m), thread(t), before(m.current_) {
      machine.evaluator_.exchange(thread.state);
      machine.current_ = &thread;
    }
    ~Turn() {
      machine.evaluator_.exchange(thread.state);
      machine.current_ = before;
    }
  } turn(*this, thread);
  return f();
}

/// What a call runs. It sees its operands only.
struct Callee {
  std::unique_ptr<StatementInterpreter> machine;
  CodePtr body;
  std::vector<Passed> passed;
  std::vector<Compiled> needs, sets;  // values of registers, of the scalar parameters
};

}  // namespace tw::ir
