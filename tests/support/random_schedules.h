/// Small kernels and random steps on them, the same for the same seed: for tests of schedules,
/// interpreted or compiled.
#pragma once

#include <QtGlobal>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/interpreter.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/names.h"
#include "engine/schedule/open_sizes.h"
#include "engine/schedule/rewriting/pipelining.h"
#include "engine/schedule/schedule.h"
#include "engine/support/base/random.h"
#include "engine/te/expected.h"
#include "engine/te/inputs.h"
#include "engine/tensor/ndarray.h"
#include "tests/support/hard_kernels.h"
#include "tests/support/matrix_machine.h"
#include "tests/support/small_kernels.h"
#include "tests/support/thread_machine.h"

namespace tw::testing {

inline Result<te::Kernel> parsed_kernel(std::string const& text) {
  return te::parse_kernel("tilewright te 1\n" + text);
}

inline Result<ir::Program> small_program(size_t number) {
  TRY_ASSIGN(te::Kernel kernel, parsed_kernel(small_kernels()[number]));
  return te::to_program(kernel);
}

enum class KernelSet : uint8_t { kSmall, kAll };

/// TW_KERNELS=small leaves the hard and the random kernels out of a run.
inline KernelSet kernel_set() {
  return qEnvironmentVariable("TW_KERNELS", "all") == "small" ? KernelSet::kSmall : KernelSet::kAll;
}

/// Kernel `number` of an endless list: those written by hand in turn, and after each turn as many
/// made at random.
inline std::string test_kernel(int64_t number, KernelSet set, Rng& rng) {
  auto const &small = small_kernels(), &hard = hard_kernels();
  if (set == KernelSet::kSmall) return small[size_t(number) % small.size()];
  size_t at = size_t(number) % (2 * (small.size() + hard.size()));
  if (at < small.size()) return small[at];
  if (at < small.size() + hard.size()) return hard[at - small.size()];
  return random_kernel(rng);
}

/// For programs that no kernel is known of.
inline std::vector<NDArray> random_inputs(ir::Program const& program, Rng& rng) {
  std::vector<NDArray> inputs;
  for (ir::Buffer const& buffer : program.inputs) {
    NDArray array = NDArray::create(buffer->type, *ir::constant_shape(*buffer)).value();
    for (int64_t i = 0; i < array.size(); ++i)
      array.set_value(i, is_float(buffer->type) ? rng.uniform() * 2 - 1 : double(rng.below(2)));
    inputs.push_back(std::move(array));
  }
  return inputs;
}

inline std::vector<NDArray> random_inputs(te::Kernel const& kernel, Rng& rng) {
  return te::proving_inputs(kernel, rng.next()).value();
}

/// What every schedule of the kernel computes on these inputs.
inline te::Expected expected_of(te::Kernel const& kernel, std::vector<NDArray> const& inputs) {
  return te::expected_outputs(
             kernel, inputs, [&](ir::Program const& plain) { return ir::interpret(plain, inputs); })
      .value();
}

/// Layouts by a map of one to four dimensions, most of them legal of some shape.
inline std::string random_map(Rng& rng) {
  static char const* const kMaps[] = {
      "i -> i",
      "i -> i // 4, i % 4",
      "i, j -> j, i",
      "i, j -> i, j ^ i",
      "i, j -> i, j ^ i % 2",
      "i, j -> i // 2, j, i % 2",
      "i, j -> i, (j // 2 ^ i % 4) * 2 + j % 2",
      "i, j -> j // 4, i ^ 1, j % 4",
      "i, j -> i, 7 - j",
      "i, j, k -> k, i, j",
      "i, j, k -> i, j, k ^ j",
      "i, j, k -> i // 2 * 2 + (i + j) % 2, j, k",
      "i, j, k, l -> i, l ^ j % 2, k, j",
      "i, j, k, l -> j, i, k // 2, l, k % 2",
      "i, j, k, l -> i, j, k, l ^ k",
      "i, j, k, l -> i + j, k, l",
  };
  return kMaps[rng.below(std::size(kMaps))];
}

/// A word for a parameter that takes any: a tensor of the program, a layout of up to four letters.
inline std::string random_word(ir::Program const& program, std::string const& parameter, Rng& rng) {
  if (parameter == "tensor") {
    std::vector<std::string> names;
    for (ir::BlockSite const& site : ir::blocks_of(program.body))
      ir::walk_exprs(site.block->body, [&](ir::Expr const& e) {
        if (auto const* read = e.as<ir::Load>()) names.push_back(read->buffer->name);
        return true;
      });
    return names.empty() ? "none" : names[size_t(rng.below(int64_t(names.size())))];
  }
  static char const* const kLayouts[] = {"BA",   "AB2b",   "AB3a",     "BA2a4b", "ABC",
                                         "CAB",  "ACB2c",  "ABCD",     "ACDB",   "ABCD4b",
                                         "DBCA", "AB2b2b", "ABCD3b2c", "A2a",    "A"};
  return kLayouts[rng.below(std::size(kLayouts))];
}

inline bool makes_calls(Primitive const& primitive) {
  return primitive.name == "tensorize" || primitive.name == "blockize";
}

/// A serial loop around one block that starts no sum and runs always, mostly the innermost: what
/// calls are made of. Null: there is none.
inline ir::For const* nest_for_a_call(ir::Program const& program, Rng& rng) {
  std::vector<ir::For const*> innermost, others;
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) {
    ir::Block const& block = *site.block;
    if (block.init || block.predicate || !block.body.as<ir::Store>()) continue;
    for (size_t i = site.loops.size(); i-- > 0;) {
      bool inner = i + 1 == site.loops.size();
      ir::Stmt const& body = site.loops[i]->body;
      if (site.loops[i]->loop_kind != ir::LoopKind::kSerial) break;
      if (inner ? !body.as<ir::Block>() : !body.as<ir::For>()) break;
      (inner ? innermost : others).push_back(site.loops[i]);
    }
  }
  auto const& from = others.empty() || rng.below(4) > 0 ? innermost : others;
  return from.empty() ? nullptr : from[size_t(rng.below(int64_t(from.size())))];
}

