#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/schedule/legality/single_block_nest.h"
#include "engine/schedule/legality/structure.h"

namespace tw::primitive_blockize {
namespace {

using namespace ir;

/// A tensor of the declaration, and the elements of the program that it is.
struct Formal {
  Buffer buffer;
  Expr given;   ///< a Load over the nest's loops
  Expr inside;  ///< the same element in the behaviour
  Operand operand;
  bool reads = false, writes = false;
};

/// Makes a declaration of the nest itself.
class Declaring {
public:
  Declaring(SingleBlockNest const& nest, std::string name) : nest_(nest), name_(std::move(name)) {
    Expr element = load(nest.buffer, nest.indices);
    formals_.push_back(formal(element));
    formals_[0].writes = true;
    walk(nest.value, [&](Expr const& e) {
      if (!e.as<Load>()) return true;
      known(e).reads = true;
      return false;
    });
  }

  std::vector<Formal> const& formals() const { return formals_; }

  Intrinsic declaration() const {
    IntrinsicNode node{.name = name_};
    for (Formal const& one : formals_)
      node.params.push_back(tensor_param(!one.writes ? ParamKind::kRead
                                         : one.reads ? ParamKind::kUpdate
                                                     : ParamKind::kWrite,
                                         one.buffer));
    for (size_t i = 0; i < scalars().size(); ++i) node.params.push_back(scalar_param(number(i)));
    Stmt body = make<Store>(formals_[0].buffer, formals_[0].inside.to<Load>().indices, value());
    for (size_t i = nest_.loops.size(); i-- > 0;)
      body = make<For>(LoopId{int32_t(i)}, counter(*nest_.loops[i]), nest_.loops[i]->extent,
                       LoopKind::kSerial, body);
    node.behaviour = substitute(body, own_names());
    return declare(std::move(node)).value();
  }

  std::vector<Operand> operands() const {
    std::vector<Operand> operands;
    for (Formal const& one : formals_) operands.push_back(one.operand);
    for (IterVar const& iter : scalars()) operands.push_back({iter.var, {}});
    return operands;
  }

private:
  /// Iterators of which the value is made, outside of tensors' indices.
  std::vector<IterVar> scalars() const {
    std::vector<IterVar> used;
    Expr own = value();
    for (IterVar const& iter : nest_.iters)
      if (uses_variable(own, iter.name())) used.push_back(iter);
    return used;
  }

  Expr value() const { return in_the_declaration(nest_.value); }

  Expr in_the_declaration(Expr const& e) const {
    if (e.as<Load>())
      for (Formal const& one : formals_)
        if (equal(one.given, e)) return one.inside;
    struct Parts : Rewriter {
      using Rewriter::visit;
      Declaring const* owner;
      Expr visit(Expr const& part) override { return owner->in_the_declaration(part); }
    } parts;
    parts.owner = this;
    return parts.rebuild(e);
  }

  Formal& known(Expr const& element) {
    auto found = std::ranges::find_if(formals_,
                                      [&](Formal const& one) { return equal(one.given, element); });
    if (found != formals_.end()) return *found;
    formals_.push_back(formal(element));
    return formals_.back();
  }

  Formal formal(Expr const& element) const {
    auto const& read = element.to<Load>();
    Formal one{.buffer = {}, .given = element, .inside = {}, .operand = {}};
    BufferNode node{
        .name = fmt::format("t{}", formals_.size()), .type = read.type, .shape = {}, .scope = ""};
    std::vector<Expr> inside;
    Substitution to_axes;
    for (For const* loop : nest_.loops) {
      bool runs = std::ranges::any_of(
          read.indices, [&](Expr const& index) { return uses_variable(index, loop->name()); });
      if (!runs) continue;
      add_axis(one.operand, node, loop->extent);
      to_axes[loop->name()] = one.operand.axes.back().var;
      inside.push_back(loop->var);
    }
    if (inside.empty()) {
      add_axis(one.operand, node, int_imm(1));
      inside.push_back(int_imm(0));
    }
    std::vector<Expr> indices;
    for (Expr const& index : read.indices)
      indices.push_back(arith::simplify(substitute(index, to_axes), nest_.ranges));
    one.operand.value = load(read.buffer, std::move(indices));
    one.buffer = std::make_shared<BufferNode const>(std::move(node));
    one.inside = load(one.buffer, std::move(inside));
    return one;
  }

  void add_axis(Operand& operand, BufferNode& node, Expr const& extent) const {
    std::string wanted = fmt::format("{}._{}", node.name, node.shape.size());
    operand.axes.push_back({var(free_axis_name(nest_, wanted)), extent});
    node.shape.push_back(extent);
  }

  // Loops and iterators may be called as anything; the declaration's own are numbered.
  Expr counter(For const& loop) const {
    return var(fmt::format("l{}", std::ranges::find(nest_.loops, &loop) - nest_.loops.begin()));
  }
  static std::string number(size_t i) { return fmt::format("n{}", i); }
  Substitution own_names() const {
    Substitution by;
    for (For const* loop : nest_.loops) by[loop->name()] = counter(*loop);
    std::vector<IterVar> used = scalars();
    for (size_t i = 0; i < used.size(); ++i) by[used[i].name()] = var(number(i));
    return by;
  }

