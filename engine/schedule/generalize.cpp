#include "engine/schedule/generalize.h"

#include <algorithm>
#include <map>

#include "engine/arith/known_sizes.h"
#include "engine/ir/other_tensor.h"
#include "engine/ir/rewrite.h"

namespace tw {
namespace {

using namespace ir;

/// Whole numbers of a program in the order of its nodes, and what is left with zeros in their
/// place.
class Numbers : public Rewriter {
public:
  explicit Numbers(Program const& program) : skeleton(program) {
    skeleton.sizes.clear();
    for (auto* list : {&skeleton.inputs, &skeleton.outputs})
      for (Buffer& buffer : *list) buffer = tensor(buffer);
    skeleton.body = visit(program.body);
  }

  Expr visit(Expr const& e) override {
    if (auto const* number = e.as<IntImm>(); number && number->type == DType::kI64) {
      numbers.push_back(number->value);
      return int_imm(0);
    }
    Expr next = rebuild(e);
    auto const* read = next.as<Load>();
    return read ? load(tensor(read->buffer), read->indices) : next;
  }
  Stmt visit(Stmt const& s) override {
    Stmt next = rebuild(s);
    if (auto const* store = next.as<Store>())
      return make_from<Store>(store->origin, tensor(store->buffer), store->indices, store->value);
    if (auto const* alloc = next.as<Alloc>())
      return make_from<Alloc>(alloc->origin, tensor(alloc->buffer), alloc->body);
    return next;
  }

  std::vector<int64_t> numbers;
  Program skeleton;

private:
  Buffer tensor(Buffer const& buffer) {
    BufferNode node = *buffer;
    for (Expr& extent : node.shape) extent = visit(extent);
    return std::make_shared<BufferNode const>(std::move(node));
  }
};

/// Puts expressions in the place of those numbers, in the same order.
class Placing : public Rewriter {
public:
  explicit Placing(std::vector<Expr> list) : list_(std::move(list)) {}

  Program placed(Program program) {
    for (auto* list : {&program.inputs, &program.outputs})
      for (Buffer& buffer : *list) buffer = tensor(buffer);
    program.body = visit(program.body);
    return program;
  }

  Expr visit(Expr const& e) override {
    if (auto const* number = e.as<IntImm>(); number && number->type == DType::kI64) {
      Expr const& by = list_[next_++];
      return is_int(by, number->value) ? e : by;
    }
    return with_other_tensor(rebuild(e), [&](Buffer const& one) { return tensor(one); });
  }
  Stmt visit(Stmt const& s) override {
    return with_other_tensor(rebuild(s), [&](Buffer const& one) { return tensor(one); });
  }

private:
  Buffer tensor(Buffer const& buffer) {
    BufferNode node = *buffer;
    bool same = true;
    for (Expr& extent : node.shape) {
      Expr next = visit(extent);
      same = same && next.same_as(extent);
      extent = std::move(next);
    }
    return same ? buffer : std::make_shared<BufferNode const>(std::move(node));
  }

  std::vector<Expr> list_;
  size_t next_ = 0;
};

/// A number of the program for each of the instances that look alike.
using Row = std::vector<int64_t>;

/// Expressions of the sizes, and what they are for each of those instances.
struct Candidate {
  Expr expression;
  Row row;
};

class Candidates {
public:
  Candidates(Program const& open, std::vector<std::vector<int64_t>> const& values)
      : sizes_(open.sizes), values_(values) {
    for (SizeParam const& size : sizes_) add(size.var);
    auto look = [&](Expr const& e) { walk(e, [&](Expr const& part) { return add(part), true; }); };
    walk_exprs(open.body, [&](Expr const& e) { return add(e), true; });
    walk(open.body, [&](Stmt const& s) {
      if (auto const* alloc = s.as<Alloc>())
        for (Expr const& extent : alloc->buffer->shape) look(extent);
      return true;
    });
    for (auto const* list : {&open.inputs, &open.outputs})
      for (Buffer const& buffer : *list)
        for (Expr const& extent : buffer->shape) look(extent);
  }