/// An instruction for the nest as its block looks: a copy, a filling, a sum of products or of
/// elements, a product with a number.
inline std::string likely_intrinsic(ir::Program const& program, std::string const& loop, Rng& rng) {
  auto site = find_loop(program, loop);
  std::vector<ir::BlockSite> blocks;
  if (site) blocks = ir::blocks_of(site->loop->body);
  auto const* store = blocks.size() == 1 ? blocks[0].block->body.as<ir::Store>() : nullptr;
  if (!store) return "mma";
  if (store->value.as<ir::Load>()) return "copy";
  if (store->value.as<ir::FloatImm>()) return "fill";
  auto const* value = store->value.as<ir::Binary>();
  if (!value) return "scale";
  auto const* first = value->a.as<ir::Load>();
  bool updates = first && first->buffer->name == store->buffer->name;
  if (value->op == ir::BinaryOp::kMax) return "most";
  if (value->op == ir::BinaryOp::kMul && first && value->b.as<ir::Load>()) return "multiply";
  if (value->op != ir::BinaryOp::kAdd) return "scale";
  if (!updates) return "add";
  auto const* term = value->b.as<ir::Binary>();
  if (!term || term->op != ir::BinaryOp::kMul) return "total";
  if (rng.below(4) == 0) return "mma";
  ir::Expr written = ir::load(store->buffer, store->indices);
  for (ir::IterVar const& iter : blocks[0].block->iters)
    written = ir::substitute(written, {{iter.name(), iter.binding}});
  bool sums = !ir::uses_variable(written, site->loop->name());
  return sums ? "dot" : "axpy";
}

/// A word of the target for a loop or a block of the program, mostly with a value that it takes;
/// now and then for what it is not meant for, or one to take back.
inline Step random_annotation(ir::Program const& program, Target const& target, Rng& rng) {
  Step step{"annotate", {"none"}, {}, {}};
  if (target.annotations.empty()) return step;
  auto const& word = target.annotations[size_t(rng.below(int64_t(target.annotations.size())))];
  step.arguments["key"] = word.name;
  step.arguments["value"] = rng.below(6) == 0 ? int64_t(0) : rng.between(word.low, word.high);
  std::vector<ir::LoopSite> loops = ir::loops_of(program.body);
  std::vector<ir::BlockSite> blocks = ir::blocks_of(program.body);
  bool of_block = word.of_block == (rng.below(8) > 0);
  if (of_block || loops.empty())
    step.targets = {blocks[size_t(rng.below(int64_t(blocks.size())))].block->name};
  else
    step.targets = {
        reference_of(program, loops[size_t(rng.below(int64_t(loops.size())))].loop->id)};
  return step;
}

