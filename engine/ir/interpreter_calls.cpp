#include <fmt/format.h>

#include "engine/ir/intrinsic.h"
#include "engine/ir/statement_interpreter.h"
#include "engine/ir/stmt.h"

namespace tw::ir {

/// The behaviour runs on tensors of its own: copies of what it reads, and of what it writes
/// afterwards. So an access outside of an operand shows, and an element not written is poison.
void StatementInterpreter::execute(IntrinsicCall const& node, Code const& code) {
  if (!count_step()) return;
  IntrinsicNode const& intrinsic = *node.intrinsic;
  if (mask_) return refuse_call(intrinsic, "its call is under a mask");
  if (intrinsic.barrier && at_once_ > 0)
    return refuse_call(intrinsic,
                       "a barrier is inside a loop whose iterations run together, but the "
                       "interpreter runs them one after the other");
  if (intrinsic.completion == Completion::kCommits || intrinsic.completion == Completion::kWaits) {
    bool counts = !code.callee->passed.empty();
    return complete(intrinsic, counts ? evaluator_.integer(code.callee->passed[0].exprs[0], 0) : 0);
  }
  if (has_phases(intrinsic.completion)) return roles_.use(intrinsic, code);
  if (shuffles(intrinsic.completion)) return refuse_call(intrinsic, "it is in no thread");
  StatementInterpreter& inner = *code.callee->machine;
  start_copy(intrinsic);
  std::vector<NDArray> arrays;
  for (size_t i = 0; i < intrinsic.params.size() && !evaluator_.failed(); ++i) {
    updates_ = starting_ && intrinsic.params[i].kind == ParamKind::kUpdate;
    arrays.push_back(hand_over(intrinsic.params[i], code.callee->passed[i], inner));
  }
  if (!evaluator_.failed()) check_registers(intrinsic, *code.callee);
  if (!evaluator_.failed() && code.callee->body) inner.execute(*code.callee->body);
  if (inner.evaluator_.failed()) evaluator_.fail(inner.evaluator_.error());
  for (size_t i = 0; i < intrinsic.params.size() && !evaluator_.failed(); ++i) {
    updates_ = starting_ && intrinsic.params[i].kind == ParamKind::kUpdate;
    if (intrinsic.params[i].writes()) take_back(code.callee->passed[i], arrays[i]);
  }
  started_copy();
}

/// The registers are the thread's own.
void StatementInterpreter::check_registers(IntrinsicNode const& intrinsic, Callee const& callee) {
  if (!options_.registers) return;
  ExprEvaluator& of_call = callee.machine->evaluator_;
  std::map<std::string, int64_t>& held = current_ ? current_->registers : registers_;
  for (size_t i = 0; i < intrinsic.needs.size(); ++i) {
    std::string const& name = intrinsic.needs[i].name;
    int64_t needed = of_call.integer(callee.needs[i], 0);
    auto there = held.find(name);
    if (there != held.end() && there->second == needed) continue;
    return fail("wrong_register",
                fmt::format("{} needs {} = {}, but in iteration {} {}", intrinsic.name, name,
                            needed, iteration_text(),
                            there == held.end() ? "it was not set"
                                                : fmt::format("it is {}", there->second)));
  }
  for (size_t i = 0; i < intrinsic.sets.size(); ++i)
    held[intrinsic.sets[i].name] = of_call.integer(callee.sets[i], 0);
}

void StatementInterpreter::refuse_call(IntrinsicNode const& intrinsic, std::string const& why) {
  fail("call_not_interpreted", fmt::format("{} cannot be interpreted: {}", intrinsic.name, why));
}

/// Calls `f(element of the operand, element of the tensor)`.
template <typename F>
void StatementInterpreter::for_elements(Passed const& passed, NDArray const& array, F const& f) {
  for (int64_t at = 0; at < array.size() && !evaluator_.failed(); ++at) {
    int64_t rest = at;
    for (size_t d = passed.axes.size(); d-- > 0;) {
      evaluator_.set(passed.axes[d], rest % array.shape()[d]);
      rest /= array.shape()[d];
    }
    int64_t place = evaluator_.offset(passed.buffer, passed.exprs, 0);
    if (!evaluator_.failed()) f(at, place);
  }
}

NDArray StatementInterpreter::hand_over(IntrinsicParam const& param, Passed const& passed,
                                        StatementInterpreter& inner) {
  if (!param.buffer) {
    inner.evaluator_.set_value(passed.formal, evaluator_.value(passed.exprs[0], 0));
    return {};
  }
  auto array = inner.fresh(*param.buffer);
  if (!array) return evaluator_.fail(array.error()), NDArray();
  for (size_t d = 0; d < passed.extents.size(); ++d)
    if (int64_t extent = evaluator_.integer(passed.extents[d], 0); extent != array->shape()[d])
      fail("operand_mismatch", fmt::format("dimension {} of {} is {}, but {} are passed", d,
                                           param.name(), array->shape()[d], extent));
  inner.evaluator_.bind(passed.formal, *array);
  if (param.reads())
    for_elements(passed, *array, [&](int64_t at, int64_t from) {
      inner.evaluator_.write(passed.formal, at, evaluator_.read(passed.buffer, from));
    });
  return *array;
}

void StatementInterpreter::take_back(Passed const& passed, NDArray const& array) {
  evaluator_.bind(operand_, array);
  for_elements(passed, array, [&](int64_t at, int64_t to) {
    evaluator_.write(passed.buffer, to, evaluator_.read(operand_, at));
  });
}

}  // namespace tw::ir
