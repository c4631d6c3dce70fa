#include "engine/ir/terms.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/rewrite.h"

namespace tw::ir {
namespace {

/// The terms that the elements of one tensor have.
class Terms {
public:
  /// The element starts again: its terms so far are forgotten.
  void start(int64_t element) { ++starts_[element]; }
  /// False: the element has this term already.
  bool add(int64_t element, int64_t term) {
    return seen_.insert({element, starts_[element], term}).second;
  }

private:
  struct Key {
    int64_t element, start, term;
    bool operator==(Key const&) const = default;
  };
  struct Hash {
    size_t operator()(Key const& key) const {
      uint64_t h = uint64_t(key.element) * 0x9E3779B97F4A7C15u + uint64_t(key.start);
      return size_t((h ^ (h >> 29)) * 0xBF58476D1CE4E5B9u + uint64_t(key.term));
    }
  };
  std::unordered_map<int64_t, int64_t> starts_;
  std::unordered_set<Key, Hash> seen_;
};

class Counter {
public:
  explicit Counter(StopToken stop) : stop_(std::move(stop)) {}

  Status run(Program const& program, std::vector<NDArray> const& inputs) {
    for (size_t i = 0; i < program.inputs.size(); ++i)
      evaluator_.bind(program.inputs[i]->name, inputs[i]);
    for (Buffer const& output : program.outputs) make(*output);
    visit(program.body);
    if (evaluator_.failed()) return std::unexpected(evaluator_.error());
    return {};
  }

private:
  struct Write {
    int buffer = -1;
    std::vector<Compiled> indices;
    Compiled value;
  };
  struct Code {
    std::vector<Compiled> bindings;
    std::vector<int> slots;
    Compiled predicate;
    Write init, body;
    bool counted = false;  ///< a sum or a product: another term would change it
  };

  void make(BufferNode const& buffer) {
    auto array = NDArray::create(buffer.type, constant_shape(buffer).value_or(Shape{}));
    if (!array) return evaluator_.fail(array.error());
    int slot = evaluator_.buffer_slot(buffer.name);
    evaluator_.bind(slot, std::move(*array));
    terms_[slot] = {};
  }

  Write write_of(Stmt const& s) {
    if (s && s.as<IntrinsicCall>())
      evaluator_.fail(Error{"call_not_counted",
                            "the terms of a call cannot be counted: calls must be expanded first",
                            {},
                            Fault::kRefused});
    auto const* store = s ? s.as<Store>() : nullptr;
    if (!store) return {};  // a prefetch changes nothing
    Write write{evaluator_.buffer_slot(store->buffer->name), {}, evaluator_.compile(store->value)};
    for (Expr const& index : store->indices) write.indices.push_back(evaluator_.compile(index));
    return write;
  }

  Code const& code_of(Block const& block) {
    auto [at, added] = codes_.try_emplace(block.id);
    Code& code = at->second;
    if (!added) return code;
    for (IterVar const& iter : block.iters) {
      code.bindings.push_back(evaluator_.compile(iter.binding));
      code.slots.push_back(evaluator_.slot(iter.name()));
    }
    if (block.predicate) code.predicate = evaluator_.compile(block.predicate);
    code.init = write_of(block.init);
    code.body = write_of(block.body);
    auto reduction = reduction_of(block);
    code.counted =
        reduction && (reduction->op == BinaryOp::kAdd || reduction->op == BinaryOp::kMul);
    return code;
  }

  /// The element that was written; -1: none.
  int64_t execute(Write const& write) {
    if (write.buffer < 0 || evaluator_.failed()) return -1;
    int64_t at = evaluator_.offset(write.buffer, write.indices, 0);
    Scalar value = evaluator_.value(write.value, 0);
    if (evaluator_.failed()) return -1;
    evaluator_.write(write.buffer, at, value);
    return at;
  }

  void run(Block const& block) {
    if ((++runs_ & 0xFFFF) == 0 && stop_.stop_requested())
      return evaluator_.fail(Error{"cancelled", "cancelled", {}, Fault::kEnvironment});
    Code const& code = code_of(block);
    if (code.predicate.valid() && !evaluator_.integer(code.predicate, 0)) return;
    int64_t term = 0;
    std::vector<int64_t> values;
    for (Compiled binding : code.bindings) values.push_back(evaluator_.integer(binding, 0));
    for (size_t i = 0; i < values.size(); ++i) {
      evaluator_.set(code.slots[i], values[i]);
      if (block.iters[i].kind == IterKind::kReduce)
        term = term * as_int(block.iters[i].extent).value_or(1) + values[i];
    }
    if (term == 0 && code.init.buffer >= 0)
      if (int64_t at = execute(code.init); at >= 0) terms_[code.init.buffer].start(at);
    int64_t at = execute(code.body);
    if (at < 0) return;
    Terms& terms = terms_[code.body.buffer];
    if (!code.counted)
      terms.start(at);
    else if (!terms.add(at, term))
      fail(block, at, values);
  }

  void fail(Block const& block, int64_t at, std::vector<int64_t> const& values) {
    std::string term;
    for (size_t i = 0; i < values.size(); ++i)
      if (block.iters[i].kind == IterKind::kReduce)
        term +=
            fmt::format("{}{} = {}", term.empty() ? "" : ", ", block.iters[i].name(), values[i]);
    evaluator_.fail(
        Error{"term_twice",
              fmt::format("block {} adds the term {} a second time, to element {} of {}",
                          block.name, term, at, block.body.to<Store>().buffer->name),
              {},
              Fault::kRefused});
  }

  void visit(Stmt const& s) {
    if (evaluator_.failed()) return;
    if (auto const* loop = s.as<For>()) {
      int slot = evaluator_.slot(loop->name());
      int64_t extent = as_int(loop->extent).value_or(0);
      for (int64_t i = 0; i < extent && !evaluator_.failed(); ++i) {
        evaluator_.set(slot, i);
        visit(loop->body);
      }
    } else if (auto const* alloc = s.as<Alloc>()) {
      make(*alloc->buffer);
      visit(alloc->body);
    } else if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) visit(child);
    } else if (auto const* block = s.as<Block>()) {
      run(*block);
    }
  }

  StopToken stop_;
  ExprEvaluator evaluator_;
  std::map<BlockId, Code> codes_;
  std::unordered_map<int, Terms> terms_;  ///< by the buffer's slot
  int64_t runs_ = 0;
};

}  // namespace

double block_runs(Program const& program) {
  double runs = 0;
  for (BlockSite const& site : blocks_of(program.body)) {
    double points = 1;
    for (For const* loop : site.loops) points *= double(as_int(loop->extent).value_or(1));
    runs += points;
  }
  return runs;
}

Status verify_terms(Program const& program, std::vector<NDArray> const& inputs, StopToken stop) {
  return Counter(std::move(stop)).run(program, inputs);
}

}  // namespace tw::ir