/// A loop of the program for a value of one of its sizes; mostly an outer one that depends on it.
inline Step random_specialization(ir::Program const& open, Rng& rng) {
  Step step{"specialize", {"none"}, {{"size", std::string("none")}, {"value", int64_t(1)}}, {}};
  std::vector<ir::LoopSite> loops = ir::loops_of(open.body);
  if (open.sizes.empty() || loops.empty()) return step;
  ir::SizeParam const& size = open.sizes[size_t(rng.below(int64_t(open.sizes.size())))];
  std::string name = size.var.to<ir::Variable>().name;
  step.arguments["size"] = name;
  step.arguments["value"] = rng.between(size.low, size.high + (rng.below(8) == 0));
  ir::LoopSite const* site = &loops[size_t(rng.below(int64_t(loops.size())))];
  for (ir::LoopSite const& one : loops)
    if (ir::uses_variable(one.loop->extent, name) && rng.below(2) == 0) site = &one;
  ir::For const* loop = site->loop;
  if (!site->around.empty() && rng.below(2) == 0)
    loop = site->around[size_t(rng.below(int64_t(site->around.size())))];
  step.targets = {reference_of(open, loop->id)};
  return step;
}

/// A number for each statement of a loop: stages that mostly do not fall, or places.
inline std::string random_list(ir::For const& loop, std::string const& parameter, Rng& rng) {
  std::string text;
  int64_t stage = 0, count = int64_t(parts_of(loop).statements.size());
  for (int64_t i = 0; i < count; ++i) {
    bool places = parameter == "order";
    if (!places && i > 0)
      stage = std::max<int64_t>(stage + (rng.below(8) == 0 ? -1 : rng.below(2)), 0);
    if (!places && i == count - 1 && stage == 0 && rng.below(8) != 0) stage = 1;
    text += (i == 0 ? "" : ",") + std::to_string(places ? count - 1 - i : stage);
  }
  return text;
}

/// One of the loops whose body is several statements, or any.
inline ir::LoopSite const& loop_of_several(std::vector<ir::LoopSite> const& loops, Rng& rng) {
  std::vector<ir::LoopSite const*> several;
  for (ir::LoopSite const& site : loops)
    if (parts_of(*site.loop).statements.size() > 1 && !parts_of(*site.loop).tensors.empty())
      several.push_back(&site);
  if (several.empty()) return loops[size_t(rng.below(int64_t(loops.size())))];
  return *several[size_t(rng.below(int64_t(several.size())))];
}

/// One of the blocks whose tensor is allocated in a loop, or any.
inline int64_t block_in_a_loop(ir::Program const& program, Rng& rng) {
  std::vector<ir::BlockSite> blocks = ir::blocks_of(program.body);
  std::set<std::string> inside;
  for (ir::LoopSite const& site : ir::loops_of(program.body))
    for (ir::Buffer const& tensor : parts_of(*site.loop).tensors) inside.insert(tensor->name);
  std::vector<int64_t> good;
  for (size_t i = 0; i < blocks.size(); ++i)
    if (ir::Buffer written = written_buffer(blocks[i]); written && inside.contains(written->name))
      good.push_back(int64_t(i));
  if (good.empty()) return rng.below(int64_t(blocks.size()));
  return good[size_t(rng.below(int64_t(good.size())))];
}

/// The first block from one on that shares a loop with another one; that one, if there is none.
inline int64_t with_neighbours(std::vector<ir::BlockSite> const& blocks, size_t from) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    ir::BlockSite const& site = blocks[(from + i) % blocks.size()];
    for (ir::BlockSite const& other : blocks)
      if (other.block != site.block && !other.loops.empty() && !site.loops.empty() &&
          other.loops[0]->id == site.loops[0]->id)
        return int64_t((from + i) % blocks.size());
  }
  return int64_t(from);
}

/// The first block from one on that stores a choice; that one, if there is none.
inline int64_t one_that_pads(std::vector<ir::BlockSite> const& blocks, size_t from) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    size_t at = (from + i) % blocks.size();
    auto const* store = blocks[at].block->body.as<ir::Store>();
    if (store && store->value.as<ir::Select>()) return int64_t(at);
  }
  return int64_t(from);
}

