#include "engine/schedule/open_sizes.h"

#include <fmt/format.h>

#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/digits.h"
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

/// What is left of a guard: without the parts that always hold.
Expr needed(Expr const& guard, arith::Ranges const& ranges) {
  Expr left;
  for (Expr const& part : conjuncts(guard))
    if (!arith::always(part, ranges)) left = left ? left && part : part;
  return left;
}

/// Guards and bindings of blocks as a step leaves them.
Stmt with_plain_guards(Stmt body) {
  for (BlockSite const& site : blocks_of(body)) {
    Block const& block = *site.block;
    arith::Ranges ranges = ranges_of(site.loops);
    std::vector<IterVar> iters = block.iters;
    for (IterVar& iter : iters) iter.binding = arith::simplify(iter.binding, ranges);
    Expr guard = block.predicate ? needed(block.predicate, ranges) : nullptr;
    body = replace_block(body, block.id,
                         make_from<Block>(block.origin, block.id, block.name, block.op,
                                          std::move(iters), guard, block.init, block.body));
  }
  return body;
}

/// Two programs that differ in how their index arithmetic is written only have the same one.
Program simplest(Program program) {
  program.body = arith::simplify(program.body);
  return program;
}

std::expected<void, Refusal> few_values(Program const& program) {
  int64_t values = 1;
  for (SizeParam const& size : program.sizes)
    values = std::min(values * (size.high - size.low + 1), kMostSizeValues + 1);
  if (values <= kMostSizeValues) return {};
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
std::expected<void, Refusal> marks_fixed_loops(Primitive const& primitive, Move const& move) {
  bool made = primitive.marks == LoopKind::kVector || primitive.marks == LoopKind::kUnroll;
  for (LoopSite const& site : move.loops)
    if (made && !as_int(site.loop->extent))
      return refuse_sizes("sizes_open",
                          fmt::format("{} has as many iterations as a size that is open says",
                                      reference_of(move.program, site.loop->id)),
                          primitive.name + ": the extent must be a constant");
  return {};
}

}  // namespace

Program with_sizes(Program const& program, std::vector<int64_t> const& values) {
  Substitution by;
  for (size_t i = 0; i < program.sizes.size(); ++i)
    by[name_of(program.sizes[i])] = int_imm(values[i]);
  Program with = program;
  with.sizes.clear();
  with.body = rewrite_stmts(substitute(program.body, by), [](Stmt const& s) -> Stmt {
    auto const* loop = s.as<For>();
    if (!loop || as_int(loop->extent)) return nullptr;
    return make_from<For>(loop->origin, loop->id, loop->var, arith::simplify(loop->extent),
                          loop->loop_kind, loop->body, loop->bind);
  });
  with.body = with_plain_guards(with.body);
  return with;
}

std::vector<std::vector<int64_t>> all_size_values(Program const& program) {
  std::vector<std::vector<int64_t>> all{{}};
  for (SizeParam const& size : program.sizes) {
    std::vector<std::vector<int64_t>> longer;
    for (std::vector<int64_t> const& values : all)
      for (int64_t value = size.low; value <= size.high; ++value) {
        longer.push_back(values);
        longer.back().push_back(value);
      }
    all = std::move(longer);
  }
  return all;
}

std::expected<Applied, Refusal> take_with_sizes(Program const& program, Primitive const& primitive,
                                                Move const& move, TakeStep const& take) {
  if (!primitive.open_sizes)
    return refuse_sizes(
        "sizes_open",
        fmt::format("{} needs numbers, and cannot be taken while {} {} open: take it "
                    "before",
                    primitive.name, names_text(program), program.sizes.size() == 1 ? "is" : "are"),
        primitive.name + ": the extents must be constants");
  if (auto fixed = marks_fixed_loops(primitive, move); !fixed)
    return std::unexpected(fixed.error());
  Applied open = primitive.open_sizes->apply(move);
  if (auto named = own_names(open.program); !named) return std::unexpected(named.error());
  if (auto few = few_values(open.program); !few) return std::unexpected(few.error());
  size_t known = program.sizes.size();
  for (std::vector<int64_t> const& values : all_size_values(open.program)) {
    std::vector<int64_t> before(values.begin(), values.begin() + int64_t(known));
    Step const step = values.size() > known
                          ? primitive.open_sizes->with_value(move.step, values.back())
                          : move.step;
    auto taken = take(with_sizes(program, before), step);
    std::string where = values_text(open.program, values);
    if (!taken) {
      Refusal refusal = taken.error();
      refusal.code = "not_for_every_size";
      refusal.message = fmt::format("with {}: {}", where, refusal.message);
      refusal.culprits.clear();  // loops of that program
      return std::unexpected(std::move(refusal));
    }
    if (!equal(simplest(with_sizes(open.program, values)), simplest(taken->program)))
      return refuse_sizes("not_for_every_size",
                          fmt::format("with {}, {} makes another program than where the sizes "
                                      "are open",
                                      where, primitive.name),
                          "sizes: one program for every value");
  }
  return open;
}

}  // namespace tw
