#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/annotations.h"
#include "engine/ir/loop_words.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw::primitive_annotate {
namespace {

constexpr char kCondition[] =
    "annotate: the annotation must be one for this kind of object, with a value in its range";

AnnotationWord const& word_of(Move const& move) {
  return *std::ranges::find(move.target.annotations, move.word("key"), &AnnotationWord::name);
}

ir::StmtNode const& annotated(Move const& move) {
  if (move.blocks.empty()) return *move.loops[0].loop;
  return *move.blocks[0].block;
}

std::string name_of(Move const& move) {
  return move.blocks.empty() ? reference_of(move.program, move.loops[0].loop->id)
                             : move.blocks[0].block->name;
}

/// "1 to 64", "1"
std::string values_of(AnnotationWord const& word) {
  return word.low == word.high ? std::to_string(word.low)
                               : fmt::format("{} to {}", word.low, word.high);
}

std::expected<void, Refusal> fits(Move const& move, AnnotationWord const& word) {
  bool of_block = move.loops.empty();
  std::string name = name_of(move);
  if (word.of_block != of_block)
    return refuse(
        "word_of_another_kind",
        fmt::format("{} is an annotation for {}, and {} is a {}", word.name,
                    word.of_block ? "blocks" : "loops", name, of_block ? "block" : "loop"),
        kCondition, move.loops);
  if (of_block && !written_buffer(move.blocks[0]))
    return refuse("writes_nothing", fmt::format("{} does not write one tensor", name),
                  "annotate: an annotated block must write one tensor", move.loops);
  if (!of_block && move.loops[0].loop->loop_kind != ir::LoopKind::kSerial)
    return refuse(
        "loop_annotated",
        fmt::format("{} is already {}", name, ir::adjective(move.loops[0].loop->loop_kind)),
        "annotate: an annotated loop must be serial", move.loops);
  return {};
}

std::expected<Proof, Refusal> check(Move const& move) {
  AnnotationWord const& word = word_of(move);
  if (auto fit = fits(move, word); !fit) return std::unexpected(fit.error());
  int64_t value = move.number("value");
  std::string name = name_of(move);
  if (value != 0 && (value < word.low || value > word.high))
    return refuse("value_out_of_range",
                  fmt::format("{} takes {}, or 0 to remove it, and not {}", word.name,
                              values_of(word), value),
                  kCondition, move.loops);
  int64_t said = ir::said_of(annotated(move), word.name).value_or(0);
  if (said != value) return Proof{"an annotation changes the generated code, not its results"};
  return refuse("said_already",
                said == 0 ? fmt::format("{} is not set on {}", word.name, name)
                          : fmt::format("{}={} is already set on {}", word.name, value, name),
                "annotate: the value must differ from the present one", move.loops);
}

Applied apply(Move const& move) {
  Applied applied{move.program, {}, {}};
  ir::Origin origin = ir::with_word(annotated(move).origin, move.word("key"), move.number("value"));
  if (move.blocks.empty()) {
    ir::For const& loop = *move.loops[0].loop;
    applied.program.body =
        ir::replace_loop(move.program.body, loop.id,
                         ir::make_from<ir::For>(std::move(origin), loop.id, loop.var, loop.extent,
                                                loop.loop_kind, loop.body, loop.bind));
    return applied;
  }
  ir::Block const& block = *move.blocks[0].block;
  applied.program.body = ir::replace_block(
      move.program.body, block.id,
      ir::make_from<ir::Block>(std::move(origin), block.id, block.name, block.op, block.iters,
                               block.predicate, block.init, block.body));
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "annotate",
      .key = "Shift+A",
      .title = "Annotate a loop or a block",
      .doc =
          "Attaches a code-generation annotation of the target: it changes the generated code, "
          "never its results. The value 0 removes the annotation. Annotations of a loop are "
          "dropped when it is split, fused, unrolled, vectorized or run in parallel; copies of a "
          "loop keep them. A block keeps its annotations.",
      .rewrite = "for i in 8  -->  for i in 8 with unroll_by=4",
      .refused = "cannot have this annotation",
      .parameters = {{.name = "key",
                      .doc = "one of the target's annotations for loops or for blocks",
                      .low = 0,
                      .high = 0,
                      .annotation = true,
                      .former = "word"},
                     {.name = "value",
                      .doc = "value of the annotation; 0 removes it",
                      .low = 0,
                      .high = int64_t(1) << 20,
                      .preset = 1}},
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kEither},
      .open_sizes = OpenSizes{apply},
      .refuses = {"loop_annotated", "said_already", "value_out_of_range", "word_of_another_kind",
                  "writes_nothing"},
  };
  return primitive;
}

}  // namespace tw::primitive_annotate
