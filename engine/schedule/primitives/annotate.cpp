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

AnnotationWord const& word_of(StepRequest const& request) {
  return *std::ranges::find(request.target.annotations, request.word("key"), &AnnotationWord::name);
}

ir::StmtNode const& annotated(StepRequest const& request) {
  if (request.blocks.empty()) return *request.loops[0].loop;
  return *request.blocks[0].block;
}

std::string name_of(StepRequest const& request) {
  return request.blocks.empty() ? reference_of(request.program, request.loops[0].loop->id)
                                : request.blocks[0].block->name;
}

/// "1 to 64", "1"
std::string values_of(AnnotationWord const& word) {
  return word.low == word.high ? std::to_string(word.low)
                               : fmt::format("{} to {}", word.low, word.high);
}

std::expected<void, Refusal> fits(StepRequest const& request, AnnotationWord const& word) {
  bool of_block = request.loops.empty();
  std::string name = name_of(request);
  if (word.of_block != of_block)
    return refuse(
        "word_of_another_kind",
        fmt::format("{} is an annotation for {}, and {} is a {}", word.name,
                    word.of_block ? "blocks" : "loops", name, of_block ? "block" : "loop"),
        kCondition, request.loops);
  if (of_block && !written_buffer(request.blocks[0]))
    return refuse("writes_nothing", fmt::format("{} does not write one tensor", name),
                  "annotate: an annotated block must write one tensor", request.loops);
  if (!of_block && request.loops[0].loop->loop_kind != ir::LoopKind::kSerial)
    return refuse(
        "loop_annotated",
        fmt::format("{} is already {}", name, ir::adjective(request.loops[0].loop->loop_kind)),
        "annotate: an annotated loop must be serial", request.loops);
  return {};
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  AnnotationWord const& word = word_of(request);
  if (auto fit = fits(request, word); !fit) return std::unexpected(fit.error());
  int64_t value = request.number("value");
  std::string name = name_of(request);
  if (value != 0 && (value < word.low || value > word.high))
    return refuse("value_out_of_range",
                  fmt::format("{} takes {}, or 0 to remove it, and not {}", word.name,
                              values_of(word), value),
                  kCondition, request.loops);
  int64_t said = ir::said_of(annotated(request), word.name).value_or(0);
  if (said != value) return Proof{"an annotation changes the generated code, not its results"};
  return refuse("said_already",
                said == 0 ? fmt::format("{} is not set on {}", word.name, name)
                          : fmt::format("{}={} is already set on {}", word.name, value, name),
                "annotate: the value must differ from the present one", request.loops);
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  ir::Origin origin =
      ir::with_word(annotated(request).origin, request.word("key"), request.number("value"));
  if (request.blocks.empty()) {
    ir::For const& loop = *request.loops[0].loop;
    applied.program.body =
        ir::replace_loop(request.program.body, loop.id,
                         ir::make_from<ir::For>(std::move(origin), loop.id, loop.var, loop.extent,
                                                loop.loop_kind, loop.body, loop.bind));
    return applied;
  }
  ir::Block const& block = *request.blocks[0].block;
  applied.program.body = ir::replace_block(
      request.program.body, block.id,
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