/// The first block from one on that sums up terms with a choice; that one, if there is none.
inline int64_t one_that_sums_padding(std::vector<ir::BlockSite> const& blocks, size_t from) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    size_t at = (from + i) % blocks.size();
    bool chooses = false;
    ir::walk_exprs(blocks[at].block->body, [&](ir::Expr const& e) {
      return chooses = chooses || e.as<ir::Select>(), !chooses;
    });
    if (chooses && blocks[at].block->init) return int64_t(at);
  }
  return int64_t(from);
}

/// Nests that stand one after the other, or now and then any.
inline Step random_fusion(ir::Program const& program, Rng& rng) {
  std::vector<std::vector<ir::LoopId>> rows;
  auto look = [&](ir::Stmt const& s) {
    auto const* list = s.as<ir::Seq>();
    if (list) rows.emplace_back();
    for (size_t i = 0; list && i < list->stmts.size(); ++i)
      if (auto const* loop = list->stmts[i].as<ir::For>()) rows.back().push_back(loop->id);
    return true;
  };
  ir::walk(program.body, look);
  std::vector<ir::LoopSite> all = ir::loops_of(program.body);
  Step step{"rolling_update", {}, {}, {}};
  auto const* row = rows.empty() ? nullptr : &rows[size_t(rng.below(int64_t(rows.size())))];
  size_t from = row && !row->empty() ? size_t(rng.below(int64_t(row->size()))) : 0;
  for (int64_t count = rng.between(2, 4); count > 0; --count) {
    bool next = row && from < row->size() && rng.below(16) > 0;
    ir::LoopId loop = next ? (*row)[from] : all[size_t(rng.below(int64_t(all.size())))].loop->id;
    step.targets.push_back(reference_of(program, loop));
    ++from;
  }
  return step;
}