  /// A number, an expression or a size times a number, and a constant more.
  Expr of(Row const& row) const {
    if (std::ranges::all_of(row, [&](int64_t value) { return value == row.front(); }))
      return int_imm(row.front());
    for (Candidate const& one : list_)
      if (Expr found = shifted(one, 1, row)) return found;
    for (Candidate const& one : list_)
      if (int64_t factor = slope(one, row); factor != 0)
        if (Expr found = shifted(one, factor, row)) return found;
    return nullptr;
  }

private:
  void add(Expr const& e) {
    if (e.type() != DType::kI64 || e.lanes() != 1 || as_int(e) || !of_sizes(e)) return;
    if (std::ranges::any_of(list_, [&](Candidate const& one) { return equal(one.expression, e); }))
      return;
    Candidate candidate{e, {}};
    for (std::vector<int64_t> const& values : values_) {
      auto value = as_int(arith::KnownSizes(sizes_, values).visit(e));
      if (!value) return;
      candidate.row.push_back(*value);
    }
    list_.push_back(std::move(candidate));
  }

  bool of_sizes(Expr const& e) const {
    bool plain = true;
    walk(e, [&](Expr const& part) {
      auto const* used = part.as<Variable>();
      auto is_size = [&](SizeParam const& size) {
        return size.var.to<Variable>().name == used->name;
      };
      plain = plain && !part.as<Load>() && (!used || std::ranges::any_of(sizes_, is_size));
      return plain;
    });
    return plain;
  }

  static Expr shifted(Candidate const& one, int64_t factor, Row const& row) {
    int64_t constant = row.front() - factor * one.row.front();
    for (size_t i = 0; i < row.size(); ++i)
      if (row[i] != factor * one.row[i] + constant) return nullptr;
    Expr scaled = one.expression * factor;
    return constant < 0 ? scaled - (-constant) : scaled + constant;
  }

  static int64_t slope(Candidate const& one, Row const& row) {
    for (size_t i = 1; i < row.size(); ++i) {
      int64_t by = one.row[i] - one.row.front(), change = row[i] - row.front();
      if (by != 0) return change % by == 0 ? change / by : 0;
    }
    return 0;
  }

  std::vector<SizeParam> const& sizes_;
  std::vector<std::vector<int64_t>> const& values_;
  std::vector<Candidate> list_;
};

/// Those of the instances that most others look like.
std::vector<size_t> most_alike(std::vector<Numbers> const& all) {
  std::map<uint64_t, std::vector<size_t>> groups;
  for (size_t i = 0; i < all.size(); ++i) groups[hash(all[i].skeleton)].push_back(i);
  std::vector<size_t> most;
  for (auto const& [key, group] : groups)
    if (group.size() > most.size()) most = group;
  std::erase_if(most, [&](size_t i) {
    return all[i].numbers.size() != all[most.front()].numbers.size() ||
           !equal(all[i].skeleton, all[most.front()].skeleton);
  });
  return most;
}

}  // namespace

std::optional<Generalized> generalized(Program const& open,
                                       std::vector<Instance> const& instances) {
  std::vector<Numbers> numbers;
  for (Instance const& one : instances) numbers.emplace_back(one.program);
  std::vector<size_t> alike = most_alike(numbers);
  std::vector<std::vector<int64_t>> values;
  for (size_t i : alike) values.push_back(instances[i].values);
  Candidates candidates(open, values);
  std::vector<Expr> expressions;
  for (size_t at = 0; at < numbers[alike.front()].numbers.size(); ++at) {
    Row row;
    for (size_t i : alike) row.push_back(numbers[i].numbers[at]);
    Expr expression = candidates.of(row);
    if (!expression) return std::nullopt;
    expressions.push_back(std::move(expression));
  }
  Generalized result{instances[alike.front()].program, alike.front()};
  result.program = Placing(std::move(expressions)).placed(std::move(result.program));
  result.program.sizes = open.sizes;
  return result;
}

}  // namespace tw