  SingleBlockNest const& nest_;
  std::string name_;
  std::vector<Formal> formals_;
};

bool reads_elements(Expr const& e) {
  bool found = false;
  walk(e, [&](Expr const& part) { return found = found || part.as<Load>(), !found; });
  return found;
}

std::expected<void, Refusal> check_formals(Declaring const& declaring, SingleBlockNest const& nest,
                                           LoopSite const& top) {
  if (!writes_each_once(nest, declaring.formals()[0].operand))
    return refuse(
        "writes_elements_twice",
        fmt::format("the elements of {} that the nest writes cannot be shown to be distinct",
                    nest.buffer->name),
        "blockize: different elements of a written operand must be different elements of the "
        "tensor",
        {top});
  for (Formal const& one : declaring.formals()) {
    auto const& element = one.given.to<Load>();
    for (Expr const& index : element.indices)
      if (reads_elements(index))
        return refuse("chosen_by_data",
                      fmt::format("the elements {} are indexed by data", to_text(one.given)),
                      "blockize: every index must be an expression of the loops", {top});
    if (!one.writes && element.buffer->name == nest.buffer->name)
      return refuse("reads_what_it_writes",
                    fmt::format("{} is read and written at different elements: a call reads "
                                "everything before it writes",
                                element.buffer->name),
                    "blockize: the nest may read of the tensor it writes only the element it "
                    "updates",
                    {top});
  }
  return {};
}

/// It is one of the tensor's wherever the nest runs.
bool surely_exists(Load const& element, arith::Ranges const& ranges) {
  for (size_t d = 0; d < element.indices.size(); ++d) {
    auto range = arith::bounds(element.indices[d], ranges);
    auto extent = as_int(element.buffer->shape[d]);
    if (!range || !extent || range->low < 0 || range->high >= *extent) return false;
  }
  return true;
}

/// What is read under a condition may not exist where that does not hold.
bool reads_under_a_condition(SingleBlockNest const& nest) {
  bool found = false;
  walk(nest.value, [&](Expr const& e) {
    auto const* choice = e.as<Select>();
    auto look = [&](Expr const& part) {
      walk(part, [&](Expr const& x) {
        auto const* read = x.as<Load>();
        found = found || (read && !surely_exists(*read, nest.ranges));
        return !found;
      });
    };
    if (choice) look(choice->a), look(choice->b);
    return !found;
  });
  return found;
}

std::string declared_name(Program const& program, std::string const& block) {
  std::set<std::string> taken;
  for (Intrinsic const& known : intrinsics_of(program.body)) taken.insert(known->name);
  std::string name = block + "_nest";
  for (int number = 1; taken.contains(name); ++number)
    name = fmt::format("{}_nest{}", block, number);
  return name;
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  auto nest = single_block_nest(request, "blockize");
  if (!nest) return std::unexpected(nest.error());
  if (auto apart = instances_stay_apart(request, *nest, "blockize"); !apart)
    return std::unexpected(apart.error());
  if (reads_under_a_condition(*nest))
    return refuse("reads_under_a_condition",
                  fmt::format("{} reads elements under a condition: they may not exist otherwise",
                              nest->site.block->name),
                  "blockize: a call reads all of its operands", {request.loops[0]});
  Declaring declaring(*nest, "");
  if (auto good = check_formals(declaring, *nest, request.loops[0]); !good)
    return std::unexpected(good.error());
  return Proof{"the call computes what the nest computed"};
}

Applied apply(StepRequest const& request) {
  SingleBlockNest nest = single_block_nest(request, "blockize").value();
  Declaring declaring(nest, declared_name(request.program, nest.site.block->name));
  return with_call(request, nest, declaring.declaration(), declaring.operands());
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "blockize",
      .key = "Shift+Z",
      .title = "Turn a nest into one call",
      .doc =
          "Replaces the loop, with everything inside it, by one call that does the same, so that "
          "other steps move it as a whole. Where the target has no such instruction, lowering "
          "puts the loops back.",
      .rewrite = "for i: for j in 4: T[i, j] = ...  -- at j -->  for i: call T_nest(T[i, 0..4])",
      .refused = "cannot be made one call",
      .check = check,
      .apply = apply,
      .looks_into_blocks = true,
      .open_sizes = OpenSizes{},
      .refuses = {"calls_would_meet", "chosen_by_data", "extent_unknown", "guarded_nest",
                  "loop_annotated", "not_one_block", "not_one_store", "not_only_blocks",
                  "opaque_block", "order_matters", "parts_do_not_separate",
                  "reads_under_a_condition", "reads_what_it_writes", "starts_a_sum",
                  "writes_elements_twice"},
  };
  return primitive;
}

}  // namespace tw::primitive_blockize
