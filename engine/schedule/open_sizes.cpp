#include "engine/schedule/open_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/generalize.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/names.h"

namespace tw {
namespace {

using namespace ir;

std::unexpected<Refusal> refuse_sizes(std::string code, std::string message,
                                      std::string condition) {
  Refusal refusal;
  refusal.code = std::move(code);
  refusal.message = std::move(message);
  refusal.condition = std::move(condition);
  return std::unexpected(std::move(refusal));
}

std::string name_of(SizeParam const& size) { return size.var.to<Variable>().name; }

/// "T=4, U=2"
std::string values_text(Program const& program, std::vector<int64_t> const& values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}={}", i ? ", " : "", name_of(program.sizes[i]), values[i]);
  return text;
}

/// "the size T", "the sizes T, U"
std::string names_text(Program const& program) {
  std::string text;
  for (SizeParam const& size : program.sizes) text += (text.empty() ? "" : ", ") + name_of(size);
  return (program.sizes.size() == 1 ? "the size " : "the sizes ") + text;
}

/// What is left of a guard: without the parts that always hold; false, where one never does.
Expr needed(Expr const& guard, arith::Ranges const& ranges) {
  Expr left;
  for (Expr const& part : conjuncts(guard)) {
    if (arith::never(part, ranges)) return bool_imm(false);
    if (!arith::always(part, ranges)) left = left ? left && part : part;
  }
  return left;
}

/// Counters of loops of one iteration are gone from bindings, or there still: such a loop may have
/// more iterations for other values.
enum class Single : uint8_t { kGone, kKept };

/// Guards and bindings of blocks as a step leaves them.
Stmt with_plain_guards(Stmt const& body, Single single) {
  Stmt plain = body;
  for (BlockSite const& site : blocks_of(body)) {
    Block const& block = *site.block;
    arith::Ranges ranges = ranges_of(site.loops);
    if (single == Single::kKept)
      for (For const* loop : site.loops)
        if (is_int(loop->extent, 1)) ranges.erase(loop->name());
    std::vector<IterVar> iters = block.iters;
    for (IterVar& iter : iters) iter.binding = arith::simplify(iter.binding, ranges);
    Expr guard = block.predicate ? needed(block.predicate, ranges) : nullptr;
    plain = replace_block(plain, block.id,
                          make_from<Block>(block.origin, block.id, block.name, block.op,
                                           std::move(iters), guard, block.init, block.body));
  }
  return plain;
}

Program closed(Program const& program, std::vector<int64_t> const& values, Single single) {
  arith::KnownSizes known(program.sizes, values);
  Program with = program;
  with.sizes.clear();
  for (auto* list : {&with.inputs, &with.outputs})
    for (Buffer& buffer : *list) buffer = known.tensor(buffer);
  Stmt const body = known.visit(program.body);
  with.body = with_plain_guards(body, single);
  return with;
}

/// Loops of one iteration are gone, which other values may have more of.
Stmt without_single_loops(Stmt const& body) {
  return rewrite_stmts(body, [](Stmt const& s) -> Stmt {
    auto const* loop = s.as<For>();
    bool single = loop && loop->loop_kind == LoopKind::kSerial && is_int(loop->extent, 1);
    return single ? substitute(loop->body, {{loop->name(), int_imm(0)}}) : Stmt();
  });
}

/// Two programs that differ in how their index arithmetic is written only have the same one.
Program simplest(Program program) {
  program.sizes.clear();
  program.body = arith::simplify(without_single_loops(program.body));
  return program;
}

std::expected<void, Refusal> few_values(Program const& program) {
  if (arith::size_value_count(program.sizes) <= kMostSizeValues) return {};
  return refuse_sizes("too_many_sizes",
                      fmt::format("{} take more than {} values together, and each step "
                                  "is decided for every one of them",
                                  names_text(program), kMostSizeValues),
                      "sizes: few enough values to decide a step for each");
}

std::expected<void, Refusal> own_names(Program const& program) {
  std::set<std::string> names;
  for (SizeParam const& size : program.sizes)
    if (!names.insert(name_of(size)).second)
      return refuse_sizes("name_taken", fmt::format("the name {} is already used", name_of(size)),
                          "sizes: each must have a name of its own");
  return {};
}

/// Lanes and copies are made when the code is.
std::expected<void, Refusal> marks_fixed_loops(Primitive const& primitive,
                                               StepRequest const& request) {
  bool made = primitive.marks == LoopKind::kVector || primitive.marks == LoopKind::kUnroll;
  for (LoopSite const& site : request.loops)
    if (made && !as_int(site.loop->extent))
      return refuse_sizes("sizes_open",
                          fmt::format("the extent of {} is a symbolic size",
                                      reference_of(request.program, site.loop->id)),
                          primitive.name + ": the extent must be a constant");
  return {};
}

/// With a value that is too small for the step it is taken all the same, and says so.
std::expected<Applied, Refusal> take_with(Program const& program, Primitive const& primitive,
                                          Step step, std::vector<int64_t> const& values,
                                          TakeStep const& take, std::optional<Refusal>& pointless) {
  size_t known = program.sizes.size();
  std::vector<int64_t> before(values.begin(), values.begin() + int64_t(known));
  if (values.size() > known) step = primitive.open_sizes->with_value(step, values.back());
  auto taken = take(with_sizes(program, before), step);
  if (taken || taken.error().code != "factor_out_of_range" || known == 0) return taken;
  pointless = taken.error();
  return take(with_sizes_of_many(program, before), step);
}

/// Why a step is refused with some values; what it names is of the program with them.
Refusal refused_with(std::string const& where, Refusal refusal) {
  refusal.code = "not_for_every_size";
  refusal.message = fmt::format("with {}: {}", where, refusal.message);
  refusal.culprits.clear();
  return refusal;
}

/// What the step makes with one value.
struct Taken {
  std::vector<int64_t> values;
  Applied applied;
  std::optional<Refusal> pointless = {};  ///< why it would be refused with this value alone
};

/// Errors: of the first value that it is refused with; of all of them where it is pointless for
/// each.
std::expected<std::vector<Taken>, Refusal> take_with_all(Program const& program,
                                                         Program const& sized,
                                                         Primitive const& primitive,
                                                         Step const& step, TakeStep const& take) {
  std::vector<Taken> all;
  bool of_use = false;
  for (std::vector<int64_t> const& values : all_size_values(sized)) {
    std::optional<Refusal> pointless;
    auto taken = take_with(program, primitive, step, values, take, pointless);
    if (!taken) return std::unexpected(refused_with(values_text(sized, values), taken.error()));
    of_use = of_use || !pointless;
    all.push_back({values, std::move(*taken), std::move(pointless)});
  }
  if (!of_use) return std::unexpected(*all.back().pointless);
  return all;
}

/// The one program that all of them are instances of, where the primitive itself makes none.
std::expected<Applied, Refusal> made_of_all(Program const& program, std::vector<Taken> const& taken,
                                            Primitive const& primitive) {
  std::vector<Instance> instances;
  for (Taken const& one : taken) instances.push_back({one.values, one.applied.program});
  auto made = generalized(program, instances);
  if (!made)
    return refuse_sizes("not_for_every_size",
                        fmt::format("{} makes programs that differ in more than {}", primitive.name,
                                    names_text(program)),
                        "sizes: one program for every value");
  Applied applied = taken[made->like].applied;
  applied.program = std::move(made->program);
  return applied;
}

/// With a small value the step by itself may make less of the nest: it is right all the same where
/// it is legal as it is taken with many, and makes the same of it then.
bool same_as_of_many(Program const& program, Program const& open, Step const& step,
                     std::vector<int64_t> const& values, TakeStep const& take) {
  if (program.sizes.size() != values.size() || program.sizes.empty()) return false;
  auto taken = take(with_sizes_of_many(program, values), step);
  return taken &&
         equal(simplest(with_sizes(open, values)), simplest(with_sizes(taken->program, values)));
}

std::expected<void, Refusal> same_for_all(Program const& program, Program const& open,
                                          std::vector<Taken> const& taken,
                                          Primitive const& primitive, Step const& step,
                                          TakeStep const& take) {
  for (Taken const& one : taken) {
    if (equal(simplest(with_sizes(open, one.values)), simplest(one.applied.program))) continue;
    if (same_as_of_many(program, open, step, one.values, take)) continue;
    std::string where = values_text(open, one.values);
    if (one.pointless) return std::unexpected(refused_with(where, *one.pointless));
    return refuse_sizes("not_for_every_size",
                        fmt::format("with {}, {} makes another program than with symbolic sizes",
                                    where, primitive.name),
                        "sizes: one program for every value");
  }
  return {};
}

/// That no two elements share a place is proven of constant extents.
std::expected<void, Refusal> maps_of_constant_shapes(Program const& open) {
  Buffer mapped;
  walk(open.body, [&](Stmt const& s) {
    auto const* alloc = s.as<Alloc>();
    if (alloc && alloc->buffer->map && !constant_shape(*alloc->buffer)) mapped = alloc->buffer;
    return !mapped;
  });
  if (!mapped) return {};
  return refuse_sizes("not_for_every_size",
                      fmt::format("{} would have an index map, which needs constant extents, and "
                                  "its own depend on {}",
                                  mapped->name, names_text(open)),
                      "sizes: a tensor with an index map has constant extents");
}

}  // namespace