/// Some step of a primitive, legal or not, with targets and arguments of the right number.
inline Step propose_step(ir::Program const& program, Rng& rng, Primitive const& primitive,
                         Target const& target = *any_target()) {
  std::vector<ir::LoopSite> loops = ir::loops_of(program.body);
  if (primitive.name == "annotate") return random_annotation(program, target, rng);
  if (primitive.name == "rolling_update" && !loops.empty()) return random_fusion(program, rng);
  if (names_a_size(primitive)) return random_specialization(program, rng);
  Step step;
  step.primitive = primitive.name;
  if (loops.empty()) {  // all are calls now
    step.targets.push_back("none");
    return step;
  }
  auto name = [&](ir::LoopSite const& site) { return reference_of(program, site.loop->id); };
  std::vector<ir::BlockSite> blocks = ir::blocks_of(program.body);
  // Of steps that take neighbours apart: one that stands with others. Of those about tensors inside
  // of loops: one that makes such a tensor.
  auto near = rng.below(int64_t(blocks.size()));
  if (primitive.name == "compute_root" || primitive.name == "fission")
    near = with_neighbours(blocks, size_t(near));
  if (primitive.name == "skip_padding") near = one_that_sums_padding(blocks, size_t(near));
  if (primitive.name == "decompose_padding") near = one_that_pads(blocks, size_t(near));
  if (primitive.name == "double_buffer" || primitive.name == "rolling_buffer")
    near = block_in_a_loop(program, rng);
  // Blocks, and loops of a block beside them: mostly of a neighbour, which may share a tensor.
  for (TargetKind kind : primitive.kinds)
    if (kind == TargetKind::kBlock) {
      step.targets.push_back(blocks[size_t(near)].block->name);
    } else {
      auto at = std::clamp<int64_t>(near + (rng.below(2) ? 1 : -1), 0, int64_t(blocks.size()) - 1);
      if (primitive.name == "fission" && rng.below(8) > 0) at = near;
      auto const& around = blocks[size_t(at)].loops;
      step.targets.push_back(
          around.empty() || rng.below(4) == 0
              ? name(loops[size_t(rng.below(int64_t(loops.size())))])
              : reference_of(program, around[size_t(rng.below(int64_t(around.size())))]->id));
    }
  bool lists = std::ranges::any_of(primitive.parameters, &Parameter::list);
  ir::LoopSite const& first =
      lists ? loop_of_several(loops, rng) : loops[size_t(rng.below(int64_t(loops.size())))];
  std::vector<ir::LoopSite> inside = ir::loops_of(first.loop->body);
  if (makes_calls(primitive) && rng.below(4) > 0)
    if (ir::For const* nest = nest_for_a_call(program, rng))
      step.targets.push_back(reference_of(program, nest->id));
  if (step.targets.empty()) step.targets.push_back(name(first));
  int more = !primitive.kinds.empty() ? 0
             : primitive.targets < 0  ? int(rng.between(1, 3))
                                      : primitive.targets - 1;
  for (int i = 0; i < more && !inside.empty(); ++i) {
    // Mostly the next loops of the same nest; now and then any.
    auto at = rng.below(3) > 0 ? size_t(0) : size_t(rng.below(int64_t(inside.size())));
    step.targets.push_back(name(inside[at]));
    inside.erase(inside.begin() + int64_t(at));
  }
  if (primitive.targets < 0)  // any order
    for (size_t i = step.targets.size(); i > 1; --i)
      std::swap(step.targets[i - 1], step.targets[size_t(rng.below(int64_t(i)))]);
  std::vector<Parameter const*> optional;
  for (Parameter const& parameter : primitive.parameters) {
    if (parameter.optional)
      optional.push_back(&parameter);
    else if (parameter.list)
      step.arguments[parameter.name] = random_list(*first.loop, parameter.name, rng);
    else if (parameter.word)
      step.arguments[parameter.name] = random_word(program, parameter.name, rng);
    else if (parameter.intrinsic && target.intrinsic("mma") && rng.below(4) > 0)
      step.arguments[parameter.name] = likely_intrinsic(program, step.targets[0], rng);
    else if (auto choices = choices_of(parameter, target); !choices.empty())
      step.arguments[parameter.name] = choices[size_t(rng.below(int64_t(choices.size())))];
    else
      step.arguments[parameter.name] =
          rng.between(parameter.low, std::min<int64_t>(parameter.high, 8));
  }
  bool whole = primitive.name == "compute_at" && rng.below(3) == 0;  // no tail
  if (primitive.name == "transform_layout") {
    Rng beside = rng;  // other steps are drawn as without maps
    std::string letters = random_word(program, "layout", rng);
    if (beside.below(2) == 0)
      step.arguments["layout"] = letters;
    else
      step.arguments["map"] = random_map(beside);
    return step;
  }
  if (!optional.empty() && !whole && (!lists || rng.below(8) == 0)) {
    Parameter const& one = *optional[size_t(rng.below(int64_t(optional.size())))];
    int64_t extent = ir::as_int(first.loop->extent).value_or(4);
    if (one.list)
      step.arguments[one.name] = random_list(*first.loop, one.name, rng);
    else if (one.word)
      step.arguments[one.name] = random_word(program, one.name, rng);
    else if (auto choices = choices_of(one, target); !choices.empty())
      step.arguments[one.name] = choices[size_t(rng.below(int64_t(choices.size())))];
    else
      step.arguments[one.name] =
          rng.between(one.low, std::min(one.high, std::max<int64_t>(extent, one.low)));
  }
  return step;
}

/// Parts that do not divide an axis, and may end otherwise than with a guard, are seldom met by
/// chance: some are looked for. Where there are none, a split that may make them.
inline Step random_tail(ir::Program const& program, Rng& rng, Target const& target) {
  Schedule schedule(program, std::make_shared<Target const>(target));
  std::vector<ir::BlockSite> blocks = ir::blocks_of(program.body);
  std::string tail = rng.below(4) > 0 ? "round_up" : "shift_inwards";
  Step split{"split", {"none"}, {{"factor", rng.between(2, 5)}}, {}};
  auto first = size_t(rng.below(int64_t(blocks.size())));
  for (size_t i = 0, tries = 0; i < blocks.size() && tries < 12; ++i) {
    ir::BlockSite const& made = blocks[(first + i) % blocks.size()];
    ir::Buffer tensor = written_buffer(made);
    if (!tensor || is_parameter(program, tensor->name)) continue;
    for (ir::BlockSite const& reader : readers_of(program, tensor->name)) {
      if (reader.block == made.block || reader.loops.empty()) continue;
      auto at = size_t(rng.below(int64_t(reader.loops.size())));
      std::string loop = reference_of(program, reader.loops[at]->id);
      split.targets = {loop};
      Step step{"compute_at", {made.block->name, loop}, {{"tail", tail}}, {}};
      if (++tries; schedule.check(step)) return step;
    }
  }
  return split;
}

/// Whether random steps are made of it: the target has a use for it, and it is not about sizes:
/// after one was opened few others are taken (tests/schedule/sizes_test.cpp proposes those).
inline bool is_proposed(Primitive const& primitive, Target const& target) {
  bool opens = primitive.open_sizes && primitive.open_sizes->with_value;
  return is_for(primitive, target) && !opens && !names_a_size(primitive) &&
         primitive.name != "rolling_update";
}

/// A step that opens a size of few values at some loop.
inline Step random_size(ir::Program const& program, std::string name, Rng& rng) {
  std::vector<ir::LoopSite> loops = ir::loops_of(program.body);
  ir::For const& loop = *loops[size_t(rng.below(int64_t(loops.size())))].loop;
  int64_t extent = ir::as_int(loop.extent).value_or(1);
  int64_t low = rng.between(1, extent), high = rng.between(low, std::min(low + 4, extent));
  return {"split_by_size",
          {reference_of(program, loop.id)},
          {{"size", std::move(name)}, {"low", low}, {"high", high}},
          {}};
}

/// What a step of the primitive is proposed on: about a size, the program where it is open.
inline ir::Program const& asked_program(Schedule const& schedule, Primitive const& primitive) {
  return names_a_size(primitive) && schedule.sized() ? schedule.sized()->program
                                                     : schedule.program();
}

/// In how many of a number of random traces a step of the primitive must be taken at least, so that
/// the traces say something of it. Few kernels are stencils, whose rows can be kept:
/// schedule/rolling_rows_test makes those.
inline int least_accepted(Primitive const& primitive, int traces) {
  if (primitive.name == "rolling_buffer") return traces / 2000;
  return traces / (makes_calls(primitive) ? 100 : 40);
}

/// The same with a primitive of the table that the target has a use for. Few steps are taken
/// beside calls, so that calls are not made in every program.
inline Step propose_step(ir::Program const& program, Rng& rng,
                         Target const& target = *any_target()) {
  auto holds_tensors = [](ir::LoopSite const& site) {
    return !parts_of(*site.loop).tensors.empty();
  };
  std::vector<Primitive const*> usable;
  bool calls = target.intrinsic("mma") || rng.below(16) == 0;
  // Few programs have tensors inside of loops by chance, which some primitives are about.
  std::vector<std::string> favoured{"compute_at", "reverse_compute_at"};
  if (std::ranges::any_of(ir::loops_of(program.body), holds_tensors))
    favoured = {"double_buffer", "software_pipeline", "rolling_buffer"};
  if (rng.below(14) == 0 && !ir::loops_of(program.body).empty())
    return random_tail(program, rng, target);
  if (rng.below(8) == 0)
    return propose_step(program, rng,
                        *find_primitive(favoured[size_t(rng.below(int64_t(favoured.size())))]),
                        target);
  for (Primitive const* one : primitive_table())
    if (is_proposed(*one, target) && (calls || !makes_calls(*one))) usable.push_back(one);
  if (target.intrinsic("mma") && rng.below(3) == 0)  // and what makes a nest for it
    return propose_step(
        program, rng,
        *find_primitive(nest_for_a_call(program, rng) ? "tensorize" : "decompose_reduction"),
        target);
  return propose_step(program, rng, *usable[size_t(rng.below(int64_t(usable.size())))], target);
}

/// By turns one without limits and one with blocks and threads; now and then one with instructions,
/// or with virtual threads alone.
inline std::shared_ptr<Target const> test_target(int64_t number) {
  if (number % 8 == 7) return matrix_machine();
  if (number % 8 == 6) return accelerator_machine();
  return number % 2 == 0 ? any_target() : thread_machine();
}

/// The steps of a schedule that are needed to make a wrong program: what can be left out is.
template <typename IsWrong>
Schedule shrunk(Schedule const& wrong, IsWrong is_wrong) {
  Schedule least = wrong;
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (size_t without = least.trace().size(); without-- > 0 && !smaller;) {
      Schedule fewer(wrong.origin(), std::make_shared<Target const>(wrong.target()));
      bool taken = true;
      for (size_t i = 0; i < least.trace().size() && taken; ++i) {
        if (i == without) continue;
        auto next = fewer.apply(least.trace()[i].step);
        taken = next.has_value();
        if (taken) fewer = std::move(*next);
      }
      smaller = taken && is_wrong(fewer);
      if (smaller) least = fewer;
    }
  }
  return least;
}

}  // namespace tw::testing