Program with_sizes(Program const& program, std::vector<int64_t> const& values) {
  return closed(program, values, Single::kGone);
}

Program with_sizes_of_many(Program const& program, std::vector<int64_t> const& values) {
  Program with = closed(program, values, Single::kKept);
  for (size_t i = 0; i < program.sizes.size(); ++i)
    with.sizes.push_back({program.sizes[i].var, values[i], values[i]});
  return with;
}

bool names_a_size(Primitive const& primitive) {
  return std::ranges::any_of(primitive.parameters, &Parameter::open_size);
}

std::vector<std::vector<int64_t>> all_size_values(Program const& program) {
  return arith::all_size_values(program.sizes);
}

std::expected<Applied, Refusal> take_with_sizes(Program const& program, Primitive const& primitive,
                                                StepRequest const& request, TakeStep const& take) {
  if (primitive.open_sizes && !primitive.open_sizes->apply)
    return refuse_sizes(
        "sizes_open",
        fmt::format("{} needs constant extents, and cannot be applied while {} {} symbolic: apply "
                    "it before",
                    primitive.name, names_text(program), program.sizes.size() == 1 ? "is" : "are"),
        primitive.name + ": the extents must be constants");
  if (auto fixed = marks_fixed_loops(primitive, request); !fixed)
    return std::unexpected(fixed.error());
  std::optional<Applied> open;
  if (primitive.open_sizes) open = primitive.open_sizes->apply(request);
  Program const& sized = open ? open->program : program;
  if (auto named = own_names(sized); !named) return std::unexpected(named.error());
  if (auto few = few_values(sized); !few) return std::unexpected(few.error());
  auto taken = take_with_all(program, sized, primitive, request.step, take);
  if (!taken) return std::unexpected(taken.error());
  if (!open) {
    auto made = made_of_all(program, *taken, primitive);
    if (!made) return std::unexpected(made.error());
    open = std::move(*made);
  }
  if (auto same = same_for_all(program, open->program, *taken, primitive, request.step, take);
      !same)
    return std::unexpected(same.error());
  if (auto fixed = maps_of_constant_shapes(open->program); !fixed)
    return std::unexpected(fixed.error());
  return *std::move(open);
}

}  // namespace tw
